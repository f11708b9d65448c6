// The search behind Strides.h. It is a walk from the value to what it is made of; values that are used again
// and again are visited again and again, so the walk gives up after a fixed number of visits, which only
// costs speed of the kernel.
#include "compiler/lowering/cpu/Strides.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/lowering/cpu/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;

namespace nereid::cpu {

std::optional<int64_t> getConstantInteger(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (mlir::isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, mlir::arith::ExtSIOp>(op))
    return getConstantInteger(op->getOperand(0));
  APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

mlir::Value getSplatInteger(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!mlir::isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, mlir::arith::ExtSIOp, mlir::arith::ExtUIOp,
                   mlir::arith::IndexCastOp>(op))
      break;
    value = op->getOperand(0);
  }
  // (A boolean that is 1 may be -1 once it is extended.)
  bool isNumber =
      mlir::isa<mlir::IntegerType, mlir::IndexType>(value.getType()) && !value.getType().isInteger(1);
  return isNumber ? value : mlir::Value();
}

bool mapReshapeSteps(ArrayRef<int64_t> sourceShape, ArrayRef<int64_t> resultShape, ArrayRef<int64_t> steps,
                     int64_t extent, SmallVectorImpl<int64_t> &sourceSteps) {
  sourceSteps.assign(sourceShape.size(), 0);
  int64_t total = 0, stride = 1;
  for (unsigned d = resultShape.size(); d-- > 0;) {
    if (steps[d] == unknownStep || !isPowerOf2_64(resultShape[d]))
      return false;
    total += steps[d] * stride;
    stride *= resultShape[d];
  }
  if (total == 0)
    return true;
  if (total < 0 || !isPowerOf2_64(total))
    return false;
  // The lanes are the bits from `total` up to `total * extent` of the element's number.
  stride = 1;
  for (unsigned d = sourceShape.size(); d-- > 0;) {
    if (!isPowerOf2_64(sourceShape[d]))
      return false;
    int64_t end = stride * sourceShape[d];
    if (total >= stride && total < end) {
      if (total * int64_t(PowerOf2Ceil(extent)) > end)
        return false;
      sourceSteps[d] = total / stride;
      return true;
    }
    stride = end;
  }
  return false;
}

bool mapSteps(mlir::Operation *op, ArrayRef<int64_t> steps, int64_t extent,
              SmallVectorImpl<int64_t> &mapped) {
  auto sourceShape = [&] {
    return mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType()).getShape();
  };
  mapped.clear();
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    mapped.assign(steps.begin(), steps.end());
    mapped.erase(mapped.begin() + expand.getAxis());
    return true;
  }
  if (mlir::isa<tt::BroadcastOp>(op)) {
    for (auto [step, size] : llvm::zip(steps, sourceShape()))
      mapped.push_back(size == 1 ? 0 : step);
    return true;
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op)) {
    mapped.resize(steps.size());
    for (auto [i, from] : llvm::enumerate(trans.getOrder()))
      mapped[from] = steps[i];
    return true;
  }
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return mapReshapeSteps(sourceShape(), reshape.getType().getShape(), steps, extent, mapped);
  return false;
}

std::optional<int64_t> Strides::getLaneStride(mlir::Value value, ArrayRef<int64_t> steps, int64_t extent) {
  visits = 0;
  return visit(value, steps, extent);
}

std::optional<int64_t> Strides::getFactor(mlir::Value value) const {
  if (auto constant = getConstantInteger(value))
    return constant;
  mlir::Value scalar = ones && !ones->empty() ? getSplatInteger(value) : mlir::Value();
  return scalar && ones->contains(scalar) ? std::optional<int64_t>(1) : std::nullopt;
}

