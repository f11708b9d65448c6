// What numbers on the command line may be. What CLI11 itself makes of them is wrong in places: it takes -1
// for the largest number where an option has no sign, and NaN for any.
#ifndef NEREID_AOT_NUMBEROPTION_H
#define NEREID_AOT_NUMBEROPTION_H

#include <cstdint>
#include <functional>
#include <string>

namespace nereid {

/// Checks of an option's text, for CLI::Option::check: what is wrong with it in words, or nothing. An empty
/// text is the same as no option, as build systems have it.
using NumberCheck = std::function<std::string(const std::string &)>;

/// An integer from `least` to `most`.
NumberCheck isCount(uint64_t least = 0, uint64_t most = UINT32_MAX);

/// A number of seconds above 0, at most a year's.
std::string isDuration(const std::string &text);

} // namespace nereid

#endif // NEREID_AOT_NUMBEROPTION_H
