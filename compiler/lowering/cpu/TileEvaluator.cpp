// What a value is at an index, operation by operation; MemoryAccess.cpp has the part that reaches memory.
#include "compiler/lowering/cpu/TileEvaluator.h"

#include "compiler/lowering/cpu/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::cpu {

static ArrayRef<int64_t> getShape(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

void TileEvaluator::beginNest(unsigned laneCount, ArrayRef<mlir::Value> producedValues) {
  lanes = laneCount;
  produced = producedValues;
  assumed = nullptr;
  levels.clear();
  pushLevel();
}

void TileEvaluator::endNest() {
  levels.clear();
  produced = {};
  assumed = nullptr;
}

void TileEvaluator::pushLevel() { levels.emplace_back().block = b.GetInsertBlock(); }

void TileEvaluator::popLevel() { levels.pop_back(); }

/// Moves the builder to the end of a level's straight-line code.
void TileEvaluator::enterLevel(unsigned level) {
  BasicBlock *block = levels[level].block;
  if (Instruction *terminator = block->getTerminator())
    b.SetInsertPoint(terminator);
  else
    b.SetInsertPoint(block);
}

unsigned TileEvaluator::getLevelOf(const Indices &indices) const {
  unsigned level = 0;
  for (const Index &index : indices)
    level = std::max(level, index.level);
  return level;
}

bool TileEvaluator::hasBuffer(mlir::Value value) {
  return plan.isMaterialized(value) || !value.getDefiningOp() || !TilePlan::isVirtual(value.getDefiningOp());
}

Value *TileEvaluator::poison(mlir::Value value) {
  failed = true;
  return Constant::getNullValue(emitter.registerType(value.getType()));
}

Value *TileEvaluator::getScalar(mlir::Value value) {
  if (auto it = values.scalars.find(value); it != values.scalars.end())
    return it->second;
  if (auto constant = value.getDefiningOp<mlir::arith::ConstantOp>())
    if (Value *result = emitter.constant(constant.getValue(), constant.getType()))
      return result;
  return poison(value);
}

Constant *TileEvaluator::getAssumed(mlir::Value value, const Indices &indices) {
  if (!assumed)
    return nullptr;
  for (const Condition &condition : assumed->conditions) {
    if (condition.value != value || condition.indices.size() != indices.size() ||
        (!assumedTruth && !condition.isPrefix))
      continue;
    // The conditions hold at every place of the chunk loop, whatever its variable is.
    bool same = true;
    for (auto [a, c] : llvm::zip(condition.indices, indices))
      same = same && ((a.isChunk && c.isChunk && a.step == c.step) || a == c);
    if (same)
      return b.getInt1(assumedTruth);
  }
  return nullptr;
}

Value *TileEvaluator::evaluate(mlir::Value value, const Indices &indices) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return getScalar(value);
  unsigned level = getLevelOf(indices);
  // What is computed outside of the chunk loop is computed whether or not the loop runs at all.
  if (assumed && level == getLevel())
    if (Constant *known = getAssumed(value, indices))
      return known;
  if (facts && facts->trueMasks.contains(value))
    return b.getTrue();
  auto find = [&]() -> Value * {
    auto it = levels[level].known.find(value);
    if (it != levels[level].known.end())
      for (auto &[at, result] : it->second)
        if (at == indices)
          return result;
    return nullptr;
  };
  if (Value *result = find())
    return result;
  BasicBlock *callerBlock = b.GetInsertBlock();
  BasicBlock::iterator callerPoint = b.GetInsertPoint();
  bool isOtherLevel = levels[level].block != callerBlock;
  ElementEmitter::Place callerPlace(emitter, nullptr);
  if (isOtherLevel)
    enterLevel(level);
  Value *result = nullptr;
  {
    ElementEmitter::Place place(emitter, value.getDefiningOp());
    result = compute(value, indices);
  }
  // A function may have branched: the level goes on in the block where the builder is now.
  levels[level].block = b.GetInsertBlock();
  if (isOtherLevel)
    b.SetInsertPoint(callerBlock, callerPoint);
  levels[level].known[value].push_back({indices, result});
  return result;
}

Value *TileEvaluator::getIndexLanes(const Index &index) {
  if (index.lanes)
    return index.lanes;
  if (index.isUniform())
    return index.base;
  SmallVector<Constant *> offsets;
  for (unsigned lane = 0; lane < lanes; ++lane)
    offsets.push_back(ConstantInt::getSigned(b.getInt64Ty(), index.getOffset(lane)));
  return b.CreateAdd(b.CreateVectorSplat(lanes, index.base), ConstantVector::get(offsets));
}

