// A loop in the code of a kernel whose rounds are known when it is compiled: over the depth of a product, or
// the registers of a large tile.
#ifndef NEREID_COMPILER_LOWERING_GPU_COUNTEDLOOP_H
#define NEREID_COMPILER_LOWERING_GPU_COUNTEDLOOP_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// Emits `body` with a counter that goes from `first` in steps to less than `end`; there is a first round. In
/// it, `carried` are the values that the round before has left there, and behind the loop those of the last
/// one. Returns the branch back, or fails with `body`.
mlir::FailureOr<llvm::BranchInst *>
emitCountedLoop(Emitter &e, const llvm::Twine &name, unsigned first, unsigned end, unsigned step,
                llvm::MutableArrayRef<llvm::Value *> carried,
                llvm::function_ref<mlir::LogicalResult(llvm::Value *counter)> body);

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_COUNTEDLOOP_H
