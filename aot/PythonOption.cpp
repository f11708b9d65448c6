// The version goes into file names and a TOML text, so it is one that pip knows: `1.2.0`, `1.2.0rc1`,
// `1.2.0+cu13`.
#include "aot/PythonOption.h"

#include "llvm/Support/Regex.h"

#include "CLI/CLI.hpp"

namespace nereid {

void addPythonOptions(CLI::App &command, PythonOptions &options) {
  command.add_flag("--python", options.isWanted,
                   "Write the folder NAME, too, which Python imports and pip installs");
  command.add_option("--package-version", options.version, "The version of that package [0.0.0]")
      ->check([](const std::string &text) {
        llvm::Regex version(
            "^[0-9]+(\\.[0-9]+)*((a|b|rc)[0-9]+)?(\\.post[0-9]+)?(\\.dev[0-9]+)?(\\+[a-z0-9.]+)?$");
        return version.match(text) ? "" : "'" + text + "' is no version of a Python package, such as 1.2.0";
      });
}

} // namespace nereid
