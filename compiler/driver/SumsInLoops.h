// Sums that all of a row's threads have in each round, where those that threads keep apart take too much.
//
// A loop that sums up rows leaves what each thread has summed up apart until it has ended
// (transforms/ReducePastLoops.cpp), which spares each round an exchange, and takes more registers. Where they
// are what is spilled, or what one more block of eight warps lacks, the kernel is compiled with sums in
// loops, too, and the better code is taken. Of an H200, in loops and apart:
//
//     nemo_automodel's _soft_ce_forward_kernel     162 us      187 us, 56 bytes of local memory
//     sglang's _fwd_kernel_unified                 783 us      886 us, 155 registers and one block
//     flash-maxsim's _maxsim_int8_sym_kernel        48 us       58 us, 81 registers and two blocks
#ifndef NEREID_COMPILER_DRIVER_SUMSINLOOPS_H
#define NEREID_COMPILER_DRIVER_SUMSINLOOPS_H

namespace nereid {

struct CompileResult;
struct KernelInfo;
struct Target;

/// Whether code with sums in loops is worth a try.
bool mayWantSumsInLoops(const CompileResult &result, const Target &target);

/// Whether less is spilled with sums in loops, or half as many blocks more are resident.
bool isBetterWithSumsInLoops(const KernelInfo &other, const KernelInfo &now, const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_SUMSINLOOPS_H
