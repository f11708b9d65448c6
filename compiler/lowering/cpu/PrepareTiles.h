// Rewrites of tt IR that make tiles easier to compute element by element.
#ifndef NEREID_COMPILER_LOWERING_CPU_PREPARETILES_H
#define NEREID_COMPILER_LOWERING_CPU_PREPARETILES_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid::cpu {

/// Turns block pointers and descriptors into pointers and offsets, and tiles that a loop advances by the same
/// amount everywhere (`a_ptrs += BLOCK_K`) into a tile from before the loop and a scalar that the loop
/// advances.
mlir::LogicalResult prepareTiles(mlir::ModuleOp module);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_PREPARETILES_H
