// Whether a file has already what is to be written to it.
//
// Build systems go by the times of files: what depends on a file is made again when the file is written, with
// the same bytes as well. So nothing is written where this says that nothing would change.
#ifndef NEREID_LINKER_SAMECONTENTS_H
#define NEREID_LINKER_SAMECONTENTS_H

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// Whether `path` is, or leads to, a regular file with these bytes.
bool hasContents(llvm::StringRef path, llvm::StringRef bytes);

/// Whether both are regular files with the same bytes.
bool haveSameContents(llvm::StringRef path, llvm::StringRef other);

} // namespace nereid

#endif // NEREID_LINKER_SAMECONTENTS_H
