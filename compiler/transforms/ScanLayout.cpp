// What a scan costs is counted as ScanPlan tells it, and Scan.cpp of the lowering does it.
#include "compiler/transforms/ScanLayout.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/layouts/ScanPlan.h"
#include "compiler/transforms/ColumnLoads.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace nereid {

using mlir::RankedTensorType;

/// The instructions of a scan, if those of a combination are `combination` many, and each operand takes
/// another to choose by.
static unsigned getCost(const ScanPlan &plan, unsigned numRegisters, unsigned combination,
                        unsigned numOperands) {
  unsigned cost = 0, run = 1, withChoice = combination + numOperands;
  bool areLanes = false;
  for (const ScanPlan::Step &step : plan.steps) {
    if (step.dim == Dim::Register) {
      cost += numRegisters / 2 * combination;
      run *= areLanes ? 1 : 2;
    } else {
      cost += numRegisters / run * (withChoice + numOperands);
      areLanes = true;
    }
  }
  if (areLanes && run > 1)
    cost += (numRegisters - numRegisters / run) * withChoice;
  if (plan.numSegments == 1)
    return cost;
  // Each total is combined with those before it, and kept where it is that before one of the thread's own.
  unsigned ownSegments = 1;
  for (unsigned bit = 0; bit < plan.totals.getInBits(Dim::Register); ++bit)
    if (unsigned number = plan.totals.getBasis(Dim::Register, bit, Dim::Offset))
      ownSegments *= number < plan.numSegments ? 2 : 1;
  return cost + plan.numSegments * (combination + numOperands + ownSegments * (1 + numOperands)) +
         numRegisters * withChoice;
}

/// The same layout with as many neighbouring elements along the axis for a thread as it has in all; null if
/// it has them already.
static ttg::BlockedEncodingAttr getGathered(RankedTensorType type, unsigned axis) {
  constexpr unsigned longest = 16;
  auto layout = mlir::dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding());
  if (!layout)
    return nullptr;
  llvm::SmallVector<unsigned> sizes(layout.getSizePerThread());
  unsigned threads = layout.getThreadsPerWarp()[axis] * layout.getWarpsPerCTA()[axis];
  unsigned length = std::min<unsigned>(longest, type.getDimSize(axis) / threads);
  if (length <= sizes[axis])
    return nullptr;
  sizes[axis] = length;
  return ttg::BlockedEncodingAttr::get(type.getContext(), sizes, layout.getThreadsPerWarp(),
                                       layout.getWarpsPerCTA(), layout.getOrder(), layout.getCgaLayout());
}

static bool readsColumns(tt::ScanOp scan) {
  llvm::SetVector<mlir::Operation *> sources;
  if (mlir::failed(mlir::getBackwardSlice(scan.getOperation(), &sources)))
    return false;
  ColumnLoads columns(scan->getParentOfType<tt::FuncOp>());
  return llvm::any_of(sources, [&](mlir::Operation *op) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    return load && columns.contains(load);
  });
}

mlir::Attribute findGatheredLayout(tt::ScanOp scan) {
  // Of each conversion: what waits at barriers, and a write and a read of each element.
  constexpr unsigned barriers = 40, wanted = 2, manyRegisters = 32;
  auto type = mlir::cast<RankedTensorType>(scan.getSrcs().front().getType());
  ttg::BlockedEncodingAttr layout = getGathered(type, scan.getAxis());
  if (!layout)
    return nullptr;
  LinearLayout before = ttg::toLinearLayout(type),
               after = ttg::toLinearLayout(type.cloneWithEncoding(layout));
  Dim axis = tensorDim(scan.getAxis());
  std::optional<ScanPlan> now = planScan(before, axis), then = planScan(after, axis);
  if (!now || !then)
    return nullptr;
  unsigned combination = 0, numOperands = scan.getSrcs().size(), registers = before.getInSize(Dim::Register);
  scan.getCombineOp().walk([&](mlir::Operation *) { ++combination; });
  unsigned conversions = 2 * numOperands * (2 * registers + barriers);
  if (registers > manyRegisters)
    return nullptr;
  if (getCost(*now, registers, combination, numOperands) <
      wanted * (getCost(*then, registers, combination, numOperands) + conversions))
    return nullptr;
  bool isSum = numOperands == 1 && combination <= 2; // with what returns it
  if (isSum && readsColumns(scan))
    return nullptr;
  return layout;
}

} // namespace nereid
