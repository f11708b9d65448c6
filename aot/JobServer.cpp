// Tokens that are held lie in a table of atomic numbers, where a signal's handler finds them. Between reading
// a token and its being in the table it would be lost to a handler in another thread: that one waits until
// nobody is in between, and nobody begins to read after it has said that the process is ending.
#include "aot/JobServer.h"

#include "aot/Machine.h"
#include "linker/SignalCleanup.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

MakeJobs parseMakeFlags(StringRef text) {
  MakeJobs jobs;
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    // What follows are variables' values, which may look like anything.
    if (word == "--")
      break;
    // Of several the last one counts. --jobserver-fds is what it was called before Make 4.2.
    if (word.consume_front("--jobserver-auth=") || word.consume_front("--jobserver-fds=")) {
      jobs.server = word.str();
      continue;
    }
    unsigned count = 0;
    if (word.consume_front("-j") && !word.getAsInteger(10, count) && count != 0)
      jobs.count = count;
  }
  return jobs;
}

namespace {

/// More threads than anybody compiles with at a time.
constexpr size_t mostHeld = 1024;
/// The tokens of the server that this process holds; -1 where there is none.
std::array<std::atomic<int>, mostHeld> heldTokens;
std::atomic<int> serverWriteEnd{-1};
/// How many threads are about to put a token into the table, or back into the pipe.
std::atomic<int> threadsInBetween{0};
std::atomic<bool> isEnding{false};

/// What a permission holds in place of a token's number.
constexpr int holdsNothing = -1, holdsOwnToken = -2, holdsWithoutServer = -3;

bool writeToken(int descriptor, unsigned char token) {
  ssize_t written;
  do
    written = ::write(descriptor, &token, 1);
  while (written < 0 && errno == EINTR);
  return written == 1;
}

/// Called by handlers of signals: does nothing that may not be done there.
void giveBackAll() {
  isEnding = true;
  constexpr timespec pause = {0, 1'000'000};
  for (int pausesLeft = 1000; threadsInBetween != 0 && pausesLeft > 0; --pausesLeft)
    nanosleep(&pause, nullptr);
  int descriptor = serverWriteEnd;
  if (descriptor < 0)
    return;
  for (std::atomic<int> &held : heldTokens)
    if (int token = held.exchange(-1); token >= 0)
      writeToken(descriptor, static_cast<unsigned char>(token));
}

void giveBackOnCrash(void *) { giveBackAll(); }

/// No handler runs in this thread, and none in another one gets past giveBackAll's waiting.
class InBetween {
public:
  InBetween() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    ++threadsInBetween;
  }
  ~InBetween() {
    --threadsInBetween;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t before;
};

void prepareForEnd() {
  static std::once_flag prepared;
  std::call_once(prepared, [] {
    for (std::atomic<int> &held : heldTokens)
      held = -1;
    callOnSignal(giveBackAll);
    sys::AddSignalHandler(giveBackOnCrash, nullptr);
    std::atexit(giveBackAll);
  });
}

/// Whether an open file is a pipe that can be read from, or written to.
bool isPipe(int descriptor, bool forWriting) {
  struct stat status;
  int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))
    return false;
  int access = flags & O_ACCMODE;
  return access == O_RDWR || access == (forWriting ? O_WRONLY : O_RDONLY);
}

} // namespace

bool JobSlots::openNamed(const std::string &path) {
  // For both, so that there always is a writer, and reading never meets an end.
  readEnd = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  writeEnd = readEnd;
  if (readEnd >= 0 && !isPipe(readEnd, /*forWriting=*/true)) {
    ::close(readEnd);
    readEnd = writeEnd = -1;
    errno = EINVAL;
  }
  return readEnd >= 0;
}

