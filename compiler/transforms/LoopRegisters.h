// An estimate of the registers that a thread needs in a loop of products, and how many it may have.
#ifndef NEREID_COMPILER_TRANSFORMS_LOOPREGISTERS_H
#define NEREID_COMPILER_TRANSFORMS_LOOPREGISTERS_H

#include "mlir/IR/Value.h"

namespace nereid {

/// 32-bit registers that a thread needs for its part of a tile.
unsigned getRegisters(mlir::RankedTensorType tile, unsigned numThreads);

/// The registers that a thread may have: as many as instructions can name, but no more than the launch allows
/// (`ttg.maxnreg`), or than there are for the threads of one block. 128 where a block has 16 warps.
unsigned getRegisterLimit(mlir::Operation *op);

/// What a loop's tiles may take of them without being short: the rest is for addresses and steps on the way.
unsigned getRegistersForTiles(mlir::Operation *op);

/// About what addresses, masks and counters take beside the tiles.
constexpr unsigned registersOfAddresses = 40;

/// The registers that tiles take of each of the block's threads while the loop runs: those carried from round
/// to round, here and in the loops around it, those from before that are used in it or behind it, and the
/// results of its products. Left out are tiles that only products read, which have them in memory, those that
/// cost next to nothing to compute again, and whatever else a round computes: addresses, masks, steps on the
/// way to a result.
unsigned estimateRegisters(mlir::Operation *loop);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LOOPREGISTERS_H
