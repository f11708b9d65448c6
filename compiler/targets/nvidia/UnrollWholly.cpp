// Which loops, and why, is in the header.
#include "compiler/targets/nvidia/UnrollWholly.h"

#include "compiler/targets/nvidia/InlineAssembly.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace nereid {

static bool shouldUnroll(const Loop &loop, ScalarEvolution &evolution) {
  constexpr unsigned few = 64; // bits that a thread loads a round
  constexpr unsigned mostSteps = 768;
  if (!loop.isInnermost() || loop.getNumBlocks() != 1)
    return false;
  unsigned bits = 0, length = 0;
  bool stores = false;
  const DataLayout &layout = loop.getHeader()->getDataLayout();
  for (const Instruction &instruction : *loop.getHeader()) {
    if (isa<PHINode>(instruction))
      continue;
    ++length;
    if (loadsGlobalMemory(instruction))
      bits += layout.getTypeSizeInBits(instruction.getType());
    else if (storesGlobalMemory(instruction))
      stores = true;
    else if (instruction.mayWriteToMemory()) // such as barriers, behind which no load moves
      return false;
  }
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  return stores && bits && bits <= few && rounds && rounds * length <= mostSteps;
}

PreservedAnalyses UnrollWholly::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (shouldUnroll(*loop, evolution))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  return PreservedAnalyses::all();
}

} // namespace nereid
