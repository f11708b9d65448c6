// Loads that go down columns which are narrower than what memory hands over at once.
#ifndef NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H
#define NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// The attribute of loads each of whose lanes reads from a line of its own (MarkColumnLoads.cpp).
constexpr llvm::StringLiteral columnLoadAttr = "ttg.column_load";

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H
