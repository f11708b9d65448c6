// A mark of modules whose program asks how many warps run it, and has the number in its arithmetic: what it
// computes by that may be what the host counts on, so that nothing but the request may decide the number.
#ifndef NEREID_COMPILER_DIALECTS_TT_WARPQUESTIONS_H
#define NEREID_COMPILER_DIALECTS_TT_WARPQUESTIONS_H

#include "llvm/ADT/StringRef.h"

namespace nereid::tt {

/// A unit attribute of the module.
constexpr llvm::StringLiteral readsNumWarpsName = "nereid.reads_num_warps";

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_WARPQUESTIONS_H
