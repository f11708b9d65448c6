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

/// Lets the loop yield no argument of its own, which MLIR's loop pipeliner can't take: what is handed on from
/// one variable to another gets an operation, which canonicalization drops again.
void yieldNoArguments(mlir::scf::ForOp loop);

/// A copy or load that only happens where `condition` holds, or a division that is defined elsewhere, too.
/// For MLIR's loop pipeliner; everything else that runs ahead has no effects.
mlir::Operation *predicate(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value condition);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_OUTERPIPELINE_H
