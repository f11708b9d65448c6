// What `nereid --version` says: the versions of everything that the code in a library comes from, and where
// the parts were found that a build takes from this machine.
#ifndef NEREID_AOT_VERSIONREPORT_H
#define NEREID_AOT_VERSIONREPORT_H

#include <string>

namespace nereid {

/// As lines, of which the first is `nereid VERSION`, or as JSON. Ends without a newline.
std::string describeVersion(bool json);

} // namespace nereid

#endif // NEREID_AOT_VERSIONREPORT_H
