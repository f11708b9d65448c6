// Loads and stores of global memory, one vector at a time.
//
// How many elements go into one access is the least of three: how many registers of the thread hold
// neighbours (the layout), how many neighbours lie next to each other in memory at an address aligned for all
// of them (axis analysis of the pointer), and how many the mask switches together. For vector add with
// 16-byte aligned f32 pointers, 4 registers a thread in a row, and a mask `offsets < n` with n divisible by
// 16, that is 4: `ld.global.v4.b32`.
//
// Where a mask ends within a vector, as `offsets < n` may if nothing is known of n, that is one vector of a
// row. So all whole vectors are accessed as such, and the rest behind a branch that one warp takes:
//
//     @%all ld.global.v4.b32 {…}, [%p]           %all: the mask of the last element
//     if a vector is neither whole nor off:
//       @%mask0 ld.global.b32 …, [%p]
//       …
//
// Only one of the threads that hold copies of an element stores it. All of them load it, unless another
// program may be changing it: then one does, and hands it to the others, so that all take the same branches.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/AccessWidth.h"
#include "compiler/transforms/ColumnLoads.h"
#include "compiler/transforms/LastLoads.h"
#include "compiler/transforms/MaskRuns.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

/// The number of registers that each access takes, and the alignment that they share.
struct AccessShape {
  unsigned width = 1;
  unsigned alignment = 1;
};

static AccessShape getAccessShape(Emitter &e, Value pointer, Value mask, unsigned elementBytes) {
  AccessShape shape;
  if (isa<RankedTensorType>(pointer.getType()))
    shape.width = getAccessElements(e.state.axisInfo, pointer, mask, e.target.getMaxAccessBits());
  shape.alignment = shape.width * elementBytes;
  return shape;
}

namespace {

/// Of the elements of a vector: whether all are on, and whether any is or may be.
struct VectorMask {
  llvm::Value *all, *any;
};

/// An access whose vectors are wider than what its mask switches together.
class RaggedAccess {
public:
  /// Where pointers allow wider vectors than the mask, which changes in them at most once.
  static std::optional<RaggedAccess> get(Emitter &e, Value pointer, Value mask, const AccessShape &narrow);

  VectorMask getMask(Emitter &e, unsigned first) const { return getMask(e, mask, first); }
  unsigned getWidth() const { return width; }

private:
  RaggedAccess(Value mask, unsigned width, unsigned axis) : mask(mask), width(width), axis(axis) {}
  static bool isKnown(Emitter &e, Value mask, unsigned axis, unsigned width);
  VectorMask getMask(Emitter &e, Value part, unsigned first) const;

  Value mask;
  unsigned width, axis;
};

bool RaggedAccess::isKnown(Emitter &e, Value mask, unsigned axis, unsigned width) {
  if (getMaskRunAlong(e.state.axisInfo, mask, axis, width))
    return true;
  auto both = mask.getDefiningOp<arith::AndIOp>();
  return both && isKnown(e, both.getLhs(), axis, width) && isKnown(e, both.getRhs(), axis, width);
}

std::optional<RaggedAccess> RaggedAccess::get(Emitter &e, Value pointer, Value mask,
                                              const AccessShape &narrow) {
  // What is half as wide as can be costs less than a branch: keys of 8 bytes lost by it.
  constexpr unsigned fairlyWide = 8; // bytes
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!type || !mask || narrow.alignment >= fairlyWide)
    return std::nullopt;
  unsigned width = getAccessElements(e.state.axisInfo, pointer, /*mask=*/{}, e.target.getMaxAccessBits());
  if (width <= narrow.width)
    return std::nullopt;
  LinearLayout layout = ttg::toLinearLayout(type);
  for (unsigned axis = 0; axis != type.getRank(); ++axis)
    if (layout.getNumConsecutive(Dim::Register, tensorDim(axis)) >= int64_t(width) &&
        e.state.axisInfo.getContiguousElements(pointer, axis) >= int64_t(width) &&
        isKnown(e, mask, axis, width))
      return RaggedAccess(mask, width, axis);
  return std::nullopt;
}

