// tt.atomic_rmw and tt.atomic_cas, one element at a time, or several neighbours where the hardware adds
// vectors.
//
// An element that several threads hold copies of is accessed by one of them, which then hands the old value
// to the others through shared memory; so is a scalar, by the block's first thread. The access stands for the
// whole program: with release order, all threads' earlier writes come before it, and with acquire order it
// comes before all threads' later reads, which takes a barrier on that side. Each ordered access of a thread
// waits for its earlier ones and empties its cache, so where there are several, they are relaxed between two
// fences:
//
//     barrier; fence; atom.relaxed; atom.relaxed; …; fence; barrier
//
// Triton's default is both orders, also where nobody uses the old value, as of a sum that is added to memory.
// Then the program cannot tell whose accesses it comes behind, and nobody waits for it: there are neither the
// second fence nor the second barrier. But programs that arrive so, and look by volatile loads whether all
// others have, too, count on a cache that is empty since, which the first fence sees to.
//
//     triton-qml's gradients, a sum each round        325 us    215
//
// Of a scalar, that fence is the first thread's, which then speaks for all. Where it accesses memory twice
// with nothing between, as for a maximum of floats (of integers if positive, else a minimum), all meet once
// before:
//
//     transformer-nuggets' scaled_cast                 52.0 us   48.3
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/AccessWidth.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Analysis/SliceAnalysis.h"

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

static bool isRelease(AtomicOrder order) {
  return order == AtomicOrder::Release || order == AtomicOrder::AcquireRelease;
}
static bool isAcquire(AtomicOrder order) {
  return order == AtomicOrder::Acquire || order == AtomicOrder::AcquireRelease;
}

/// One element's access, or that of neighbours; its operands are those of the operation.
using Access =
    llvm::function_ref<llvm::Value *(Operands operands, llvm::Value *predicate, AtomicOrder order)>;

/// What an operation accesses memory with.
struct Accesses {
  Access access;
  AtomicOrder order;
  AtomicScope scope;
  /// How many neighbours one access may take.
  unsigned width;
};

static LogicalResult refuseType(Operation *op) {
  return op->emitError("an atomic access of this type is not supported on this target");
}

/// Of a large tile, each round of a loop accesses a few elements, and keeps the old values in a slot, at the
/// first of the registers that hold copies.
static LogicalResult emitLargeAtomic(Emitter &e, Operation *op, Value mask, llvm::Value *owner,
                                     unsigned copiedRegisters, AtomicOrder order, Access access) {
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
          llvm::Value *old = access(operands, predicate, order);
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

/// `width` registers from `first` on as one value. Neighbours' addresses follow from the first one's.
static llvm::Value *pack(Emitter &e, Value value, unsigned first, unsigned width) {
  const Registers &registers = e.get(value);
  if (width == 1 || registers[first]->getType()->isPointerTy())
    return registers[first];
  llvm::Value *vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(registers[first]->getType(), width));
  for (unsigned i = 0; i < width; ++i)
    vector = e.b.CreateInsertElement(vector, registers[first + i], i);
  return vector;
}

/// Whether the kernel may read something behind the operation. What a function's callers do, or blocks that
/// branch to one another, is not looked at.
static bool mayReadBehind(Operation *op) {
  for (;; op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (mayReadGlobal(next))
        return true;
    Operation *parent = op->getParentOp();
    if (auto function = dyn_cast<tt::FuncOp>(parent))
      return !function.isPublic() || !function.getBody().hasOneBlock();
    if (!isa<scf::IfOp>(parent) && mayReadGlobal(parent))
      return true;
  }
}

/// Whether a thread accesses memory for a register; null if it always does.
static llvm::Value *getPredicate(Emitter &e, llvm::Value *owner, Value mask, unsigned reg) {
  llvm::Value *isOn = mask ? e.get(mask)[reg] : nullptr;
  return owner && isOn ? e.b.CreateAnd(owner, isOn) : owner ? owner : isOn;
}