Index TileEvaluator::getPatternIndex(Value *base, ArrayRef<int64_t> offsets, unsigned level) {
  Index index{base, 0, nullptr, level, false};
  int64_t step = offsets.size() > 1 ? offsets[1] : 0;
  bool isEven = offsets[0] == 0;
  for (unsigned lane = 0; lane < offsets.size(); ++lane)
    isEven = isEven && offsets[lane] == step * int64_t(lane);
  if (isEven)
    index.step = step;
  else
    index.pattern = *patterns.insert(std::vector<int64_t>(offsets.begin(), offsets.end())).first;
  return index;
}

/// Where the elements of an operation that only rearranges come from.
bool TileEvaluator::mapIndices(mlir::Operation *op, const Indices &indices, Indices &mapped) {
  if (mlir::isa<tt::BroadcastOp>(op)) {
    for (auto [index, size] : llvm::zip(indices, getShape(op->getOperand(0))))
      mapped.push_back(size == 1 ? constantIndex(0) : index);
    return true;
  }
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    mapped = indices;
    mapped.erase(mapped.begin() + expand.getAxis());
    return true;
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op)) {
    mapped.resize(indices.size());
    for (auto [i, from] : llvm::enumerate(trans.getOrder()))
      mapped[from] = indices[i];
    return true;
  }
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op)) {
    mapReshape(getShape(reshape.getSrc()), getShape(reshape.getResult()), indices, mapped);
    return true;
  }
  return false;
}

void TileEvaluator::mapReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to, const Indices &indices,
                               Indices &mapped) {
  // Dimensions of size 1 that come or go are by far the most common; the others then keep their index as it
  // is.
  SmallVector<Index> kept;
  SmallVector<int64_t> keptSizes, fromSizes;
  for (auto [index, size] : llvm::zip(indices, to))
    if (size != 1) {
      kept.push_back(index);
      keptSizes.push_back(size);
    }
  for (int64_t size : from)
    if (size != 1)
      fromSizes.push_back(size);
  if (keptSizes == fromSizes) {
    unsigned next = 0;
    for (int64_t size : from)
      mapped.push_back(size == 1 ? constantIndex(0) : kept[next++]);
    return;
  }

  // The number of the element in row-major order, of lane 0 and of each lane; then its digits in the source's
  // shape. Sizes are powers of two and chunks begin at multiples of their size, so the bits that differ
  // between lanes are zero in the base: the digits of base and distance can be taken apart separately.
  unsigned level = getLevelOf(indices);
  bool isKnown = true;
  for (const Index &index : indices)
    isKnown = isKnown && !index.lanes;
  for (ArrayRef<int64_t> shape : {from, to})
    for (int64_t size : shape)
      isKnown = isKnown && isPowerOf2_64(size);
  SmallVector<int64_t> offsets(lanes, 0);
  Value *number = nullptr;
  int64_t stride = 1;
  for (unsigned d = to.size(); d-- > 0;) {
    Value *index = isKnown ? indices[d].base : emitter.toLanes(getIndexLanes(indices[d]), lanes);
    number = indexPlus(b, number, indexTimes(b, index, stride));
    for (unsigned lane = 0; isKnown && lane < lanes; ++lane)
      offsets[lane] += indices[d].getOffset(lane) * stride;
    stride *= to[d];
  }
  if (isKnown && llvm::any_of(offsets, [](int64_t offset) { return offset < 0; })) {
    // Lanes that run backwards: count from the lowest.
    int64_t lowest = *std::min_element(offsets.begin(), offsets.end());
    number = b.CreateAdd(number, b.getInt64(lowest));
    for (int64_t &offset : offsets)
      offset -= lowest;
  }
  int64_t laneBits = 0;
  for (int64_t offset : offsets)
    laneBits |= offset;
  mapped.resize(from.size());
  stride = 1;
  for (unsigned d = from.size(); d-- > 0;) {
    bool isLanesOnly = isKnown && ((from[d] - 1) * stride & ~laneBits) == 0;
    Value *digit = isLanesOnly ? b.getInt64(0) : indexOver(b, number, stride);
    if (!isLanesOnly && d != 0) // The number is within the tile, so its first digit is what is left.
      digit = indexModulo(b, digit, from[d]);
    if (isKnown) {
      SmallVector<int64_t> digits;
      for (int64_t offset : offsets)
        digits.push_back(offset / stride % from[d]);
      mapped[d] = getPatternIndex(digit, digits, level);
    } else {
      mapped[d] = {nullptr, 0, digit, level, false};
    }
    stride *= from[d];
  }
}

