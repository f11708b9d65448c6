// A folder where imports are looked for, as a manifest or the command line names it.
#ifndef NEREID_AOT_IMPORTPATH_H
#define NEREID_AOT_IMPORTPATH_H

#include "compiler/model/Diagnostics.h"

namespace nereid {

/// Warns where it is no folder: the search passes over it without a word. `range` is where it was asked for.
void checkImportPath(llvm::SMRange range, llvm::StringRef path, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_IMPORTPATH_H
