// What a round of a loop has to load first.
#ifndef NEREID_COMPILER_TRANSFORMS_LOADSOFROUND_H
#define NEREID_COMPILER_TRANSFORMS_LOADSOFROUND_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

/// Whether a round of the loop loads what `value` is computed from in that round. What rounds before have
/// loaded, and the loop carries, is there. (getSources of LoopPipeline.h looks through that.)
bool isLoadedInRound(mlir::Operation *loop, mlir::Value value);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LOADSOFROUND_H
