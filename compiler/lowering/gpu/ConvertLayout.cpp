// ttg.convert_layout: the steps of a ConversionPlan (compiler/layouts/ConversionPlan.h), as code.
//
// Nothing, or other register numbers, is free. Between lanes, each round is one shuffle, of as many narrow
// elements as fit into 32 bits. Through shared memory, every thread writes vectors of its elements at
// swizzled offsets, all wait, and read where their elements of the new layout are; whoever uses that memory
// next waits by a barrier that the allocation pass places.
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/lowering/gpu/PackedRegisters.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

/// For each lane bit with a mask in `swaps`: register i becomes register i ^ mask in the lanes where the bit
/// is set.
static void swapByLane(Emitter &e, Registers &registers, llvm::ArrayRef<uint32_t> swaps) {
  for (auto [bit, mask] : llvm::enumerate(swaps)) {
    if (mask == 0)
      continue;
    llvm::Value *isSet = e.b.CreateICmpNE(e.b.CreateAnd(e.laneId(), 1u << bit), e.b.getInt32(0));
    Registers swapped;
    for (unsigned i = 0; i < registers.size(); ++i)
      swapped.push_back(e.b.CreateSelect(isSet, registers[i ^ mask], registers[i]));
    registers = std::move(swapped);
  }
}

/// The number without some of its bits, which are in ascending order.
static uint32_t dropBits(uint32_t number, llvm::ArrayRef<unsigned> bits) {
  for (unsigned bit : llvm::reverse(bits))
    number = (number >> (bit + 1) << bit) | (number & ((1u << bit) - 1));
  return number;
}

static Registers exchangeLanes(Emitter &e, const LaneExchange &plan, Registers registers) {
  // Narrow elements travel together where they go to one lane: the same steps, for groups of them.
  llvm::Type *element = registers[0]->getType();
  LaneExchange::Packing packing = plan.getPacking(element->getPrimitiveSizeInBits());
  if (packing.getCount() > 1) {
    llvm::SmallVector<unsigned, 2> sourceBits(packing.sourceBits);
    llvm::sort(sourceBits);
    LaneExchange ofGroups = plan;
    for (uint32_t &swap : ofGroups.sendSwap)
      swap = dropBits(swap, sourceBits);
    for (uint32_t &swap : ofGroups.receiveSwap)
      swap = dropBits(swap, packing.destinationBits);
    ofGroups.rounds.clear();
    ofGroups.copies.clear();
    for (unsigned group = 0; group < plan.rounds.size() / packing.getCount(); ++group) {
      const LaneExchange::Round &first = plan.rounds[getInGroup(group, 0, packing.destinationBits)];
      ofGroups.copies.push_back(group);
      ofGroups.rounds.push_back({dropBits(first.send, sourceBits), first.lane});
    }
    Registers groups = exchangeLanes(e, ofGroups, packRegisters(e, registers, packing.sourceBits));
    Registers received = unpackRegisters(e, groups, packing.destinationBits, element), results;
    for (uint32_t copy : plan.copies)
      results.push_back(received[copy]);
    return results;
  }
  swapByLane(e, registers, plan.sendSwap);
  bool isButterfly = plan.isLaneMapIdentity();
  llvm::Value *base = nullptr;
  if (!isButterfly) {
    base = e.b.getInt32(0);
    for (auto [bit, column] : llvm::enumerate(plan.laneColumns)) {
      llvm::Value *isSet = e.b.CreateICmpNE(e.b.CreateAnd(e.laneId(), 1u << bit), e.b.getInt32(0));
      base = e.b.CreateXor(base, e.b.CreateSelect(isSet, e.b.getInt32(column), e.b.getInt32(0)));
    }
  }
  Registers received;
  for (const LaneExchange::Round &round : plan.rounds) {
    llvm::Value *sent = registers[round.send];
    received.push_back(isButterfly
                           ? e.target.shuffleXor(e.b, sent, round.lane)
                           : e.target.shuffleIndex(e.b, sent, e.b.CreateXor(base, e.b.getInt32(round.lane))));
  }
  swapByLane(e, received, plan.receiveSwap);
  Registers results;
  for (uint32_t copy : plan.copies)
    results.push_back(received[copy]);
  return results;
}

