// On an H100, us without and with (one program for each multiprocessor or fewer, but for the last two):
//
//     fused_additive_gate_bwd              202.8    82.2     8 loads a round
//     fused_recurrent_hgrn_fwd             940.1   570.8
//     _layer_norm_bwd (mamba-ssm)           76.3    56.4
//     fused_recurrent_oja_fwd             1480.1  1235.5
//     chunk_hgrn_fwd_h                     108.3    86.4     2048 programs
//     _state_passing_fwd                    30.3    30.6     2048 programs, as fast as memory
//
// It is the second cache that is asked: in the first one, which is small and not kept in step with others'
// writes, nothing was won beyond that.
#include "compiler/targets/nvidia/PrefetchRounds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral instructionName = "prefetch.global.L2";

static const InlineAsm *getAssembly(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  return call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
}

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
  const InlineAsm *assembly = getAssembly(instruction);
  if (!assembly || assembly->hasSideEffects() || !assembly->getAsmString().contains("ld.global"))
    return std::nullopt;
  auto &call = cast<CallInst>(instruction);
  GlobalLoad load{&call, call.getArgOperand(0), /*mask=*/nullptr};
  for (Value *operand : call.args())
    if (operand->getType()->isIntegerTy(1))
      load.mask = operand;
  return load;
}

static void prefetch(IRBuilder<> &b, Value *pointer, Value *mask) {
  auto *type = FunctionType::get(b.getVoidTy(), {pointer->getType(), mask->getType()}, /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type, "@$1 prefetch.global.L2 [$0];", "l,b", /*hasSideEffects=*/true);
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
    auto *call = dyn_cast<CallBase>(at);
    if (at->mayWriteToMemory() || (call && call->isConvergent()))
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
  for (const GlobalLoad &load : loads) {
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

static bool usesMatrixUnit(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      return intrinsic->getCalledFunction()->getName().contains("mma");
    const InlineAsm *assembly = getAssembly(instruction);
    return assembly && assembly->getAsmString().contains("mma");
  });
}

void prefetchRounds(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration() || usesMatrixUnit(function))
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      prefetchNextRound(*loop, dominators);
  }
}

std::string withoutPrefetches(StringRef ptx) {
  std::string text;
  for (StringRef line : split(ptx, '\n'))
    if (!line.contains(instructionName))
      text += (line + "\n").str();
  text.pop_back(); // behind what followed the last line's end
  return text;
}

} // namespace nereid
