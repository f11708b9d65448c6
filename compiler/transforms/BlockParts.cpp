// One rule for each kind of operation. See BlockParts.h.
#include "compiler/transforms/BlockParts.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;

int BlockParts::getUsualAxis(RankedTensorType type) const {
  for (int axis = 0; axis != type.getRank(); ++axis)
    if (canSplit(type, axis))
      return axis;
  return wholeTensor;
}

RankedTensorType BlockParts::getPart(RankedTensorType whole, int axis) const {
  if (axis == wholeTensor)
    return whole;
  llvm::SmallVector<int64_t> shape(whole.getShape());
  shape[axis] /= numBlocks;
  return RankedTensorType::get(shape, whole.getElementType(), whole.getEncoding());
}

/// Elements are counted row by row. A part is a run of all but the outer axes; it is one along an axis of the
/// other shape if the runs inside of both are as long.
std::optional<int> BlockParts::mapReshape(RankedTensorType from, int axis, RankedTensorType to) const {
  auto countFrom = [](RankedTensorType type, int first) {
    int64_t count = 1;
    for (int64_t size : type.getShape().drop_front(first))
      count *= size;
    return count;
  };
  for (int other = 0; other != to.getRank(); ++other)
    if (canSplit(to, other) && countFrom(to, other) == countFrom(from, axis))
      return other;
  return std::nullopt;
}

bool isElementByElement(Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>() ||
         mlir::isa<mlir::arith::SelectOp, tt::LoadOp, tt::MapElementwiseOp, tt::ExternElementwiseOp,
                   tt::ElementwiseInlineAsmOp>(op);
}

std::optional<llvm::SmallVector<int, 4>> BlockParts::mapToOperands(Operation *op, int axis,
                                                                   llvm::ArrayRef<RankedTensorType> operands,
                                                                   RankedTensorType result) const {
  llvm::SmallVector<int, 4> axes(op->getNumOperands(), wholeTensor);
  if (mlir::isa<tt::SplatOp, tt::MakeRangeOp, mlir::ub::PoisonOp>(op))
    return axes;
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (axis == wholeTensor || (elements && elements.isSplat()))
      return axes;
    return std::nullopt;
  }
  if (isElementByElement(op)) {
    axes.assign(op->getNumOperands(), axis);
    return axes;
  }
  bool hasRule = mlir::isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp,
                           tt::SplitOp, tt::CatOp, tt::GatherOp, tt::HistogramOp>(op);
  if (!hasRule)
    return std::nullopt;
  if (axis == wholeTensor)
    return axes;
  if (mlir::isa<tt::BroadcastOp>(op)) {
    axes[0] = operands[0].getDimSize(axis) == 1 ? wholeTensor : axis;
  } else if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    int added = expand.getAxis();
    axes[0] = axis > added ? axis - 1 : axis; // the new axis has no parts
  } else if (auto trans = mlir::dyn_cast<tt::TransOp>(op)) {
    axes[0] = trans.getOrder()[axis];
  } else if (mlir::isa<tt::ReshapeOp>(op)) {
    std::optional<int> source = mapReshape(result, axis, operands[0]);
    if (!source)
      return std::nullopt;
    axes[0] = *source;
  } else if (mlir::isa<tt::JoinOp>(op)) {
    if (axis == result.getRank() - 1)
      return std::nullopt;
    axes.assign(2, axis);
  } else if (mlir::isa<tt::SplitOp>(op)) {
    axes[0] = axis;
  } else if (auto gather = mlir::dyn_cast<tt::GatherOp>(op)) {
    // Along the gathered axis elements come from anywhere.
    axes = {axis == int(gather.getAxis()) ? wholeTensor : axis, axis};
  } else {
    return std::nullopt; // concatenations and histograms
  }
  return axes;
}

std::optional<int> BlockParts::mapToResult(Operation *op, unsigned index, int axis, RankedTensorType operand,
                                           RankedTensorType result) const {
  std::optional<int> mapped;
  if (isElementByElement(op) || mlir::isa<tt::BroadcastOp, tt::JoinOp, tt::SplitOp>(op)) {
    mapped = axis;
  } else if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    mapped = axis >= int(expand.getAxis()) ? axis + 1 : axis;
  } else if (auto trans = mlir::dyn_cast<tt::TransOp>(op)) {
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      if (from == axis)
        mapped = to;
  } else if (mlir::isa<tt::ReshapeOp>(op)) {
    mapped = mapReshape(operand, axis, result);
  } else if (auto gather = mlir::dyn_cast<tt::GatherOp>(op)) {
    if (index == 1 || axis != int(gather.getAxis()))
      mapped = axis;
  }
  return mapped && canSplit(result, *mapped) ? mapped : std::nullopt;
}

} // namespace nereid