VectorMask RaggedAccess::getMask(Emitter &e, Value part, unsigned first) const {
  if (std::optional<MaskRun> run = getMaskRunAlong(e.state.axisInfo, part, axis, width)) {
    const Registers &bits = e.get(part);
    llvm::Value *begin = bits[first], *end = bits[first + width - 1];
    return *run == MaskRun::Rising ? VectorMask{begin, end} : VectorMask{end, begin};
  }
  auto both = part.getDefiningOp<arith::AndIOp>();
  VectorMask left = getMask(e, both.getLhs(), first), right = getMask(e, both.getRhs(), first);
  return {e.b.CreateAnd(left.all, right.all), e.b.CreateAnd(left.any, right.any)};
}

} // namespace

template <typename Op> static AccessHints getHints(Op op, unsigned alignment) {
  AccessHints hints;
  hints.alignment = alignment;
  switch (op.getCache()) {
  case tt::CacheModifier::NONE:
    break;
  case tt::CacheModifier::CA:
    hints.cache = CacheModifier::CA;
    break;
  case tt::CacheModifier::CG:
    hints.cache = CacheModifier::CG;
    break;
  case tt::CacheModifier::WB:
    hints.cache = CacheModifier::WB;
    break;
  case tt::CacheModifier::CS:
    hints.cache = CacheModifier::CS;
    break;
  case tt::CacheModifier::WT:
    hints.cache = CacheModifier::WT;
    break;
  case tt::CacheModifier::CV:
    hints.cache = CacheModifier::CV;
    break;
  }
  if (op.getEvict() == tt::EvictionPolicy::EVICT_FIRST)
    hints.eviction = EvictionPolicy::EvictFirst;
  else if (op.getEvict() == tt::EvictionPolicy::EVICT_LAST)
    hints.eviction = EvictionPolicy::EvictLast;
  return hints;
}

/// `width` registers from `first` on, as one value.
static llvm::Value *pack(Emitter &e, const Registers &registers, unsigned first, unsigned width) {
  if (width == 1)
    return e.toMemory(registers[first]);
  llvm::SmallVector<llvm::Value *> elements;
  for (unsigned i = 0; i < width; ++i)
    elements.push_back(e.toMemory(registers[first + i]));
  auto join = [&](llvm::ArrayRef<llvm::Value *> values) {
    auto *type = llvm::FixedVectorType::get(values[0]->getType(), values.size());
    llvm::Value *vector = llvm::PoisonValue::get(type);
    for (auto [i, value] : llvm::enumerate(values))
      vector = e.b.CreateInsertElement(vector, value, i);
    return vector;
  };
  // Bytes in words first: LLVM then sees those that come out of one register, and leaves them in it.
  constexpr unsigned bytesOfWord = 4;
  if (!elements[0]->getType()->isIntegerTy(8) || width <= bytesOfWord)
    return join(elements);
  llvm::SmallVector<llvm::Value *> words;
  for (unsigned first = 0; first < width; first += bytesOfWord)
    words.push_back(
        e.b.CreateBitCast(join(llvm::ArrayRef(elements).slice(first, bytesOfWord)), e.b.getInt32Ty()));
  return e.b.CreateBitCast(join(words), llvm::FixedVectorType::get(e.b.getInt8Ty(), width));
}

static bool isBlockPointer(Value pointer) { return tt::isTensorPointerType(pointer.getType()); }

/// `width` elements of a large tile, as one value; null after an error.
static llvm::Value *packLarge(Emitter &e, Value tile, const RegisterNumber &first, unsigned width) {
  Registers registers;
  for (unsigned i = 0; i < width; ++i) {
    registers.push_back(e.large().get(tile, LargeTiles::plus(first, i)));
    if (!registers.back())
      return nullptr;
  }
  return pack(e, registers, 0, width);
}

