// Block pointers and tensor descriptors as what they stand for: a base, a shape, strides and offsets.
#ifndef NEREID_COMPILER_LOWERING_CPU_BLOCKPOINTERS_H
#define NEREID_COMPILER_LOWERING_CPU_BLOCKPOINTERS_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid::cpu {

/// Rewrites every access through a block pointer or a descriptor into one through a tensor of pointers,
/// masked by the tensor's bounds. Reports what cannot be rewritten.
mlir::LogicalResult rewriteBlockPointers(mlir::ModuleOp module);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_BLOCKPOINTERS_H
