// tt.atomic_rmw and tt.atomic_cas, one element at a time.
//
// An element that several threads hold copies of is accessed by one of them, which then hands the old value
// to the others through shared memory; so is a scalar, by the block's first thread. The access stands for the
// whole program: with release order, all threads' earlier writes come before it, and with acquire order it
// comes before all threads' later reads, which takes a barrier on that side.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

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

/// Emits `access` for each register, in the threads that own the element, and gives every holder the old
/// value.
static LogicalResult
emitAtomic(Emitter &e, Operation *op, Value mask, tt::MemSemantic semantic,
           llvm::function_ref<llvm::Value *(unsigned reg, llvm::Value *predicate)> access) {
  llvm::IRBuilder<> &b = e.b;
  Value result = op->getResult(0);
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  auto [owner, copiedRegisters] = e.getOwnership(result.getType());
  AtomicOrder order = getOrder(semantic);
  if (order == AtomicOrder::Release || order == AtomicOrder::AcquireRelease)
    e.target.barrier(b);

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
    results[reg] = access(reg, predicate);
    if (!results[reg])
      return op->emitError("an atomic access of this type is not supported on this target");
  }

  bool isAcquire = order == AtomicOrder::Acquire || order == AtomicOrder::AcquireRelease;
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
  return emitAtomic(e, op, op.getMask(), op.getSem(), [&](unsigned reg, llvm::Value *predicate) {
    return e.target.atomicReadModifyWrite(e.b, getOperation(op.getAtomicRmwOp()), e.get(op.getPtr())[reg],
                                          e.get(op.getVal())[reg], predicate, getOrder(op.getSem()),
                                          getScope(op.getScope()));
  });
}

static LogicalResult emitAtomicCAS(Emitter &e, tt::AtomicCASOp op) {
  return emitAtomic(e, op, nullptr, op.getSem(), [&](unsigned reg, llvm::Value *predicate) {
    return e.target.atomicCompareExchange(e.b, e.get(op.getPtr())[reg], e.get(op.getCmp())[reg],
                                          e.get(op.getVal())[reg], predicate, getOrder(op.getSem()),
                                          getScope(op.getScope()));
  });
}

void addAtomicEmitters(EmitterTable &table) {
  table.add<tt::AtomicRMWOp, emitAtomicRMW>();
  table.add<tt::AtomicCASOp, emitAtomicCAS>();
}

} // namespace nereid::gpu
