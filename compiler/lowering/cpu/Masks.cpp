// The evaluator's side of masks: which of them need not be looked at, and where.
//
// Two things are found out in front of loops, so that the loops themselves have plain accesses. Of a row, how
// many of its first lanes every mask holds for (collectPrefix, TileEvaluator.h). Of a whole tile, whether a
// mask holds for all of it (checkWholeMask): with `row < M`, where `row` grows along the tile's first
// dimension, that its last row does.
#include "compiler/lowering/cpu/TileEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

Value *TileEvaluator::evaluateMask(mlir::Value mask, const Indices &indices) {
  if (!assumed || getLevelOf(indices) != getLevel()) {
    Value *result = evaluate(mask, indices);
    auto *constant = dyn_cast<Constant>(result);
    return constant && constant->isAllOnesValue() ? nullptr : result;
  }
  // The parts of a mask that the main loop takes as true are left out. Parts that are the same for the whole
  // chunk are among them, but only here: code of an outer level runs even where the main loop does not.
  std::function<Value *(mlir::Value, const Indices &)> visit = [&](mlir::Value part,
                                                                   const Indices &at) -> Value * {
    if (Constant *known = getAssumed(part, at))
      return known->isNullValue() ? known : nullptr;
    if (facts && facts->trueMasks.contains(part))
      return nullptr;
    mlir::Operation *op = part.getDefiningOp();
    if (op && !hasBuffer(part)) {
      if (mlir::isa<mlir::arith::AndIOp>(op)) {
        Value *lhs = visit(op->getOperand(0), at), *rhs = visit(op->getOperand(1), at);
        if (!lhs || !rhs)
          return lhs ? lhs : rhs;
        for (Value *side : {lhs, rhs})
          if (auto *constant = dyn_cast<Constant>(side); constant && constant->isNullValue())
            return b.getFalse();
        unsigned count = std::max(ElementEmitter::getLanes(lhs), ElementEmitter::getLanes(rhs));
        return b.CreateAnd(emitter.toLanes(lhs, count), emitter.toLanes(rhs, count));
      }
      Indices mapped;
      if (mapIndices(op, at, mapped))
        return visit(op->getOperand(0), mapped);
    }
    Value *result = evaluate(part, at);
    auto *constant = dyn_cast<Constant>(result);
    return constant && constant->isAllOnesValue() ? nullptr : result;
  };
  return visit(mask, indices);
}

void TileEvaluator::addCondition(mlir::Value condition, const Indices &indices, Value *count, bool isPrefix,
                                 Prefix &prefix) {
  prefix.conditions.push_back({condition, indices, isPrefix});
  prefix.count = prefix.count ? b.CreateBinaryIntrinsic(Intrinsic::smin, prefix.count, count) : count;
  if (isPrefix)
    prefix.none = prefix.none ? b.CreateBinaryIntrinsic(Intrinsic::smax, prefix.none, count) : count;
}

/// Whether each index is the row's own or the same for the whole row. One computed from the row's index, as
/// where a tile is seen in another shape, is neither.
bool TileEvaluator::followsRow(const Indices &indices) const {
  return llvm::all_of(indices,
                      [&](const Index &index) { return index.isChunk || index.level <= getLevel(); });
}

