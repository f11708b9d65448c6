// NO_COLOR (https://no-color.org) and CLICOLOR_FORCE (https://bixense.com/clicolors) are what most tools
// know; an option comes before both. Otherwise a terminal has colours, unless it is a dumb one, and a file or
// a pipe has none.
#include "aot/ColorOption.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

#include <cstdlib>

using namespace llvm;

namespace nereid {

void addColorOption(CLI::App &app, std::string &color) {
  app.add_option("--color", color, "Whether messages are coloured; auto: on a terminal")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    addColorOption(*command, color);
}

static StringRef getEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? StringRef(value) : StringRef();
}

void applyColorOption(const std::string &color) {
  bool isOn = color == "always";
  if (color.empty() || color == "auto") {
    StringRef forced = getEnvironment("CLICOLOR_FORCE");
    if (!getEnvironment("NO_COLOR").empty())
      isOn = false;
    else if (!forced.empty() && forced != "0")
      isOn = true;
    else
      isOn = sys::Process::StandardErrIsDisplayed() && getEnvironment("TERM") != "dumb";
  }
  errs().enable_colors(isOn);
}

} // namespace nereid