/// Emits `access` for each register, in the threads that own the element, and gives every holder the old
/// value.
static LogicalResult emitAtomic(Emitter &e, Operation *op, Value mask, const Accesses &accesses) {
  llvm::IRBuilder<> &b = e.b;
  Value result = op->getResult(0);
  auto [owner, copiedRegisters] = e.getOwnership(result.getType());
  unsigned count = e.countRegisters(result.getType()), width = accesses.width;
  AtomicOrder wanted = accesses.order;
  bool hasFences = (count >> llvm::popcount(copiedRegisters)) > width;
  bool isScalar = !isa<RankedTensorType>(result.getType());
  if (wanted == AtomicOrder::AcquireRelease && result.use_empty()) {
    wanted = AtomicOrder::Release;
    hasFences |= mayReadBehind(op);
  }
  AtomicOrder order = wanted;
  if (isRelease(wanted))
    isScalar ? e.barrierForFirst() : e.barrierForOthers();
  if (hasFences) {
    auto release = [&]() -> llvm::Value * {
      e.target.fence(b, AtomicOrder::Release, accesses.scope);
      return nullptr;
    };
    if (isRelease(wanted) && isScalar)
      e.target.whenTrue(b, getPredicate(e, owner, mask, /*reg=*/0), nullptr, release);
    else if (isRelease(wanted))
      release();
    order = AtomicOrder::Relaxed;
  }
  auto acquire = [&] {
    if (hasFences && isAcquire(wanted))
      e.target.fence(b, AtomicOrder::Acquire, accesses.scope);
  };
  if (e.large().concerns(op)) {
    if (failed(emitLargeAtomic(e, op, mask, owner, copiedRegisters, order, accesses.access)))
      return failure();
    acquire();
    if (isAcquire(wanted))
      e.barrierForOthers();
    return success();
  }

  Registers results(count);
  for (unsigned reg = 0; reg < count; reg += width) {
    if (reg & copiedRegisters) {
      for (unsigned i = 0; i < width; ++i)
        results[reg + i] = results[(reg & ~copiedRegisters) + i];
      continue;
    }
    llvm::SmallVector<llvm::Value *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand == mask ? e.get(mask)[reg] : pack(e, operand, reg, width));
    llvm::Value *old = accesses.access(operands, getPredicate(e, owner, mask, reg), order);
    if (!old)
      return refuseType(op);
    for (unsigned i = 0; i < width; ++i)
      results[reg + i] = width == 1 ? old : b.CreateExtractElement(old, i);
  }
  acquire();
  if (isScalar && wanted == AtomicOrder::Release && result.use_empty())
    e.noteAccessOfFirst();

  if (owner && !result.use_empty()) {
    if (failed(e.handAround(op, {owner, copiedRegisters}, results)))
      return failure();
  } else if (isAcquire(wanted)) {
    e.barrierForOthers();
  }
  e.set(result, std::move(results));
  return success();
}

/// How two values become one where nobody wants to know what was there between; null if they cannot.
static llvm::Value *combine(llvm::IRBuilder<> &b, AtomicOperation operation, llvm::Value *left,
                            llvm::Value *right) {
  switch (operation) {
  case AtomicOperation::And:
    return b.CreateAnd(left, right);
  case AtomicOperation::Or:
    return b.CreateOr(left, right);
  case AtomicOperation::Xor:
    return b.CreateXor(left, right);
  case AtomicOperation::Add:
    return b.CreateAdd(left, right);
  case AtomicOperation::FAdd:
    return b.CreateFAdd(left, right);
  case AtomicOperation::Max:
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, right);
  case AtomicOperation::Min:
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, right);
  case AtomicOperation::UMax:
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, left, right);
  case AtomicOperation::UMin:
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, right);
  case AtomicOperation::Exchange:
    return nullptr;
  }
  llvm_unreachable("unknown operation");
}

/// Whether a tile's addresses are computed of numbers that the program has loaded.
static bool areLookedUp(Value pointers) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [](Operation *op) { return isPure(op) || isa<tt::LoadOp>(op); };
  if (failed(getBackwardSlice(pointers, &slice, options)))
    return false;
  return llvm::any_of(slice, [](Operation *op) {
    return isa<tt::LoadOp>(op) && isa<RankedTensorType>(op->getResult(0).getType());
  });
}

/// Whether neighbours along some axis of a tile are known to lie side by side.
static bool hasNeighbours(const AxisInfoAnalysis &axes, Value pointers) {
  return llvm::any_of(axes.get(pointers).contiguity, [](int64_t run) { return run > 1; });
}

