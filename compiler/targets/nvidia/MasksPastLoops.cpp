// Innermost loops are looked at in the order of the code, so that a mask has no predicate in a second loop
// either. See MasksPastLoops.h.
#include "compiler/targets/nvidia/MasksPastLoops.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid {

/// Whether ptxas needs a predicate for it for a while. Powers, logarithms, roots and quotients have cases, of
/// which one is told before the function and needed behind it. What a comparison says is needed at once.
static bool takesPredicate(const Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::FDiv)
    return true;
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::exp2:
  case Intrinsic::log2:
  case Intrinsic::sqrt:
  case Intrinsic::nvvm_ex2_approx:
  case Intrinsic::nvvm_lg2_approx_f:
  case Intrinsic::nvvm_div_full:
    return true;
  default:
    return false;
  }
}

/// Where a use needs its value.
static Instruction *getPlace(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

static void keepMasksPastLoop(const Loop &loop, Function &function, const LoopInfo &loops,
                              const DominatorTree &dominators) {
  // Fewer than these are computed by the predicates that are left.
  constexpr unsigned fewestUses = 16;
  // With so many, the loop has one or none for itself.
  constexpr size_t fewestMasks = 6;
  BasicBlock *header = loop.getHeader();
  unsigned uses = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (getAssemblyText(instruction).contains("mma")) // then its sums are what registers are short of
        return;
      uses += takesPredicate(instruction);
    }
  if (uses < fewestUses)
    return;

  size_t count = 0; // of masks that live through the loop
  MapVector<Instruction *, SmallVector<Use *>> masks;
  BasicBlock *before = header; // from where all uses are reached
  for (BasicBlock &block : function) {
    if (!dominators.properlyDominates(&block, header))
      continue;
    for (Instruction &mask : block) {
      if (!mask.getType()->isIntegerTy(1))
        continue;
      bool isUsedInside = false;
      SmallVector<Use *> behind;
      for (Use &use : mask.uses()) {
        BasicBlock *place = getPlace(use)->getParent();
        if (loop.contains(place))
          isUsedInside = true;
        else if (!dominators.dominates(place, header) &&
                 isPotentiallyReachable(header, place, /*ExclusionSet=*/nullptr, &dominators, &loops))
          behind.push_back(&use);
      }
      count += isUsedInside || !behind.empty();
      if (isUsedInside || behind.empty())
        continue;
      for (Use *use : behind)
        before = dominators.findNearestCommonDominator(before, getPlace(*use)->getParent());
      masks.insert({&mask, std::move(behind)});
    }
  }
  masks.remove_if([&](const auto &entry) { return !dominators.dominates(entry.first->getParent(), before); });
  constexpr size_t mostMasks = 32; // bits of a register
  if (count < fewestMasks || masks.empty() || masks.size() > mostMasks)
    return;

  IRBuilder<> builder(before->getTerminator());
  auto *type = FunctionType::get(builder.getInt32Ty(), {builder.getInt1Ty(), builder.getInt32Ty()},
                                 /*isVarArg=*/false);
  auto *select = InlineAsm::get(type, "selp.b32 $0, $2, 0, $1;", "=r,b,n", /*hasSideEffects=*/false);
  Value *bits = nullptr;
  for (auto [i, entry] : enumerate(masks)) {
    Value *bit = builder.CreateCall(select, {entry.first, builder.getInt32(1u << i)});
    bits = bits ? builder.CreateOr(bits, bit) : bit;
  }
  for (auto [i, entry] : enumerate(masks)) {
    DenseMap<BasicBlock *, Value *> known;
    for (Use *use : entry.second) {
      BasicBlock *block = getPlace(*use)->getParent();
      Value *&mask = known[block];
      if (!mask) {
        // Before the first of the block that uses it.
        Instruction *first = block->getTerminator();
        for (Use *other : entry.second)
          if (Instruction *place = getPlace(*other); place->getParent() == block && place->comesBefore(first))
            first = place;
        builder.SetInsertPoint(first);
        mask = builder.CreateICmpNE(builder.CreateAnd(bits, 1u << i), builder.getInt32(0));
      }
      use->set(mask);
    }
  }
}

void keepMasksPastLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallVector<Loop *> inOrder(loops.getLoopsInPreorder());
    for (Loop *loop : inOrder)
      if (loop->isInnermost())
        keepMasksPastLoop(*loop, function, loops, dominators);
  }
}

} // namespace nereid
