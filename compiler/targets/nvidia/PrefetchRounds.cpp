// A prefetch changes nothing, so it may stand in front of all loads of its stretch of code; what it needs of
// the next round is computed there once more from what this round begins with.
//
// On an H100, us without and with, of grids of no more programs than a multiprocessor runs at a time:
//
//     fused_additive_gate_bwd              203.0   138.6     8 loads a round
//     fused_recurrent_hgrn_fwd             947.6   580.4     stores in each round
//     _layer_norm_bwd (mamba-ssm)           76.0    56.4     sums of each round's row
//     softmax_backward of columns          533.9   335.0     4 vectors a round
//     mean of columns                       39.0    90.5     8 loads of 2 bytes, which ptxas lets run ahead
//
// It is the second cache that is asked: in the first one, which is small and not kept in step with others'
// writes, nothing was won beyond that. Nor was anything by asking two or four rounds ahead, or by having one
// lane ask for all that load from the same 32 bytes.
#include "compiler/targets/nvidia/PrefetchRounds.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral instructionName = "prefetch.global.L2";

namespace {

struct GlobalLoad {
  Instruction *instruction;
  Value *pointer;
  Value *mask; // or null
};

/// Values at a place in a loop: as they are in this round, and as they will be in the next. What has to be
/// computed for that is put there.
class Rounds {
public:
  Rounds(Loop &loop, Instruction *place, const DominatorTree &dominators)
      : loop(loop), place(place), dominators(dominators) {}

  /// Null where it cannot be told before this round has loaded anything.
  Value *getInThis(Value *value);
  Value *getInNext(Value *value);

private:
  Value *compute(Instruction *instruction, function_ref<Value *(Value *)> getOperand);
  bool waitsForMemory(Value *value);

  Loop &loop;
  Instruction *place;
  const DominatorTree &dominators;
  DenseMap<Value *, Value *> inThis, inNext;
  DenseMap<Value *, bool> waiting;
  /// Addresses take a few.
  unsigned budget = 100;
};

/// Tells loads of the same cache lines, as far as constants tell.
class Lines {
public:
  explicit Lines(const DataLayout &layout) : layout(layout) {}
  bool insert(Value *pointer) {
    constexpr unsigned bytes = 64;
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    return known.insert({base, divideFloorSigned(offset.getSExtValue(), int64_t(bytes))}).second;
  }

private:
  const DataLayout &layout;
  DenseSet<std::pair<Value *, int64_t>> known;
};

} // namespace

bool Rounds::waitsForMemory(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction))
    return false;
  if (auto known = waiting.find(value); known != waiting.end())
    return known->second;
  bool waits =
      isa<PHINode>(instruction)
          ? instruction->getParent() != loop.getHeader()
          : instruction->mayReadOrWriteMemory() ||
                any_of(instruction->operands(), [&](Value *operand) { return waitsForMemory(operand); });
  return waiting[value] = waits;
}

Value *Rounds::getInThis(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || dominators.dominates(instruction, place))
    return waitsForMemory(value) ? nullptr : value;
  if (auto known = inThis.find(value); known != inThis.end())
    return known->second;
  Value *computed = compute(instruction, [&](Value *operand) { return getInThis(operand); });
  return inThis[value] = computed;
}

Value *Rounds::getInNext(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction))
    return value;
  if (auto known = inNext.find(value); known != inNext.end())
    return known->second;
  auto *phi = dyn_cast<PHINode>(instruction);
  Value *computed = phi && phi->getParent() == loop.getHeader()
                        ? getInThis(phi->getIncomingValueForBlock(loop.getLoopLatch()))
                        : compute(instruction, [&](Value *operand) { return getInNext(operand); });
  return inNext[value] = computed;
}

Value *Rounds::compute(Instruction *instruction, function_ref<Value *(Value *)> getOperand) {
  if (isa<PHINode>(instruction) || instruction->mayReadOrWriteMemory() ||
      !isSafeToSpeculativelyExecute(instruction) || budget == 0)
    return nullptr;
  --budget;
  SmallVector<Value *> operands;
  for (Value *operand : instruction->operands()) {
    operands.push_back(getOperand(operand));
    if (!operands.back())
      return nullptr;
  }
  Instruction *copy = instruction->clone();
  // There may be no next round.
  copy->dropPoisonGeneratingFlags();
  for (auto [i, operand] : enumerate(operands))
    copy->setOperand(i, operand);
  copy->insertBefore(place->getIterator());
  return copy;
}

