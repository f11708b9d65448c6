// Where a thread's elements lie: coordinates in the tensor, owners of copies, scratch memory.
//
// The coordinate of an element along one dimension is the exclusive or of a part that depends on the thread,
// which is computed once, and a constant for the register. The thread's part gathers bits of the thread
// number: with bases 4, 8, 16, … for lane and warp bits, it is `thread << 2`, one shift for the whole run.
// Where the constant's bits are not among the thread's, exclusive or is addition, and is marked as such so
// that addresses fold it into their offsets.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

/// The bases of the thread number's bits along one dimension: the lane's, then the warp's.
static llvm::SmallVector<uint32_t> getThreadBases(const LinearLayout &layout, Dim out, unsigned laneBits) {
  llvm::SmallVector<uint32_t> bases;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    bases.push_back(bit < layout.getInBits(Dim::Lane) ? layout.getBasis(Dim::Lane, bit, out) : 0);
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Warp); ++bit)
    bases.push_back(layout.getBasis(Dim::Warp, bit, out));
  return bases;
}

llvm::Value *Emitter::emitCoordinate(llvm::IRBuilder<> &builder, llvm::ArrayRef<uint32_t> bases) {
  llvm::Value *result = nullptr;
  uint32_t resultBits = 0;
  for (unsigned bit = 0; bit < bases.size();) {
    if (bases[bit] == 0) {
      ++bit;
      continue;
    }
    // A run: each bit's basis is twice that of the bit before, and a power of two.
    unsigned end = bit + 1;
    llvm::Value *part;
    uint32_t partBits = bases[bit];
    if (llvm::isPowerOf2_32(bases[bit])) {
      while (end < bases.size() && bases[end] == bases[end - 1] << 1)
        partBits |= bases[end++];
      int shift = int(llvm::Log2_32(bases[bit])) - int(bit);
      part = builder.CreateAnd(team.thread, llvm::maskTrailingOnes<uint32_t>(end - bit) << bit);
      part = shift >= 0 ? builder.CreateShl(part, shift, "", /*HasNUW=*/true, /*HasNSW=*/true)
                        : builder.CreateLShr(part, -shift);
    } else {
      llvm::Value *isSet =
          builder.CreateICmpNE(builder.CreateAnd(team.thread, 1u << bit), builder.getInt32(0));
      part = builder.CreateSelect(isSet, builder.getInt32(bases[bit]), builder.getInt32(0));
    }
    if (!result)
      result = part;
    else
      result = resultBits & partBits ? builder.CreateXor(result, part)
                                     : builder.CreateOr(result, part, "", /*IsDisjoint=*/true);
    resultBits |= partBits;
    bit = end;
  }
  return result ? result : builder.getInt32(0);
}

Registers Emitter::emitThreadCoordinates(const LinearLayout &layout, llvm::ArrayRef<Dim> outs) {
  llvm::IRBuilder<> builder(team.entryEnd);
  Registers coordinates;
  for (Dim out : outs)
    coordinates.push_back(
        emitCoordinate(builder, getThreadBases(layout, out, llvm::Log2_32(target.getWarpSize()))));
  return coordinates;
}

llvm::ArrayRef<llvm::Value *> Emitter::getThreadCoordinates(RankedTensorType type) {
  auto it = team.threadCoordinates.find(type);
  if (it == team.threadCoordinates.end()) {
    llvm::SmallVector<Dim> outs;
    for (unsigned i = 0; i < type.getRank(); ++i)
      outs.push_back(tensorDim(i));
    it = team.threadCoordinates.try_emplace(type, emitThreadCoordinates(getLayout(type), outs)).first;
  }
  return it->second;
}

llvm::Value *Emitter::moveCoordinate(llvm::Value *base, uint32_t threadBits, uint32_t offset) {
  if (offset == 0)
    return base;
  if (threadBits & offset)
    return b.CreateXor(base, offset);
  return b.CreateOr(base, b.getInt32(offset), "", /*IsDisjoint=*/true);
}

llvm::SmallVector<Registers> Emitter::getCoordinates(RankedTensorType type) {
  const LinearLayout &layout = getLayout(type);
  llvm::ArrayRef<llvm::Value *> base = getThreadCoordinates(type);
  llvm::SmallVector<uint32_t> threadBits;
  for (int64_t d = 0; d < type.getRank(); ++d)
    threadBits.push_back(getThreadBits(layout, tensorDim(d)));

  RegisterIndex registers(layout, type.getShape());
  llvm::SmallVector<Registers> coordinates(registers.size());
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    for (int64_t d = 0; d < type.getRank(); ++d)
      coordinates[reg].push_back(moveCoordinate(base[d], threadBits[d], registers.coordinates(reg)[d]));
  return coordinates;
}

llvm::Value *Emitter::requireBits(llvm::Value *condition, llvm::Value *number, uint32_t mask, uint32_t bits) {
  if (mask == 0)
    return condition;
  llvm::Value *isSo = b.CreateICmpEQ(b.CreateAnd(number, mask), b.getInt32(bits));
  return condition ? b.CreateAnd(condition, isSo) : isSo;
}

