// Which loops, and why, is in the header. LLVM is told by metadata (llvm.loop.unroll.runtime.disable), which
// its code generator does not hand on: llvm.loop.unroll.disable would keep ptxas from unrolling, too.
#include "compiler/targets/nvidia/LeaveUnrolling.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
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
  return bits && bits <= (gathers ? fewGatheredBits : fewBits) && length > shortRound;
}

PreservedAnalyses LeaveUnrolling::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (shouldLeave(*loop))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  return PreservedAnalyses::all();
}

} // namespace nereid
