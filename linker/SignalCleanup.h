// Folders that must not be left behind by SIGINT, SIGTERM or SIGHUP.
//
// LLVM removes the temporary files of a process that is interrupted, but no folders. Those that are named
// here are emptied and removed before LLVM's own handlers run and end the process.
#ifndef NEREID_LINKER_SIGNALCLEANUP_H
#define NEREID_LINKER_SIGNALCLEANUP_H

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// From now on a signal removes the folder `path` with the files in it, or, if `onlyIfEmpty`, without any.
void removeFolderOnSignal(llvm::StringRef path, bool onlyIfEmpty = false);
void keepFolderOnSignal(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_SIGNALCLEANUP_H
