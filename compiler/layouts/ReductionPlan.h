// How the elements along one dimension of a tile are brought together: first inside each thread, then between
// the lanes of a warp, then between warps through shared memory.
//
// Which bits of the register, lane and warp number lie along the dimension can be read off the layout: those
// whose basis has a coordinate there. In a row of 1024 elements as 4 registers x 32 lanes x 4 warps x 2 more
// registers, all bits do: each thread combines its 8 registers, butterflies over 5 lane bits combine a warp,
// and 4 partial results meet in shared memory, where every thread reads all four.
//
// The result's layout is the source's without the dimension: its registers are the source's register bits
// that lie across the dimension, in order. Every thread along the dimension ends up with the result.
#ifndef NEREID_COMPILER_LAYOUTS_REDUCTIONPLAN_H
#define NEREID_COMPILER_LAYOUTS_REDUCTIONPLAN_H

#include "compiler/layouts/LinearLayout.h"

namespace nereid {

struct ReductionPlan {
  /// groups[r]: the source registers whose elements belong to result register r, in the order of the
  /// dimension. Registers that repeat an element are left out.
  llvm::SmallVector<llvm::SmallVector<uint32_t, 8>, 4> groups;
  /// Lane and warp bits along the dimension: each lane bit is one butterfly shuffle.
  uint32_t laneMask = 0;
  uint32_t warpMask = 0;
  /// Lane and warp bits where threads hold copies, or partial results that a butterfly has made equal: a
  /// thread with any of them set (warp bits of warpMask aside) need not write its partial results.
  uint32_t silentLanes = 0;
  uint32_t silentWarps = 0;
  /// (register, lane, warp, block) of the result to its flat index, the last dimension fastest. Registers are
  /// the result's.
  LinearLayout result;

  /// Warps along the dimension, which must meet in shared memory if there are several.
  unsigned getNumWarps() const;
  /// Elements of shared memory needed: one for the partial result of each warp along the dimension for each
  /// element of the result. 0 if a warp has it all.
  unsigned getScratchElements() const;
  /// The number i of a warp: the bits of warpMask, gathered.
  unsigned getWarpIndex(unsigned warp) const;
};

/// Nothing if some basis of the layout runs along the dimension and across it at once (or a thread's
/// duplicates are not plain copies): such a layout, which only a generic linear encoding can have, must be
/// converted first.
std::optional<ReductionPlan> planReduction(const LinearLayout &source, Dim axis);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_REDUCTIONPLAN_H
