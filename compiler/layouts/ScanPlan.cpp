// Reading a scan off a layout. See ScanPlan.h.
#include "compiler/layouts/ScanPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace nereid {

std::optional<ScanPlan> planScan(const LinearLayout &source, Dim axis) {
  unsigned axisBits = source.getOutBits(axis), axisShift = source.getOutShift(axis);
  f2::Vector axisField = ((f2::Vector(1) << axisBits) - 1) << axisShift;

  // Who holds each bit of the position.
  struct Holder {
    Dim dim = Dim::Block;
    unsigned bit = 0;
  };
  llvm::SmallVector<Holder, 16> holders(axisBits);
  ScanPlan plan;
  f2::Span span;
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block}) {
    for (auto [bit, column] : llvm::enumerate(source.getColumns(dim))) {
      if (column == 0) {
        if (dim == Dim::Register)
          plan.copiedRegisters |= 1u << bit;
        else if (dim == Dim::Lane)
          plan.copiedLanes |= 1u << bit;
        else if (dim == Dim::Warp)
          plan.copiedWarps |= 1u << bit;
        continue;
      }
      if (!span.add(column))
        return std::nullopt;
      f2::Vector along = column & axisField;
      if (along == 0)
        continue;
      if (along != column || !llvm::isPowerOf2_64(column) || dim == Dim::Block)
        return std::nullopt;
      holders[llvm::Log2_64(column) - axisShift] = {dim, unsigned(bit)};
    }
  }

  unsigned low = 0;
  for (; low != axisBits && holders[low].dim != Dim::Warp; ++low) {
    plan.steps.push_back({holders[low].dim, holders[low].bit, plan.segmentRegisters, plan.segmentLanes});
    uint32_t &mask = holders[low].dim == Dim::Register ? plan.segmentRegisters : plan.segmentLanes;
    mask |= 1u << holders[low].bit;
  }
  plan.numSegments = 1u << (axisBits - low);

  // The total's number: what is left of the position, and everything across.
  llvm::SmallVector<f2::Vector, 16> columns;
  for (f2::Vector column : source.getColumns()) {
    f2::Vector along = (column & axisField) >> axisShift >> low;
    f2::Vector below = column & ((f2::Vector(1) << axisShift) - 1);
    f2::Vector above = column >> (axisShift + axisBits) << axisShift;
    columns.push_back(along | (below | above) << (axisBits - low));
  }
  plan.totals =
      LinearLayout::fromColumns(source.getInDims(), {{Dim::Offset, source.getTotalOutBits() - low}}, columns);
  return plan;
}

} // namespace nereid