/// The byte address of each access of one side: the thread's own offset, changed by the access's.
static llvm::Value *getAccessAddress(Emitter &e, Operation *op, const LinearLayout &offsets,
                                     llvm::Value *threadOffset, uint32_t accessOffset,
                                     unsigned elementBytes) {
  llvm::Value *element = e.moveCoordinate(threadOffset, getThreadBits(offsets, Dim::Offset), accessOffset);
  return e.getScratch(op, e.b.CreateMul(element, e.b.getInt32(elementBytes)));
}

static Registers exchangeThroughShared(Emitter &e, ttg::ConvertLayoutOp op, const SharedExchange &plan,
                                       const Registers &registers, unsigned numResults) {
  Type elementType = op.getType().getElementType();
  unsigned elementBytes = e.getElementBytes(elementType);

  llvm::Value *threadOffset = e.emitThreadCoordinates(plan.writeOffsets, {Dim::Offset})[0];
  llvm::Value *owner = e.getOwnership(op.getSrc().getType()).predicate;
  for (const SharedAccess &access : plan.writes) {
    Registers elements;
    for (uint32_t reg : access.registers)
      elements.push_back(registers[reg]);
    e.storeShared(elements,
                  getAccessAddress(e, op, plan.writeOffsets, threadOffset, access.offset, elementBytes),
                  owner);
  }
  e.barrier();

  Registers results(numResults);
  threadOffset = e.emitThreadCoordinates(plan.readOffsets, {Dim::Offset})[0];
  for (const SharedAccess &access : plan.reads) {
    Registers elements = e.loadShared(
        elementType, getAccessAddress(e, op, plan.readOffsets, threadOffset, access.offset, elementBytes),
        plan.readElements);
    for (auto [reg, element] : llvm::zip_equal(access.registers, elements))
      results[reg] = element;
  }
  for (auto [copy, original] : plan.readCopies)
    results[copy] = results[original];
  return results;
}

static LogicalResult emitConvertLayout(Emitter &e, ttg::ConvertLayoutOp op) {
  if (isForScalarProducts(op)) // who take what is converted
    return success();
  if (std::optional<unsigned> part = getConversionPart(op)) {
    auto getIndex = [&](const RegisterNumber &place) { return e.large().getFlatIndex(op.getType(), place); };
    FailureOr<llvm::Value *> slot = e.large().exchangeInParts(op, op.getSrc(), op.getType(), *part, getIndex);
    if (failed(slot))
      return failure();
    if (e.large().isLarge(op.getType())) {
      e.large().setSlot(op.getResult(), *slot);
      return success();
    }
    Registers results;
    for (uint32_t reg = 0, n = e.countRegisters(op.getType()); reg < n; ++reg)
      results.push_back(e.large().loadFrom(*slot, op.getType(), {reg}));
    e.set(op.getResult(), std::move(results));
    return success();
  }
  ConversionPlan plan = planConversion(op);
  if (e.large().concerns(op)) {
    RegisterColumns columns;
    for (uint32_t reg = 1; reg < plan.sourceRegisters.size(); reg *= 2)
      columns.push_back(plan.sourceRegisters[reg]);
    return e.large().setView(op.getResult(), op.getSrc(), std::move(columns));
  }
  const Registers registers = e.get(op.getSrc());
  Registers results;
  switch (plan.kind) {
  case ConversionPlan::Kind::None:
  case ConversionPlan::Kind::Registers:
    for (uint32_t reg : plan.sourceRegisters)
      results.push_back(registers[reg]);
    break;
  case ConversionPlan::Kind::Lanes:
    results = exchangeLanes(e, plan.lanes, registers);
    break;
  case ConversionPlan::Kind::Shared:
    results = exchangeThroughShared(e, op, plan.shared, registers, e.countRegisters(op.getType()));
    break;
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

void addConvertLayoutEmitters(EmitterTable &table) { table.add<ttg::ConvertLayoutOp, emitConvertLayout>(); }

} // namespace nereid::gpu
