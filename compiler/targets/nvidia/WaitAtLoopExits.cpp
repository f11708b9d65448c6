// The added waits have no results. Those of the block's own wait stay what everything behind it uses.
#include "compiler/targets/nvidia/WaitAtLoopExits.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

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
    StringRef text = getAssemblyText(instruction);
    return text.starts_with("wgmma.wait_group") ? text : StringRef();
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
    SmallVector<std::pair<BasicBlock *, StringRef>> waiting;
    for (BasicBlock &block : function) {
      // A round of a loop that begins with a wait has nothing to gain from one more.
      StringRef wait = loops.isLoopHeader(&block) ? StringRef() : findFirstWait(block);
      if (!wait.empty())
        waiting.push_back({&block, wait});
    }
    for (auto [to, wait] : waiting) {
      SmallSetVector<BasicBlock *, 4> from(pred_begin(to), pred_end(to));
      bool leavesLoop = any_of(from, [&, block = to](BasicBlock *before) {
        Loop *loop = loops.getLoopFor(before);
        return loop && !loop->contains(block);
      });
      if (from.size() > 1 || leavesLoop)
        for (BasicBlock *before : from)
          addWait(SplitEdge(before, to, &dominators, &loops)->getTerminator(), wait);
    }
  }
}

} // namespace nereid
