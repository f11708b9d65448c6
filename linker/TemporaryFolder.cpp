// See TemporaryFolder.h.
#include "linker/TemporaryFolder.h"

#include "linker/SignalCleanup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid {

std::error_code TemporaryFolder::tryCreate(StringRef parent) {
  std::error_code code = std::make_error_code(std::errc::file_exists);
  // createUniqueDirectory always goes to the system's temporary folder, so the name is made here.
  for (int attempt = 0; attempt < 100 && code == std::errc::file_exists; ++attempt) {
    // A `%` in the parent's name is none that is to be replaced.
    SmallString<32> name;
    sys::fs::createUniquePath(".nereid-%%%%%%", name, /*MakeAbsolute=*/false);
    std::string candidate = (parent + "/" + name).str();
    code = sys::fs::create_directory(candidate, /*IgnoreExisting=*/false);
    if (!code) {
      path = std::move(candidate);
      removeFolderOnSignal(path);
    }
  }
  return code;
}

Error TemporaryFolder::create(StringRef parent) {
  std::error_code code = tryCreate(parent);
  return code ? createStringError("cannot make a temporary folder in '" + parent + "': " + code.message())
              : Error::success();
}

Error TemporaryFolder::createAnywhere() {
  SmallString<128> parent;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  return create(parent);
}

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  [[maybe_unused]] std::error_code leftover = sys::fs::remove_directories(path);
  keepFolderOnSignal(path);
}

std::string TemporaryFolder::getPath(StringRef name) const { return path + "/" + name.str(); }

/// Whether no program takes anything in a path for something else.
static bool isPlain(StringRef path) {
  return !path.starts_with("-") &&
         all_of(path, [](char c) { return isAlnum(c) || StringRef("/._+-").contains(c); });
}

Expected<std::string> TemporaryFolder::getPlainPath() {
  if (isPlain(path))
    return path;
  if (linkFolder)
    return linkFolder->getPath("folder");
  SmallString<128> parent, target(path);
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  auto made = std::make_unique<TemporaryFolder>();
  if (Error error = made->create(isPlain(parent) ? parent.str() : StringRef("/tmp")))
    return std::move(error);
  std::error_code code = sys::fs::make_absolute(target);
  if (!code)
    code = sys::fs::create_link(target, made->getPath("folder"));
  if (code)
    return createStringError("cannot make a link to '" + path + "': " + code.message());
  linkFolder = std::move(made);
  return linkFolder->getPath("folder");
}

} // namespace nereid
