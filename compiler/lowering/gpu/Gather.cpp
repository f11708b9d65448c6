// tt.gather and tt.histogram: elements that find their place at run time, in shared memory.
//
// A gather spreads the source out in row-major order, and each thread looks its elements up. A histogram
// counts in bins there; the bins are cleared first, which takes a barrier more.
//
// Where elements of a gather change places by twos within a warp, they need no memory (ButterflyGather.h).
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/lowering/gpu/PackedRegisters.h"
#include "compiler/transforms/ButterflyGather.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

static LogicalResult emitGatherInParts(Emitter &e, tt::GatherOp op, unsigned part) {
  LargeTiles &large = e.large();
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  auto getIndex = [&](const RegisterNumber &place) -> llvm::Value * {
    llvm::Value *flat = e.b.getInt32(0);
    for (auto [d, size] : llvm::enumerate(sourceType.getShape())) {
      llvm::Value *coordinate;
      if (d == op.getAxis()) {
        coordinate = large.get(op.getIndices(), place);
        if (!coordinate)
          return nullptr;
        coordinate = e.b.CreateZExtOrTrunc(coordinate, e.b.getInt32Ty());
      } else {
        coordinate = large.getCoordinate(resultType, d, place);
      }
      flat = e.b.CreateAdd(e.b.CreateMul(flat, e.b.getInt32(size)), coordinate);
    }
    return flat;
  };
  FailureOr<llvm::Value *> slot = large.exchangeInParts(op, op.getSrc(), resultType, part, getIndex);
  if (failed(slot))
    return failure();
  if (large.isLarge(resultType)) {
    large.setSlot(op.getResult(), *slot);
    return success();
  }
  Registers results;
  for (uint32_t reg = 0, n = e.countRegisters(resultType); reg < n; ++reg)
    results.push_back(large.loadFrom(*slot, resultType, {reg}));
  e.set(op.getResult(), std::move(results));
  return success();
}

/// What lanes exchange with the ones that differ in these bits, several narrow elements in a shuffle.
static Registers shuffle(Emitter &e, Registers registers, uint32_t lanes) {
  llvm::Type *element = registers[0]->getType();
  llvm::SmallVector<unsigned, 2> together; // bits of registers' numbers
  if (!element->isPointerTy())
    for (unsigned bits = element->getPrimitiveSizeInBits();
         bits < 32 && registers.size() >> together.size() > 1; bits *= 2)
      together.push_back(together.size());
  if (!together.empty())
    registers = packRegisters(e, registers, together);
  for (llvm::Value *&value : registers)
    value = e.target.shuffleXor(e.b, value, lanes);
  return together.empty() ? registers : unpackRegisters(e, registers, together, element);
}

static void emitButterfly(Emitter &e, tt::GatherOp op, Butterfly butterfly) {
  auto type = cast<RankedTensorType>(op.getType());
  Registers source(e.get(op.getSrc())), results;
  for (uint32_t reg = 0; reg != source.size(); ++reg)
    results.push_back(source[reg ^ butterfly.registers]);
  if (butterfly.lanes) {
    for (llvm::Value *&value : results)
      value = e.toMemory(value);
    results = shuffle(e, results, butterfly.lanes);
    for (llvm::Value *&value : results)
      value = e.fromMemory(value, type);
  }
  e.set(op.getResult(), std::move(results));
}

static LogicalResult emitGather(Emitter &e, tt::GatherOp op) {
  if (std::optional<unsigned> part = getGatherPart(op))
    return emitGatherInParts(e, op, *part);
  if (std::optional<Butterfly> butterfly = getButterfly(op)) {
    emitButterfly(e, op, *butterfly);
    return success();
  }
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  unsigned bytes = e.getElementBytes(sourceType);
  auto [owner, copies] = e.getOwnership(sourceType);
  for (auto [reg, coordinates] : llvm::enumerate(e.getCoordinates(sourceType))) {
    if (reg & copies)
      continue;
    llvm::Value *address = e.getScratchElement(op, sourceType.getShape(), coordinates, bytes);
    e.target.storeShared(e.b, e.toMemory(e.get(op.getSrc())[reg]), address, owner);
  }
  e.barrier();

  Registers results;
  for (auto [reg, coordinates] : llvm::enumerate(e.getCoordinates(resultType))) {
    Registers place = coordinates;
    llvm::Value *index = e.get(op.getIndices())[reg];
    place[op.getAxis()] = e.b.CreateZExtOrTrunc(index, e.b.getInt32Ty());
    llvm::Value *address = e.getScratchElement(op, sourceType.getShape(), place, bytes);
    llvm::Value *loaded = e.b.CreateAlignedLoad(e.getMemoryType(resultType), address, llvm::Align(bytes));
    results.push_back(e.fromMemory(loaded, resultType));
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

static LogicalResult emitHistogram(Emitter &e, tt::HistogramOp op) {
  llvm::IRBuilder<> &b = e.b;
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  unsigned numBins = resultType.getNumElements(), numThreads = e.getNumThreads();
  auto getBin = [&](llvm::Value *bin) { return e.getScratch(op, b.CreateMul(bin, b.getInt32(4))); };

  for (unsigned first = 0; first < numBins; first += numThreads) {
    llvm::Value *bin = b.CreateAdd(e.threadId(), b.getInt32(first));
    llvm::Value *exists = first + numThreads <= numBins ? nullptr : b.CreateICmpULT(bin, b.getInt32(numBins));
    e.target.storeShared(b, b.getInt32(0), getBin(bin), exists);
  }
  e.barrier();

  auto countElement = [&](llvm::Value *source, llvm::Value *mask, llvm::Value *owner) {
    llvm::Value *bin = b.CreateZExtOrTrunc(source, b.getInt32Ty());
    // Numbers beyond the last bin are left out.
    llvm::Value *counts = b.CreateICmpULT(bin, b.getInt32(numBins));
    if (mask)
      counts = b.CreateAnd(counts, mask);
    if (owner)
      counts = b.CreateAnd(counts, owner);
    e.target.addShared(b, b.getInt32(1), getBin(bin), counts);
  };
  if (e.large().isLarge(op.getSrc())) {
    LogicalResult done = e.large().forEachOwned(
        op.getSrc(), [&](const RegisterNumber &number, llvm::Value *owner) -> LogicalResult {
          llvm::Value *source = e.large().get(op.getSrc(), number);
          llvm::Value *mask = op.getMask() ? e.large().get(op.getMask(), number) : nullptr;
          if (!source || (op.getMask() && !mask))
            return failure();
          countElement(source, mask, owner);
          return success();
        });
    if (failed(done))
      return failure();
  } else {
    auto [owner, copies] = e.getOwnership(sourceType);
    for (auto [reg, source] : llvm::enumerate(e.get(op.getSrc())))
      if (!(reg & copies))
        countElement(source, op.getMask() ? e.get(op.getMask())[reg] : nullptr, owner);
  }
  e.barrier();

  Registers results;
  for (const Registers &coordinates : e.getCoordinates(resultType)) {
    llvm::Value *count = b.CreateAlignedLoad(b.getInt32Ty(), getBin(coordinates[0]), llvm::Align(4));
    results.push_back(b.CreateZExtOrTrunc(count, e.convertType(resultType)));
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

void addGatherEmitters(EmitterTable &table) {
  table.add<tt::GatherOp, emitGather>();
  table.add<tt::HistogramOp, emitHistogram>();
}

} // namespace nereid::gpu
