// Starting a program and collecting what it says; what it leaves behind goes with the TemporaryFile, also
// when the process is killed by a signal.
//
// llvm::sys can stop a program after a time by itself, but through the one alarm clock that a process has:
// two threads that each run a program would stop each other's. So a program is started and asked after.
//
// Programs get the same addresses each time, where the system allows it. ptxas makes different code of the
// same text otherwise: of siglip-kernel's _hopper_fused_siglip_kernel three kinds in six runs.
#include "toolkits/RunTool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#ifdef __linux__
#include <sys/personality.h>
#endif

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
  if (std::error_code code = sys::fs::createTemporaryFile("nereid", suffix, descriptor, path)) {
    // The name that was tried last tells nobody more than its folder does.
    SmallString<64> folder;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
    path.clear();
    return createStringError(code, "cannot create a temporary file in '" + folder.str() +
                                       "' (TMPDIR): " + code.message());
  }
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

static Expected<unsigned> getTimeLimit() {
  constexpr unsigned usual = 600;
  const char *text = std::getenv("NEREID_TOOL_TIMEOUT");
  if (!text || !*text)
    return usual;
  unsigned seconds = 0;
  if (StringRef(text).getAsInteger(10, seconds))
    return createStringError(Twine("NEREID_TOOL_TIMEOUT is '") + text +
                             "', which is not a number of seconds");
  return seconds;
}

/// Waits until the program has ended, or until the time is up; then it is stopped, and nothing returned.
static std::optional<sys::ProcessInfo> waitFor(const sys::ProcessInfo &process, unsigned seconds,
                                               std::string &message) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::chrono::microseconds pause(200);
  constexpr std::chrono::microseconds longestPause(5000);
  while (true) {
    if (sys::ProcessInfo result = sys::Wait(process, 0, &message, nullptr, /*Polling=*/true); result.Pid != 0)
      return result;
    if (seconds != 0 && Clock::now() >= end) {
      kill(process.Pid, SIGKILL);
      sys::Wait(process, std::nullopt, nullptr);
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, longestPause);
  }
}

namespace {

/// While this is there, what the thread starts is loaded to fixed addresses.
class FixedAddresses {
public:
#ifdef __linux__
  FixedAddresses() : before(::personality(asked)) {
    if (before != -1)
      (void)::personality(unsigned(before) | ADDR_NO_RANDOMIZE); // containers may forbid it
  }
  ~FixedAddresses() {
    if (before != -1)
      (void)::personality(unsigned(before));
  }

private:
  static constexpr unsigned long asked = 0xffffffff;
  int before;
#endif
};

} // namespace

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
  Expected<unsigned> seconds = getTimeLimit();
  if (!seconds)
    return seconds.takeError();
  sys::ProcessInfo process;
  {
    FixedAddresses addresses;
    process = sys::ExecuteNoWait(program, argv, std::nullopt, redirects, /*MemoryLimit=*/0, &message,
                                 &failedToStart);
  }
  if (failedToStart)
    return createStringError("cannot run '" + program + "': " + message);
  std::optional<sys::ProcessInfo> ended = waitFor(process, *seconds, message);
  if (!ended)
    return createStringError("'" + program + "' was stopped because it did not finish within " +
                             Twine(*seconds) + " s; NEREID_TOOL_TIMEOUT=SECONDS gives it longer");
  ToolResult result;
  result.exitCode = ended->ReturnCode;
  if (result.exitCode < 0)
    return createStringError("cannot run '" + program + "': " + message);
  Expected<std::string> output = log.read();
  if (!output)
    return output.takeError();
  result.output = std::move(*output);
  return result;
}

} // namespace nereid