std::string JobSlots::connect(const std::string &server) {
  StringRef text(server);
  if (text.consume_front("fifo:"))
    return openNamed(text.str()) ? "" : "'" + text.str() + "': " + std::strerror(errno);
  auto [readText, writeText] = text.split(',');
  int passedRead = -1, passedWrite = -1;
  if (readText.getAsInteger(10, passedRead) || writeText.getAsInteger(10, passedWrite))
    return "it is '" + server + "'";
  if (!isPipe(passedRead, /*forWriting=*/false) || !isPipe(passedWrite, /*forWriting=*/true))
    return "it is for recipes that begin with '+'";
  // Opened anew, as whether reads wait is a property of what all processes share.
  readEnd =
      ::open(("/proc/self/fd/" + std::to_string(passedRead)).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  writeEnd = passedWrite;
  return readEnd < 0 ? std::string("/proc/self/fd: ") + std::strerror(errno) : "";
}

JobSlots::JobSlots(unsigned asked) {
  const char *flags = std::getenv("MAKEFLAGS");
  MakeJobs jobs = parseMakeFlags(flags ? flags : "");
  most = asked;
  if (asked == 1)
    return;
  if (!jobs.server.empty()) {
    std::string problem = connect(jobs.server);
    int own[2] = {-1, -1};
    if (problem.empty() && ::pipe2(own, O_CLOEXEC | O_NONBLOCK) != 0)
      problem = std::strerror(errno);
    else if (problem.empty()) {
      ownReadEnd = own[0];
      ownWriteEnd = own[1];
      writeToken(ownWriteEnd, '+');
      prepareForEnd();
      serverWriteEnd = writeEnd;
      if (asked == 0)
        most = jobs.count.value_or(countProcessors());
      most = std::min<unsigned>(most, mostHeld);
      return;
    }
    if (asked == 0) {
      // Not a warning of the input, which --werror would make an error of.
      errs() << "nereid: warning: the job server of MAKEFLAGS cannot be used, as " << problem
             << ": one image is compiled at a time; say how many with -j\n";
      most = 1;
    }
  }
  if (most == 0)
    most = countProcessors();
}

JobSlots::~JobSlots() {
  serverWriteEnd = -1;
  // The end for writing is the caller's, unless it is the same.
  for (int descriptor : {readEnd, ownReadEnd, ownWriteEnd})
    if (descriptor >= 0)
      ::close(descriptor);
}

bool JobSlots::takeFromServer(int &slot) {
  InBetween inBetween;
  if (isEnding)
    return false;
  unsigned char token = 0;
  if (::read(readEnd, &token, 1) != 1)
    return false;
  for (size_t i = 0; i < heldTokens.size(); ++i) {
    int free = -1;
    if (heldTokens[i].compare_exchange_strong(free, token)) {
      slot = static_cast<int>(i);
      return true;
    }
  }
  writeToken(writeEnd, token);
  return false;
}

void JobSlots::Permission::take() {
  if (slots.ownReadEnd < 0) {
    held = holdsWithoutServer;
    return;
  }
  while (true) {
    unsigned char token = 0;
    if (::read(slots.ownReadEnd, &token, 1) == 1) {
      held = holdsOwnToken;
      return;
    }
    if (slots.takeFromServer(held))
      return;
    pollfd ends[] = {{slots.ownReadEnd, POLLIN, 0}, {slots.readEnd, POLLIN, 0}};
    // Of a server that is gone no more is expected.
    bool isServerGone = ::poll(ends, std::size(ends), -1) > 0 && (ends[1].revents & ~POLLIN) != 0;
    if (isServerGone || isEnding)
      ::poll(ends, 1, -1);
  }
}

void JobSlots::Permission::giveBack() {
  if (held == holdsOwnToken)
    writeToken(slots.ownWriteEnd, '+');
  else if (held >= 0) {
    InBetween inBetween;
    // A handler may have given it back.
    if (int token = heldTokens[held].exchange(-1); token >= 0)
      writeToken(slots.writeEnd, static_cast<unsigned char>(token));
  }
  held = holdsNothing;
}

} // namespace nereid
