// Tiles that are stored through memory on chip piece by piece, each as wide as one copy of the tensor map.
//
// A kernel whose programs take tile after tile keeps its rings while a tile is stored, so that the copies for
// the next one are under way. Whole, the stored tile may leave those rings a buffer less: 128 x 256 elements
// of f16 take 64 KiB, as much as a third of what is multiplied in a round. One piece of 64 columns takes 16,
// and when it has been read, the next may come.
#ifndef NEREID_COMPILER_TRANSFORMS_STOREPIECES_H
#define NEREID_COMPILER_TRANSFORMS_STOREPIECES_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

/// Lets the store have its tile in the layout of what it is computed from, element by element, in place of
/// one that other stores would want: memory on chip takes any.
void storeWhereItIs(tt::DescriptorStoreOp store);

/// How many pieces a tile that a tensor map's store writes may be cut into, so that each thread keeps the
/// elements that it has: 1 where that is not possible.
unsigned countPieces(tt::DescriptorStoreOp store);

/// Has the tile be stored in pieces, with memory for so many of them at a time; with 0 as a whole.
void storeInPieces(tt::DescriptorStoreOp store, unsigned buffers);

/// The memory of how many pieces the store has been given; 0 where it is stored as a whole.
unsigned getPieceBuffers(tt::DescriptorStoreOp store);

/// The memory on chip that the store takes, in bytes.
unsigned getStoreBytes(tt::DescriptorStoreOp store);

/// A tile cut into `count` pieces, from the left to the right.
llvm::SmallVector<mlir::Value> cutColumns(mlir::OpBuilder &builder, mlir::Value tile, unsigned count);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_STOREPIECES_H