static LogicalResult emitLargeLoad(Emitter &e, tt::LoadOp op, const AccessShape &access,
                                   const AccessHints &hints) {
  LargeTiles &large = e.large();
  Type type = op.getType();
  llvm::Type *element = e.getMemoryType(type);
  llvm::Type *accessType = access.width == 1 ? element : llvm::FixedVectorType::get(element, access.width);
  unsigned count = e.countRegisters(type);
  llvm::Value *slot = large.createSlot(type, count);
  large.setSlot(op.getResult(), slot);
  // A round waits for what it loads before it keeps that: two vectors at a time left memory idle.
  constexpr unsigned accessesOfRound = 8;
  unsigned step = std::min(count, std::max(LargeTiles::chunk, accessesOfRound * access.width));
  return large.forEach(0, count, step, [&](const RegisterNumber &first) -> LogicalResult {
    for (uint32_t i = 0; i < step; i += access.width) {
      RegisterNumber place = LargeTiles::plus(first, i);
      llvm::Value *pointer = large.get(op.getPtr(), place);
      llvm::Value *predicate = op.getMask() ? large.get(op.getMask(), place) : nullptr;
      llvm::Value *other = op.getOther() ? packLarge(e, op.getOther(), place, access.width) : nullptr;
      if (!pointer || (op.getMask() && !predicate) || (op.getOther() && !other))
        return failure();
      llvm::Value *loaded = e.target.loadGlobal(e.b, accessType, pointer, predicate, other, hints);
      for (unsigned j = 0; j < access.width; ++j)
        large.storeTo(slot, type, LargeTiles::plus(place, j),
                      e.fromMemory(access.width == 1 ? loaded : e.b.CreateExtractElement(loaded, j), type));
    }
    return success();
  });
}

static LogicalResult emitLargeStore(Emitter &e, tt::StoreOp op, const AccessShape &access,
                                    const AccessHints &hints) {
  LargeTiles &large = e.large();
  Type type = op.getValue().getType();
  auto [owner, copiedRegisters] = e.getOwnership(type);
  // Copies among the registers of a round are left out; other rounds of copies store the same again.
  return large.forEach(
      0, e.countRegisters(type), LargeTiles::chunk,
      [&, owner = owner, copies = copiedRegisters](const RegisterNumber &first) -> LogicalResult {
        for (uint32_t i = 0; i < LargeTiles::chunk; i += access.width) {
          if (i & copies)
            continue;
          RegisterNumber place = LargeTiles::plus(first, i);
          llvm::Value *pointer = large.get(op.getPtr(), place);
          llvm::Value *predicate = op.getMask() ? large.get(op.getMask(), place) : nullptr;
          llvm::Value *value = packLarge(e, op.getValue(), place, access.width);
          if (!pointer || !value || (op.getMask() && !predicate))
            return failure();
          if (owner)
            predicate = predicate ? e.b.CreateAnd(predicate, owner) : owner;
          e.target.storeGlobal(e.b, value, pointer, predicate, hints);
        }
        return success();
      });
}

