// The forms are: `s` or `a`, how many folders to go up, and what follows behind a `/`; and `=` with a path
// that means the same everywhere, or what the current folder makes of it.
#include "aot/cache/MovablePaths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid {

MovablePaths::MovablePaths(StringRef sourcePath) : folder(sys::path::parent_path(sourcePath).str()) {
  SmallString<128> absolute(folder.empty() ? "." : StringRef(folder));
  (void)sys::fs::make_absolute(absolute);
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  absoluteFolder = absolute.str().str();
}

/// What is left of a path below a folder, with the `/` before it; nothing if it is not there.
static std::optional<StringRef> below(StringRef path, StringRef folder) {
  if (folder.empty())
    return path;
  if (!path.consume_front(folder))
    return std::nullopt;
  // The root ends with the separator itself.
  if (path.empty() || path.front() == '/' || folder.back() == '/')
    return path;
  return std::nullopt;
}

std::string MovablePaths::fold(StringRef path) const {
  bool isAbsolute = sys::path::is_absolute(path);
  bool isLikeSource = isAbsolute == sys::path::is_absolute(folder);
  if (!isLikeSource && !isAbsolute)
    return "=" + path.str();
  StringRef base = isLikeSource ? StringRef(folder) : StringRef(absoluteFolder);
  for (unsigned levels = 0;; ++levels, base = sys::path::parent_path(base)) {
    if (auto rest = below(path, base))
      return (isLikeSource ? "s" : "a") + utostr(levels) + ":" + rest->str();
    if (base.empty())
      return "=" + path.str();
  }
}

std::optional<std::string> MovablePaths::unfold(StringRef folded) const {
  if (folded.consume_front("="))
    return folded.str();
  bool isLikeSource = folded.consume_front("s");
  unsigned levels = 0;
  if ((!isLikeSource && !folded.consume_front("a")) || folded.consumeInteger(10, levels) ||
      !folded.consume_front(":"))
    return std::nullopt;
  StringRef base = isLikeSource ? StringRef(folder) : StringRef(absoluteFolder);
  for (; levels != 0; --levels) {
    if (base.empty())
      return std::nullopt;
    base = sys::path::parent_path(base);
  }
  if (base.empty() && sys::path::is_absolute(isLikeSource ? StringRef(folder) : StringRef(absoluteFolder)))
    return std::nullopt;
  return (base + folded).str();
}

} // namespace nereid
