// Products of microscaled operands as ordinary products of floats.
#ifndef NEREID_COMPILER_LOWERING_CPU_SCALEDPRODUCTS_H
#define NEREID_COMPILER_LOWERING_CPU_SCALEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid::cpu {

/// Rewrites every tt.dot_scaled into conversions, scalings and a tt.dot.
mlir::LogicalResult rewriteScaledProducts(mlir::ModuleOp module);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_SCALEDPRODUCTS_H
