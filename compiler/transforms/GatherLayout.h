// Where elements go that are looked up one by one: where their indices are.
//
//     %words = tt.load …                                 8 words a row, 4 in a thread
//     %codes = (%words >> shifts) & 15                   32 codes in that thread
//     %w = tt.load %table + %codes                       any address
//     … sum %w * %a …
//
// Lanes of such a load never reach neighbours, in whatever order they go. It would only move indices between
// threads, and sum over lanes what a thread has at hand.
#ifndef NEREID_COMPILER_TRANSFORMS_GATHERLAYOUT_H
#define NEREID_COMPILER_TRANSFORMS_GATHERLAYOUT_H

#include "compiler/dialects/tt/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid {

/// Whether all that becomes of a tile, element by element, also of what is looked up by it, is reduced, along
/// this axis if one is given; without one, also of all of it in another order. `isLookup` says which loads
/// count.
bool isOnlyReduced(
    mlir::Value tile, std::optional<unsigned> axis = std::nullopt,
    llvm::function_ref<bool(tt::LoadOp)> isLookup = [](tt::LoadOp) { return true; });

/// The loads of tiles of the same shape from whose elements a load's addresses are computed, one by one.
llvm::SmallVector<tt::LoadOp, 2> findIndices(tt::LoadOp gather);

/// The layout that a load's addresses have where loads in `layouts`, of an element for each thread or more,
/// are done in those; null if it comes of none of them. What is repeated along an axis is so in a thread.
mlir::Attribute inferAddressLayout(tt::LoadOp gather,
                                   const llvm::DenseMap<mlir::Operation *, mlir::Attribute> &layouts);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_GATHERLAYOUT_H
