// LLVM unrolls a loop whose rounds are counted at run time as often as its code stays short: a round of some
// 20 instructions or more twice, with what is left over of a round behind it. Of that ptxas, which would
// unroll the round four times and start all loads together, leaves long ones as they are. So where a round of
// more than 26 instructions loads no more than 8 bytes a thread, it is left to ptxas; or 32 bytes, if the
// addresses of some are loaded, too, as then a round waits twice. Of loops that write memory ptxas unrolls
// those with such addresses; of others, LLVM's two rounds are better than one.
//
//     a round of two loads and two powers    unrolled twice    200 cycles of a warp
//                                            by ptxas          115
//
// Rounds that are counted at compile time ptxas unrolls up to 16 times, and others four times, of whatever it
// finds. So of rounds however short, those with loaded addresses are left to it: of LLVM's two flash-maxsim's
// _maxsim_bwd_dQ_kernel, 1024 rounds, took 333 us, and by itself 66; and of a point's neighbours in a grid,
// a few, 16 are rarely there at once.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_LEAVEUNROLLING_H
#define NEREID_COMPILER_TARGETS_NVIDIA_LEAVEUNROLLING_H

#include "llvm/IR/PassManager.h"

namespace nereid {

/// On loops that LLVM is kept from unrolling, and ptxas is not to be.
inline constexpr char isLeftToPtxas[] = "nereid.loop.left";

/// Marks such loops, in front of LLVM's unrolling, and behind what reads its marks (MarkRolledLoops).
struct LeaveUnrolling : llvm::PassInfoMixin<LeaveUnrolling> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_LEAVEUNROLLING_H
