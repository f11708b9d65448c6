// One kernel under one signature, for several targets, becomes one kernel object; several of those at a time.
//
// The unit of work is a pair of kernel object and target, since that is what takes time; they are spread over
// threads, or over processes (CompilerLauncher.h), each with diagnostics of its own, which are shown in the
// order of the jobs, whichever finished first. All are done, whatever is wrong with some, so that all there
// is to say is said at once.
#ifndef NEREID_AOT_COMPILEKERNELS_H
#define NEREID_AOT_COMPILEKERNELS_H

#include "aot/CompilerLauncher.h"
#include "aot/FileStates.h"
#include "aot/KernelJob.h"
#include "aot/Progress.h"
#include "aot/RepeatedMessages.h"
#include "compiler/driver/Compiler.h"
#include "linker/KernelObject.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct CompiledKernel {
  /// One, unless the kernel's configurations depend on the target: then each target's values are a signature
  /// of their own.
  std::vector<KernelObject> objects;
  /// All files read, the source first, each once.
  FilesRead filesRead;
  /// Wall time of each step, summed over the targets.
  std::vector<std::pair<std::string, double>> timings;
};

/// What becomes of a target that has too little of something for a variant, where no other variant serves it
/// that is compiled at the same time.
enum class Misfits { AreErrors, AreRecorded };

struct CompileSettings {
  /// How many images to compile at a time, if the build system allows for as many (JobServer.h); 0 for what
  /// that says, or as many as there are processors.
  unsigned threads = 1;
  Misfits misfits = Misfits::AreErrors;
  ProgressMode progress = ProgressMode::Auto;
  /// Starts no more at a time than there is memory for: as much as this in bytes, or what is available.
  bool boundsMemory = false;
  std::optional<uint64_t> memory;
  /// If there is one, every image is compiled by a process of its own.
  const LaunchSettings *launch = nullptr;
  /// Whether somebody else has seen all jobs of a build, and warned of what is wrong with them as a whole.
  bool isPartOfBuild = false;
  /// What the sources held when they were read for the jobs, if anybody has.
  FileStates *files = nullptr;
  /// If there are some, messages are left there, errors as well, for the caller to show.
  RepeatedMessages *messages = nullptr;
  /// Takes the kernel of a job as soon as that is compiled, with its number; one at a time, from several
  /// threads. Reports and returns false if it cannot. What is taken is not returned.
  std::function<bool(size_t job, CompiledKernel kernel, Diagnostics &diagnostics)> take;
};

/// Compiles every job. Reports all that is wrong and returns nothing if anything is; the result is in the
/// order of the jobs.
std::optional<std::vector<CompiledKernel>>
compileKernels(llvm::ArrayRef<KernelJob> jobs, const CompileSettings &settings, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_COMPILEKERNELS_H
