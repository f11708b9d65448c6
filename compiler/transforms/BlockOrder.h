// What SplitOverBlocks writes down for OrderBlocks: how accesses of global memory are divided among the
// blocks of a cluster.
#ifndef NEREID_COMPILER_TRANSFORMS_BLOCKORDER_H
#define NEREID_COMPILER_TRANSFORMS_BLOCKORDER_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

/// On an scf.if around what the first block does alone.
constexpr llvm::StringLiteral firstBlockAttr = "nereid.first_block";

bool mayAccessGlobal(mlir::Operation *op);

/// The axis along which blocks have their parts of what is accessed, or wholeTensor.
void setBlockAxis(mlir::Operation *op, int axis);
/// wholeTensor where nothing was written down.
int getBlockAxis(mlir::Operation *op);
void removeBlockAxis(mlir::Operation *op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_BLOCKORDER_H
