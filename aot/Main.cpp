// The `nereid` tool. Exit status: 0 done; 1 the input was refused, with every diagnostic on stderr; 2 wrong
// usage.
#include "aot/Commands.h"
#include "aot/TritonOptions.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <algorithm>

using namespace nereid;

static int run(int argc, char **argv) {
  llvm::setBugReportMsg("This is a bug in nereid; please report it with the kernel and the command.\n");
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Nereid: compiles Triton kernels ahead of time into libraries that ship.", "nereid");
  app.set_version_flag("--version", "nereid " NEREID_VERSION);
  app.require_subcommand(1);
  CommandAction action;
  addCompileCommand(app, action);
  addLinkCommand(app, action);
  addBuildCommand(app, action);
  addInspectCommand(app, action);
  addRunCommand(app, action);
  addSignaturesCommand(app, action);
  addTuneCommand(app, action);
  addTargetsCommand(app, action);
  addTritonCompileCommand(app, action);
  addTritonLinkCommand(app, action);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  spellOutTritonOptions(arguments);
  // CLI11 takes them from the back.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError &error) {
    // --help and --version arrive here too, with the status 0.
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      llvm::errs()
          << "nereid: unknown command '" << argv[1]
          << "': expected compile, link, build, inspect, run, signatures, tune, targets, triton-compile or "
             "triton-link\n";
      return 2;
    }
    return app.exit(error) == 0 ? 0 : 2;
  }
  int status = action();
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::errs() << "nereid: error: cannot write to the standard output: " << llvm::outs().error().message()
                 << '\n';
    llvm::outs().clear_error();
    return 1;
  }
  return status;
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    // No memory, no threads.
    llvm::errs() << "nereid: error: " << error.what() << '\n';
    return 1;
  }
}
