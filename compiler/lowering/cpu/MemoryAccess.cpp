// The evaluator's side of memory: loads and stores through tensors of pointers, tiles in buffers, and the
// masks.
//
// A lane whose mask is false must not touch memory, not even where reading would be harmless most of the
// time. Single elements are accessed through vectors of one lane, so that one set of intrinsics serves all
// cases.
#include "compiler/lowering/cpu/IndexMath.h"
#include "compiler/lowering/cpu/TileEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

static Align getElementAlign(Type *type) {
  return Align(std::max<uint64_t>(1, PowerOf2Ceil(divideCeil(type->getScalarSizeInBits(), 8))));
}

static Align alignOf(Type *element) { return element->isPointerTy() ? Align(8) : getElementAlign(element); }

static Value *reverseLanes(IRBuilder<> &b, Value *value) {
  return value && value->getType()->isVectorTy() ? b.CreateVectorReverse(value) : value;
}

Indices TileEvaluator::atFirstLane(const Indices &indices, bool ofRow) {
  Indices result = indices;
  for (Index &index : result) {
    if (ofRow && index.isChunk)
      index = constantIndex(0);
    if (!index.pattern.empty() && index.pattern[0] != 0)
      index.base = b.CreateAdd(index.base, b.getInt64(index.pattern[0]));
    index.pattern = {};
    index.step = 0;
    index.isChunk = false;
  }
  return result;
}

/// The stride along the whole row, if nothing but the chunk loop's own index varies.
std::optional<int64_t> TileEvaluator::getRowStride(mlir::Value value, const Indices &indices,
                                                   int64_t extent) {
  SmallVector<int64_t> steps;
  for (const Index &index : indices) {
    if (!index.isChunk && !index.isUniform())
      return std::nullopt;
    steps.push_back(index.isChunk ? 1 : 0);
  }
  return strides.getLaneStride(value, steps, extent);
}

TileEvaluator::Access TileEvaluator::getAccess(mlir::Value pointers, const Indices &indices) {
  if (llvm::all_of(indices, [](const Index &index) { return index.isUniform(); }) &&
      llvm::none_of(indices, [](const Index &index) { return index.isChunk; }))
    return {evaluate(pointers, indices), 0};
  mlir::Type element =
      mlir::cast<tt::PointerType>(mlir::getElementTypeOrSelf(pointers.getType())).getPointeeType();
  Type *stored = emitter.memoryType(element);

  Value *base = nullptr;
  int64_t stride = 0;
  const Index *chunk = llvm::find_if(indices, [](const Index &index) { return index.isChunk; });
  bool hasChunk = chunk != indices.end();
  std::optional<int64_t> known;
  if (hasChunk && llvm::count_if(indices, [](const Index &index) { return index.isChunk; }) == 1)
    known = getRowStride(pointers, indices, rowExtent);
  if (known) {
    // The row's address once a row; in the chunk, only the distance from there.
    base = evaluate(pointers, atFirstLane(indices, true));
    stride = *known * chunk->step;
    if (*known != 0)
      base = b.CreateGEP(stored, base, indexTimes(b, chunk->base, *known));
    if (lanes == 1)
      return {base, 0};
  } else {
    SmallVector<int64_t> steps;
    for (const Index &index : indices)
      steps.push_back(index.isEven() ? index.step : unknownStep);
    known = strides.getLaneStride(pointers, steps, lanes);
    if (!known) {
      if (auto pattern = lanes > 1 ? getPattern(pointers, indices) : std::nullopt)
        return getPatternAccess(evaluate(pointers, atFirstLane(indices, false)), pattern->offsets);
      if (hasChunk && isAffineRow(pointers, indices))
        return getAffineAccess(pointers, indices, stored);
      Value *all = evaluate(pointers, indices);
      if (!all->getType()->isVectorTy())
        return {all, 0};
      return {all, std::nullopt};
    }
    base = evaluate(pointers, atFirstLane(indices, false));
    stride = *known;
  }
  if (stride == 0 || stride == 1 || stride == -1)
    return {base, stride};
  SmallVector<int64_t> offsets;
  for (unsigned lane = 0; lane < lanes; ++lane)
    offsets.push_back(int64_t(lane) * stride);
  return {base, std::nullopt, offsets};
}

