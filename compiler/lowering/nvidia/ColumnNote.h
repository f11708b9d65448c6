// How loads down columns (transforms/MarkColumnLoads.cpp) are known again in PTX.
#ifndef NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H
#define NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H

#include "llvm/ADT/StringRef.h"

namespace nereid::nvidia {

/// The comment behind their instruction, which targets/nvidia/PaceLoads.h looks for.
inline constexpr llvm::StringLiteral columnNote = "// column";

} // namespace nereid::nvidia

#endif // NEREID_COMPILER_LOWERING_NVIDIA_COLUMNNOTE_H
