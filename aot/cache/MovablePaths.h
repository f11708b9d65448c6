// Paths of a compilation, told from where its source is, so that what was compiled in one checkout of a
// project is known again in another:
//
//     source /home/ann/p/kernels/add.py      /home/ann/p/kernels/sizes.py   s0:/sizes.py
//                                            /home/ann/p/lib/shapes.py      s1:/lib/shapes.py
//
// `s1:` is one folder above that of the source. Nothing but text is taken apart and put together: `..` and
// links stay as they are, so that a path that is unfolded is the one that a compilation there would use.
// Where the source's path is relative, absolute paths are told from where that leads (`a1:/…`).
#ifndef NEREID_AOT_CACHE_MOVABLEPATHS_H
#define NEREID_AOT_CACHE_MOVABLEPATHS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

class MovablePaths {
public:
  explicit MovablePaths(llvm::StringRef sourcePath);

  std::string fold(llvm::StringRef path) const;
  /// Nothing if no path here can be meant.
  std::optional<std::string> unfold(llvm::StringRef folded) const;

private:
  /// The source's folder, as the source's path has it, and all of its path.
  std::string folder, absoluteFolder;
};

} // namespace nereid

#endif // NEREID_AOT_CACHE_MOVABLEPATHS_H
