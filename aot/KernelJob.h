// What is asked for: a kernel under a signature for some targets, and what becomes of that for one of them.
//
// A job is what a manifest, an annotation or the command line says, as text with a place there. It may stand
// for many: lists in its signature, and values that are to be tried, make several of it. A job for one target
// is a request to the compiler.
#ifndef NEREID_AOT_KERNELJOB_H
#define NEREID_AOT_KERNELJOB_H

#include "aot/TargetSettings.h"
#include "compiler/driver/Compiler.h"
#include "linker/KernelObject.h"

#include <memory>
#include <optional>
#include <set>
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

/// What messages call a variant.
std::string describeVariant(const KernelJob &job);

/// A kernel that is not given another name needs one that C has left free: told here, before anything is
/// compiled, and once, however many signatures it has. Reports and returns false if it has none; `refused`
/// has those that have been told.
bool hasUsableName(const KernelJob &job, std::set<std::string> &refused, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_KERNELJOB_H