Value *TileEvaluator::compute(mlir::Value value, const Indices &indices) {
  mlir::Operation *op = value.getDefiningOp();
  if (hasBuffer(value) && !llvm::is_contained(produced, value)) {
    auto it = values.buffers.find(value);
    return it != values.buffers.end() ? readBuffer(it->second, indices) : poison(value);
  }
  Indices mapped;
  if (mapIndices(op, indices, mapped))
    return evaluate(op->getOperand(0), mapped);
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op)) {
    if (auto source = mlir::dyn_cast<mlir::RankedTensorType>(splat.getSrc().getType())) {
      mapped.assign(source.getRank(), constantIndex(0));
      return evaluate(splat.getSrc(), mapped);
    }
    return getScalar(splat.getSrc());
  }
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
    Type *type = emitter.registerType(range.getType());
    const Index &index = indices[0];
    if (index.lanes)
      return b.CreateAdd(b.CreateTrunc(index.lanes, index.lanes->getType()->getWithNewType(type)),
                         ConstantInt::get(index.lanes->getType()->getWithNewType(type), range.getStart()));
    Value *first = b.CreateAdd(b.CreateTrunc(index.base, type), ConstantInt::get(type, range.getStart()));
    if (index.isUniform())
      return first;
    SmallVector<Constant *> offsets;
    for (unsigned lane = 0; lane < lanes; ++lane)
      offsets.push_back(ConstantInt::getSigned(type, index.getOffset(lane)));
    return b.CreateAdd(b.CreateVectorSplat(lanes, first), ConstantVector::get(offsets));
  }
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return dense ? computeConstant(dense, indices) : poison(value);
  }
  if (mlir::isa<mlir::ub::PoisonOp>(op))
    return Constant::getNullValue(emitter.registerType(value.getType()));
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return computeLoad(load, indices);
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op))
    return computeReduce(reduce, value, indices);
  if (auto gather = mlir::dyn_cast<tt::GatherOp>(op))
    return computeGather(gather, indices);
  if (auto join = mlir::dyn_cast<tt::JoinOp>(op)) {
    mapped.assign(indices.begin(), indices.end() - 1);
    return selectHalf(join.getLhs(), join.getRhs(), mapped, indices.back());
  }
  if (auto split = mlir::dyn_cast<tt::SplitOp>(op)) {
    mapped = indices;
    mapped.push_back(constantIndex(mlir::cast<mlir::OpResult>(value).getResultNumber()));
    return evaluate(split.getSrc(), mapped);
  }
  if (auto cat = mlir::dyn_cast<tt::CatOp>(op)) {
    // Element i of the right side stands at i + n; the index is reduced for the side that it does not belong
    // to.
    int64_t size = getShape(cat.getLhs())[0];
    Index inner = indices[0];
    if (!inner.pattern.empty())
      inner = {nullptr, 0, getIndexLanes(inner), inner.level, false};
    Value *&number = inner.lanes ? inner.lanes : inner.base;
    Index half = inner;
    Value *&digit = half.lanes ? half.lanes : half.base;
    digit = indexOver(b, number, size);
    number = indexModulo(b, number, size);
    half.isChunk = inner.isChunk = false;
    if (!inner.lanes && int64_t(lanes) * std::abs(inner.step) > size) {
      Value *all = getIndexLanes(indices[0]);
      inner.lanes = indexModulo(b, all, size);
      half.lanes = indexOver(b, all, size);
      inner.base = half.base = nullptr;
    }
    half.step = 0;
    mapped = indices;
    mapped[0] = inner;
    return selectHalf(cat.getLhs(), cat.getRhs(), mapped, half);
  }
  if (isElementwise(op)) {
    if (Value *result = computeByPattern(op, indices))
      return result;
    SmallVector<Value *> operands, results;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(evaluate(operand, indices));
    if (failed || !emitter.emit(op, operands, results))
      return poison(value);
    // The other results of the same operation need not be computed again.
    for (auto [other, result] : llvm::zip(op->getResults(), results))
      if (other != value)
        levels[getLevelOf(indices)].known[other].push_back({indices, result});
    return results[mlir::cast<mlir::OpResult>(value).getResultNumber()];
  }
  op->emitError() << "'" << op->getName() << "' is not supported on the CPU yet";
  return poison(value);
}