/// Distances that are all equal, or neighbours, are the simpler accesses.
TileEvaluator::Access TileEvaluator::getPatternAccess(Value *base, ArrayRef<int64_t> offsets) {
  for (int64_t stride : {0, 1, -1}) {
    bool isStride = true;
    for (auto [lane, offset] : llvm::enumerate(offsets))
      isStride = isStride && offset == stride * int64_t(lane);
    if (isStride)
      return {base, stride};
  }
  return {base, std::nullopt, SmallVector<int64_t>(offsets)};
}

bool TileEvaluator::isAffineRow(mlir::Value pointers, const Indices &indices) {
  SmallVector<int64_t> steps;
  for (const Index &index : indices) {
    if ((!index.isChunk && !index.isUniform()) || (index.isChunk && index.step != 1))
      return false;
    steps.push_back(index.isChunk ? 1 : 0);
  }
  return strides.isAffine(pointers, steps, rowExtent);
}

/// Elements a number of bytes apart that is known before the row begins: from its first two.
TileEvaluator::Access TileEvaluator::getAffineAccess(mlir::Value pointers, const Indices &indices,
                                                     Type *stored) {
  Indices first = atFirstLane(indices, true), second = first;
  const Index *chunk = nullptr;
  for (auto [index, at] : llvm::zip(indices, second))
    if (index.isChunk) {
      chunk = &index;
      at = constantIndex(1);
    }
  Value *base = evaluate(pointers, first), *next = evaluate(pointers, second);
  Value *distance =
      b.CreateSub(b.CreatePtrToInt(next, b.getInt64Ty()), b.CreatePtrToInt(base, b.getInt64Ty()));
  return {b.CreatePtrAdd(base, b.CreateMul(chunk->base, distance)), std::nullopt, {}, distance};
}

/// The address of each lane, as a vector.
Value *TileEvaluator::getLanePointers(const Access &access, Type *stored) {
  if (!access.offsets.empty()) {
    SmallVector<Constant *> offsets;
    for (int64_t offset : access.offsets)
      offsets.push_back(ConstantInt::getSigned(b.getInt64Ty(), offset));
    return b.CreateGEP(stored, access.base, ConstantVector::get(offsets));
  }
  if (!access.distance)
    return emitter.toLanes(access.base, lanes);
  SmallVector<Constant *> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getInt64(lane));
  Value *distances = b.CreateMul(b.CreateVectorSplat(lanes, access.distance), ConstantVector::get(numbers));
  return b.CreateGEP(b.getInt8Ty(), access.base, distances);
}

/// The address of one lane where lanes are at known distances or evenly spaced.
Value *TileEvaluator::getLanePointer(const Access &access, Type *stored, unsigned lane) {
  if (access.distance)
    return lane == 0 ? access.base
                     : b.CreatePtrAdd(access.base, b.CreateMul(access.distance, b.getInt64(lane)));
  return b.CreateGEP(stored, access.base, b.getInt64(access.offsets[lane]));
}

