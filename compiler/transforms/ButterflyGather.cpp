// Looks for the pattern, then for the bits in the layout. See ButterflyGather.h.
#include "compiler/transforms/ButterflyGather.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::RankedTensorType;
using mlir::Value;

/// What the numbers of a tensor are spread out from, which only depend on the place along `axis`. That
/// becomes the axis of the result.
static Value lookThrough(Value value, unsigned &axis) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
      if (expand.getAxis() == axis)
        return value;
      axis -= expand.getAxis() < axis;
    } else if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op)) {
      if (broadcast.getSrc().getType().getDimSize(axis) != broadcast.getType().getDimSize(axis))
        return value;
    } else if (!mlir::isa<ttg::ConvertLayoutOp, arith::ExtSIOp, arith::ExtUIOp>(op)) {
      return value;
    }
    value = op->getOperand(0);
  }
  return value;
}

std::optional<uint64_t> getDifference(tt::GatherOp op) {
  unsigned axis = op.getAxis();
  int64_t size = op.getSrc().getType().getDimSize(axis);
  auto isRange = [&](Value places, unsigned axisOfPlaces) {
    auto range = lookThrough(places, axisOfPlaces).getDefiningOp<tt::MakeRangeOp>();
    return range && range.getStart() == 0 && int64_t(range.getEnd()) == size;
  };
  Value indices = lookThrough(op.getIndices(), axis);
  llvm::APInt constant;
  // Counted from the end, all bits differ.
  if (auto subtract = indices.getDefiningOp<arith::SubIOp>())
    if (llvm::isPowerOf2_64(size) && isRange(subtract.getRhs(), axis) &&
        mlir::matchPattern(subtract.getLhs(), mlir::m_ConstantInt(&constant)) && constant == size - 1)
      return size - 1;
  if (auto differ = indices.getDefiningOp<arith::XOrIOp>())
    for (auto [places, bits] :
         {std::pair(differ.getLhs(), differ.getRhs()), {differ.getRhs(), differ.getLhs()}})
      if (isRange(places, axis) && mlir::matchPattern(bits, mlir::m_ConstantInt(&constant)) &&
          constant.ult(size))
        return constant.getZExtValue();
  return std::nullopt;
}

bool isButterfly(tt::GatherOp op) {
  return op.getSrc().getType().getShape() == op.getType().getShape() && getDifference(op);
}

std::optional<Butterfly> getButterfly(tt::GatherOp op) {
  RankedTensorType type = op.getSrc().getType();
  if (type != op.getType() || !type.getEncoding())
    return std::nullopt;
  std::optional<uint64_t> difference = getDifference(op);
  if (!difference)
    return std::nullopt;
  LinearLayout layout = ttg::toLinearLayout(type);
  // The step of a register or lane along the axis; 0 if it is one along another, too.
  auto getStep = [&](Dim dim, uint32_t number) -> uint32_t {
    for (unsigned d = 0; d != type.getRank(); ++d)
      if (d != op.getAxis() && layout.apply({{dim, number}}, tensorDim(d)))
        return 0;
    return layout.apply({{dim, number}}, tensorDim(op.getAxis()));
  };
  Butterfly butterfly;
  auto take = [&](Dim dim, uint32_t bit, uint32_t &numbers) {
    for (uint32_t number = 1; number < layout.getInSize(dim); number *= 2)
      if (getStep(dim, number) == bit) {
        numbers |= number;
        return true;
      }
    return false;
  };
  for (uint32_t bit = 1; bit <= *difference; bit *= 2)
    if ((*difference & bit) && !take(Dim::Register, bit, butterfly.registers) &&
        !take(Dim::Lane, bit, butterfly.lanes))
      return std::nullopt;
  return butterfly;
}

} // namespace nereid
