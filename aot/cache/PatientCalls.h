// Calls that are given up where nobody answers.
//
// A folder on a network file system is as alive as its server. Where that is gone, a call of the system does
// not fail: by the rules of NFS it waits until the server is back, for days if need be, and nothing but the
// end of the process ends it. A cache is not worth that. So what is done with such a folder is done in
// another thread, which the caller leaves behind after a while.
#ifndef NEREID_AOT_CACHE_PATIENTCALLS_H
#define NEREID_AOT_CACHE_PATIENTCALLS_H

#include <chrono>
#include <functional>
#include <string>

namespace nereid {

/// Calls `work` in another thread, and returns whether it has ended in that time. If it has not, it goes on
/// by itself, perhaps until the process ends: `work` must own all that it touches.
bool endsWithin(std::chrono::milliseconds limit, std::function<void()> work);

/// Whether what is done in a folder, or in the nearest one above it that exists, is done by this machine
/// alone. May itself wait for a server.
bool isOnThisMachine(const std::string &folder);

} // namespace nereid

#endif // NEREID_AOT_CACHE_PATIENTCALLS_H
