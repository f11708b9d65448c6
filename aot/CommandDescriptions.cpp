// CLI11 knows names, texts and the values of IsMember, which it writes into the name of the value's type,
// `TEXT:{x86_64,aarch64}`. Which options take targets or stages is told by their names.
#include "aot/CommandDescriptions.h"
#include "compiler/driver/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include "CLI/CLI.hpp"

using namespace llvm;

namespace nereid {

static std::vector<std::string> getTargetNames() {
  std::vector<std::string> names;
  for (const KnownTarget &target : getKnownTargets())
    names.push_back(target.name);
  return names;
}

/// Of all targets, in the order in which a kernel becomes an image.
static std::vector<std::string> getStageNames() {
  std::vector<std::string> names;
  for (const KnownTarget &known : getKnownTargets())
    for (Stage stage : getStages(cantFail(Target::parse(known.name))))
      if (std::string name = getStageName(stage).str(); !is_contained(names, name))
        names.push_back(name);
  names.push_back("all");
  return names;
}

/// `compile` and `triton-compile` say what a value is in their texts; a word is enough here.
static std::string makePlaceholder(const OptionDescription &option) {
  std::string word = StringRef(option.getLongName()).ltrim('-').upper();
  size_t dash = word.rfind('-');
  return dash == std::string::npos ? word : word.substr(dash + 1);
}

static OptionDescription describe(const CLI::Option &option) {
  OptionDescription description;
  for (const std::string &name : option.get_snames())
    description.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    description.names.push_back("--" + name);
  description.text = option.get_description();
  description.takesValue = option.get_items_expected_max() > 0;
  description.isRequired = option.get_required();
  description.isRepeatable = option.get_items_expected_max() > 1;
  if (description.names.empty())
    description.placeholder = option.get_name(/*positional=*/true);
  else if (description.takesValue)
    description.placeholder = makePlaceholder(description);
  std::string type = option.get_type_name();
  if (auto [before, choices] = StringRef(type).split('{'); choices.consume_back("}")) {
    SmallVector<StringRef> pieces;
    choices.split(pieces, ',');
    for (StringRef piece : pieces)
      description.choices.push_back(piece.trim().str());
  } else if (description.getLongName() == "--target") {
    description.choices = getTargetNames();
    description.isList = true;
  } else if (description.getLongName() == "--emit") {
    description.choices = getStageNames();
    description.isList = true;
  }
  return description;
}

static void collect(const CLI::App &app, const std::string &name, std::vector<CommandDescription> &commands) {
  CommandDescription description;
  description.name = name;
  description.text = app.get_description();
  for (const CLI::Option *option : app.get_options())
    if (!option->get_group().empty())
      description.options.push_back(describe(*option));
  auto own = app.get_subcommands([](const CLI::App *command) { return !command->get_group().empty(); });
  for (const CLI::App *command : own)
    description.commands.push_back(command->get_name());
  commands.push_back(std::move(description));
  for (const CLI::App *command : own)
    collect(*command, name.empty() ? command->get_name() : name + " " + command->get_name(), commands);
}

std::vector<CommandDescription> describeCommands(const CLI::App &app) {
  std::vector<CommandDescription> commands;
  collect(app, "", commands);
  return commands;
}

} // namespace nereid
