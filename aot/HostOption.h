// --host, of the commands that need to know which processors a library is for: another machine's than this
// one's when it is built for a Grace or a Jetson on a PC.
#ifndef NEREID_AOT_HOSTOPTION_H
#define NEREID_AOT_HOSTOPTION_H

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

/// `host` is x86_64, aarch64, or stays empty for this machine's.
void addHostOption(CLI::App &command, std::string &host);

} // namespace nereid

#endif // NEREID_AOT_HOSTOPTION_H
