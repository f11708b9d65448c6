// What compiled code says of the source that it came from: for whom it is said, and under which names files
// go.
//
// Paths get into images in two ways: a failed assertion names its file, and line tables (`--debug-info`) name
// every file that code came from. They stand there as the compiler was given them, so that whoever wants
// images that do not depend on the machine they were built on gives relative paths, or a prefix map:
//
//     --prefix-map /home/me/project=.        /home/me/project/kernels/add.py  becomes  ./kernels/add.py
#ifndef NEREID_COMPILER_MODEL_SOURCEINFO_H
#define NEREID_COMPILER_MODEL_SOURCEINFO_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid {

struct SourceInfo {
  /// `--debug-info`: line tables for debuggers and profilers, and on CPUs what they need to unwind the stack.
  bool lineTables = false;
  /// Prefixes of paths and what takes their place; the last that fits counts.
  std::vector<std::pair<std::string, std::string>> prefixMap;

  /// A file's name as it is written into images.
  std::string getPath(llvm::StringRef path) const;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_SOURCEINFO_H
