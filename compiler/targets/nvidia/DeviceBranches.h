// libdevice's functions have branches: a logarithm looks whether its argument is infinite, and computes
// another result if so. LLVM computes both and selects, as either is short. Of a kernel that takes 32
// logarithms a thread one long block is left, in which ptxas has many of them under way at once, and takes
// registers for all. With the branches, which ptxas makes predicates of, it computes one after the other, and
// loads what it needs shortly before: Liger-Kernel's kldiv_forward takes 32 registers in place of 82, so that
// four blocks run at a time in place of one.
//
// Triton's code keeps the branches by chance: its optimizer does not know what `__nvvm_reflect` answers,
// which libdevice asks all over, and leaves blocks alone that ask. Here the question is answered first, so
// blocks are marked.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_DEVICEBRANCHES_H
#define NEREID_COMPILER_TARGETS_NVIDIA_DEVICEBRANCHES_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Whether functions of libdevice may have such branches.
bool mayHaveDeviceBranches(const llvm::Module &module);

/// Marks what libdevice's functions compute under a condition, so that no optimization computes it always.
/// For a module whose questions are answered, before functions are inlined.
void markDeviceBranches(llvm::Module &module);

/// Takes the marks away after optimization. Returns whether there were any.
bool unmarkDeviceBranches(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_DEVICEBRANCHES_H
