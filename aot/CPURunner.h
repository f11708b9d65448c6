// Runs a CPU image in this process: what `nereid run` does after compiling.
#ifndef NEREID_AOT_CPURUNNER_H
#define NEREID_AOT_CPURUNNER_H

#include "compiler/KernelInfo.h"
#include "compiler/Target.h"

#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nereid {

/// The best target that this machine's processor runs: `cpu:x86-64-v4`, `cpu:x86-64-v3`, ….
Target getHostCPUTarget();

/// True if this machine's processor can run code compiled for `target`.
bool canHostRun(const Target &target);

/// Loads `object` (an ELF object with the entry point that compiler/KernelInfo.h describes) and runs every
/// program of `grid`, spread over the cores. arguments[i] points to the value of the i-th parameter passed to
/// the image.
llvm::Error runOnCPU(llvm::StringRef object, const KernelInfo &info, std::vector<void *> arguments,
                     std::array<uint32_t, 3> grid);

} // namespace nereid

#endif // NEREID_AOT_CPURUNNER_H
