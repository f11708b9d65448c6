// What stands for bytes where only the cache itself has to know them again: faster than the SHA-256 of files,
// which people compare with what `sha256sum` says.
#ifndef NEREID_AOT_CACHE_FINGERPRINT_H
#define NEREID_AOT_CACHE_FINGERPRINT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <string>

namespace nereid {

inline std::string fingerprintOf(llvm::StringRef bytes) {
  auto digest = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

} // namespace nereid

#endif // NEREID_AOT_CACHE_FINGERPRINT_H
