// See DebugOptions.h.
#include "aot/DebugOptions.h"

#include "aot/CompileKernels.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

bool addPrefixMapping(StringRef text, SourceInfo &info, Diagnostics &diagnostics) {
  // At the last one, as GCC does: a project's folder may have any name.
  auto [prefix, replacement] = text.rsplit('=');
  if (prefix.empty() || !text.contains('=')) {
    diagnostics.error(rangeOf(text), "expected OLD=NEW, a prefix of paths and what takes its place");
    return false;
  }
  info.prefixMap.push_back({prefix.str(), replacement.str()});
  return true;
}

void DebugOptions::addTo(CLI::App &command) {
  command.add_flag("--debug", debug,
                   "Check assertions, and integer arithmetic for overflow, where the kernel runs");
  command.add_flag("--debug-info", debugInfo,
                   "Line tables for debuggers and profilers, and tables to unwind the stack by");
  command
      .add_option("--prefix-map", prefixMap,
                  "OLD=NEW: write paths that begin with OLD into images as if they began with NEW")
      ->allow_extra_args(false);
}

bool DebugOptions::apply(KernelJob &job, Diagnostics &diagnostics) const {
  job.debug = debug;
  job.sourceInfo.lineTables = debugInfo;
  for (const std::string &entry : prefixMap)
    if (!addPrefixMapping(diagnostics.addSource("<--prefix-map>", entry), job.sourceInfo, diagnostics))
      return false;
  return true;
}

} // namespace nereid
