// The added waits have no results. Those of the block's own wait stay what everything behind it uses.
#include "compiler/targets/nvidia/WaitAtLoopExits.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace nereid {

/// The assembly of the wait that is the first thing in the block to have effects, or nothing.
static StringRef findFirstWait(const BasicBlock &block) {
  for (const Instruction &instruction : block) {
    if (!instruction.mayHaveSideEffects())
      continue;
    auto *call = dyn_cast<CallInst>(&instruction);
    auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    bool isWait = assembly && assembly->getAsmString().starts_with("wgmma.wait_group");
    return isWait ? assembly->getAsmString() : StringRef();
  }
  return {};
}

static void addWait(Instruction *before, StringRef wait) {
  IRBuilder<> b(before);
  auto *type = FunctionType::get(b.getVoidTy(), /*isVarArg=*/false);
  b.CreateCall(InlineAsm::get(type, wait, "~{memory}", /*hasSideEffects=*/true))->setConvergent();
}

void waitAtLoopExits(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      SmallVector<Loop::Edge> exits;
      loop->getExitEdges(exits);
      for (auto [from, to] : exits) {
        StringRef wait = findFirstWait(*to);
        if (wait.empty())
          continue;
        SmallVector<BasicBlock *> others;
        for (BasicBlock *predecessor : predecessors(to))
          if (!loop->contains(predecessor))
            others.push_back(predecessor);
        addWait(SplitEdge(from, to, &dominators, &loops)->getTerminator(), wait);
        for (BasicBlock *other : others)
          addWait(SplitEdge(other, to, &dominators, &loops)->getTerminator(), wait);
      }
    }
  }
}

} // namespace nereid
