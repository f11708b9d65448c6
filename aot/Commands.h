// The commands of `nereid`, a file each. A command adds itself to the command line with its options; run() is
// called after parsing and returns the exit status: 0 done, 1 the input was refused.
#ifndef NEREID_AOT_COMMANDS_H
#define NEREID_AOT_COMMANDS_H

#include <functional>
#include <memory>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

using CommandAction = std::function<int()>;

/// Each adds one subcommand to `app` and sets `action` if it is the one that was called.
void addCompletionCommand(CLI::App &app, CommandAction &action);
void addCompileCommand(CLI::App &app, CommandAction &action);
void addLinkCommand(CLI::App &app, CommandAction &action);
void addBuildCommand(CLI::App &app, CommandAction &action);
void addCacheCommand(CLI::App &app, CommandAction &action);
void addInspectCommand(CLI::App &app, CommandAction &action);
void addRunCommand(CLI::App &app, CommandAction &action);
void addSignaturesCommand(CLI::App &app, CommandAction &action);
void addTargetsCommand(CLI::App &app, CommandAction &action);
void addTritonCompileCommand(CLI::App &app, CommandAction &action);
void addTritonLinkCommand(CLI::App &app, CommandAction &action);
void addTuneCommand(CLI::App &app, CommandAction &action);

} // namespace nereid

#endif // NEREID_AOT_COMMANDS_H
