// nereid completion, and the hidden `nereid manual`: texts about the command line, for shells and for man.
#include "aot/Commands.h"
#include "aot/ManualPage.h"
#include "aot/ShellCompletion.h"

#include "llvm/Support/raw_ostream.h"

#include "CLI/CLI.hpp"

namespace nereid {

void addCompletionCommand(CLI::App &app, CommandAction &action) {
  auto *command = app.add_subcommand("completion", "Print what a shell needs to complete nereid's options");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      auto write = *shell == "bash"  ? writeBashCompletion
                   : *shell == "zsh" ? writeZshCompletion
                                     : writeFishCompletion;
      llvm::outs() << write(describeCommands(app));
      return 0;
    };
  });
  // Packages have the page, so that nobody needs to ask for it.
  auto *manual = app.add_subcommand("manual", "Print the manual page, for man")->group("");
  manual->callback([&app, &action] {
    action = [&app] {
      llvm::outs() << writeManualPage(describeCommands(app));
      return 0;
    };
  });
}

} // namespace nereid
