// A thread has several rows of a tile, a constant apart, and rows are often counted round:
//
//     weights = tl.load(w + (rows % 16)[:, None] * D + columns)
//
// With rows 16 apart, a thread's are all the same one of the 16. LLVM sees that where nothing else needs the
// row's number, and not where something does, as it then leaves the number as it is:
//
//     %next = or disjoint i32 %row, 16               %far = zext i32 %row to i64
//     %far = zext i32 %next to i64              →    %byte = shl i64 %far, 7
//     %byte = shl i64 %far, 7                        %turn = and i64 %byte, 1920
//     %turn = and i64 %byte, 1920
//
// So what a mask throws away is left out of a copy of what leads to it. Then addresses of such rows are one,
// and what is loaded from there is loaded once.
#ifndef NEREID_COMPILER_TARGETS_DROPMASKEDBITS_H
#define NEREID_COMPILER_TARGETS_DROPMASKEDBITS_H

#include "llvm/IR/PassManager.h"

namespace nereid {

struct DropMaskedBits : llvm::PassInfoMixin<DropMaskedBits> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_DROPMASKEDBITS_H
