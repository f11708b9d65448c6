// Where this program is installed, and with it what was installed beside it. Installations are moved (a
// folder that is unpacked anywhere, a Python environment), so nothing remembers a path: everything is found
// from the program's own.
#ifndef NEREID_TOOLKITS_INSTALLATION_H
#define NEREID_TOOLKITS_INSTALLATION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// The file that is running, links followed. Empty if that cannot be found out.
std::string getProgramPath();

/// A file or folder of the installation, named by its path under the folder of libraries (`lib`), or under
/// `share`: `cmake/Nereid`. Empty if it is in neither, as with a program that was built and not installed.
std::string findInstalled(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_TOOLKITS_INSTALLATION_H
