// A thread has seven predicates, and a loop that raises to powers, takes logarithms or divides needs one for
// each element that it has under way. ptxas keeps a mask that is used again behind the loop, as that of a
// load is for the store, in a predicate all the while. Six of them leave it one, with which it computes one
// element after the other: a round of 32 powers and 16 logarithms took 3400 cycles of a warp in place of
// 1230. A register has room for all of them:
//
//     %m0 = …, %m1 = …, %m2 = …                     %n = bits of %m0, %m1, %m2
//     loop { … }                            →       loop { … }
//     store (%m0), store (%m1), …                   store (%n & 1), store (%n & 2), …
//
// The bits are collected by assembly, so that LLVM knows nothing of them.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_MASKSPASTLOOPS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_MASKSPASTLOOPS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Does that for loops without products that few predicates are left for. For what the optimizer has left,
/// which would take the masks themselves again.
void keepMasksPastLoops(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_MASKSPASTLOOPS_H
