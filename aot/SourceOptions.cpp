// One place for options that several commands share, so that they are spelled and explained alike.
#include "aot/SourceOptions.h"

#include "aot/ImportPath.h"

#include "llvm/ADT/STLExtras.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

void addSourceOptions(CLI::App &command, SourceOptions &options) {
  command
      .add_option("-I,--import-path", options.importPaths,
                  "Where else to look for files that are imported or included")
      ->allow_extra_args(false);
  command
      .add_option("-D,--define", options.definitions,
                  "NAME=VALUE: what a module-level name of the source means, in Triton-C a macro; repeatable")
      ->allow_extra_args(false);
  addWarningsOption(command, options.warningsAreErrors);
}

void addWarningsOption(CLI::App &command, bool &warningsAreErrors) {
  command.add_flag("--werror", warningsAreErrors, "Make every warning an error");
}

std::optional<std::vector<Definition>> applySourceOptions(const SourceOptions &options,
                                                          Diagnostics &diagnostics) {
  if (options.warningsAreErrors)
    diagnostics.treatWarningsAsErrors();
  for (const std::string &path : options.importPaths)
    if (!path.empty())
      checkImportPath(rangeOf(diagnostics.addSource("<-I>", path)), path, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  std::vector<Definition> definitions;
  for (const std::string &text : options.definitions) {
    // Build systems make empty texts of what they leave out; so it is with other options.
    if (StringRef(text).trim().empty())
      continue;
    auto definition = parseDefinition(diagnostics.addSource("<-D>", text), diagnostics);
    if (!definition)
      return std::nullopt;
    if (any_of(definitions, [&](const Definition &other) {
          return other.getQualifiedName() == definition->getQualifiedName();
        })) {
      diagnostics.error(definition->range, "'" + definition->getQualifiedName() + "' is defined twice");
      return std::nullopt;
    }
    definitions.push_back(std::move(*definition));
  }
  return definitions;
}

} // namespace nereid
