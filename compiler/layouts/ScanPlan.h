// How prefix sums (of any associative combination) along one dimension of a tile are computed by its threads.
//
// Written in bits, an element's position along the dimension is made of register, lane and warp bits.
// Consider them from the lowest up. After the step for bit k, runs of 2^(k+1) positions are scanned: in each
// run the elements of the upper half, where the bit is set, are combined with the last element of the lower
// half, which is at the same place but for bit k clear and all lower bits set. If those are register and lane
// bits, that element is in a register of the same warp, known at compile time, and at most one shuffle away.
// Of the runs that lanes have in their lowest register bits the last elements alone take the steps of lanes;
// the others are combined once, with what the lane before has then.
//
// From the first warp bit on this would take a barrier a bit. Instead the scanned runs below it, segments,
// write their totals to shared memory, and every thread goes through the totals in order and keeps the sum of
// those before its own. A tile of 1024 elements as 4 registers x 32 lanes x 4 warps x 2 registers has seven
// steps and eight segments.
//
// A scan from the end is the same with "set" and "clear" exchanged.
#ifndef NEREID_COMPILER_LAYOUTS_SCANPLAN_H
#define NEREID_COMPILER_LAYOUTS_SCANPLAN_H

#include "compiler/layouts/LinearLayout.h"

namespace nereid {

struct ScanPlan {
  struct Step {
    /// Dim::Register or Dim::Lane, and which of its bits this is.
    Dim dim;
    unsigned bit;
    /// Register and lane bits of lower positions.
    uint32_t lowerRegisters, lowerLanes;
  };
  llvm::SmallVector<Step, 8> steps;
  /// Register and lane bits that run within a segment.
  uint32_t segmentRegisters = 0, segmentLanes = 0;
  /// Segments along the dimension; 1 if a warp has it all, and no shared memory is needed.
  unsigned numSegments = 1;
  /// (register, lane, warp, block) to the number of the segment total: the segment along the dimension in the
  /// lowest bits, where the row lies across it above.
  LinearLayout totals;
  /// Bits where registers, lanes and warps hold copies.
  uint32_t copiedRegisters = 0, copiedLanes = 0, copiedWarps = 0;

  /// Elements of shared memory needed for the totals of one operand.
  unsigned getScratchElements() const { return numSegments > 1 ? totals.getOutSize(Dim::Offset) : 0; }
};

/// Nothing if some basis of the layout is neither a power of two along the dimension nor wholly across it:
/// such a layout must be converted first.
std::optional<ScanPlan> planScan(const LinearLayout &source, Dim axis);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_SCANPLAN_H