void TileEvaluator::addMask(mlir::Value mask, const Indices &indices, int64_t extent, Prefix &prefix) {
  mlir::Operation *op = mask.getDefiningOp();
  for (const Condition &known : prefix.conditions)
    if (known.value == mask && known.indices == indices)
      return;
  if (facts && facts->trueMasks.contains(mask))
    return;
  Constant *all = b.getInt64(extent), *none = b.getInt64(0);
  if (getLevelOf(indices) <= getLevel()) {
    Value *holds = evaluate(mask, indices);
    if (auto *constant = dyn_cast<Constant>(holds); constant && constant->isAllOnesValue())
      return;
    addCondition(mask, indices, b.CreateSelect(holds, all, none), false, prefix);
    return;
  }
  if (!op || hasBuffer(mask) || !followsRow(indices))
    return;
  if (mlir::isa<mlir::arith::AndIOp>(op)) {
    addMask(op->getOperand(0), indices, extent, prefix);
    addMask(op->getOperand(1), indices, extent, prefix);
    return;
  }
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op)) {
    if (!mlir::isa<mlir::RankedTensorType>(splat.getSrc().getType()))
      addCondition(mask, indices, b.CreateSelect(getScalar(splat.getSrc()), all, none), false, prefix);
    return;
  }
  Indices mapped;
  if (mapIndices(op, indices, mapped)) {
    addMask(op->getOperand(0), mapped, extent, prefix);
    return;
  }
  auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op);
  if (!compare)
    return;
  auto lhsStride = getRowStride(compare.getLhs(), indices, extent);
  auto rhsStride = getRowStride(compare.getRhs(), indices, extent);
  if (!lhsStride || !rhsStride)
    return;
  using mlir::arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  Indices first = atFirstLane(indices, true);
  if (*lhsStride == 0 && *rhsStride == 0) {
    addCondition(mask, indices, b.CreateSelect(evaluate(mask, first), all, none), false, prefix);
    return;
  }
  // The moving side to the left.
  mlir::Value moving = compare.getLhs(), bound = compare.getRhs();
  if (*lhsStride == 0) {
    std::swap(moving, bound);
    std::swap(lhsStride, rhsStride);
    static const std::pair<CmpIPredicate, CmpIPredicate> swaps[] = {{CmpIPredicate::slt, CmpIPredicate::sgt},
                                                                    {CmpIPredicate::sle, CmpIPredicate::sge},
                                                                    {CmpIPredicate::ult, CmpIPredicate::ugt},
                                                                    {CmpIPredicate::ule, CmpIPredicate::uge}};
    for (auto [a, c] : swaps) {
      if (predicate == a || predicate == c) {
        predicate = predicate == a ? c : a;
        break;
      }
    }
  }
  if (*lhsStride != 1 || *rhsStride != 0)
    return;
  Value *start = evaluate(moving, first), *end = evaluate(bound, first);
  Type *wide = b.getInt64Ty();
  bool isSigned = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
                  predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  unsigned bits = start->getType()->getIntegerBitWidth();
  if (bits > 64 || bits < 16)
    return;
  start = isSigned ? b.CreateSExt(start, wide) : b.CreateZExt(start, wide);
  end = isSigned ? b.CreateSExt(end, wide) : b.CreateZExt(end, wide);
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle: {
    Value *count = b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, end, start);
    if (predicate == CmpIPredicate::sle)
      count = b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, count, b.getInt64(1));
    count = b.CreateBinaryIntrinsic(Intrinsic::smin, count, all);
    addCondition(mask, indices, b.CreateBinaryIntrinsic(Intrinsic::smax, count, none), true, prefix);
    return;
  }
  case CmpIPredicate::ult:
  case CmpIPredicate::ule: {
    Value *count = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, end, start);
    if (predicate == CmpIPredicate::ule)
      count = b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, count,
                                      b.CreateZExt(b.CreateICmpUGE(end, start), wide));
    addCondition(mask, indices, b.CreateBinaryIntrinsic(Intrinsic::umin, count, all), true, prefix);
    return;
  }
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge: {
    // Growing values stay above the bound once they are, unless they wrap around.
    APInt limit = APInt::getSignedMaxValue(bits).sext(64) - uint64_t(extent);
    Value *holds =
        predicate == CmpIPredicate::sgt ? b.CreateICmpSGT(start, end) : b.CreateICmpSGE(start, end);
    holds = b.CreateAnd(holds, b.CreateICmpSLE(start, ConstantInt::get(wide, limit)));
    addCondition(mask, indices, b.CreateSelect(holds, all, none), false, prefix);
    return;
  }
  default:
    return;
  }
}

void TileEvaluator::collectPrefix(mlir::Value value, const Indices &indices, int64_t extent, Prefix &prefix) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !mlir::isa<mlir::RankedTensorType>(value.getType()) ||
      (hasBuffer(value) && !llvm::is_contained(produced, value)))
    return;
  // What does not depend on the chunk is computed outside of its loop, with masks of its own.
  if (getLevelOf(indices) <= getLevel() || !followsRow(indices))
    return;
  if (!prefix.visited.insert(value).second)
    return;
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    if (load.getMask())
      addMask(load.getMask(), indices, extent, prefix);
  Indices mapped;
  if (mapIndices(op, indices, mapped)) {
    collectPrefix(op->getOperand(0), mapped, extent, prefix);
    return;
  }
  if (mlir::isa<tt::SplitOp>(op)) {
    mapped = indices;
    mapped.push_back(constantIndex(mlir::cast<mlir::OpResult>(value).getResultNumber()));
    collectPrefix(op->getOperand(0), mapped, extent, prefix);
    return;
  }
  if (mlir::isa<tt::JoinOp>(op)) {
    mapped.assign(indices.begin(), indices.end() - 1);
    for (mlir::Value operand : op->getOperands())
      collectPrefix(operand, mapped, extent, prefix);
    return;
  }
  if (isElementwise(op) || mlir::isa<tt::LoadOp>(op))
    for (mlir::Value operand : op->getOperands())
      collectPrefix(operand, indices, extent, prefix);
}

