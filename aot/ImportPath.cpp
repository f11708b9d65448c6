// One question to the file system, in words.
#include "aot/ImportPath.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace nereid {

void checkImportPath(SMRange range, StringRef path, Diagnostics &diagnostics) {
  if (sys::fs::is_directory(path))
    return;
  diagnostics.warning(range, "imports are not looked for in '" + path + "': " +
                                 (sys::fs::exists(path) ? "it is no folder" : "there is no such folder"));
}

} // namespace nereid
