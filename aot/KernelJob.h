// What is asked for: a kernel under a signature for some targets, and what becomes of that for one of them.
//
// A job is what a manifest, an annotation or the command line says, as text with a place there. It may stand
// for many: lists in its signature, and values that are to be tried, make several of it. A job for one target
// is a request to the compiler.
#ifndef NEREID_AOT_KERNELJOB_H
#define NEREID_AOT_KERNELJOB_H

#include "aot/VariantSettings.h"
#include "compiler/driver/Compiler.h"
#include "linker/KernelObject.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nereid {

struct KernelJob : KernelSettings, VariantSettings {
  /// Where the project lies; the current folder if empty. A source is known by its path in there.
  std::string projectFolder;
  /// One of those that the signature stands for (expandJobs); read of `signature` if there is none.
  std::optional<Specialization> specialization;
  /// The name that the functions share which lists of types in the signature make.
  std::string family;
  std::vector<Target> targets;
  std::optional<bool> warpSpecialize;
  /// Of a job that was made to try one of them: which, and the declaration that `config` counts in.
  std::optional<Tuning> tuning;
  std::shared_ptr<const KernelDeclaration> declaration;
  std::vector<std::string> importPaths;
  SourceInfo sourceInfo;
  uint64_t compileLimit = defaultCompileLimit;
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