/// Whether a thread has few elements of all tiles that a function accesses for no old value.
static bool areFewElements(Emitter &e, tt::AtomicRMWOp op) {
  constexpr unsigned few = 32;
  unsigned count = 0;
  op->getParentOfType<tt::FuncOp>().walk([&](tt::AtomicRMWOp other) {
    if (other.use_empty() && isa<RankedTensorType>(other.getType()))
      count += e.countRegisters(other.getType());
  });
  return count <= few;
}

/// Where all lanes of a warp access one address, combines their values, and has the first one do it.
///
/// Indices that are looked up are often sorted: which system an atom belongs to, which node an edge leads to.
/// Memory takes the accesses of one address one by one. Where addresses differ, it costs looking whether they
/// do; and code, so that it is left to kernels of which a thread accesses few. On an H200 (us):
///
///     fairchem's _energy_sum_kernel, 256 atoms a system         55.4    10.8
///     fairchem's _edge_geom_bwd_kernel                          98.3    49.2
static void meetAtOneAddress(Emitter &e, AtomicOperation operation, llvm::Value *pointer, llvm::Value *&value,
                             llvm::Value *&predicate) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *address = b.CreatePtrToInt(pointer, b.getInt64Ty());
  // A lane that accesses nothing is nowhere: a warp meets as a whole or not at all.
  if (predicate)
    address = b.CreateSelect(predicate, address, b.getInt64(0));
  llvm::Value *haveMet = e.target.isSameInAllLanes(b, address);
  if (!haveMet)
    return;
  value = e.target.whenTrue(b, haveMet, value, [&] {
    llvm::Value *all = value;
    for (unsigned mask = e.target.getWarpSize() / 2; mask; mask /= 2)
      all = combine(b, operation, all, e.target.shuffleXor(b, all, mask));
    return all;
  });
  llvm::Value *speaks = b.CreateOr(b.CreateNot(haveMet), b.CreateICmpEQ(e.laneId(), b.getInt32(0)));
  predicate = predicate ? b.CreateAnd(predicate, speaks) : speaks;
}

static LogicalResult emitAtomicRMW(Emitter &e, tt::AtomicRMWOp op) {
  AtomicOperation operation = getOperation(op.getAtomicRmwOp());
  AtomicScope scope = getScope(op.getScope());
  unsigned width = 1;
  bool mayMeet = false;
  if (isa<RankedTensorType>(op.getType()) && !e.large().concerns(op)) {
    llvm::Type *type = e.convertType(op.getType());
    width = std::min(e.target.getMaxAtomicElements(operation, type),
                     getAccessElements(e.state.axisInfo, op.getPtr(), op.getMask()));
    mayMeet = op.use_empty() && operation != AtomicOperation::Exchange && areFewElements(e, op) &&
              (type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy()) &&
              !hasNeighbours(e.state.axisInfo, op.getPtr()) && areLookedUp(op.getPtr());
  }
  auto access = [&](Operands operands, llvm::Value *predicate, AtomicOrder order) {
    llvm::Value *value = operands[1];
    if (mayMeet)
      meetAtOneAddress(e, operation, operands[0], value, predicate);
    return e.target.atomicReadModifyWrite(e.b, operation, operands[0], value, predicate, order, scope,
                                          /*isResultWanted=*/!op.use_empty());
  };
  return emitAtomic(e, op, op.getMask(), {access, getOrder(op.getSem()), scope, width});
}

static LogicalResult emitAtomicCAS(Emitter &e, tt::AtomicCASOp op) {
  AtomicScope scope = getScope(op.getScope());
  auto access = [&](Operands operands, llvm::Value *predicate, AtomicOrder order) {
    return e.target.atomicCompareExchange(e.b, operands[0], operands[1], operands[2], predicate, order,
                                          scope);
  };
  return emitAtomic(e, op, nullptr, {access, getOrder(op.getSem()), scope, /*width=*/1});
}

void addAtomicEmitters(EmitterTable &table) {
  table.add<tt::AtomicRMWOp, emitAtomicRMW>();
  table.add<tt::AtomicCASOp, emitAtomicCAS>();
}

} // namespace nereid::gpu
