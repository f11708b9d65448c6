// llvm::writeToOutput does the work: a temporary file in the destination's folder, renamed when it is
// complete.
#include "aot/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

/// The reason in words that name the folder where it is the folder that is missing.
static std::string explain(StringRef path, std::error_code code) {
  StringRef folder = sys::path::parent_path(path);
  if (code == std::errc::no_such_file_or_directory && !folder.empty() && !sys::fs::exists(folder))
    return ("the folder '" + folder + "' does not exist").str();
  return code.message();
}

bool writeOutputFile(StringRef path, StringRef bytes, Diagnostics &diagnostics) {
  if (path != "-" && sys::fs::is_directory(path)) {
    diagnostics.error("cannot write '" + path + "': it is a directory");
    return false;
  }
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    os << bytes;
    os.flush();
    return Error::success();
  });
  if (!error)
    return true;
  diagnostics.error("cannot write '" + path + "': " + explain(path, errorToErrorCode(std::move(error))));
  return false;
}

bool prepareOutputFolder(StringRef path, Diagnostics &diagnostics) {
  std::error_code code = sys::fs::create_directory(path, /*IgnoreExisting=*/true);
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