/// The left value where `which` is 0, the right one where it is 1.
Value *TileEvaluator::selectHalf(mlir::Value lhs, mlir::Value rhs, const Indices &inner, const Index &which) {
  if (auto *known = dyn_cast_or_null<ConstantInt>(which.isUniform() ? which.base : nullptr))
    return evaluate(known->isZero() ? lhs : rhs, inner);
  Value *left = evaluate(lhs, inner), *right = evaluate(rhs, inner);
  Value *number = getIndexLanes(which);
  Value *isRight = b.CreateICmpNE(number, Constant::getNullValue(number->getType()));
  unsigned count = std::max(
      {ElementEmitter::getLanes(isRight), ElementEmitter::getLanes(left), ElementEmitter::getLanes(right)});
  return b.CreateSelect(isRight, emitter.toLanes(right, count), emitter.toLanes(left, count));
}

Value *TileEvaluator::computeConstant(mlir::DenseElementsAttr dense, const Indices &indices) {
  mlir::Type element = dense.getElementType();
  if (dense.isSplat())
    return emitter.constant(dense.getSplatValue<mlir::Attribute>(), element);
  // A table in the object's constant data.
  Type *stored = emitter.memoryType(element);
  SmallVector<Constant *> elements;
  for (mlir::Attribute attribute : dense.getValues<mlir::Attribute>()) {
    Constant *constant = emitter.constant(attribute, element);
    if (auto *integer = dyn_cast<ConstantInt>(constant))
      constant = ConstantInt::get(stored, integer->getValue().zext(stored->getIntegerBitWidth()));
    elements.push_back(constant);
  }
  auto *type = ArrayType::get(stored, elements.size());
  Constant *initializer = ConstantArray::get(type, elements);
  Module *module = b.GetInsertBlock()->getModule();
  GlobalVariable *table = nullptr;
  for (GlobalVariable &global : module->globals())
    if (global.hasInitializer() && global.getInitializer() == initializer)
      table = &global;
  if (!table) {
    table = new GlobalVariable(*module, type, true, GlobalValue::PrivateLinkage, initializer, "table");
    table->setAlignment(Align(64));
  }
  Buffer buffer{table, mlir::cast<mlir::RankedTensorType>(dense.getType()), stored};
  return readBuffer(buffer, indices);
}

/// A reduction of one or two elements, as sorts have many: combined where it is used.
Value *TileEvaluator::computeReduce(tt::ReduceOp reduce, mlir::Value value, const Indices &indices) {
  SmallVector<Value *, 2> total;
  int64_t size = getShape(reduce.getSrcs().front())[reduce.getAxis()];
  for (int64_t i = 0; i < size; ++i) {
    Indices mapped = indices;
    mapped.insert(mapped.begin() + reduce.getAxis(), constantIndex(i));
    SmallVector<Value *> arguments(total.begin(), total.end()), combined;
    for (mlir::Value source : reduce.getSrcs())
      arguments.push_back(evaluate(source, mapped));
    if (i == 0) {
      total.assign(arguments.begin(), arguments.end());
      continue;
    }
    auto outer = [&](mlir::Value outerValue) { return getScalar(outerValue); };
    if (failed || !emitter.emitRegion(reduce.getCombineOp(), arguments, combined, outer))
      return poison(value);
    total.assign(combined.begin(), combined.end());
  }
  return total[mlir::cast<mlir::OpResult>(value).getResultNumber()];
}

Value *TileEvaluator::computeGather(tt::GatherOp gather, const Indices &indices) {
  Value *picked = evaluate(gather.getIndices(), indices);
  Type *wide = picked->getType()->getWithNewBitWidth(64);
  picked = b.CreateZExt(picked, wide);
  Indices mapped = indices;
  unsigned level = getLevelOf(indices);
  if (picked->getType()->isVectorTy())
    mapped[gather.getAxis()] = {nullptr, 0, picked, level, false};
  else
    mapped[gather.getAxis()] = {picked, 0, nullptr, level, false};
  return evaluate(gather.getSrc(), mapped);
}

} // namespace nereid::cpu
