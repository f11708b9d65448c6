// --python and --package-version, of the commands that write libraries.
#ifndef NEREID_AOT_PYTHONOPTION_H
#define NEREID_AOT_PYTHONOPTION_H

#include "linker/Link.h"

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

void addPythonOptions(CLI::App &command, PythonOptions &options);

} // namespace nereid

#endif // NEREID_AOT_PYTHONOPTION_H
