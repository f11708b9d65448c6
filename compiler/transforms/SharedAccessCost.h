// What a thread's accesses of a buffer on chip cost, in banks' waves (BankWaves.h), by vectors or by the
// instructions for matrices.
#ifndef NEREID_COMPILER_TRANSFORMS_SHAREDACCESSCOST_H
#define NEREID_COMPILER_TRANSFORMS_SHAREDACCESSCOST_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/layouts/BankWaves.h"

namespace nereid {

/// From (register, lane, warp) of a tensor to where the element lies in a buffer.
LinearLayout getSharedOffsets(mlir::RankedTensorType tensor, ttg::MemDescType buffer);

/// Whether the GPU that the operation is for writes matrices of eight rows by stmatrix.
bool hasMatrixStores(mlir::Operation *op);

/// Writes, as lowering does them: with stmatrix where it can write, else with the widest vectors that lie in
/// the buffer as they do in registers.
unsigned getWriteCost(const LinearLayout &offsets, unsigned elementBytes, bool hasMatrixStores);

/// Reads, with ldmatrix where it can read.
unsigned getReadCost(const LinearLayout &offsets, unsigned elementBytes);

/// The buffers from which a conversion of a tile, or of a batch of tiles, may choose: rows, swizzled or not,
/// and one by which 16-bit elements that are neighbours along one axis in a thread become neighbours along
/// another, read as transposed matrices.
llvm::SmallVector<ttg::MemDescType> listTileBuffers(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// A tile's way from one layout to another through the buffer.
unsigned getCostThroughBuffer(mlir::RankedTensorType from, mlir::RankedTensorType to, ttg::MemDescType buffer,
                              bool hasMatrixStores);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_SHAREDACCESSCOST_H
