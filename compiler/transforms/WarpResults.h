// How the partial results of warps that have met in shared memory are combined.
//
// Every thread could read and combine those of all warps, and does so of few. Of many, lanes read one or two
// each and exchange what they make of them, which is another butterfly of every warp. Where combining two is
// long, one warp does that for all:
//
//     8 warps, sums                each thread adds up 8
//     16 warps, sums               16 lanes read one each, four shuffles and additions in every warp
//     16 warps, greatest's place   the same in one warp, which leaves what it found for all, behind a second
//                                  barrier
#ifndef NEREID_COMPILER_TRANSFORMS_WARPRESULTS_H
#define NEREID_COMPILER_TRANSFORMS_WARPRESULTS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/layouts/ReductionPlan.h"

namespace nereid {

struct WarpResults {
  /// The bits of the lane number by which a row of partial results is spread over lanes; none if every thread
  /// reads all of it.
  uint32_t readingLanes = 0;
  /// How many each of these lanes reads.
  unsigned readByLane = 1;
  /// Whether the first warp along the dimension does it for all others. What it found lies behind the partial
  /// results, element by element.
  bool isElected = false;
};

/// Of a reduction between several warps. Nobody is elected where lanes differ (below): there results lie
/// element by element, and threads share the elements.
WarpResults planWarpResults(tt::ReduceOp op, const ReductionPlan &plan);

/// Whether lanes of a warp hold several elements of the result.
bool lanesDiffer(const ReductionPlan &plan);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_WARPRESULTS_H
