// Products of microscaled operands as ordinary products of floats.
#ifndef NEREID_COMPILER_TRANSFORMS_REWRITESCALEDPRODUCTS_H
#define NEREID_COMPILER_TRANSFORMS_REWRITESCALEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid {

/// Rewrites every tt.dot_scaled into conversions, scalings and a tt.dot: of bf16 or fp16 `forMatrixUnits`, or
/// of float.
mlir::LogicalResult rewriteScaledProducts(mlir::ModuleOp module, bool forMatrixUnits = false);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_REWRITESCALEDPRODUCTS_H
