// The kernel objects of a job, put together of what has become of its steps.
#ifndef NEREID_AOT_KERNELASSEMBLY_H
#define NEREID_AOT_KERNELASSEMBLY_H

#include "aot/CompileKernels.h"
#include "aot/CompileStep.h"
#include "linker/GridExpression.h"

namespace nereid {

/// Adds a target's code to the object that has the same signature.
void addResult(CompiledKernel &kernel, const KernelJob &job, CompileStep &step);

/// Adds what another process has made of a target.
void addLaunched(CompiledKernel &kernel, const KernelJob &job, CompileStep &step);

/// Adds that a target has no code, and why.
void addMisfit(CompiledKernel &kernel, const KernelJob &job, CompileStep &step);

/// Adds what a step has read. Reports and returns false if that is another state of a file than others read.
bool addFilesRead(CompiledKernel &kernel, const CompileStep &step, FileStates &states,
                  Diagnostics &diagnostics);

/// What is said of the kernel's parameters by name is only known to fit once the kernel is compiled.
bool checkNames(const KernelJob &job, const KernelObject &object, const std::optional<GridExpression> &grid,
                const std::optional<GridExpression> &condition, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_KERNELASSEMBLY_H
