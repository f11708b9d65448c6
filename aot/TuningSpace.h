// The variants that are made of one signature so that the best can be found by measuring.
//
// The user lists what to try (TUNE), or the kernel does (@triton.autotune, with AUTOTUNE). Either is a list
// of configurations, each of which completes the signature:
//
//     signature        *fp16, *fp16, *fp16, i32, i32, i32
//     TUNE             BLOCK_M=[64,128], BLOCK_N=64, num_warps=[4,8]        four configurations
//     variants         a=*fp16, …, BLOCK_M=64, BLOCK_N=64    with 4 warps
//                      …, BLOCK_M=64, BLOCK_N=64             with 8 warps, …
//
// Several texts are tried one after the other, so that big tiles can come with many warps and small ones with
// few. A configuration that makes the same code as an earlier one for a target is left out there: a CPU knows
// no warps, so it gets two of the four. One that cannot be taken (pre_hook) is left out with a warning,
// unless none is left.
#ifndef NEREID_AOT_TUNINGSPACE_H
#define NEREID_AOT_TUNINGSPACE_H

#include "aot/CompileKernels.h"

namespace nereid {

/// Adds a job for each configuration to be tried; `job` itself where none are asked for. Reports and returns
/// false where they cannot be had.
bool expandTuning(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_TUNINGSPACE_H