Value *TileEvaluator::load(const Access &access, mlir::Type element, Value *mask, Value *other,
                           bool isVolatile) {
  Type *stored = emitter.memoryType(element), *type = emitter.registerType(element);
  Align align = alignOf(stored);
  if (auto *constant = dyn_cast_or_null<Constant>(mask); constant && constant->isAllOnesValue())
    mask = nullptr;
  auto toStoredType = [&](Value *value) {
    return value && stored != type ? b.CreateZExt(value, value->getType()->getWithNewType(stored)) : value;
  };
  auto fromStoredType = [&](Value *value) {
    return stored == type ? value : b.CreateTrunc(value, value->getType()->getWithNewType(type));
  };
  auto *vectorType = FixedVectorType::get(stored, lanes);
  if (!other)
    other = Constant::getNullValue(type);
  if (access.stride && *access.stride == 0) {
    if (!mask)
      return fromStoredType(b.CreateAlignedLoad(stored, access.base, align, isVolatile));
    // One element for all lanes: read if any lane wants it.
    Value *any = mask->getType()->isVectorTy() ? b.CreateOrReduce(mask) : mask;
    Value *otherOne = other->getType()->isVectorTy() ? Constant::getNullValue(type) : other;
    auto *oneType = FixedVectorType::get(stored, 1);
    Value *loaded = b.CreateMaskedLoad(oneType, access.base, align, b.CreateVectorSplat(1, any),
                                       b.CreateVectorSplat(1, toStoredType(otherOne)));
    Value *result = fromStoredType(b.CreateExtractElement(loaded, uint64_t(0)));
    if (!mask->getType()->isVectorTy() && !other->getType()->isVectorTy())
      return result;
    return b.CreateSelect(mask, emitter.toLanes(result, lanes), emitter.toLanes(other, lanes));
  }
  Value *passThrough = toStoredType(emitter.toLanes(other, lanes));
  if (mask)
    mask = emitter.toLanes(mask, lanes);
  if (!access.stride) {
    if (!access.offsets.empty())
      if (Value *loaded = loadPattern(access.base, stored, access.offsets, mask, passThrough, align))
        return fromStoredType(loaded);
    // Where the addresses need no vector, loading one after another is faster than gathering.
    if (!mask && (access.distance || !access.offsets.empty())) {
      Value *loaded = PoisonValue::get(vectorType);
      for (unsigned lane = 0; lane < lanes; ++lane)
        loaded = b.CreateInsertElement(
            loaded, b.CreateAlignedLoad(stored, getLanePointer(access, stored, lane), align, isVolatile),
            lane);
      return fromStoredType(loaded);
    }
    return fromStoredType(b.CreateMaskedGather(vectorType, getLanePointers(access, stored), align, mask,
                                               mask ? passThrough : nullptr));
  }
  Value *base = access.base;
  bool isReversed = *access.stride == -1;
  if (isReversed) {
    base = b.CreateGEP(stored, base, b.getInt64(-int64_t(lanes - 1)));
    mask = reverseLanes(b, mask);
    passThrough = reverseLanes(b, passThrough);
  }
  Value *loaded = mask ? static_cast<Value *>(b.CreateMaskedLoad(vectorType, base, align, mask, passThrough))
                       : b.CreateAlignedLoad(vectorType, base, align, isVolatile);
  return fromStoredType(isReversed ? reverseLanes(b, loaded) : loaded);
}

void TileEvaluator::store(const Access &access, mlir::Type element, Value *value, Value *mask) {
  Type *stored = emitter.memoryType(element);
  Align align = alignOf(stored);
  if (auto *constant = dyn_cast_or_null<Constant>(mask); constant && constant->isAllOnesValue())
    mask = nullptr;
  if (stored != value->getType()->getScalarType())
    value = b.CreateZExt(value, value->getType()->getWithNewType(stored));
  bool isOne = access.stride && *access.stride == 0;
  if (isOne && (lanes == 1 || !value->getType()->isVectorTy()) && !(mask && mask->getType()->isVectorTy())) {
    if (!mask)
      b.CreateAlignedStore(value, access.base, align);
    else
      b.CreateMaskedStore(b.CreateVectorSplat(1, value), access.base, align, b.CreateVectorSplat(1, mask));
    return;
  }
  value = emitter.toLanes(value, lanes);
  if (mask)
    mask = emitter.toLanes(mask, lanes);
  if (isOne || !access.stride) {
    if (!access.offsets.empty() && storePattern(access.base, stored, access.offsets, value, mask, align))
      return;
    if (mask || (!access.distance && access.offsets.empty())) {
      b.CreateMaskedScatter(value, getLanePointers(access, stored), align, mask);
      return;
    }
    for (unsigned lane = 0; lane < lanes; ++lane)
      b.CreateAlignedStore(b.CreateExtractElement(value, lane), getLanePointer(access, stored, lane), align);
    return;
  }
  Value *base = access.base;
  if (*access.stride == -1) {
    base = b.CreateGEP(stored, base, b.getInt64(-int64_t(lanes - 1)));
    mask = reverseLanes(b, mask);
    value = reverseLanes(b, value);
  }
  if (mask)
    b.CreateMaskedStore(value, base, align, mask);
  else
    b.CreateAlignedStore(value, base, align);
}

