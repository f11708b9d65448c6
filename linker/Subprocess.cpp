// Thin layers over llvm::sys, with errors that say what was being done.
#include "linker/Subprocess.h"

#include "compiler/model/InputFile.h"
#include "toolkits/RunTool.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

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
