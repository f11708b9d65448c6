#include "toolkits/RunTool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  // There is nobody to tell if this fails.
  (void)sys::fs::remove(path);
  sys::DontRemoveFileOnSignal(path);
}

Error TemporaryFile::create(StringRef suffix, StringRef contents) {
  int descriptor = -1;
  if (std::error_code code = sys::fs::createTemporaryFile("nereid", suffix, descriptor, path))
    return createStringError(code, "cannot create a temporary file: " + code.message());
  sys::RemoveFileOnSignal(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return createStringError(code, "cannot write '" + path.str() + "': " + code.message());
  }
  return Error::success();
}

Expected<std::string> TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path.str() + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<ToolResult> runTool(StringRef program, ArrayRef<StringRef> arguments) {
  TemporaryFile log;
  if (Error error = log.create("log"))
    return error;
  SmallVector<StringRef, 8> argv = {program};
  argv.append(arguments.begin(), arguments.end());

  std::string message;
  bool failedToStart = false;
  // The same path for stdout and stderr makes one stream of both.
  std::optional<StringRef> redirects[] = {StringRef(""), log.getPath(), log.getPath()};
  ToolResult result;
  result.exitCode = sys::ExecuteAndWait(program, argv, std::nullopt, redirects, /*SecondsToWait=*/0,
                                        /*MemoryLimit=*/0, &message, &failedToStart);
  if (failedToStart || result.exitCode < 0)
    return createStringError("cannot run '" + program + "': " + message);
  Expected<std::string> output = log.read();
  if (!output)
    return output.takeError();
  result.output = std::move(*output);
  return result;
}

} // namespace nereid