Value *TileEvaluator::computeLoad(tt::LoadOp load, const Indices &indices) {
  Value *mask = load.getMask() ? evaluateMask(load.getMask(), indices) : nullptr;
  Value *other = mask && load.getOther() ? evaluate(load.getOther(), indices) : nullptr;
  if (auto *constant = dyn_cast_or_null<Constant>(mask); constant && constant->isNullValue())
    return other ? other : Constant::getNullValue(emitter.registerType(load.getType()));
  mlir::Type element = mlir::getElementTypeOrSelf(load.getType());
  auto gather = [&] {
    Access access = getAccess(load.getPtr(), indices);
    return failed ? poison(load.getResult()) : this->load(access, element, mask, other, load.getIsVolatile());
  };
  SmallVector<Remainder, 2> remainders;
  if (load.getIsVolatile() || !isRowUnlessWrapped(load.getPtr(), indices, remainders))
    return gather();

  // One vector where no remainder wraps around in this row, which is nearly everywhere.
  Value *isRow = getNoneWraps(remainders);
  Indices rowStart = atFirstLane(indices, true);
  Value *base = evaluate(load.getPtr(), rowStart);
  BasicBlock *block = b.GetInsertBlock();
  Function *function = block->getParent();
  BasicBlock *row = BasicBlock::Create(b.getContext(), "row", function);
  BasicBlock *wrapped = BasicBlock::Create(b.getContext(), "wrapped", function);
  BasicBlock *rest = BasicBlock::Create(b.getContext(), "loaded", function);
  b.CreateCondBr(isRow, row, wrapped);
  b.SetInsertPoint(row);
  const Index *chunk = llvm::find_if(indices, [](const Index &index) { return index.isChunk; });
  Value *start = b.CreateGEP(emitter.memoryType(element), base, chunk->base);
  Value *contiguous = this->load({start, 1}, element, mask, other);
  b.CreateBr(rest);
  b.SetInsertPoint(wrapped);
  // What is computed here is known here only.
  Level &level = levels.back();
  auto known = level.known;
  level.block = wrapped;
  Value *gathered = emitter.toLanes(gather(), lanes);
  levels.back().known = std::move(known);
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
  PHINode *merged = b.CreatePHI(contiguous->getType(), 2);
  merged->addIncoming(contiguous, row);
  merged->addIncoming(gathered, end);
  return merged;
}

void TileEvaluator::collectRemainders(mlir::Value value, const Indices &indices,
                                      SmallVectorImpl<Remainder> &remainders,
                                      DenseMap<mlir::Value, SmallVector<Indices, 1>> &seen) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !mlir::isa<mlir::RankedTensorType>(value.getType()) || remainders.size() > 4)
    return;
  SmallVector<Indices, 1> &places = seen[value];
  if (llvm::is_contained(places, indices))
    return;
  places.push_back(indices);
  bool isRemainder = mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op);
  if (hasBuffer(value) && !isRemainder)
    return;
  Indices mapped;
  if (mapIndices(op, indices, mapped))
    return collectRemainders(op->getOperand(0), mapped, remainders, seen);
  if (isRemainder) {
    if (llvm::any_of(indices, [](const Index &index) { return index.isChunk; }))
      remainders.push_back({op, indices});
    return;
  }
  if (isElementwise(op))
    for (mlir::Value operand : op->getOperands())
      collectRemainders(operand, indices, remainders, seen);
}

/// `(start + arange) % n` in an address: whether the row's elements would follow one another if no remainder
/// wrapped around within it.
bool TileEvaluator::isRowUnlessWrapped(mlir::Value pointers, const Indices &indices,
                                       SmallVectorImpl<Remainder> &remainders) {
  const Index *chunk = llvm::find_if(indices, [](const Index &index) { return index.isChunk; });
  if (lanes == 1 || chunk == indices.end() || chunk->step != 1 || b.GetInsertBlock() != levels.back().block ||
      b.GetInsertBlock()->getTerminator() || getRowStride(pointers, indices, rowExtent))
    return false;
  SmallVector<int64_t> steps;
  for (const Index &index : indices) {
    if (!index.isChunk && !index.isUniform())
      return false;
    steps.push_back(index.isChunk ? 1 : 0);
  }
  DenseMap<mlir::Value, SmallVector<Indices, 1>> seen;
  collectRemainders(pointers, indices, remainders, seen);
  if (remainders.empty())
    return false;
  DenseSet<mlir::Value> contiguous;
  for (const Remainder &remainder : remainders) {
    if (getRowStride(remainder.op->getOperand(0), remainder.indices, rowExtent) != 1 ||
        getRowStride(remainder.op->getOperand(1), remainder.indices, rowExtent) != 0)
      return false;
    contiguous.insert(remainder.op->getResult(0));
  }
  Strides unlessWrapped([this](mlir::Value value) { return hasBuffer(value); },
                        [&](mlir::Value value) {
                          return contiguous.contains(value) ? std::optional<int64_t>(1) : std::nullopt;
                        });
  unlessWrapped.setOnes(facts ? &facts->ones : nullptr);
  return unlessWrapped.getLaneStride(pointers, steps, rowExtent) == 1;
}

