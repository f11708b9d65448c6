// When many warps' results are combined by lanes, and when by one warp: rules that were found by measurement.
// See WarpResults.h.
#include "compiler/transforms/WarpResults.h"

#include "compiler/layouts/SharedExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid {

namespace arith = mlir::arith;

bool lanesDiffer(const ReductionPlan &plan) {
  constexpr unsigned fewBits = 2;
  unsigned bits = 0;
  for (unsigned bit = 0; bit < plan.result.getInBits(Dim::Lane); ++bit)
    bits += plan.result.getBasis(Dim::Lane, bit, Dim::Offset) != 0;
  return bits >= fewBits;
}

/// How many partial results of a row spread over lanes each of these reads: of 32 warps two, which saves a
/// shuffle by all warps, and one of each where there are many rows, as all that is read may be in registers
/// at a time. Of 16 warps it is one: that takes a shuffle more, but where ptxas made do with 32 registers,
/// for four blocks (Liger's kldiv), it took 36 with two. With four of 32 warps there are three shuffles, but
/// what combines them before may take longer: flashnn's _triton_dynamic_quantize_kernel, the greatest of f16,
/// took 62.0 us of an H200 with four, 57.2 with two, and 57.6 with one; unsloth's loss of f32 254, 250.
static unsigned countReadByLane(tt::ReduceOp op, const ReductionPlan &plan) {
  constexpr unsigned manyWarps = 32, vectorBytes = 16, few = 2, mostValues = 8;
  if (plan.getNumWarps() < manyWarps || plan.groups.size() * op.getSrcs().size() > mostValues)
    return 1;
  unsigned count = few;
  for (mlir::Value source : op.getSrcs()) {
    unsigned bytes = getSharedElementBytes(tt::getElementBits(source.getType()));
    count = std::min(count, std::max(vectorBytes / bytes, 1u));
  }
  return count;
}

/// Instructions of a combination, of which a quotient has many.
static unsigned getLength(tt::ReduceOp op) {
  constexpr unsigned quotient = 8; // about
  unsigned length = 0;
  for (mlir::Operation &inner : op.getCombineOp().front().without_terminator())
    length += mlir::isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(inner) ? quotient : 1;
  return length;
}

/// Whether what combines two results is so long that one for each doubling of the warps, with shuffles, takes
/// fewer instructions than one for each warp, as means and deviations that are combined by quotients: sfast's
/// _layer_norm_fwd_fused with 8 warps takes 32 registers so, and 40 if each thread combines all.
static bool isLongToCombine(tt::ReduceOp op, const ReductionPlan &plan) {
  unsigned length = getLength(op), shuffles = op.getSrcs().size(), numWarps = plan.getNumWarps();
  return 2 * (numWarps - 1) * length > 3 * llvm::Log2_32(numWarps) * (length + 2 * shuffles);
}

/// Whether butterflies over the warps' results take a multiprocessor so long, if each warp makes them for
/// itself, that one warp does it for all, with a second barrier behind. The cycles are those of one
/// scheduler, which issues an instruction of a quarter of the warps in each. On an H200 (cycles, us of each):
///
///     sfast's _layer_norm_fwd_fused, 16 and 8 warps     400, 150    51.3, 56.4    45.4, 51.3
///     flag_gems' var_welford_kernel                          864          39.8          36.0
///     flag_gems' argmax_kernel_inner                         176          63.5          57.9
///     flashnn's _triton_dynamic_quantize_kernel              192          62.3          56.9
///     liger's cross entropy                                   96           170           177
///     flash-attention's cross_entropy_fwd_kernel              48           248           284
static bool takesEveryWarpLong(tt::ReduceOp op, const ReductionPlan &plan, unsigned steps) {
  constexpr unsigned schedulers = 4, manyCycles = 128;
  unsigned warps = plan.result.getInSize(Dim::Warp), shuffles = op.getSrcs().size();
  return warps / schedulers * plan.groups.size() * steps * (getLength(op) + 2 * shuffles) >= manyCycles;
}

WarpResults planWarpResults(tt::ReduceOp op, const ReductionPlan &plan) {
  constexpr unsigned manyWarps = 16;
  WarpResults results;
  results.readByLane = countReadByLane(op, plan);
  if (plan.getNumWarps() < manyWarps && !isLongToCombine(op, plan))
    return results;
  // Lanes that share a row must hold the same element of the result.
  uint32_t mask = 0;
  unsigned lanes = 1, wanted = plan.getNumWarps() / results.readByLane;
  for (unsigned bit = 0; bit < plan.result.getInBits(Dim::Lane) && lanes < wanted; ++bit) {
    if (plan.result.getBasis(Dim::Lane, bit, Dim::Offset) != 0)
      continue;
    mask |= 1u << bit;
    lanes *= 2;
  }
  if (lanes != wanted)
    return results;
  results.readingLanes = mask;
  results.isElected = !lanesDiffer(plan) && takesEveryWarpLong(op, plan, llvm::popcount(mask));
  return results;
}

} // namespace nereid
