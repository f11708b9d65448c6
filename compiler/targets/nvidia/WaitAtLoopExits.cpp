// The added waits have no results. Those of the block's own wait stay what everything behind it uses.
//
// A wait is for all lanes of a warp at once, and so are the products themselves: lanes that part before one
// and meet behind it hang. Whether they part at a branch is not asked of its condition, which may have come
// through memory or assembly that nothing is known of; it is read off the products. What decides whether one
// of them is computed decides it for whole warps:
//
//     for …: product            the branch that passes the loop by, and the one back to its top: a wait may
//     follow wait                      either
//
//     if |x| >= 1.003: y = …    within erf(x), which tells lanes apart; its ways meet at the wait, and get
//     none wait
#include "compiler/targets/nvidia/WaitAtLoopExits.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
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

namespace {

/// Where the lanes of a warp are known to be together.
class JoinedWarps {
public:
  explicit JoinedWarps(Function &function) : postDominators(function) {
    SmallPtrSet<BasicBlock *, 16> products;
    for (BasicBlock &block : function)
      if (any_of(block, [](const Instruction &each) { return getAssemblyText(each).contains("wgmma."); }))
        products.insert(&block);
    for (BasicBlock *block : findDeciding(products))
      undivided.insert(block);
  }

  /// Whether all lanes of a warp come to the end of `before`, and go on to the same block.
  bool stayTogether(BasicBlock *before) {
    if (before->getTerminator()->getNumSuccessors() > 1 && !undivided.contains(before))
      return false;
    return all_of(findDeciding({before}), [&](BasicBlock *block) { return undivided.contains(block); });
  }

private:
  /// The blocks whose branches decide whether one of `blocks` is reached.
  SmallVector<BasicBlock *> findDeciding(const SmallPtrSet<BasicBlock *, 16> &blocks) {
    ReverseIDFCalculator frontier(postDominators);
    frontier.setDefiningBlocks(blocks);
    SmallVector<BasicBlock *> deciding;
    frontier.calculate(deciding);
    return deciding;
  }

  PostDominatorTree postDominators;
  SmallPtrSet<BasicBlock *, 16> undivided;
};

} // namespace

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
    JoinedWarps joined(function);
    // Edges, and the waits that they get. All are found before the first is split.
    SmallVector<std::tuple<BasicBlock *, BasicBlock *, StringRef>> edges;
    for (BasicBlock &to : function) {
      // A round of a loop that begins with a wait has nothing to gain from one more.
      StringRef wait = loops.isLoopHeader(&to) ? StringRef() : findFirstWait(to);
      if (wait.empty())
        continue;
      SmallSetVector<BasicBlock *, 4> from(pred_begin(&to), pred_end(&to));
      bool leavesLoop = any_of(from, [&](BasicBlock *before) {
        Loop *loop = loops.getLoopFor(before);
        return loop && !loop->contains(&to);
      });
      if ((from.size() > 1 || leavesLoop) &&
          all_of(from, [&](BasicBlock *before) { return joined.stayTogether(before); }))
        for (BasicBlock *before : from)
          edges.push_back({before, &to, wait});
    }
    for (auto [before, to, wait] : edges)
      addWait(SplitEdge(before, to, &dominators, &loops)->getTerminator(), wait);
  }
}

} // namespace nereid