/// A load that does not look at what others are writing meanwhile.
static std::optional<GlobalLoad> asGlobalLoad(Instruction &instruction) {
  constexpr unsigned globalSpace = 1;
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (load->getPointerAddressSpace() == globalSpace && load->isSimple())
      return GlobalLoad{load, load->getPointerOperand(), /*mask=*/nullptr};
    return std::nullopt;
  }
  const InlineAsm *assembly = getInlineAssembly(instruction);
  if (!assembly || assembly->hasSideEffects() || !assembly->getAsmString().contains("ld.global"))
    return std::nullopt;
  auto &call = cast<CallInst>(instruction);
  GlobalLoad load{&call, call.getArgOperand(0), /*mask=*/nullptr};
  for (Value *operand : call.args())
    if (operand->getType()->isIntegerTy(1))
      load.mask = operand;
  return load;
}

/// What a thread loads at once.
static unsigned countBytes(const Instruction &load) {
  const DataLayout &layout = load.getModule()->getDataLayout();
  return layout.getTypeStoreSize(load.getType()).getFixedValue();
}

/// Whether no load behind it may start before it: a store, a barrier, a shuffle.
static bool holdsLoadsBack(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return instruction.mayWriteToMemory() || (call && call->isConvergent());
}

static void prefetch(IRBuilder<> &b, Value *pointer, Value *mask) {
  auto *type = FunctionType::get(b.getVoidTy(), {pointer->getType(), mask->getType()}, /*isVarArg=*/false);
  auto *assembly =
      InlineAsm::get(type, ("@$1 " + instructionName + " [$0];").str(), "l,b", /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(assembly, {pointer, mask});
  call->setDoesNotThrow();
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
}

/// In front of the first load of the block that no store, barrier or exchange keeps apart from this one.
/// ptxas puts nothing that asks the cache past a load behind it, but everything else that waits for no
/// result.
static Instruction *getPlace(Instruction *load) {
  Instruction *first = load;
  for (Instruction *at = load; at; at = at->getPrevNode()) {
    if (holdsLoadsBack(*at))
      break;
    if (asGlobalLoad(*at))
      first = at;
  }
  return first;
}

static void prefetchNextRound(Loop &loop, const DominatorTree &dominators) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch || !loop.isInnermost() || loop.getExitingBlock() != latch)
    return;
  auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
  if (!branch || !branch->isConditional())
    return;
  SmallVector<GlobalLoad> loads;
  Lines lines(latch->getModule()->getDataLayout());
  for (BasicBlock *block : loop.blocks())
    if (dominators.dominates(block, latch)) // it is part of every round
      for (Instruction &instruction : *block)
        if (auto load = asGlobalLoad(instruction);
            load && !loop.isLoopInvariant(load->pointer) && lines.insert(load->pointer))
          loads.push_back(*load);
  // With more under way memory is busy anyway.
  constexpr unsigned many = 16;
  if (loads.size() > many)
    return;
  bool mayRunAhead =
      none_of(loop.blocks(), [](const BasicBlock *block) { return any_of(*block, holdsLoadsBack); });
  for (const GlobalLoad &load : loads) {
    // Where nothing keeps ptxas from starting loads ahead, what they fetch is asked for only by much at a
    // time: narrow ones are many, and mostly find what others have fetched.
    constexpr unsigned much = 8;
    if (mayRunAhead && countBytes(*load.instruction) < much)
      continue;
    Instruction *place = getPlace(load.instruction);
    Rounds rounds(loop, place, dominators);
    Value *goesOn = rounds.getInThis(branch->getCondition()), *pointer = rounds.getInNext(load.pointer);
    Value *mask = load.mask ? rounds.getInNext(load.mask) : nullptr;
    if (!goesOn || !pointer || (load.mask && !mask))
      continue;
    IRBuilder<> b(place);
    if (branch->getSuccessor(0) != loop.getHeader())
      goesOn = b.CreateNot(goesOn);
    prefetch(b, pointer, mask ? b.CreateAnd(goesOn, mask) : goesOn);
  }
}

void prefetchRounds(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      prefetchNextRound(*loop, dominators);
  }
}

bool hasPrefetches(StringRef ptx) { return ptx.contains(instructionName); }

} // namespace nereid
