// Loads of what nobody needs again.
#ifndef NEREID_COMPILER_TRANSFORMS_LASTLOADS_H
#define NEREID_COMPILER_TRANSFORMS_LASTLOADS_H

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// The attribute of loads whose data may leave the second cache first (MarkLastLoads.cpp).
constexpr llvm::StringLiteral lastLoadAttr = "ttg.last_load";

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LASTLOADS_H
