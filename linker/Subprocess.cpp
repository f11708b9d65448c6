// Thin layers over llvm::sys, with errors that say what was being done.
#include "linker/Subprocess.h"

#include "compiler/model/InputFile.h"
#include "linker/SignalCleanup.h"
#include "toolkits/RunTool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

Error TemporaryFolder::create(StringRef parent) {
  // createUniqueDirectory always goes to the system's temporary folder, so the name is made here.
  for (int attempt = 0; attempt < 100; ++attempt) {
    // A `%` in the parent's name is none that is to be replaced.
    SmallString<32> name;
    sys::fs::createUniquePath(".nereid-%%%%%%", name, /*MakeAbsolute=*/false);
    std::string candidate = (parent + "/" + name).str();
    std::error_code code = sys::fs::create_directory(candidate, /*IgnoreExisting=*/false);
    if (!code) {
      path = std::move(candidate);
      removeFolderOnSignal(path);
      return Error::success();
    }
    if (code != std::errc::file_exists)
      return createStringError("cannot make a temporary folder in '" + parent + "': " + code.message());
  }
  return createStringError("cannot make a temporary folder in '" + parent + "'");
}

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  [[maybe_unused]] std::error_code leftover = sys::fs::remove_directories(path);
  keepFolderOnSignal(path);
}

std::string TemporaryFolder::getPath(StringRef name) const { return path + "/" + name.str(); }

Error runProgram(ArrayRef<std::string> command) {
  SmallVector<StringRef> arguments(command.begin() + 1, command.end());
  Expected<ToolResult> result = runTool(command.front(), arguments);
  if (!result)
    return result.takeError();
  if (result->exitCode == 0)
    return Error::success();
  StringRef output = StringRef(result->output).trim();
  return createStringError("'" + join(command, " ") + "' returned " + Twine(result->exitCode) +
                           (output.empty() ? "" : ":\n") + output);
}

Error writeFile(StringRef path, StringRef contents) {
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (!code) {
    file << contents;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code)
    return createStringError("cannot write '" + path + "': " + code.message());
  return Error::success();
}

Expected<std::string> readFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

} // namespace nereid
