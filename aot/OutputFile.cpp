// A temporary file in the destination's folder, renamed when it is complete. (llvm::writeToOutput would do
// that if folders had no `%` in their names, which its names of temporary files give a meaning.) What is no
// plain file (a terminal, a pipe, /dev/stdout) must not be replaced by one, and is
// written to as it stands; a symbolic link stays, and the file it leads to is replaced.
#include "aot/OutputFile.h"

#include "linker/SameContents.h"
#include "linker/SignalCleanup.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

/// The reason in words that name the folder where it is the folder that is missing.
static std::string explain(StringRef path, std::error_code code) {
  StringRef folder = sys::path::parent_path(path);
  if (code == std::errc::no_such_file_or_directory && !folder.empty() && !sys::fs::exists(folder))
    return ("the folder '" + folder + "' does not exist").str();
  return code.message();
}

/// Writes all of `bytes`, or says why not.
static Error writeAll(raw_fd_ostream &os, StringRef bytes) {
  os << bytes;
  os.flush();
  std::error_code code = os.error();
  // Or the stream would end the process when it is destroyed.
  os.clear_error();
  return errorCodeToError(code);
}

/// Opens a new file beside `path`, which is gone if a signal ends the process.
static Expected<int> openBeside(StringRef path, std::string &temporary) {
  std::error_code code = std::make_error_code(std::errc::file_exists);
  for (unsigned attempt = 0; code == std::errc::file_exists && attempt < 100; ++attempt) {
    SmallString<32> random;
    sys::fs::createUniquePath(".nereid-%%%%%%%%", random, /*MakeAbsolute=*/false);
    temporary = path.str() + random.c_str();
    int descriptor = -1;
    code = sys::fs::openFileForWrite(temporary, descriptor, sys::fs::CD_CreateNew);
    if (!code) {
      sys::RemoveFileOnSignal(temporary);
      return descriptor;
    }
  }
  return errorCodeToError(code);
}

static Error replaceFile(StringRef path, StringRef bytes) {
  std::string temporary;
  Expected<int> descriptor = openBeside(path, temporary);
  if (!descriptor)
    return descriptor.takeError();
  raw_fd_ostream os(*descriptor, /*shouldClose=*/true);
  Error error = writeAll(os, bytes);
  os.close();
  if (!error && os.has_error())
    error = errorCodeToError(os.error());
  os.clear_error();
  if (!error)
    error = errorCodeToError(sys::fs::rename(temporary, path));
  if (error)
    (void)sys::fs::remove(temporary);
  sys::DontRemoveFileOnSignal(temporary);
  return error;
}

static Error write(StringRef path, StringRef bytes) {
  if (path == "-")
    return writeAll(outs(), bytes);
  if (hasContents(path, bytes))
    return Error::success();
  // Through links, also such as lead to a file that is still to be made.
  std::filesystem::path target = path.str();
  std::error_code ignored;
  for (unsigned links = 0; links < 40 && std::filesystem::is_symlink(target, ignored); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target, ignored);
  sys::fs::file_status status;
  if (sys::fs::status(path, status) || status.type() == sys::fs::file_type::regular_file)
    return replaceFile(target.string(), bytes);
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting);
  return code ? errorCodeToError(code) : writeAll(os, bytes);
}

bool writeOutputFile(StringRef path, StringRef bytes, Diagnostics &diagnostics) {
  if (path != "-" && sys::fs::is_directory(path)) {
    diagnostics.error("cannot write '" + path + "': it is a directory");
    return false;
  }
  Error error = write(path, bytes);
  if (!error)
    return true;
  diagnostics.error("cannot write '" + path + "': " + explain(path, errorToErrorCode(std::move(error))));
  return false;
}

bool touchStamp(StringRef path, Diagnostics &diagnostics) {
  if (path.empty())
    return true;
  int descriptor = -1;
  std::error_code code =
      sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenAlways, sys::fs::OF_Append);
  if (!code) {
    // Null is the time it is now.
    if (::futimens(descriptor, nullptr) != 0)
      code = std::error_code(errno, std::generic_category());
    ::close(descriptor);
  }
  if (code)
    diagnostics.error("cannot write '" + path + "': " + explain(path, code));
  return !code;
}

bool checkIsNoInput(StringRef path, ArrayRef<std::string> inputs, Diagnostics &diagnostics) {
  for (const std::string &input : inputs) {
    if (path.empty() || path == "-" || (path != input && !sys::fs::equivalent(path, input)))
      continue;
    diagnostics.error("cannot write '" + path + "': it is read as '" + input + "'");
    return false;
  }
  return true;
}

OutputFolder::~OutputFolder() {
  if (made.empty())
    return;
  // Fails where there is something in it.
  (void)::rmdir(made.c_str());
  keepFolderOnSignal(made);
}

bool OutputFolder::prepare(StringRef path, Diagnostics &diagnostics) {
  bool existed = sys::fs::exists(path);
  std::error_code code = sys::fs::create_directory(path, /*IgnoreExisting=*/true, sys::fs::all_all);
  if (!code && !existed) {
    made = path.str();
    removeFolderOnSignal(made, /*onlyIfEmpty=*/true);
  }
  if (!code && !sys::fs::is_directory(path))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code) {
    diagnostics.error("cannot write to folder '" + path + "': " + explain(path, code));
    return false;
  }
  if (sys::fs::access(path, sys::fs::AccessMode::Write)) {
    diagnostics.error("cannot write to folder '" + path + "': permission denied");
    return false;
  }
  return true;
}

} // namespace nereid
