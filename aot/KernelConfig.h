// The configurations of @triton.autotune, as parts of a specialization.
//
// An autotuned kernel lists the compile-time values that are worth trying:
//
//     @triton.autotune([triton.Config({"BLOCK": 256}, num_warps=2), triton.Config({"BLOCK": 1024})],
//     key=["n"])
//
// Ahead of time nobody measures; the user picks one by its number, and the signature says the rest:
// `-s "*fp32, *fp32, i32" --config 1` is `-s "*fp32, *fp32, i32, 1024" --num-warps 4`.
#ifndef NEREID_AOT_KERNELCONFIG_H
#define NEREID_AOT_KERNELCONFIG_H

#include "compiler/Compiler.h"

namespace nereid {

/// Completes `specialization` with the values of the configuration `index` (from 0) of the kernel. A
/// positional signature names the parameters that the configuration leaves open, in order; a named one may
/// also say otherwise than the configuration, and is believed. Reports and returns false where they do not
/// fit.
bool applyConfig(const KernelDeclaration &kernel, unsigned index, Specialization &specialization,
                 Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_KERNELCONFIG_H
