// What the assembly of a load says that goes down a column.
#ifndef NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H
#define NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H

#include "llvm/ADT/StringRef.h"

namespace nereid::nvidia {

/// A comment behind the instruction, which is found again in PTX (targets/nvidia/PaceLoads.h).
inline constexpr llvm::StringLiteral columnNote = "// column";

} // namespace nereid::nvidia

#endif // NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H
