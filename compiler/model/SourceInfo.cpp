// See SourceInfo.h.
#include "compiler/model/SourceInfo.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

std::string SourceInfo::getPath(llvm::StringRef path) const {
  for (const auto &[prefix, replacement] : llvm::reverse(prefixMap)) {
    llvm::StringRef rest = path;
    // Whole names only: /home/me is no prefix of /home/mean.
    if (rest.consume_front(prefix) &&
        (rest.empty() || rest.front() == '/' || llvm::StringRef(prefix).ends_with("/")))
      return replacement + rest.str();
  }
  return path.str();
}

} // namespace nereid
