// CLI11 has a version flag that throws its text through the parser, before a missing command is noticed;
// other questions are answered in the same way. Its options act in the order in which they were added, so
// that --json is known to those behind it wherever it stands on the command line.
#include "aot/Questions.h"
#include "aot/VersionReport.h"
#include "toolkits/Installation.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

namespace nereid {

static void answer(const std::string &text) {
  llvm::outs() << text << '\n';
  throw CLI::Success();
}

void addQuestions(CLI::App &app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "With --version: print JSON");
  app.add_flag_callback(
      "--version", [json] { answer(describeVersion(*json)); },
      "Print the versions of nereid and of LLVM, and the ptxas, libdevice, … that builds would use");
  app.add_flag_callback(
      "--cmake-dir",
      [] {
        std::string folder = findInstalled("cmake/Nereid");
        if (!folder.empty())
          answer(folder);
        llvm::errs() << "nereid: error: no CMake package is installed with " << getProgramPath() << '\n';
        throw CLI::RuntimeError(1);
      },
      "Print the folder of the CMake package, for -DNereid_DIR=…");
}

} // namespace nereid
