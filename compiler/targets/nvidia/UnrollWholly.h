// A loop of a number of rounds that is known, and small, that loads and stores a number or two each round
// waits for its loads in turn, unless several rounds' loads are started together. LLVM unrolls it eight times
// at most, so that each eight rounds wait for the eight before; with all rounds in a row, ptxas starts as
// many loads as there are registers for. Loops that store nothing ptxas unrolls by itself, as many times as
// pays.
//
//     running sums of a column of 64    8 rounds at a time    18.2 us
//                                       all                    4.9      (one H100; Triton's code 5.6)
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_UNROLLWHOLLY_H
#define NEREID_COMPILER_TARGETS_NVIDIA_UNROLLWHOLLY_H

#include "llvm/IR/PassManager.h"

namespace nereid {

/// Marks such loops, in front of LLVM's unrolling.
struct UnrollWholly : llvm::PassInfoMixin<UnrollWholly> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_UNROLLWHOLLY_H
