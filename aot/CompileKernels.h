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
#include "aot/Progress.h"
#include "aot/RepeatedMessages.h"
#include "aot/TargetSettings.h"
#include "compiler/driver/Compiler.h"
#include "linker/KernelObject.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// What the user asked for, as text with a place in a file or on the command line.
struct KernelJob {
  std::string sourcePath;
  /// Where a manifest names it.
  llvm::SMRange sourceRange;
  /// Where the project lies; the current folder if empty. A source is known by its path in there.
  std::string projectFolder;
  llvm::StringRef kernel;
  /// The C function's name, if not the kernel's.
  std::optional<llvm::StringRef> function;
  llvm::StringRef signature;
  /// One of those that the signature stands for (expandJobs); read of `signature` if there is none.
  std::optional<Specialization> specialization;
  std::optional<llvm::StringRef> grid;
  /// The condition under which a call may take it.
  std::optional<llvm::StringRef> when;
  /// The compile-time parameters by which calls choose.
  std::vector<llvm::StringRef> dispatch;
  /// What of a call from Python follows from its tensors (PythonCall.h): pieces of one list.
  std::vector<llvm::StringRef> python;
  /// The name that the functions share which lists of types in the signature make.
  std::string family;
  std::vector<Target> targets;
  /// Where they are not given: what the configuration says, or 4 warps and 3 stages.
  std::optional<unsigned> numWarps;
  std::optional<unsigned> numStages;
  bool useTensorMaps = true;
  /// As in CompileRequest; the configuration may ask for them as well.
  bool isCooperative = false, overlapsWithLast = false;
  std::optional<bool> warpSpecialize;
  std::optional<unsigned> maxRegisters;
  /// As in CompileRequest; or what the configuration says, or 1.
  std::optional<unsigned> numCTAs;
  /// Which configuration of @triton.autotune completes the signature.
  std::optional<unsigned> config;
  /// Lists of what is to be tried, `BLOCK=[64,128], num_warps=[4,8]`, one after the other; and whether the
  /// configurations of @triton.autotune are. See TuningSpace.h.
  std::vector<llvm::StringRef> tune;
  bool autotune = false;
  /// Of a job that was made to try one of them: which, and the declaration that `config` counts in.
  std::optional<Tuning> tuning;
  std::shared_ptr<const KernelDeclaration> declaration;
  /// Where these numbers stand, for messages.
  llvm::SMRange numWarpsRange, numStagesRange, numCTAsRange, maxRegistersRange, configRange, autotuneRange;
  /// What holds for some of the targets, and comes before the numbers above and the signature's values.
  std::vector<TargetSettings> targetSettings;
  std::vector<std::string> importPaths;
  /// As in CompileRequest.
  bool debug = false;
  SourceInfo sourceInfo;
  std::vector<Definition> definitions;
  uint64_t compileLimit = defaultCompileLimit;
  /// Targets that it does not compile for do without it, and a warning says so.
  bool isOptional = false;
  /// As in KernelObject.
  std::string recorded;
  /// Keep the stages on the way to each image in the kernel object.
  bool keepsStages = false;
  /// What asked for this, where that is another file than the one that has the signature.
  std::string askedBy;
  /// Of what is to be tried, what was worth a warning: said together with what is said when it is compiled.
  std::vector<std::string> warnings;
};

struct CompiledKernel {
  /// One, unless the kernel's configurations depend on the target: then each target's values are a signature
  /// of their own.
  std::vector<KernelObject> objects;
  /// All files read, the source first, each once.
  FilesRead filesRead;
  /// Wall time of each step, summed over the targets.
  std::vector<std::pair<std::string, double>> timings;
};

/// Reads a list of targets, `cpu,cuda:90a`; names that stand for several are replaced by them, and a target
/// that is named twice is taken once. `text` is a view that diagnostics.addSource returned.
std::optional<std::vector<Target>> parseTargets(llvm::StringRef text, llvm::StringRef host,
                                                Diagnostics &diagnostics);

/// Gives the numbers of a job that came from the command line their places, `<--num-warps>`.
void setRanges(KernelJob &job, Diagnostics &diagnostics);

/// Adds a job for each signature that the job's stands for, which is one if it has no lists, and for each of
/// what is to be tried with it. Reports and returns false if it is no signature, or there is nothing to try.
bool expandJob(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics);

/// What to ask the compiler for. Checks what needs no compiling: the signature's grammar, the function's
/// name, the number of warps and stages. Reads the kernel's configurations for that target if the job asks
/// for one.
std::optional<CompileRequest> makeRequest(const KernelJob &job, const Target &target,
                                          Diagnostics &diagnostics);

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