/// The elements of each whole vector together, those of others behind a branch, `narrow.width` at a time.
static void emitRaggedLoad(Emitter &e, tt::LoadOp op, const RaggedAccess &access, const AccessShape &narrow,
                           AccessHints hints) {
  Type type = op.getType();
  const Registers &pointers = e.get(op.getPtr()), &bits = e.get(op.getMask());
  unsigned width = access.getWidth();
  llvm::Type *element = e.getMemoryType(type), *vectorType = llvm::FixedVectorType::get(element, width);
  llvm::Type *pieceType = narrow.width == 1 ? element : llvm::FixedVectorType::get(element, narrow.width);
  AccessHints hintsOfWhole = hints;
  hintsOfWhole.alignment = narrow.alignment / narrow.width * width;
  Registers whole, ragged;
  llvm::Value *isAnyRagged = e.b.getFalse();
  for (unsigned first = 0; first < pointers.size(); first += width) {
    VectorMask mask = access.getMask(e, first);
    llvm::Value *other = op.getOther() ? pack(e, e.get(op.getOther()), first, width) : nullptr;
    whole.push_back(e.target.loadGlobal(e.b, vectorType, pointers[first], mask.all, other, hintsOfWhole));
    ragged.push_back(e.b.CreateAnd(mask.any, e.b.CreateNot(mask.all)));
    isAnyRagged = e.b.CreateOr(isAnyRagged, ragged.back());
  }
  Registers mended;
  e.b.GetInsertBlock()->getParent()->addFnAttr(raggedAccesses);
  llvm::BasicBlock *head = e.b.GetInsertBlock(), *last = nullptr;
  e.target.whenTrue(e.b, isAnyRagged, /*otherwise=*/nullptr, [&]() -> llvm::Value * {
    for (auto [v, vector] : llvm::enumerate(whole)) {
      llvm::Value *result = vector;
      for (unsigned i = 0; i < width; i += narrow.width) {
        Registers elements;
        for (unsigned j = 0; j < narrow.width; ++j)
          elements.push_back(e.b.CreateExtractElement(vector, i + j));
        llvm::Value *other = elements[0];
        if (narrow.width != 1) {
          other = llvm::PoisonValue::get(pieceType);
          for (auto [j, value] : llvm::enumerate(elements))
            other = e.b.CreateInsertElement(other, value, j);
        }
        unsigned first = v * width + i;
        llvm::Value *piece = e.target.loadGlobal(e.b, pieceType, pointers[first],
                                                 e.b.CreateAnd(bits[first], ragged[v]), other, hints);
        for (unsigned j = 0; j < narrow.width; ++j)
          result = e.b.CreateInsertElement(
              result, narrow.width == 1 ? piece : e.b.CreateExtractElement(piece, j), i + j);
      }
      mended.push_back(result);
    }
    last = e.b.GetInsertBlock();
    return nullptr;
  });
  Registers results;
  for (auto [before, after] : llvm::zip_equal(whole, mended)) {
    llvm::PHINode *vector = e.b.CreatePHI(vectorType, 2);
    vector->addIncoming(before, head);
    vector->addIncoming(after, last);
    results.push_back(vector);
  }
  Registers elements;
  for (llvm::Value *vector : results)
    for (unsigned i = 0; i < width; ++i)
      elements.push_back(e.fromMemory(e.b.CreateExtractElement(vector, i), type));
  e.set(op.getResult(), std::move(elements));
}

static LogicalResult emitLoad(Emitter &e, tt::LoadOp op) {
  if (isBlockPointer(op.getPtr()))
    return op.emitError("a load through a block pointer must be rewritten before lowering");
  Type type = op.getType();
  AccessShape access = getAccessShape(e, op.getPtr(), op.getMask(), e.getElementBytes(type));
  AccessHints hints = getHints(op, access.alignment);
  hints.isVolatile = op.getIsVolatile();
  hints.isLast = op->hasAttr(lastLoadAttr);
  hints.isOfColumn = op->hasAttr(columnLoadAttr);
  if (e.large().concerns(op))
    return emitLargeLoad(e, op, access, hints);

  Emitter::Ownership owner;
  if (isHandedAround(op))
    owner = e.getOwnership(type);
  else if (auto ragged = RaggedAccess::get(e, op.getPtr(), op.getMask(), access)) {
    emitRaggedLoad(e, op, *ragged, access, hints);
    return success();
  }
  const Registers &pointers = e.get(op.getPtr());
  llvm::Type *element = e.getMemoryType(type);
  llvm::Type *accessType = access.width == 1 ? element : llvm::FixedVectorType::get(element, access.width);
  Registers results;
  for (unsigned first = 0; first < pointers.size(); first += access.width) {
    llvm::Value *predicate = op.getMask() ? e.get(op.getMask())[first] : nullptr;
    if (owner.predicate)
      predicate = predicate ? e.b.CreateAnd(predicate, owner.predicate) : owner.predicate;
    llvm::Value *other = op.getOther() ? pack(e, e.get(op.getOther()), first, access.width) : nullptr;
    llvm::Value *loaded;
    auto *constant = llvm::dyn_cast_if_present<llvm::ConstantInt>(predicate);
    if (constant && constant->isZero())
      loaded = other ? other : llvm::Constant::getNullValue(accessType);
    else
      loaded =
          e.target.loadGlobal(e.b, accessType, pointers[first], constant ? nullptr : predicate, other, hints);
    for (unsigned i = 0; i < access.width; ++i)
      results.push_back(access.width == 1 ? loaded : e.b.CreateExtractElement(loaded, i));
  }
  if (owner.predicate && failed(e.handAround(op, owner, results)))
    return failure();
  for (llvm::Value *&result : results)
    result = e.fromMemory(result, type);
  e.set(op.getResult(), std::move(results));
  return success();
}

