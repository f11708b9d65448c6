// Why, and which, is in the header. LLVM's code generator writes llvm.loop.unroll.disable, which is on what
// is left over, as `.pragma "nounroll"`.
#include "compiler/targets/nvidia/UnrollRemainders.h"

#include "compiler/targets/nvidia/InlineAssembly.h"
#include "compiler/targets/nvidia/LeaveUnrolling.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral disabled = "llvm.loop.unroll.disable",
                               staysRolled = "nereid.loop.stays.rolled";

PreservedAnalyses MarkRolledLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (findStringMetadataForLoop(loop, disabled))
      addStringMetadataToLoop(loop, staysRolled.data());
  return PreservedAnalyses::all();
}

static bool onlyLoads(const Loop &loop) {
  return loop.getNumBlocks() == 1 && any_of(*loop.getHeader(), loadsGlobalMemory) &&
         none_of(*loop.getHeader(), [](const Instruction &instruction) {
           return instruction.mayWriteToMemory() && !loadsGlobalMemory(instruction);
         });
}

PreservedAnalyses UnrollRemainders::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (findStringMetadataForLoop(loop, disabled) && !findStringMetadataForLoop(loop, staysRolled) &&
        (onlyLoads(*loop) || findStringMetadataForLoop(loop, isLeftToPtxas)))
      loop->setLoopID(
          makePostTransformationMetadata(function.getContext(), loop->getLoopID(), {disabled}, {}));
  return PreservedAnalyses::all();
}

} // namespace nereid
