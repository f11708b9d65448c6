// Why, and which, is in the header. LLVM's code generator writes llvm.loop.unroll.disable, which is on what
// is left over, as `.pragma "nounroll"`.
#include "compiler/targets/nvidia/UnrollRemainders.h"

#include "compiler/targets/nvidia/InlineAssembly.h"
#include "compiler/targets/nvidia/LeaveUnrolling.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace nereid {

static constexpr char disabled[] = "llvm.loop.unroll.disable", staysRolled[] = "nereid.loop.stays.rolled";

PreservedAnalyses MarkRolledLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (findStringMetadataForLoop(loop, disabled))
      addStringMetadataToLoop(loop, staysRolled);
  return PreservedAnalyses::all();
}

static bool onlyLoads(const Loop &loop) {
  return loop.getNumBlocks() == 1 && any_of(*loop.getHeader(), loadsGlobalMemory) &&
         none_of(*loop.getHeader(), [](const Instruction &instruction) {
           return instruction.mayWriteToMemory() && !loadsGlobalMemory(instruction);
         });
}

/// Whether a value follows from the thread's number, as far as values go: branches are not looked at. (LLVM's
/// uniformity analysis found none of such a loop's addresses to be the same for all threads.)
static bool dependsOnThread(Value *value) {
  SmallSetVector<Instruction *, 32> pending;
  auto add = [&](Value *of) {
    if (auto *instruction = dyn_cast<Instruction>(of))
      pending.insert(instruction);
  };
  add(value);
  for (size_t i = 0; i != pending.size(); ++i) { // which grows
    if (auto *call = dyn_cast<CallBase>(pending[i]); call && !loadsGlobalMemory(*call)) {
      Intrinsic::ID id = call->getIntrinsicID();
      if (id == Intrinsic::not_intrinsic || id == Intrinsic::nvvm_read_ptx_sreg_tid_x ||
          id == Intrinsic::nvvm_read_ptx_sreg_laneid)
        return true;
    }
    for (Use &operand : pending[i]->operands())
      add(operand.get());
  }
  return false;
}

/// Numbers that all threads load need few bytes, and eight of them at a time hide what one takes. ptxas would
/// make 32 of them, and use as many registers: onebitllms's finalize_and_quant_kernel took 48, and 69 us on
/// an H200; with 26 it takes 52.
static bool loadsManyNumbers(const Loop &loop) {
  constexpr unsigned many = 8;
  unsigned numbers = 0;
  for (Instruction &instruction : *loop.getHeader())
    if (loadsGlobalMemory(instruction)) {
      if (any_of(instruction.operands(), [](const Use &use) { return dependsOnThread(use.get()); }))
        return false;
      ++numbers;
    }
  return numbers >= many;
}

PreservedAnalyses UnrollRemainders::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    bool isDisabled = findStringMetadataForLoop(loop, disabled).has_value(), mayUnroll = onlyLoads(*loop);
    if (mayUnroll && loadsManyNumbers(*loop)) {
      if (!isDisabled)
        addStringMetadataToLoop(loop, disabled, 1);
      continue;
    }
    if (isDisabled && !findStringMetadataForLoop(loop, staysRolled) &&
        (mayUnroll || findStringMetadataForLoop(loop, isLeftToPtxas)))
      loop->setLoopID(
          makePostTransformationMetadata(function.getContext(), loop->getLoopID(), {disabled}, {}));
  }
  return PreservedAnalyses::all();
}

} // namespace nereid
