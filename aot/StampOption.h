// --stamp, which commands have that write files only if they change (OutputFile.h).
#ifndef NEREID_AOT_STAMPOPTION_H
#define NEREID_AOT_STAMPOPTION_H

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

void addStampOption(CLI::App &command, std::string &path);

} // namespace nereid

#endif // NEREID_AOT_STAMPOPTION_H