void TileEvaluator::collectMasks(mlir::Value value, SmallVectorImpl<mlir::Value> &masks,
                                 SmallVectorImpl<mlir::Value> &choices) {
  DenseSet<mlir::Value> seen;
  std::function<void(mlir::Value)> visit = [&](mlir::Value current) {
    mlir::Operation *op = current.getDefiningOp();
    if (!op || !mlir::isa<mlir::RankedTensorType>(current.getType()) || !seen.insert(current).second ||
        (hasBuffer(current) && !llvm::is_contained(produced, current)))
      return;
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op); load && load.getMask())
      masks.push_back(load.getMask());
    if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(op))
      choices.push_back(select.getCondition());
    for (mlir::Value operand : op->getOperands())
      visit(operand);
  };
  visit(value);
}

void TileEvaluator::checkWholeMask(mlir::Value mask, NestFacts &facts, Value *&condition) {
  mlir::Operation *op = mask.getDefiningOp();
  if (!op || !mlir::isa<mlir::RankedTensorType>(mask.getType()) || hasBuffer(mask) ||
      facts.trueMasks.contains(mask))
    return;
  if (mlir::isa<mlir::arith::AndIOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp>(op)) {
    for (mlir::Value operand : op->getOperands())
      checkWholeMask(operand, facts, condition);
    return;
  }
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op)) {
    if (mlir::isa<mlir::RankedTensorType>(splat.getSrc().getType()))
      return;
    Value *scalar = getScalar(splat.getSrc());
    condition = condition ? b.CreateAnd(condition, scalar) : scalar;
    facts.trueMasks.insert(mask);
    return;
  }
  if (mlir::isa<mlir::arith::CmpIOp>(op))
    checkWholeCompare(op, facts, condition);
}

/// `l < r` holds everywhere if the largest l is below the smallest r. Both sides must grow by known steps,
/// and neither may leave the range of its type within the tile.
void TileEvaluator::checkWholeCompare(mlir::Operation *op, NestFacts &facts, Value *&condition) {
  auto compare = mlir::cast<mlir::arith::CmpIOp>(op);
  using mlir::arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  bool isEqual = predicate == CmpIPredicate::sle || predicate == CmpIPredicate::sge ||
                 predicate == CmpIPredicate::ule || predicate == CmpIPredicate::uge;
  bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge ||
                   predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
  bool isUnsigned = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
                    predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne)
    return;
  auto type = mlir::cast<mlir::RankedTensorType>(compare.getLhs().getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (!type.getElementType().isInteger() || bits < 16 || bits > 64 || (isUnsigned && bits == 64))
    return;
  mlir::Value sides[] = {isGreater ? compare.getRhs() : compare.getLhs(),
                         isGreater ? compare.getLhs() : compare.getRhs()};
  // How far each side goes below and above its first element.
  int64_t below[] = {0, 0}, above[] = {0, 0};
  for (unsigned side : {0, 1})
    for (unsigned d = 0; d < type.getRank(); ++d) {
      SmallVector<int64_t> steps(type.getRank(), 0);
      steps[d] = 1;
      auto stride = strides.getLaneStride(sides[side], steps, type.getDimSize(d));
      if (!stride || std::abs(*stride) > (int64_t(1) << 40))
        return;
      (*stride < 0 ? below : above)[side] += *stride * (type.getDimSize(d) - 1);
    }
  Indices first(type.getRank(), constantIndex(0));
  Value *starts[2];
  for (unsigned side : {0, 1}) {
    Value *start = evaluate(sides[side], first);
    starts[side] = isUnsigned ? b.CreateZExt(start, b.getInt64Ty()) : b.CreateSExt(start, b.getInt64Ty());
  }
  auto at = [&](unsigned side, int64_t distance) {
    return distance ? b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, starts[side], b.getInt64(distance))
                    : starts[side];
  };
  auto require = [&](Value *holds) { condition = condition ? b.CreateAnd(condition, holds) : holds; };
  Value *largest = at(0, above[0]), *smallest = at(1, below[1]);
  require(isEqual ? b.CreateICmpSLE(largest, smallest) : b.CreateICmpSLT(largest, smallest));
  // The left side's largest is in range if it is below the right side's smallest, and the other way round.
  APInt lowest = isUnsigned ? APInt(64, 0) : APInt::getSignedMinValue(bits).sext(64);
  APInt highest = isUnsigned ? APInt::getMaxValue(bits).zext(64) : APInt::getSignedMaxValue(bits).sext(64);
  if (below[0])
    require(b.CreateICmpSGE(at(0, below[0]), b.getInt(lowest)));
  if (above[1])
    require(b.CreateICmpSLE(at(1, above[1]), b.getInt(highest)));
  if (below[1])
    require(b.CreateICmpSGE(smallest, b.getInt(lowest)));
  if (above[0])
    require(b.CreateICmpSLE(largest, b.getInt(highest)));
  facts.trueMasks.insert(compare.getResult());
}

} // namespace nereid::cpu
