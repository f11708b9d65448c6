// Reading a reduction off a layout. See ReductionPlan.h.
#include "compiler/layouts/ReductionPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

namespace nereid {

unsigned ReductionPlan::getNumWarps() const { return 1u << llvm::popcount(warpMask); }

unsigned ReductionPlan::getScratchElements() const {
  return warpMask ? getNumWarps() << result.getTotalOutBits() : 0;
}

unsigned ReductionPlan::getWarpIndex(unsigned warp) const {
  unsigned index = 0, bit = 0;
  for (uint32_t mask = warpMask; mask; mask &= mask - 1)
    index |= (warp >> llvm::countr_zero(mask) & 1) << bit++;
  return index;
}

std::optional<ReductionPlan> planReduction(const LinearLayout &source, Dim axis) {
  // Bits by kind; along and across must each be independent, or be zero.
  auto along = [&](f2::Vector column) {
    f2::Vector field = ((f2::Vector(1) << source.getOutBits(axis)) - 1) << source.getOutShift(axis);
    return column & field;
  };
  f2::Span span;
  for (f2::Vector column : source.getColumns()) {
    if (along(column) && along(column) != column)
      return std::nullopt;
    if (column && !span.add(column))
      return std::nullopt;
  }

  ReductionPlan plan;
  for (auto [bit, column] : llvm::enumerate(source.getColumns(Dim::Lane))) {
    if (along(column))
      plan.laneMask |= 1u << bit;
    if (!column || along(column))
      plan.silentLanes |= 1u << bit;
  }
  for (auto [bit, column] : llvm::enumerate(source.getColumns(Dim::Warp))) {
    if (along(column))
      plan.warpMask |= 1u << bit;
    if (!column)
      plan.silentWarps |= 1u << bit;
  }
  if (llvm::any_of(source.getColumns(Dim::Block), along))
    return std::nullopt;

  uint32_t acrossBits = 0, alongBits = 0;
  for (auto [bit, column] : llvm::enumerate(source.getColumns(Dim::Register)))
    if (column)
      (along(column) ? alongBits : acrossBits) |= 1u << bit;
  auto spread = [](uint32_t value, uint32_t mask) {
    uint32_t result = 0;
    for (; mask; mask &= mask - 1, value >>= 1)
      result |= (value & 1) << llvm::countr_zero(mask);
    return result;
  };
  for (uint32_t r = 0; r != 1u << llvm::popcount(acrossBits); ++r) {
    llvm::SmallVector<uint32_t, 8> group;
    for (uint32_t k = 0; k != 1u << llvm::popcount(alongBits); ++k)
      group.push_back(spread(r, acrossBits) | spread(k, alongBits));
    llvm::sort(group, [&](uint32_t a, uint32_t b) {
      llvm::ArrayRef<f2::Vector> columns = source.getColumns(Dim::Register);
      return along(f2::multiply(columns, a)) < along(f2::multiply(columns, b));
    });
    plan.groups.push_back(group);
  }

  // The result's flat index has the last dimension lowest.
  LinearLayout result =
      source.withInDim(Dim::Register).removeInBits(Dim::Register, ~acrossBits).dropOut(axis);
  llvm::SmallVector<Dim, 4> order;
  for (const LinearLayout::DimBits &dim : result.getOutDims())
    order.push_back(dim.dim);
  llvm::sort(order, [](Dim a, Dim b) { return a > b; });
  plan.result = result.reorderOuts(order).reshapeOuts({{Dim::Offset, result.getTotalOutBits()}});
  return plan;
}

} // namespace nereid