/// Whether the row's last element is still below the divisor, counted from the first one's remainder.
Value *TileEvaluator::getNoneWraps(ArrayRef<Remainder> remainders) {
  Value *all = nullptr;
  for (const Remainder &remainder : remainders) {
    Indices first = atFirstLane(remainder.indices, true);
    Value *dividend = evaluate(remainder.op->getOperand(0), first);
    Value *divisor = evaluate(remainder.op->getOperand(1), first);
    Value *rest = b.CreateSub(divisor, evaluate(remainder.op->getResult(0), first));
    Constant *extent = ConstantInt::get(rest->getType(), rowExtent);
    bool isSigned = mlir::isa<mlir::arith::RemSIOp>(remainder.op);
    Value *fits = isSigned ? b.CreateICmpSGE(rest, extent) : b.CreateICmpUGE(rest, extent);
    if (isSigned) {
      Constant *zero = Constant::getNullValue(rest->getType());
      fits = b.CreateAnd(fits, b.CreateICmpSGE(dividend, zero));
      fits = b.CreateAnd(fits, b.CreateICmpSGT(divisor, zero));
    }
    all = all ? b.CreateAnd(all, fits) : fits;
  }
  return all;
}

// Buffers.

Value *TileEvaluator::toStored(const Buffer &buffer, Value *value) {
  mlir::Type element = buffer.type.getElementType();
  Type *stored = value->getType()->getWithNewType(buffer.stored);
  if (stored == value->getType())
    return value;
  if (auto narrow = getNarrowFloat(element))
    return emitter.getFormats().widen(value, *narrow);
  return element.isInteger(1) ? b.CreateZExt(value, stored) : b.CreateSExt(value, stored);
}

Value *TileEvaluator::fromStored(const Buffer &buffer, Value *value) {
  mlir::Type element = buffer.type.getElementType();
  Type *type = value->getType()->getWithNewType(emitter.registerType(element));
  if (type == value->getType())
    return value;
  if (auto narrow = getNarrowFloat(element))
    return emitter.getFormats().narrow(value, *narrow);
  return b.CreateTrunc(value, type);
}

Value *TileEvaluator::getElementAddress(const Buffer &buffer, const Indices &indices) {
  Value *offset = b.getInt64(0);
  int64_t stride = 1;
  for (unsigned d = indices.size(); d-- > 0;) {
    offset = indexPlus(b, offset, indexTimes(b, indices[d].base, stride));
    stride *= buffer.type.getDimSize(d);
  }
  return b.CreateGEP(buffer.stored, buffer.pointer, offset);
}

/// The addresses of lanes that do not follow one another.
static Value *getLaneAddresses(IRBuilder<> &b, const Buffer &buffer, const Indices &indices, unsigned lanes,
                               llvm::function_ref<Value *(const Index &)> getLanes) {
  Value *offset = nullptr;
  int64_t stride = 1;
  for (unsigned d = indices.size(); d-- > 0;) {
    Value *index = getLanes(indices[d]);
    if (!index->getType()->isVectorTy())
      index = b.CreateVectorSplat(lanes, index);
    offset = indexPlus(b, offset, indexTimes(b, index, stride));
    stride *= buffer.type.getDimSize(d);
  }
  return b.CreateGEP(buffer.stored, buffer.pointer, offset);
}

/// The distances of the lanes' elements from lane 0's base in a row-major tile; none if they are not known.
static SmallVector<int64_t> getBufferOffsets(const Buffer &buffer, const Indices &indices, unsigned lanes) {
  SmallVector<int64_t> offsets(lanes, 0);
  int64_t stride = 1;
  for (unsigned d = indices.size(); d-- > 0;) {
    if (indices[d].lanes)
      return {};
    for (unsigned lane = 0; lane < lanes; ++lane)
      offsets[lane] += indices[d].getOffset(lane) * stride;
    stride *= buffer.type.getDimSize(d);
  }
  return offsets;
}

/// The distance from each lane to the next, 0 if it varies.
static int64_t getOnlyStep(ArrayRef<int64_t> offsets) {
  int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (unsigned lane = 1; lane < offsets.size(); ++lane)
    if (offsets[lane] != offsets[lane - 1] + step)
      return 0;
  return step;
}

