// Signals are blocked but in ppoll, so that none is missed between a question whether one came and the wait.
#include "aot/tuning/WorkerProcess.h"

#include "nlohmann/json.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using nlohmann::json;

namespace nereid {

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

MessageChannel::~MessageChannel() {
  ::close(input);
  ::close(output);
}

bool MessageChannel::send(const json &message) {
  std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  StringRef rest = line;
  while (!rest.empty()) {
    ssize_t count = ::write(output, rest.data(), rest.size());
    if (count >= 0)
      rest = rest.drop_front(count);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

std::optional<json> MessageChannel::takeLine() {
  size_t end = buffer.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  json message = json::parse(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(end), nullptr,
                             /*allow_exceptions=*/false);
  buffer.erase(0, end + 1);
  // Whatever a kernel did to the child's memory, this end understands it or takes it for nothing.
  return message.is_object() ? message : json::object();
}

bool MessageChannel::readMore() {
  std::array<char, 4096> bytes;
  ssize_t count;
  do
    count = ::read(input, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  if (count <= 0)
    return false;
  buffer.append(bytes.data(), count);
  return true;
}

std::optional<json> MessageChannel::receive() {
  while (true) {
    if (std::optional<json> message = takeLine())
      return message;
    if (!readMore())
      return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Interrupts
//===----------------------------------------------------------------------===//

static constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
static volatile std::sig_atomic_t received = 0;
static std::array<struct sigaction, std::size(interrupts)> previousActions;
static sigset_t previousMask;

static void noteSignal(int signal) { received = signal; }

InterruptGuard::InterruptGuard() {
  received = 0;
  sigset_t blocked;
  sigemptyset(&blocked);
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  for (size_t i = 0; i < std::size(interrupts); ++i) {
    sigaction(interrupts[i], nullptr, &previousActions[i]);
    // nohup, say.
    if (previousActions[i].sa_handler == SIG_IGN)
      continue;
    sigaddset(&blocked, interrupts[i]);
    sigaction(interrupts[i], &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &blocked, &previousMask);
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < std::size(interrupts); ++i)
    sigaction(interrupts[i], &previousActions[i], nullptr);
  sigprocmask(SIG_SETMASK, &previousMask, nullptr);
}

int InterruptGuard::getSignal() { return received; }

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

[[noreturn]] static void runChild(const std::function<void(MessageChannel &)> &body, int input, int output,
                                  pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(0);
  rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  for (int signal : interrupts)
    std::signal(signal, SIG_IGN);
  // How it dies is for the parent to tell.
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  MessageChannel channel(input, output);
  body(channel);
  ::_exit(0);
}

Error WorkerProcess::start() {
  stop();
  int toChild[2], fromChild[2];
  if (::pipe2(toChild, O_CLOEXEC) != 0)
    return errorCodeToError(std::error_code(errno, std::generic_category()));
  if (::pipe2(fromChild, O_CLOEXEC) != 0) {
    int code = errno;
    ::close(toChild[0]);
    ::close(toChild[1]);
    return errorCodeToError(std::error_code(code, std::generic_category()));
  }
  // A child that is gone is noticed by what write returns.
  std::signal(SIGPIPE, SIG_IGN);
  pid_t parent = ::getpid();
  pid_t pid = ::fork();
  int code = errno;
  if (pid == 0) {
    ::close(toChild[1]);
    ::close(fromChild[0]);
    runChild(body, toChild[0], fromChild[1], parent);
  }
  ::close(toChild[0]);
  ::close(fromChild[1]);
  channel = std::make_unique<MessageChannel>(fromChild[0], toChild[1]);
  if (pid < 0) {
    channel.reset();
    return errorCodeToError(std::error_code(code, std::generic_category()));
  }
  child = pid;
  return Error::success();
}

void WorkerProcess::stop() {
  channel.reset();
  if (child <= 0)
    return;
  ::kill(child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = -1;
}

WorkerProcess::Outcome WorkerProcess::receive(json &message, double seconds) {
  sigset_t open = previousMask;
  for (int signal : interrupts)
    sigdelset(&open, signal);
  // In small pieces: a stop by ^Z is not to count.
  for (double left = seconds; left > 0;) {
    if (std::optional<json> line = channel->takeLine()) {
      message = std::move(*line);
      return Outcome::Message;
    }
    double piece = std::min(left, 1.0);
    timespec time = {static_cast<time_t>(piece),
                     static_cast<long>((piece - static_cast<time_t>(piece)) * 1e9)};
    pollfd descriptor = {channel->input, POLLIN, 0};
    int ready = ::ppoll(&descriptor, 1, &time, &open);
    if (InterruptGuard::getSignal())
      return Outcome::Interrupted;
    if (ready == 0)
      left -= piece;
    if (ready > 0 && !channel->readMore()) {
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      child = -1;
      channel.reset();
      return Outcome::Ended;
    }
  }
  return Outcome::TimedOut;
}

std::string WorkerProcess::describeEnd() const {
  if (WIFEXITED(status))
    return "it ended its process with status " + std::to_string(WEXITSTATUS(status));
  int signal = WTERMSIG(status);
  const char *name = sigabbrev_np(signal);
  return "it was ended by " + (name ? std::string("SIG") + name : "signal " + std::to_string(signal)) + " (" +
         strsignal(signal) + (signal == SIGKILL ? ", perhaps as memory ran out" : "") + ")";
}

} // namespace nereid
