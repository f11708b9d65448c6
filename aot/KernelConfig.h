// The configurations of @triton.autotune, as parts of a specialization.
//
// An autotuned kernel lists the compile-time values that are worth trying:
//
//     @triton.autotune([triton.Config({"BLOCK": 256}, num_warps=2), triton.Config({"BLOCK": 1024})],
//     key=["n"])
//
// Ahead of time nobody measures; the user picks one by its number, and the signature says the rest:
// `-s "*fp32, *fp32, i32" --config 1` is `-s "*fp32, *fp32, i32, 1024" --num-warps 4`.
//
// A configuration may hold more than values: options of a vendor's back end, ways to launch, a function to
// call before each launch. What the compiler has too is done (maxnreg, waves_per_eu); what only makes code
// faster, or means nothing to the target, is left out, with a warning where the target would have had it; and
// what decides whether results are right is refused.
#ifndef NEREID_AOT_KERNELCONFIG_H
#define NEREID_AOT_KERNELCONFIG_H

#include "compiler/driver/Compiler.h"

namespace nereid {

/// Completes request.specialization with the values of the configuration `index` (from 0) of the kernel, and
/// sets the request's other options to what the configuration says. A positional signature names the
/// parameters that the configuration leaves open, in order; a named one may also say otherwise than the
/// configuration, and is believed. Reports, at `where`, and returns false where they do not fit.
bool applyConfig(const KernelDeclaration &kernel, unsigned index, llvm::SMRange where,
                 CompileRequest &request, Diagnostics &diagnostics);

/// Reports, at `where`, that a kernel has no configurations, why, and what to do instead.
void refuseWithoutConfigs(const KernelDeclaration &kernel, llvm::SMRange where, const llvm::Twine &advice,
                          Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_KERNELCONFIG_H