namespace {
/// Elements that are loaded together and then shuffled; `start` is counted as the lanes' offsets are.
struct Window {
  int64_t start, size;
};
} // namespace

/// At most two vectors' length that hold all lanes and belong to the tile whatever the base: aligned to their
/// size.
static std::optional<Window> findWindow(const Buffer &buffer, const Indices &indices,
                                        ArrayRef<int64_t> offsets) {
  // Of the base, what is a constant, and which bits the rest may have. Chunks are aligned, so a dimension's
  // base has none of the bits that differ between its lanes.
  int64_t constant = 0, variableBits = 0, stride = 1;
  for (unsigned d = indices.size(); d-- > 0;) {
    int64_t size = buffer.type.getDimSize(d), laneBits = 0;
    if (!isPowerOf2_64(size))
      return std::nullopt;
    for (unsigned lane = 0; lane < offsets.size(); ++lane) {
      if (indices[d].getOffset(lane) < 0)
        return std::nullopt;
      laneBits |= indices[d].getOffset(lane);
    }
    if (auto *known = dyn_cast<ConstantInt>(indices[d].base))
      constant += known->getSExtValue() * stride;
    else
      variableBits |= ((size - 1) & ~laneBits) * stride;
    stride *= size;
  }
  int64_t lowest = *llvm::min_element(offsets) + constant, highest = *llvm::max_element(offsets) + constant;
  int64_t size = offsets.size();
  while (lowest / size != highest / size)
    size *= 2;
  if (size > 2 * int64_t(offsets.size()) || size > stride || (variableBits & (size - 1)) != 0)
    return std::nullopt;
  return Window{lowest / size * size - constant, size};
}

Value *TileEvaluator::readBuffer(const Buffer &buffer, const Indices &indices) {
  Align align = alignOf(buffer.stored);
  if (llvm::all_of(indices, [](const Index &index) { return index.isUniform(); }))
    return fromStored(buffer, b.CreateAlignedLoad(buffer.stored, getElementAddress(buffer, indices), align));
  auto *type = FixedVectorType::get(buffer.stored, lanes);
  SmallVector<int64_t> offsets = getBufferOffsets(buffer, indices, lanes);
  if (!offsets.empty()) {
    auto loadFrom = [&](int64_t distance, unsigned count) {
      Value *base = b.CreateGEP(buffer.stored, getElementAddress(buffer, indices), b.getInt64(distance));
      return b.CreateAlignedLoad(FixedVectorType::get(buffer.stored, count), base, align);
    };
    int64_t step = getOnlyStep(offsets);
    if (step == 1)
      return fromStored(buffer, loadFrom(offsets.front(), lanes));
    if (step == -1)
      return fromStored(buffer, b.CreateVectorReverse(loadFrom(offsets.back(), lanes)));
    if (auto window = findWindow(buffer, indices, offsets)) {
      SmallVector<int> mask;
      for (int64_t offset : offsets)
        mask.push_back(int(offset - window->start));
      return fromStored(buffer, b.CreateShuffleVector(loadFrom(window->start, window->size), mask));
    }
  }
  Value *addresses =
      getLaneAddresses(b, buffer, indices, lanes, [&](const Index &index) { return getIndexLanes(index); });
  return fromStored(buffer, b.CreateMaskedGather(type, addresses, align));
}

void TileEvaluator::writeBuffer(const Buffer &buffer, const Indices &indices, Value *value) {
  value = toStored(buffer, value);
  Align align = alignOf(buffer.stored);
  if (llvm::all_of(indices, [](const Index &index) { return index.isUniform(); })) {
    b.CreateAlignedStore(value, getElementAddress(buffer, indices), align);
    return;
  }
  value = emitter.toLanes(value, lanes);
  SmallVector<int64_t> offsets = getBufferOffsets(buffer, indices, lanes);
  int64_t step = getOnlyStep(offsets);
  if (step == 1 || step == -1) {
    int64_t lowest = std::min(offsets.front(), offsets.back());
    Value *base = b.CreateGEP(buffer.stored, getElementAddress(buffer, indices), b.getInt64(lowest));
    b.CreateAlignedStore(step == 1 ? value : b.CreateVectorReverse(value), base, align);
    return;
  }
  Value *addresses =
      getLaneAddresses(b, buffer, indices, lanes, [&](const Index &index) { return getIndexLanes(index); });
  b.CreateMaskedScatter(value, addresses, align);
}

} // namespace nereid::cpu
