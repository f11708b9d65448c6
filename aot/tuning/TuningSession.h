// All cases, one after the other: what `nereid tune` does between reading its input and its last words.
//
// Variants run in a worker process. One that takes it down, or does not end, has failed; its case is begun
// again without it, in a new process. What was measured goes into the results' file at once.
#ifndef NEREID_AOT_TUNING_TUNINGSESSION_H
#define NEREID_AOT_TUNING_TUNINGSESSION_H

#include "aot/tuning/CaseRunner.h"
#include "aot/tuning/ResultsFile.h"

#include <optional>
#include <string>

namespace nereid {

struct TuningSettings {
  std::string libraryPath;
  /// Of the device: Backend::CPU, or a GPU's number.
  Backend backend = Backend::CPU;
  unsigned deviceNumber = 0;
  TuningEffort effort;
  /// How long one run may take.
  double timeLimit = 60;
  /// Measure also what has been measured.
  bool again = false;
};

struct TuningOutcome {
  /// What the device calls itself.
  std::string device;
  uint64_t measured = 0, failed = 0, known = 0;
  /// The signal that ended it early, or 0.
  int signal = 0;
};

/// Reports what is wrong with cases, warns of variants that fail. Returns nothing where nothing could be
/// measured.
std::optional<TuningOutcome> runTuning(llvm::ArrayRef<TuningTask> tasks, const TuningSettings &settings,
                                       ResultsFile &file, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TUNINGSESSION_H
