// Where LLVM unrolls a loop whose rounds are counted at run time, what is left over of eight rounds is a loop
// of its own, which LLVM leaves as it is and tells ptxas to leave as well. A kernel that adds up four tiles
// does no more than that, and waits for each load before the next:
//
//     sum of 7 parts    1 at a time    7 waits
//                       by ptxas       4 loads, 2, 1: 3 waits
//
// So ptxas may unroll what is left over, too, if it loads. What LLVM has unrolled already it may unroll once
// more, but for numbers that all threads load.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_UNROLLREMAINDERS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_UNROLLREMAINDERS_H

#include "llvm/IR/PassManager.h"

namespace nereid {

/// In front of LLVM's unrolling: marks the loops that nobody is to unroll.
struct MarkRolledLoops : llvm::PassInfoMixin<MarkRolledLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Behind it: what it has left over is left to ptxas.
struct UnrollRemainders : llvm::PassInfoMixin<UnrollRemainders> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_UNROLLREMAINDERS_H
