// nereid inspect: what a kernel object or a shipped library holds, or which kernels a Python file has to
// offer.
#include "aot/Commands.h"
#include "aot/DescribeSource.h"
#include "compiler/Diagnostics.h"
#include "linker/Inspect.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

static std::optional<std::string> describe(const std::string &path, bool json,
                                           const std::vector<std::string> &importPaths,
                                           Diagnostics &diagnostics) {
  if (StringRef(path).ends_with(".py"))
    return describeSource(path, json, importPaths, diagnostics);
  Expected<std::string> text = inspect(path, json);
  if (text)
    return std::move(*text);
  diagnostics.error(toString(text.takeError()));
  return std::nullopt;
}

static int runInspect(const std::string &path, bool json, const std::vector<std::string> &importPaths) {
  Diagnostics diagnostics;
  std::optional<std::string> text = describe(path, json, importPaths, diagnostics);
  diagnostics.flush(errs());
  if (text)
    outs() << *text;
  return text ? 0 : 1;
}

void addInspectCommand(CLI::App &app, CommandAction &action) {
  struct Options {
    std::string path;
    bool json = false;
    std::vector<std::string> importPaths;
  };
  auto options = std::make_shared<Options>();
  auto *command =
      app.add_subcommand("inspect", "Describe a kernel object, a shipped library or a file of kernels");
  command->add_option("FILE", options->path, "A .nko, .so, .a or .py file")->required();
  command->add_flag("--json", options->json, "Print JSON");
  command
      ->add_option("-I,--import-path", options->importPaths,
                   "Where else to look for files that a .py imports")
      ->allow_extra_args(false);
  command->callback([&action, options] {
    action = [options] { return runInspect(options->path, options->json, options->importPaths); };
  });
}

} // namespace nereid
