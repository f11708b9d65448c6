// Runs MLIR's loop pipeliner (scf::pipelineForLoop) on a loop, with a schedule for its operations.
#ifndef NEREID_COMPILER_TRANSFORMS_LOOPSCHEDULE_H
#define NEREID_COMPILER_TRANSFORMS_LOOPSCHEDULE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

/// All operations of a loop's body but the terminator, in the order of a round of the new loop, each with its
/// stage. What stage 0 does is ahead of the rest.
using LoopSchedule = std::vector<std::pair<mlir::Operation *, unsigned>>;

/// The new loop, on success; the old one is gone. The last rounds, in which nothing is left to be done ahead,
/// are rounds of the loop like others: for an operation of an earlier stage that has effects, `predicate` of
/// LoopSchedule.cpp has to know how to do without.
mlir::FailureOr<mlir::scf::ForOp> runSchedule(mlir::scf::ForOp loop, const LoopSchedule &schedule);

/// Lets the loop yield no argument of its own, which MLIR's loop pipeliner can't take: what is handed on from
/// one variable to another gets an operation, which canonicalization drops again.
void yieldNoArguments(mlir::scf::ForOp loop);

/// Whether this is a division of integers, which runSchedule lets run ahead: by 1 where its round does not
/// exist.
bool isDivision(mlir::Operation *op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LOOPSCHEDULE_H
