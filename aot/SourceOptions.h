// The options of every command that reads a source: where its imports are, what the user defines, whether a
// warning is an error.
#ifndef NEREID_AOT_SOURCEOPTIONS_H
#define NEREID_AOT_SOURCEOPTIONS_H

#include "compiler/model/Definition.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

struct SourceOptions {
  std::vector<std::string> importPaths;
  std::vector<std::string> definitions;
  bool warningsAreErrors = false;
};

/// Adds -I, -D and --werror.
void addSourceOptions(CLI::App &command, SourceOptions &options);

/// `--werror`, one of those, for a command that reads no source.
void addWarningsOption(CLI::App &command, bool &warningsAreErrors);

/// Does what the options say of messages, and reads the definitions. Reports and returns nothing if one is
/// not a definition, or one name is defined twice.
std::optional<std::vector<Definition>> applySourceOptions(const SourceOptions &options,
                                                          Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_SOURCEOPTIONS_H
