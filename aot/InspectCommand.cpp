// nereid inspect: what a kernel object or a shipped library holds.
#include "aot/Commands.h"
#include "compiler/Diagnostics.h"
#include "linker/Inspect.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

static int runInspect(const std::string &path, bool json) {
  Expected<std::string> text = inspect(path, json);
  if (!text) {
    Diagnostics diagnostics;
    diagnostics.error(toString(text.takeError()));
    diagnostics.flush(errs());
    return 1;
  }
  outs() << *text;
  return 0;
}

void addInspectCommand(CLI::App &app, CommandAction &action) {
  struct Options {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto *command = app.add_subcommand("inspect", "Describe a kernel object or a shipped library");
  command->add_option("FILE", options->path, "A .nko, .so or .a file")->required();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback(
      [&action, options] { action = [options] { return runInspect(options->path, options->json); }; });
}

} // namespace nereid
