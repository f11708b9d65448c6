// The command line as data, read from CLI11's own description of it: what the manual page and the shells'
// completions are written from, so that no option is forgotten or outlives its time there.
#ifndef NEREID_AOT_COMMANDDESCRIPTIONS_H
#define NEREID_AOT_COMMANDDESCRIPTIONS_H

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

struct OptionDescription {
  /// `-k`, `--kernel`; for a positional argument none.
  std::vector<std::string> names;
  /// What stands for the value, or for the positional argument: `SRC`.
  std::string placeholder;
  std::string text;
  bool takesValue = false, isRequired = false, isRepeatable = false;
  /// The values that there are, if they are few; else a value may be a file.
  std::vector<std::string> choices;
  /// Several of them may be given, separated by commas.
  bool isList = false;

  bool isPositional() const { return names.empty(); }
  /// `--kernel`, or what there is.
  std::string getLongName() const { return names.empty() ? placeholder : names.back(); }
};

struct CommandDescription {
  /// `compile`; of a command's own command `cache trim`; empty for `nereid` itself.
  std::string name;
  std::string text;
  std::vector<OptionDescription> options;
  /// The last words of the names of its own commands.
  std::vector<std::string> commands;
};

/// `nereid` itself first, then its commands in their order, each before its own. Hidden ones are left out.
std::vector<CommandDescription> describeCommands(const CLI::App &app);

} // namespace nereid

#endif // NEREID_AOT_COMMANDDESCRIPTIONS_H
