// Sizes as users write them.
#ifndef NEREID_AOT_SIZE_H
#define NEREID_AOT_SIZE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nereid {

/// `512M`, `16G`, `1.5 GiB`: units of 1024; a plain number is of bytes. Nothing where it is not that.
std::optional<uint64_t> parseSize(llvm::StringRef text);

/// What is wrong with a size that an option has, as CLI11 asks: nothing if it is empty.
std::string checkSize(const std::string &text);

} // namespace nereid

#endif // NEREID_AOT_SIZE_H
