// Small integers as numbers of f16 and bf16, two at a time.
#ifndef NEREID_COMPILER_LOWERING_GPU_INTEGERPAIRS_H
#define NEREID_COMPILER_LOWERING_GPU_INTEGERPAIRS_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// The two integers as numbers of `type`, in `results`. False where that is not f16 or bf16, where they are
/// not known to be small, or where the target adds numbers one by one.
bool convertIntegerPair(Emitter &emitter, llvm::Value *first, llvm::Value *second, bool isSigned,
                        mlir::Type type, Registers &results);

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_INTEGERPAIRS_H
