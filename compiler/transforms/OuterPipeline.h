// Starts the first copies of an inner loop while the outer loop still finishes the round before, as in a
// kernel whose programs take tile after tile.
#ifndef NEREID_COMPILER_TRANSFORMS_OUTERPIPELINE_H
#define NEREID_COMPILER_TRANSFORMS_OUTERPIPELINE_H

#include "compiler/transforms/LoopPipeline.h"

namespace nereid {

/// Whether what the first copies of `inner` are made from can be known a round of `outer` earlier: from the
/// outer loop's counter and variables, without effects, and without what the round has computed. `inner` is
/// directly in `outer`.
bool canStartEarlier(mlir::scf::ForOp outer, mlir::scf::ForOp inner, llvm::ArrayRef<PipelinedLoad> loads);

/// Moves the copies before `inner`, which LoopPipeline has made, behind it and a round of `outer` ahead.
/// Fails where MLIR's pipeliner does. On success `outer` is gone.
mlir::LogicalResult startEarlier(mlir::scf::ForOp outer, mlir::scf::ForOp inner);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_OUTERPIPELINE_H