Emitter::Ownership Emitter::getOwnership(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {b.CreateICmpEQ(team.thread, b.getInt32(0)), 0};
  const LinearLayout &layout = getLayout(tensor);
  llvm::Value *isOwner = requireBits(nullptr, team.lane, layout.getFreeVariableMask(Dim::Lane));
  isOwner = requireBits(isOwner, team.warp, layout.getFreeVariableMask(Dim::Warp));
  return {isOwner, layout.getFreeVariableMask(Dim::Register)};
}

llvm::Value *Emitter::getScratch(Operation *op, llvm::Value *offset) {
  llvm::Value *pointer = sharedBase;
  if (std::optional<unsigned> start = getAllocationOffset(op))
    pointer = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), pointer, *start);
  return offset ? b.CreateInBoundsGEP(b.getInt8Ty(), pointer, offset) : pointer;
}

llvm::Value *Emitter::getSharedAddress(llvm::Value *offset) {
  return b.CreateInBoundsGEP(b.getInt8Ty(), sharedBase, offset);
}

llvm::Value *Emitter::getScratchElement(Operation *op, llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<llvm::Value *> coordinates, unsigned elementBytes) {
  llvm::Value *flat = b.getInt32(0);
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    flat = b.CreateAdd(b.CreateMul(flat, b.getInt32(size)), coordinate);
  return getScratch(op, b.CreateMul(flat, b.getInt32(elementBytes)));
}

Registers Emitter::loadShared(Type type, llvm::Value *address, unsigned count) {
  llvm::Type *access = getMemoryType(type);
  if (count > 1)
    access = llvm::FixedVectorType::get(access, count);
  llvm::Value *loaded = b.CreateAlignedLoad(access, address, llvm::Align(count * getElementBytes(type)));
  Registers elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(fromMemory(count == 1 ? loaded : b.CreateExtractElement(loaded, i), type));
  return elements;
}

void Emitter::storeShared(llvm::ArrayRef<llvm::Value *> elements, llvm::Value *address,
                          llvm::Value *predicate) {
  llvm::Value *value = toMemory(elements[0]);
  if (elements.size() > 1) {
    llvm::Value *vector =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), elements.size()));
    for (auto [i, element] : llvm::enumerate(elements))
      vector = b.CreateInsertElement(vector, toMemory(element), i);
    value = vector;
  }
  target.storeShared(b, value, address, predicate);
}

unsigned Emitter::getSharedWidth(Type type, uint32_t registerBits, uint32_t threadBits) const {
  constexpr unsigned vectorBytes = 16;
  unsigned width = std::max(1u, vectorBytes / getElementBytes(type));
  while (width > 1 && ((registerBits & (width - 1)) != width - 1 || (threadBits & (width - 1)) != 0))
    width /= 2;
  return width;
}

LogicalResult Emitter::handAround(Operation *op, const Ownership &owner, Registers &results) {
  if (!getAllocationOffset(op))
    return op->emitError("there is no scratch memory to hand the result of this access around");
  // Elements lie in row-major order meanwhile.
  Type type = op->getResult(0).getType();
  Registers addresses;
  unsigned bytes = getElementBytes(type);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    for (const Registers &coordinates : getCoordinates(tensor))
      addresses.push_back(getScratchElement(op, tensor.getShape(), coordinates, bytes));
  } else {
    addresses.push_back(getScratch(op));
  }
  for (auto [reg, result] : llvm::enumerate(results))
    if (!(reg & owner.copiedRegisters))
      target.storeShared(b, result, addresses[reg], owner.predicate);
  barrierForOthers();
  for (auto [result, address] : llvm::zip_equal(results, addresses))
    result = b.CreateAlignedLoad(result->getType(), address, llvm::Align(bytes));
  return success();
}

uint32_t getThreadBits(const LinearLayout &layout, Dim out) {
  uint32_t bits = 0;
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.getInBits(in); ++bit)
      bits |= layout.getBasis(in, bit, out);
  return bits;
}

//===- RegisterIndex -----------------------------------------------------===//

RegisterIndex::RegisterIndex(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) : shape(shape) {
  for (unsigned reg = 0; reg < layout.getInSize(Dim::Register); ++reg) {
    llvm::SmallVector<uint32_t, 4> coordinates;
    LinearLayout::Indices place;
    if (layout.hasInDim(Dim::Register))
      place = layout.apply({{Dim::Register, reg}});
    for (unsigned d = 0; d < shape.size(); ++d) {
      uint32_t coordinate = 0;
      for (auto [dim, value] : place)
        if (dim == tensorDim(d))
          coordinate = value;
      coordinates.push_back(coordinate);
    }
    index.try_emplace(flatten(coordinates), reg);
    all.push_back(std::move(coordinates));
  }
}

uint64_t RegisterIndex::flatten(llvm::ArrayRef<uint32_t> coordinates) const {
  uint64_t flat = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    flat = flat * size + coordinate;
  return flat;
}

int RegisterIndex::find(llvm::ArrayRef<uint32_t> coordinates) const {
  auto it = index.find(flatten(coordinates));
  return it == index.end() ? -1 : int(it->second);
}

} // namespace nereid::gpu