void Strides::collectOnes(mlir::Value value, ArrayRef<int64_t> steps, int64_t extent,
                          SmallVectorImpl<mlir::Value> &scalars) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !mlir::isa<mlir::RankedTensorType>(value.getType()) || isOpaque(value) || scalars.size() > 8 ||
      getLaneStride(value, steps, extent))
    return;
  SmallVector<int64_t> mapped;
  if (mapSteps(op, steps, extent, mapped))
    return collectOnes(op->getOperand(0), mapped, extent, scalars);
  if (mlir::isa<mlir::arith::MulIOp>(op)) {
    for (unsigned i : {0, 1})
      if (mlir::Value scalar = getSplatInteger(op->getOperand(i)))
        if (getLaneStride(op->getOperand(1 - i), steps, extent) == 1 && !llvm::is_contained(scalars, scalar))
          scalars.push_back(scalar);
    return;
  }
  if (mlir::isa<tt::AddPtrOp, mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::ExtSIOp,
                mlir::arith::ExtUIOp>(op))
    for (mlir::Value operand : op->getOperands())
      collectOnes(operand, steps, extent, scalars);
}

bool Strides::isAffine(mlir::Value value, ArrayRef<int64_t> steps, int64_t extent) {
  if (getLaneStride(value, steps, extent))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || isOpaque(value))
    return false;
  SmallVector<int64_t> mapped;
  if (mapSteps(op, steps, extent, mapped))
    return isAffine(op->getOperand(0), mapped, extent);
  if (mlir::isa<mlir::arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (getLaneStride(op->getOperand(i), steps, extent) == 0)
        return isAffine(op->getOperand(1 - i), steps, extent);
  if (!mlir::isa<tt::AddPtrOp, mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::ExtSIOp,
                 mlir::arith::ExtUIOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](mlir::Value operand) { return isAffine(operand, steps, extent); });
}

std::optional<int64_t> Strides::visit(mlir::Value value, ArrayRef<int64_t> steps, int64_t extent) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return 0;
  if (llvm::all_of(steps, [](int64_t step) { return step == 0; }))
    return 0;
  if (knownStride)
    if (auto known = knownStride(value))
      return known;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || isOpaque(value) || ++visits > 4000)
    return std::nullopt;

  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat() ? std::optional<int64_t>(0) : std::nullopt;
  }
  if (mlir::isa<tt::SplatOp>(op))
    return 0;
  if (mlir::isa<tt::MakeRangeOp>(op))
    return steps[0] == unknownStep ? std::nullopt : std::optional<int64_t>(steps[0]);
  SmallVector<int64_t> mapped;
  if (mapSteps(op, steps, extent, mapped))
    return visit(op->getOperand(0), mapped, extent);
  if (auto split = mlir::dyn_cast<tt::SplitOp>(op)) {
    mapped.assign(steps.begin(), steps.end());
    mapped.push_back(0);
    return visit(split.getSrc(), mapped, extent);
  }
  if (!isElementwise(op) && !mlir::isa<tt::LoadOp>(op))
    return std::nullopt;

  // Everything computed from equal lanes is equal.
  bool isCast =
      mlir::isa<mlir::arith::ExtSIOp, mlir::arith::ExtUIOp, mlir::arith::TruncIOp, mlir::arith::IndexCastOp>(
          op);
  bool isLinear = isCast || mlir::isa<mlir::arith::AddIOp, tt::AddPtrOp, mlir::arith::SubIOp,
                                      mlir::arith::MulIOp, mlir::arith::ShLIOp>(op);
  SmallVector<std::optional<int64_t>, 3> strides;
  for (mlir::Value operand : op->getOperands()) {
    strides.push_back(visit(operand, steps, extent));
    // No other operand makes up for this one.
    if (!strides.back() || (*strides.back() != 0 && !isLinear))
      return std::nullopt;
  }
  if (llvm::all_of(strides, [](auto stride) { return stride && *stride == 0; }))
    return 0;
  if (isCast)
    return strides[0];
  if (strides.size() != 2)
    return std::nullopt;
  if (mlir::isa<mlir::arith::AddIOp, tt::AddPtrOp>(op))
    return *strides[0] + *strides[1];
  if (mlir::isa<mlir::arith::SubIOp>(op))
    return *strides[0] - *strides[1];
  if (mlir::isa<mlir::arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (auto factor = getFactor(op->getOperand(i)))
        return *factor * *strides[1 - i];
  if (mlir::isa<mlir::arith::ShLIOp>(op))
    if (auto amount = getConstantInteger(op->getOperand(1)); amount && *amount >= 0 && *amount < 32)
      return *strides[0] << *amount;
  return std::nullopt;
}

} // namespace nereid::cpu