/// The same of a store: `owner` as in emitStore.
static void emitRaggedStore(Emitter &e, tt::StoreOp op, const RaggedAccess &access, const AccessShape &narrow,
                            const AccessHints &hints, llvm::Value *owner, unsigned copiedRegisters) {
  const Registers &pointers = e.get(op.getPtr()), &values = e.get(op.getValue()), &bits = e.get(op.getMask());
  unsigned width = access.getWidth();
  AccessHints hintsOfWhole = hints;
  hintsOfWhole.alignment = narrow.alignment / narrow.width * width;
  llvm::SmallVector<std::pair<unsigned, llvm::Value *>> ragged; // by the vector's first element
  llvm::Value *isAnyRagged = e.b.getFalse();
  for (unsigned first = 0; first < pointers.size(); first += width) {
    if (first & copiedRegisters)
      continue;
    VectorMask mask = access.getMask(e, first);
    llvm::Value *isRagged = e.b.CreateAnd(mask.any, e.b.CreateNot(mask.all));
    if (owner) {
      mask.all = e.b.CreateAnd(mask.all, owner);
      isRagged = e.b.CreateAnd(isRagged, owner);
    }
    e.target.storeGlobal(e.b, pack(e, values, first, width), pointers[first], mask.all, hintsOfWhole);
    ragged.push_back({first, isRagged});
    isAnyRagged = e.b.CreateOr(isAnyRagged, isRagged);
  }
  e.target.whenTrue(e.b, isAnyRagged, /*otherwise=*/nullptr, [&]() -> llvm::Value * {
    for (auto [begin, isRagged] : ragged)
      for (unsigned first = begin; first < begin + width; first += narrow.width)
        e.target.storeGlobal(e.b, pack(e, values, first, narrow.width), pointers[first],
                             e.b.CreateAnd(bits[first], isRagged), hints);
    return nullptr;
  });
}

static LogicalResult emitStore(Emitter &e, tt::StoreOp op) {
  if (isBlockPointer(op.getPtr()))
    return op.emitError("a store through a block pointer must be rewritten before lowering");
  Type type = op.getValue().getType();
  AccessShape access = getAccessShape(e, op.getPtr(), op.getMask(), e.getElementBytes(type));
  AccessHints hints = getHints(op, access.alignment);

  if (e.large().concerns(op))
    return emitLargeStore(e, op, access, hints);
  // Of copies in several threads or registers, the first one is stored; a scalar, by the block's first
  // thread.
  auto [owner, copiedRegisters] = e.getOwnership(type);
  const Registers &pointers = e.get(op.getPtr()), &values = e.get(op.getValue());
  if (auto ragged = RaggedAccess::get(e, op.getPtr(), op.getMask(), access)) {
    emitRaggedStore(e, op, *ragged, access, hints, owner, copiedRegisters);
    return success();
  }
  for (unsigned first = 0; first < pointers.size(); first += access.width) {
    if (first & copiedRegisters)
      continue;
    llvm::Value *predicate = op.getMask() ? e.get(op.getMask())[first] : nullptr;
    if (owner)
      predicate = predicate ? e.b.CreateAnd(predicate, owner) : owner;
    if (auto *constant = llvm::dyn_cast_if_present<llvm::ConstantInt>(predicate)) {
      if (constant->isZero())
        continue;
      predicate = nullptr;
    }
    e.target.storeGlobal(e.b, pack(e, values, first, access.width), pointers[first], predicate, hints);
  }
  return success();
}

void addMemoryEmitters(EmitterTable &table) {
  table.add<tt::LoadOp, emitLoad>();
  table.add<tt::StoreOp, emitStore>();
}

} // namespace nereid::gpu
