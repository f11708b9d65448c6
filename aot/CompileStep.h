// A step of a build: a job for one of its targets.
#ifndef NEREID_AOT_COMPILESTEP_H
#define NEREID_AOT_COMPILESTEP_H

#include "aot/CompilerLauncher.h"
#include "compiler/driver/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// One image to make, and what came of it.
struct CompileStep {
  CompileStep(size_t job, Target target, const Diagnostics &parent)
      : job(job), target(std::move(target)), diagnostics(parent) {}

  size_t job;
  Target target;
  Diagnostics diagnostics;
  std::vector<std::string> messages;
  /// Nothing where it is known to be wrong.
  std::optional<CompileRequest> request;
  std::optional<CompileResult> result;
  /// Packed, if they are to be kept.
  std::string stages;
  /// In place of the result where another process has compiled it.
  std::optional<LaunchedResult> launched;
  std::vector<FilesRead::File> launchedFiles;
  bool isLeftToOthers = false;
  /// What the target has too little of for this variant.
  Misfit misfit;

  bool isCompiled() const { return result || launched; }
};

} // namespace nereid

#endif // NEREID_AOT_COMPILESTEP_H
