// tt.atomic_rmw and tt.atomic_cas, one element at a time.
//
// An element that several threads hold copies of is accessed by one of them, which then hands the old value
// to the others through shared memory; so is a scalar, by the block's first thread. The access stands for the
// whole program: with release order, all threads' earlier writes come before it, and with acquire order it
// comes before all threads' later reads, which takes a barrier on that side.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

using Operands = llvm::ArrayRef<llvm::Value *>;

static AtomicOrder getOrder(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return AtomicOrder::Relaxed;
  case tt::MemSemantic::ACQUIRE:
    return AtomicOrder::Acquire;
  case tt::MemSemantic::RELEASE:
    return AtomicOrder::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return AtomicOrder::AcquireRelease;
  }
  llvm_unreachable("unknown order");
}

static AtomicScope getScope(tt::MemSyncScope scope) {
  switch (scope) {
  case tt::MemSyncScope::CTA:
    return AtomicScope::Block;
  case tt::MemSyncScope::GPU:
    return AtomicScope::Device;
  case tt::MemSyncScope::SYSTEM:
    return AtomicScope::System;
  }
  llvm_unreachable("unknown scope");
}

static AtomicOperation getOperation(tt::RMWOp operation) {
  // RMWOp counts from 1, in the same order.
  return static_cast<AtomicOperation>(static_cast<unsigned>(operation) - 1);
}

/// One element's access; its operands are those of the operation.
using Access = llvm::function_ref<llvm::Value *(Operands operands, llvm::Value *predicate)>;

static LogicalResult refuseType(Operation *op) {
  return op->emitError("an atomic access of this type is not supported on this target");
}

/// Of a large tile, each round of a loop accesses a few elements, and keeps the old values in a slot, at the
/// first of the registers that hold copies.
static LogicalResult emitLargeAtomic(Emitter &e, Operation *op, Value mask, llvm::Value *owner,
                                     unsigned copiedRegisters, Access access) {
  llvm::IRBuilder<> &b = e.b;
  LargeTiles &large = e.large();
  Value result = op->getResult(0);
  unsigned count = e.countRegisters(result.getType());
  llvm::Value *slot = result.use_empty() ? nullptr : large.createSlot(result.getType(), count);
  RegisterColumns columns;
  for (unsigned bit = 1; bit < count; bit *= 2)
    columns.push_back(bit & copiedRegisters ? 0 : bit);
  LogicalResult done =
      large.forEach(0, count, LargeTiles::chunk, [&](const RegisterNumber &first) -> LogicalResult {
        llvm::Value *isFirst = owner;
        if (unsigned copied = copiedRegisters & first.mask) {
          llvm::Value *isOriginal =
              b.CreateICmpEQ(b.CreateAnd(first.dynamic, b.getInt32(copied)), b.getInt32(0));
          isFirst = owner ? b.CreateAnd(owner, isOriginal) : isOriginal;
        }
        for (uint32_t i = 0; i < LargeTiles::chunk; ++i) {
          if (i & copiedRegisters)
            continue;
          RegisterNumber place = LargeTiles::plus(first, i);
          llvm::SmallVector<llvm::Value *> operands;
          for (Value operand : op->getOperands())
            operands.push_back(large.get(operand, place));
          llvm::Value *isOn = mask ? large.get(mask, place) : nullptr;
          if (llvm::is_contained(operands, nullptr) || (mask && !isOn))
            return failure();
          llvm::Value *predicate = isFirst && isOn ? b.CreateAnd(isFirst, isOn) : isOn ? isOn : isFirst;
          llvm::Value *old = access(operands, predicate);
          if (!old)
            return refuseType(op);
          if (slot)
            large.storeTo(slot, result.getType(), large.map(place, columns), old);
        }
        return success();
      });
  if (succeeded(done) && slot)
    large.setSlot(result, slot, columns);
  return done;
}

/// Emits `access` for each register, in the threads that own the element, and gives every holder the old
/// value.
static LogicalResult emitAtomic(Emitter &e, Operation *op, Value mask, tt::MemSemantic semantic,
                                Access access) {
  llvm::IRBuilder<> &b = e.b;
  Value result = op->getResult(0);
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  auto [owner, copiedRegisters] = e.getOwnership(result.getType());
  AtomicOrder order = getOrder(semantic);
  if (order == AtomicOrder::Release || order == AtomicOrder::AcquireRelease)
    e.target.barrier(b);
  bool isAcquire = order == AtomicOrder::Acquire || order == AtomicOrder::AcquireRelease;
  if (e.large().concerns(op)) {
    if (failed(emitLargeAtomic(e, op, mask, owner, copiedRegisters, access)))
      return failure();
    if (isAcquire)
      e.target.barrier(b);
    return success();
  }

  Registers results(e.countRegisters(result.getType()));
  for (unsigned reg = 0; reg < results.size(); ++reg) {
    if (reg & copiedRegisters) {
      results[reg] = results[reg & ~copiedRegisters];
      continue;
    }
    llvm::Value *predicate = owner;
    if (mask) {
      llvm::Value *isOn = e.get(mask)[reg];
      predicate = predicate ? b.CreateAnd(predicate, isOn) : isOn;
    }
    llvm::SmallVector<llvm::Value *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(e.get(operand)[reg]);
    results[reg] = access(operands, predicate);
    if (!results[reg])
      return refuseType(op);
  }

  if (owner && !result.use_empty()) {
    if (!getAllocationOffset(op))
      return op->emitError("there is no scratch memory to hand the result of this atomic access around");
    // Elements lie in row-major order meanwhile.
    llvm::SmallVector<llvm::Value *> addresses;
    unsigned bytes = e.getElementBytes(result.getType());
    if (tensor) {
      for (const Registers &coordinates : e.getCoordinates(tensor))
        addresses.push_back(e.getScratchElement(op, tensor.getShape(), coordinates, bytes));
    } else {
      addresses.push_back(e.getScratch(op));
    }
    for (unsigned reg = 0; reg < results.size(); ++reg)
      if (!(reg & copiedRegisters))
        e.target.storeShared(b, results[reg], addresses[reg], owner);
    e.target.barrier(b);
    for (unsigned reg = 0; reg < results.size(); ++reg)
      results[reg] = b.CreateAlignedLoad(e.convertType(result.getType()), addresses[reg], llvm::Align(bytes));
  } else if (isAcquire) {
    e.target.barrier(b);
  }
  e.set(result, std::move(results));
  return success();
}

static LogicalResult emitAtomicRMW(Emitter &e, tt::AtomicRMWOp op) {
  auto access = [&](Operands operands, llvm::Value *predicate) {
    return e.target.atomicReadModifyWrite(e.b, getOperation(op.getAtomicRmwOp()), operands[0], operands[1],
                                          predicate, getOrder(op.getSem()), getScope(op.getScope()));
  };
  return emitAtomic(e, op, op.getMask(), op.getSem(), access);
}

static LogicalResult emitAtomicCAS(Emitter &e, tt::AtomicCASOp op) {
  auto access = [&](Operands operands, llvm::Value *predicate) {
    return e.target.atomicCompareExchange(e.b, operands[0], operands[1], operands[2], predicate,
                                          getOrder(op.getSem()), getScope(op.getScope()));
  };
  return emitAtomic(e, op, nullptr, op.getSem(), access);
}

void addAtomicEmitters(EmitterTable &table) {
  table.add<tt::AtomicRMWOp, emitAtomicRMW>();
  table.add<tt::AtomicCASOp, emitAtomicCAS>();
}

} // namespace nereid::gpu
