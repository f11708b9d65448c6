// Files that appear whole or not at all.
//
// A build must never lose the user's previous good output, so every file is written under a temporary name
// beside its destination and moved there in one step. "-" is the standard output.
#ifndef NEREID_AOT_OUTPUTFILE_H
#define NEREID_AOT_OUTPUTFILE_H

#include "compiler/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// Writes `bytes` to `path`. Reports and returns false if that cannot be done; then nothing at `path` has
/// changed.
bool writeOutputFile(llvm::StringRef path, llvm::StringRef bytes, Diagnostics &diagnostics);

/// Makes sure that `path` is a folder that files can be written to, creating its last component where it is
/// missing.
bool prepareOutputFolder(llvm::StringRef path, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_OUTPUTFILE_H
