// A product of a warp group that goes on from round to round of a loop is waited for behind the loop, where
// LLVM may have put other things first: computations from before the loop that are only used there, and sums
// from a way that passes the loop by. ptxas then does not find the product's end, and where another product
// follows it gives up and makes all products of the kernel wait for each other (its warnings C7514 and
// C7515). A wait on the way out of the loop itself helps, and costs next to nothing; so does one on each
// other way to the same block, before the zeros that sums are there. A loop of one round leaves no loop, but
// may leave two ways that meet before the wait.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_WAITATLOOPEXITS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_WAITATLOOPEXITS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Where a block behind a loop, or one in which ways meet, begins with a wait for products, puts another like
/// it on each edge to that block, unless lanes of one warp may come by different edges. For what the
/// optimizer has left, which would make one of all.
void waitAtLoopExits(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_WAITATLOOPEXITS_H
