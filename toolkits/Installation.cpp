// Linux tells the path of a process in /proc/self/exe. Where /proc is not mounted (a chroot, a build
// container), the kernel has still handed over the path that it was started by.
#include "toolkits/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sys/auxv.h>

using namespace llvm;

namespace nereid {

std::string getProgramPath() {
  SmallString<256> path;
  if (!sys::fs::real_path("/proc/self/exe", path) && sys::fs::exists(path))
    return path.str().str();
  if (const char *started = reinterpret_cast<const char *>(getauxval(AT_EXECFN)))
    if (!sys::fs::real_path(started, path))
      return path.str().str();
  return std::string();
}

std::string findInstalled(StringRef path) {
  std::string program = getProgramPath();
  if (program.empty())
    return program;
  for (const char *way : {NEREID_BIN_TO_LIB, "../share"}) {
    SmallString<256> found(program);
    sys::path::remove_filename(found);
    sys::path::append(found, way, path);
    sys::path::remove_dots(found, /*remove_dot_dot=*/true);
    if (sys::fs::exists(found))
      return found.str().str();
  }
  return std::string();
}

} // namespace nereid
