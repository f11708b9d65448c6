// Loads and stores of global memory, one vector at a time.
//
// How many elements go into one access is the least of three: how many registers of the thread hold
// neighbours (the layout), how many neighbours lie next to each other in memory at an address aligned for all
// of them (axis analysis of the pointer), and how many the mask switches together. For vector add with
// 16-byte aligned f32 pointers, 4 registers a thread in a row, and a mask `offsets < n` with n divisible by
// 16, that is 4: `ld.global.v4.b32`.
//
// Only one of the threads that hold copies of an element stores it. All of them load it, unless another
// program may be changing it: then one does, and hands it to the others, so that all take the same branches.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/AccessWidth.h"
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
  return large.forEach(0, count, LargeTiles::chunk, [&](const RegisterNumber &first) -> LogicalResult {
    for (uint32_t i = 0; i < LargeTiles::chunk; i += access.width) {
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

static LogicalResult emitLoad(Emitter &e, tt::LoadOp op) {
  if (isBlockPointer(op.getPtr()))
    return op.emitError("a load through a block pointer must be rewritten before lowering");
  Type type = op.getType();
  AccessShape access = getAccessShape(e, op.getPtr(), op.getMask(), e.getElementBytes(type));
  AccessHints hints = getHints(op, access.alignment);
  hints.isVolatile = op.getIsVolatile();
  if (e.large().concerns(op))
    return emitLargeLoad(e, op, access, hints);

  const Registers &pointers = e.get(op.getPtr());
  llvm::Type *element = e.getMemoryType(type);
  llvm::Type *accessType = access.width == 1 ? element : llvm::FixedVectorType::get(element, access.width);
  Emitter::Ownership owner;
  if (isHandedAround(op))
    owner = e.getOwnership(type);
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
