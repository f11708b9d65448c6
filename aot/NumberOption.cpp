// See NumberOption.h.
#include "aot/NumberOption.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>

using namespace llvm;

namespace nereid {

NumberCheck isCount(uint64_t least, uint64_t most) {
  return [least, most](const std::string &text) -> std::string {
    uint64_t number = 0;
    // With the base 0 also 0x20, as ever.
    if (text.empty() || (!StringRef(text).getAsInteger(0, number) && number >= least && number <= most))
      return "";
    bool isBounded = most != UINT32_MAX && most != UINT64_MAX;
    return "expected an integer " +
           (isBounded ? "from " + utostr(least) + " to " + utostr(most)
                      : "of " + utostr(least) + " or more") +
           ", not '" + text + "'";
  };
}

std::string isDuration(const std::string &text) {
  constexpr double most = 366.0 * 24 * 60 * 60;
  double number = 0;
  if (!StringRef(text).getAsDouble(number) && number > 0 && number <= most)
    return "";
  return "expected a number of seconds above 0, such as 0.5, not '" + text + "'";
}

} // namespace nereid
