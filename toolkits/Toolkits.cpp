// The places that are searched, in their order: what the environment names, what is on the path, where the
// vendors install.
#include "toolkits/Toolkits.h"

#include "toolkits/Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

#include <cstdlib>

using namespace llvm;

namespace nereid {

static StringRef getEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? StringRef(value) : StringRef();
}

static std::string join(StringRef folder, StringRef file) {
  SmallString<128> path(folder);
  sys::path::append(path, file);
  return path.str().str();
}

/// The toolkits that are installed under /usr/local, the default one first, then the newest.
static SmallVector<std::string> getInstalledCUDAToolkits() {
  SmallVector<std::string> toolkits = {"/usr/local/cuda"};
  SmallVector<std::pair<VersionTuple, std::string>> versioned;
  std::error_code code;
  for (sys::fs::directory_iterator it("/usr/local", code), end; it != end && !code; it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    VersionTuple version;
    if (name.consume_front("cuda-") && !version.tryParse(name))
      versioned.emplace_back(version, it->path());
  }
  llvm::sort(versioned, [](const auto &a, const auto &b) { return b.first < a.first; });
  for (auto &[version, path] : versioned)
    toolkits.push_back(path);
  return toolkits;
}

/// The toolkits that the environment names.
static SmallVector<std::string> getNamedCUDAToolkits() {
  SmallVector<std::string> toolkits;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (StringRef folder = getEnvironment(variable); !folder.empty())
      toolkits.push_back(folder.str());
  return toolkits;
}

/// A program in the bin folder of a toolkit, which the environment variable may name.
static Expected<std::string> findCUDAProgram(StringRef name, const char *variable) {
  if (StringRef named = getEnvironment(variable); !named.empty()) {
    if (named == "none")
      return std::string();
    if (!sys::fs::can_execute(named))
      return createStringError(Twine(variable) + " names '" + named + "', which is not a program");
    return named.str();
  }
  std::string inToolkit = join("bin", name);
  for (const std::string &toolkit : getNamedCUDAToolkits())
    if (std::string path = join(toolkit, inToolkit); sys::fs::can_execute(path))
      return path;
  if (ErrorOr<std::string> path = sys::findProgramByName(name))
    return *path;
  for (const std::string &toolkit : getInstalledCUDAToolkits())
    if (std::string path = join(toolkit, inToolkit); sys::fs::can_execute(path))
      return path;
  return std::string();
}

Expected<std::string> findPtxas() { return findCUDAProgram("ptxas", "NEREID_PTXAS"); }

Expected<std::string> findFatbinary() { return findCUDAProgram("fatbinary", "NEREID_FATBINARY"); }

Expected<std::string> findNvdisasm() { return findCUDAProgram("nvdisasm", "NEREID_NVDISASM"); }

Expected<std::string> findLibdevice() {
  if (StringRef named = getEnvironment("NEREID_LIBDEVICE"); !named.empty()) {
    if (!sys::fs::exists(named))
      return createStringError("NEREID_LIBDEVICE names '" + named + "', which does not exist");
    return named.str();
  }
  SmallVector<std::string> folders = getNamedCUDAToolkits();
  // A toolkit whose bin folder is on PATH: bin/ptxas, and nvvm/ beside bin/.
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas")) {
    SmallString<128> resolved;
    if (!sys::fs::real_path(*program, resolved))
      folders.push_back(sys::path::parent_path(sys::path::parent_path(resolved)).str());
  }
  append_range(folders, getInstalledCUDAToolkits());
  folders.push_back("/usr/lib/cuda");
  for (const std::string &folder : folders)
    if (std::string path = join(folder, "nvvm/libdevice/libdevice.10.bc"); sys::fs::exists(path))
      return path;
  return std::string();
}

Expected<std::string> findROCmLibrary(StringRef name) {
  if (StringRef named = getEnvironment("NEREID_ROCM_BITCODE"); !named.empty()) {
    std::string path = join(named, name);
    if (!sys::fs::exists(path))
      return createStringError("NEREID_ROCM_BITCODE names '" + named + "', which has no " + name);
    return path;
  }
  SmallVector<std::string> folders;
  if (StringRef rocm = getEnvironment("ROCM_PATH"); !rocm.empty())
    folders.push_back(join(rocm, "amdgcn/bitcode"));
  if (std::string own = findInstalled("nereid/amdgcn/bitcode"); !own.empty())
    folders.push_back(own);
  folders.push_back("/opt/rocm/amdgcn/bitcode");
  folders.push_back("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  folders.push_back("/usr/lib/aarch64-linux-gnu/amdgcn/bitcode");
  for (const std::string &folder : folders)
    if (std::string path = join(folder, name); sys::fs::exists(path))
      return path;
  return std::string();
}

} // namespace nereid
