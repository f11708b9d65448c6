// What a manifest, or a source's annotations, ask for together with what the command line says of them: a job
// for each variant.
//
// `nereid build` makes all of them. `nereid compile --variant` makes one, of the same jobs under the same
// numbers; the digest of a job tells whether both mean the same by a number.
#ifndef NEREID_AOT_MANIFESTJOBS_H
#define NEREID_AOT_MANIFESTJOBS_H

#include "aot/CompileKernels.h"
#include "aot/DebugOptions.h"
#include "aot/FileStates.h"
#include "aot/Manifest.h"
#include "aot/SourceOptions.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// What the command line says.
struct ManifestInput {
  /// The manifest, or an annotated source.
  std::string path;
  /// Targets in place of those that are named there.
  std::string target;
  std::string host;
  DebugOptions debugging;
  SourceOptions sourceOptions;
  /// Whether the stages on the way to images are kept.
  bool stages = false;
  /// The one kernel that is asked for; all of them if empty.
  std::string kernel;

  /// The options that say so, for a command line of another process.
  std::vector<std::string> getOptions() const;
};

/// Reads the manifest or the annotations. Reports and returns nothing if they are wrong. `states` takes note
/// of what stands there, and below of what the sources hold that jobs are made for.
std::optional<Manifest> readManifestInput(const ManifestInput &input,
                                          const std::vector<Definition> &definitions, FileStates &states,
                                          Diagnostics &diagnostics);

/// The jobs. What the command line defines counts for every kernel, and more than what the manifest says.
/// Those that are wrong are reported and left out.
std::vector<KernelJob> makeManifestJobs(const Manifest &manifest, const ManifestInput &input,
                                        const std::vector<Definition> &definitions, FileStates &states,
                                        Diagnostics &diagnostics);

/// What is asked for by a job, and by all of them, in 16 digits: of the same manifest, sources and options
/// they are the same on every machine.
std::string digestJob(const KernelJob &job, size_t number);
std::string digestJobs(llvm::ArrayRef<KernelJob> jobs, const ManifestInput &input, FileStates &states);

} // namespace nereid

#endif // NEREID_AOT_MANIFESTJOBS_H
