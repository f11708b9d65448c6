// Which loops, and why, is in the header. LLVM is told by metadata (llvm.loop.unroll.runtime.disable), which
// its code generator does not hand on: llvm.loop.unroll.disable keeps ptxas from unrolling, too. Where rounds
// are counted at compile time, there is that one alone, and UnrollRemainders takes it off again.
#include "compiler/targets/nvidia/LeaveUnrolling.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace nereid {

/// About how many instructions of ptxas's it is. Powers and logarithms of subnormal numbers are scaled.
static unsigned countSteps(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  bool isScaled = call && (call->getIntrinsicID() == Intrinsic::nvvm_ex2_approx ||
                           call->getIntrinsicID() == Intrinsic::nvvm_lg2_approx_f);
  return isScaled ? 4 : 1;
}

static bool shouldLeave(const Loop &loop) {
  // What LLVM unrolls four times, or ptxas in spite of LLVM's two.
  constexpr unsigned shortRound = 26;
  constexpr unsigned fewBits = 64, fewGatheredBits = 256; // a thread's
  if (!loop.isInnermost() || loop.getNumBlocks() != 1)
    return false;
  unsigned bits = 0, length = 0;
  bool gathers = false, writes = false;
  SmallPtrSet<const Instruction *, 32> loaded; // and what is computed of it
  const DataLayout &layout = loop.getHeader()->getDataLayout();
  for (const Instruction &instruction : *loop.getHeader()) {
    if (isa<PHINode>(instruction))
      continue;
    length += countSteps(instruction);
    bool isOfLoaded = any_of(instruction.operands(), [&](const Use &operand) {
      auto *source = dyn_cast<Instruction>(operand);
      return source && loaded.contains(source);
    });
    if (isOfLoaded)
      loaded.insert(&instruction);
    if (loadsGlobalMemory(instruction)) {
      bits += layout.getTypeSizeInBits(instruction.getType());
      gathers |= isOfLoaded;
      loaded.insert(&instruction);
    } else if (instruction.mayWriteToMemory())
      writes = true;
  }
  if (writes && !gathers)
    return false;
  return bits && bits <= (gathers ? fewGatheredBits : fewBits) && (length > shortRound || gathers);
}

/// Gives a loop of so many rounds a counter of 64 bits. LLVM's code generator counts by the loop's addresses,
/// which are as wide, and compares the lower half with a narrower counter's end: that ptxas does not see
/// through.
static void countWide(Loop &loop, unsigned rounds) {
  BasicBlock *block = loop.getHeader(), *before = loop.getLoopPreheader();
  auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  if (!before || !branch || !branch->isConditional())
    return;
  IRBuilder<> builder(block, block->begin());
  PHINode *counter = builder.CreatePHI(builder.getInt64Ty(), 2, "round");
  builder.SetInsertPoint(branch);
  Value *next = builder.CreateAdd(counter, builder.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  counter->addIncoming(builder.getInt64(0), before);
  counter->addIncoming(next, block);
  auto staysIn = branch->getSuccessor(0) == block ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  branch->setCondition(builder.CreateICmp(staysIn, next, builder.getInt64(rounds)));
}

PreservedAnalyses LeaveUnrolling::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    unsigned rounds = evolution.getSmallConstantTripCount(loop); // 0: counted at run time
    if (!shouldLeave(*loop))
      continue;
    if (rounds == 0) {
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
      continue;
    }
    addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    addStringMetadataToLoop(loop, isLeftToPtxas);
    countWide(*loop, rounds);
    evolution.forgetLoop(loop);
  }
  return PreservedAnalyses::all();
}

} // namespace nereid
