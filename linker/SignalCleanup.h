// Folders that must not be left behind by SIGINT, SIGTERM or SIGHUP, programs that must end with this one,
// and what else there is to do before the end.
//
// LLVM removes the temporary files of a process that is interrupted, but no folders. Those that are named
// here are emptied and removed before LLVM's own handlers run and end the process.
#ifndef NEREID_LINKER_SIGNALCLEANUP_H
#define NEREID_LINKER_SIGNALCLEANUP_H

#include "llvm/ADT/StringRef.h"

#include <sys/types.h>

namespace nereid {

/// From now on a signal removes the folder `path` with the files in it, or, if `onlyIfEmpty`, without any.
void removeFolderOnSignal(llvm::StringRef path, bool onlyIfEmpty = false);
void keepFolderOnSignal(llvm::StringRef path);

/// From now on a signal is passed on to a process, which leads a group of its own, and to its group. They
/// have two seconds to end before the folders go.
void stopProcessOnSignal(pid_t process);
void forgetProcess(pid_t process);

/// From now on a signal calls a function, when the processes have ended. It may do what handlers may do.
void callOnSignal(void (*function)());

} // namespace nereid

#endif // NEREID_LINKER_SIGNALCLEANUP_H
