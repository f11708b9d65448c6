// The `nereid` tool. Exit status: 0 done; 1 the input was refused, with every diagnostic on stderr; 2 wrong
// usage.
#include "aot/ColorOption.h"
#include "aot/Commands.h"
#include "aot/PackingOption.h"
#include "aot/Questions.h"
#include "aot/TritonOptions.h"
#include "aot/cache/CompileCache.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <sstream>

using namespace nereid;

/// `compile, link or build`
static std::string listCommands(const CLI::App &app) {
  std::vector<const CLI::App *> commands =
      app.get_subcommands([](const CLI::App *command) { return !command->get_group().empty(); });
  std::string names;
  for (const CLI::App *command : commands)
    names += (names.empty() ? "" : command == commands.back() ? " or " : ", ") + command->get_name();
  return names;
}

/// The status of the process: `status`, unless what was printed did not arrive.
static int finishOutput(int status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  llvm::errs() << "nereid: error: cannot write to the standard output: " << llvm::outs().error().message()
               << '\n';
  llvm::outs().clear_error();
  return 1;
}

static int run(int argc, char **argv) {
  llvm::setBugReportMsg("This is a bug in nereid; please report it with the kernel and the command.\n");
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Nereid: compiles Triton kernels ahead of time into libraries that ship.", "nereid");
  addQuestions(app);
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
  addCacheCommand(app, action);
  addTritonCompileCommand(app, action);
  addTritonLinkCommand(app, action);
  addCompletionCommand(app, action);
  std::string color;
  addColorOption(app, color);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  spellOutTritonOptions(arguments);
  if (std::string problem = findStrayCompression(arguments); !problem.empty()) {
    llvm::errs() << "nereid: " << problem << '\n';
    return 2;
  }
  // CLI11 takes them from the back.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError &error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      llvm::errs() << "nereid: unknown command '" << argv[1] << "': expected " << listCommands(app) << '\n';
      return 2;
    }
    // A question was not answered.
    if (error.get_exit_code() == 1 && error.get_name() == "RuntimeError")
      return 1;
    // --help and answers to questions arrive here too, with the status 0.
    std::ostringstream text;
    int status = app.exit(error, text);
    llvm::outs() << text.str();
    return status == 0 ? finishOutput(0) : 2;
  }
  applyColorOption(color);
  if (llvm::Error error = enableCompileCache()) {
    llvm::errs() << "nereid: error: " << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  int status = action();
  finishCompileCache();
  return finishOutput(status);
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
