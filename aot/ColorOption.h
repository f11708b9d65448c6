// --color, of every command: whether messages are coloured.
#ifndef NEREID_AOT_COLOROPTION_H
#define NEREID_AOT_COLOROPTION_H

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

/// For `app` and all of its commands; `color` stays empty where nothing is said.
void addColorOption(CLI::App &app, std::string &color);

/// What is printed to stderr from here on is coloured: always, never, or as the environment and the terminal
/// want it.
void applyColorOption(const std::string &color);

} // namespace nereid

#endif // NEREID_AOT_COLOROPTION_H
