// Block pointers and tensor descriptors as what they stand for: a base, a shape, strides and offsets.
#ifndef NEREID_COMPILER_TRANSFORMS_REWRITEBLOCKPOINTERS_H
#define NEREID_COMPILER_TRANSFORMS_REWRITEBLOCKPOINTERS_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid {

/// Rewrites every access through a block pointer or a descriptor into one through a tensor of pointers,
/// masked by the tensor's bounds. Reports what cannot be rewritten.
mlir::LogicalResult rewriteBlockPointers(mlir::ModuleOp module);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_REWRITEBLOCKPOINTERS_H
