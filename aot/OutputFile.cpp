// llvm::writeToOutput does the work: a temporary file in the destination's folder, renamed when it is
// complete. What is no plain file (a terminal, a pipe, /dev/stdout) must not be replaced by one, and is
// written to as it stands; a symbolic link stays, and the file it leads to is replaced.
#include "aot/OutputFile.h"

#include "linker/SignalCleanup.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
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

static Error write(StringRef path, StringRef bytes) {
  // Whatever writeToOutput opens is a file descriptor's stream.
  auto writeTo = [&](raw_ostream &os) { return writeAll(static_cast<raw_fd_ostream &>(os), bytes); };
  if (path == "-")
    return writeToOutput(path, writeTo);
  // Through links, also such as lead to a file that is still to be made.
  std::filesystem::path target = path.str();
  std::error_code ignored;
  for (unsigned links = 0; links < 40 && std::filesystem::is_symlink(target, ignored); ++links)
    target = target.parent_path() / std::filesystem::read_symlink(target, ignored);
  sys::fs::file_status status;
  if (sys::fs::status(path, status) || status.type() == sys::fs::file_type::regular_file)
    return writeToOutput(target.string(), writeTo);
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
