// Thin layers over llvm::sys, with errors that say what was being done.
#include "linker/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

Error TemporaryFolder::create(StringRef parent) {
  // createUniqueDirectory always goes to the system's temporary folder, so the name is made here.
  for (int attempt = 0; attempt < 100; ++attempt) {
    SmallString<128> candidate;
    sys::fs::createUniquePath(parent + "/.nereid-%%%%%%", candidate, /*MakeAbsolute=*/false);
    std::error_code code = sys::fs::create_directory(candidate, /*IgnoreExisting=*/false);
    if (!code) {
      path = candidate.str().str();
      return Error::success();
    }
    if (code != std::errc::file_exists)
      return createStringError("cannot write to '" + parent + "': " + code.message());
  }
  return createStringError("cannot make a temporary folder in '" + parent + "'");
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty()) [[maybe_unused]]
    std::error_code leftover = sys::fs::remove_directories(path);
}

std::string TemporaryFolder::getPath(StringRef name) const { return path + "/" + name.str(); }

Error runProgram(ArrayRef<std::string> command) {
  SmallString<128> outputPath;
  if (std::error_code code = sys::fs::createTemporaryFile("nereid", "out", outputPath))
    return createStringError("cannot make a temporary file: " + code.message());
  std::optional<StringRef> redirects[] = {StringRef(), outputPath.str(), outputPath.str()};
  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::string message;
  int status = sys::ExecuteAndWait(command.front(), arguments, std::nullopt, redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &message);
  std::string output;
  if (auto buffer = MemoryBuffer::getFile(outputPath))
    output = (*buffer)->getBuffer().trim().str();
  [[maybe_unused]] std::error_code leftover = sys::fs::remove(outputPath);
  if (status == 0)
    return Error::success();
  std::string reason = message.empty() ? "returned " + itostr(status) : message;
  return createStringError("'" + join(command, " ") + "' " + reason + (output.empty() ? "" : ":\n" + output));
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
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot open '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace nereid
