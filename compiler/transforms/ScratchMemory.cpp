// Plans of the operations that need scratch memory, and its size. See ScratchMemory.h.
#include "compiler/transforms/ScratchMemory.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

namespace nereid {

ConversionPlan planConversion(ttg::ConvertLayoutOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(op.getResult().getType());
  return planConversion(ttg::toLinearLayout(source), ttg::toLinearLayout(result),
                        tt::getElementBits(source.getElementType()));
}

std::optional<ReductionPlan> planReduction(tt::ReduceOp op) {
  auto source = mlir::cast<mlir::RankedTensorType>(op.getSrcs().front().getType());
  return planReduction(ttg::toLinearLayout(source), tensorDim(op.getAxis()));
}

llvm::SmallVector<unsigned, 2> getReductionScratchOffsets(tt::ReduceOp op, const ReductionPlan &plan) {
  llvm::SmallVector<unsigned, 2> offsets;
  unsigned next = 0;
  for (mlir::Value source : op.getSrcs()) {
    offsets.push_back(next);
    next += plan.getScratchElements() * getSharedElementBytes(tt::getElementBits(source.getType()));
    next = llvm::alignTo(next, 16); // vector accesses of the next operand
  }
  return offsets;
}

unsigned getScratchBytes(mlir::Operation *op) {
  if (auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op)) {
    auto source = mlir::cast<mlir::RankedTensorType>(convert.getSrc().getType());
    auto result = mlir::cast<mlir::RankedTensorType>(convert.getResult().getType());
    if (getConversionKind(ttg::toLinearLayout(source), ttg::toLinearLayout(result)) !=
        ConversionPlan::Kind::Shared)
      return 0;
    return source.getNumElements() * getSharedElementBytes(tt::getElementBits(source.getElementType()));
  }
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    std::optional<ReductionPlan> plan = planReduction(reduce);
    if (!plan || plan->getScratchElements() == 0)
      return 0;
    unsigned lastBytes = getSharedElementBytes(tt::getElementBits(reduce.getSrcs().back().getType()));
    return getReductionScratchOffsets(reduce, *plan).back() + plan->getScratchElements() * lastBytes;
  }
  return 0;
}

std::optional<unsigned> getAllocationOffset(mlir::Operation *op) {
  if (auto offset = op->getAttrOfType<mlir::IntegerAttr>(allocationOffsetAttr))
    return offset.getInt();
  return std::nullopt;
}

} // namespace nereid
