// ptxas (13.0) loses a left factor in registers that is the same in all rounds of a loop: it gives the four
// registers of an instruction to what a later product of the round multiplies, and does not write them again.
//
//     loop:  HGMMA R24, R56, …                 the queries, from before the loop
//            LDS.128 R56, …                    what the weights are read into
//            HGMMA R40, R56, …
//
// It keeps what changes from round to round. So one register of each four is or'ed with a zero that ptxas
// cannot know to be one: the size of the block's dynamic memory, shifted to its highest bit.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_KEEPFACTORS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_KEEPFACTORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Has left factors of wgmma change in each round of loops that do not change them. For what the optimizer
/// has left, which could see through it.
void keepFactors(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_KEEPFACTORS_H
