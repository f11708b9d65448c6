// The options for finding errors in kernels, which compile, build and run have in common: `--debug`,
// `--debug-info` and `--prefix-map`.
#ifndef NEREID_AOT_DEBUGOPTIONS_H
#define NEREID_AOT_DEBUGOPTIONS_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/SourceInfo.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

struct KernelJob;

struct DebugOptions {
  bool debug = false;
  bool debugInfo = false;
  /// OLD=NEW each.
  std::vector<std::string> prefixMap;

  void addTo(CLI::App &command);
  /// Reports and returns false if an entry of the map is not one.
  bool apply(KernelJob &job, Diagnostics &diagnostics) const;
};

/// Reads OLD=NEW into a map; reports and returns false if it is not that.
bool addPrefixMapping(llvm::StringRef text, SourceInfo &info, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_DEBUGOPTIONS_H
