// A handler may interrupt anything, so that it neither allocates nor takes locks: the names lie in a table of
// atomic pointers, and folders are listed with the system call itself.
#include "linker/SignalCleanup.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

namespace {

struct Slot {
  /// Null where the slot is free. Names are never freed: a handler in another thread may be reading one.
  std::atomic<const char *> path{nullptr};
  std::atomic<bool> onlyIfEmpty{false};
};

/// More folders than threads that pack an image at a time.
std::array<Slot, 256> slots;

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, std::size(signals)> previous;

/// What getdents64 writes.
struct Entry {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

void removeFiles(const char *folder) {
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0)
    return;
  alignas(Entry) char buffer[4096];
  for (long size; (size = syscall(SYS_getdents64, descriptor, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < size;) {
      auto *entry = reinterpret_cast<const Entry *>(buffer + at);
      unlinkat(descriptor, entry->name, 0);
      at += entry->size;
    }
  close(descriptor);
}

/// Of processes, 0 where the slot is free. More than anybody compiles at a time; what has no slot is not
/// told.
std::array<std::atomic<pid_t>, 1024> processes;

void stopProcesses(int signal) {
  for (std::atomic<pid_t> &process : processes)
    if (pid_t id = process)
      kill(-id, signal);
  constexpr timespec pause = {0, 5'000'000};
  int pausesLeft = 400;
  for (std::atomic<pid_t> &process : processes)
    // Somebody else who waits for it gets what it returned, and this an error.
    while (process && waitpid(process, nullptr, WNOHANG) == 0 && pausesLeft-- > 0)
      nanosleep(&pause, nullptr);
}

/// Null where the slot is free.
std::array<std::atomic<void (*)()>, 8> functions;

void handleSignal(int signal) {
  stopProcesses(signal);
  for (auto &slot : functions)
    if (auto function = slot.load())
      function();
  // Backwards: a folder is named before those in it.
  for (size_t i = slots.size(); i-- > 0;)
    if (const char *path = slots[i].path.load()) {
      if (!slots[i].onlyIfEmpty)
        removeFiles(path);
      rmdir(path);
    }
  // Whoever was to handle it does so as soon as this returns.
  for (size_t i = 0; i < std::size(signals); ++i)
    if (signals[i] == signal)
      sigaction(signal, &previous[i], nullptr);
  raise(signal);
}

void installHandlers() {
  struct sigaction action = {};
  action.sa_handler = handleSignal;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < std::size(signals); ++i) {
    sigaction(signals[i], nullptr, &previous[i]);
    // nohup, say.
    if (previous[i].sa_handler != SIG_IGN)
      sigaction(signals[i], &action, nullptr);
  }
}

void installHandlersOnce() {
  static std::once_flag installed;
  std::call_once(installed, installHandlers);
}

} // namespace

void stopProcessOnSignal(pid_t process) {
  installHandlersOnce();
  for (std::atomic<pid_t> &slot : processes) {
    pid_t free = 0;
    if (slot.compare_exchange_strong(free, process))
      return;
  }
}

void forgetProcess(pid_t process) {
  for (std::atomic<pid_t> &slot : processes)
    if (pid_t expected = process; slot.compare_exchange_strong(expected, 0))
      return;
}

void callOnSignal(void (*function)()) {
  installHandlersOnce();
  for (auto &slot : functions) {
    void (*free)() = nullptr;
    if (slot.compare_exchange_strong(free, function))
      return;
  }
}

void removeFolderOnSignal(StringRef path, bool onlyIfEmpty) {
  installHandlersOnce();
  const char *name = strdup(path.str().c_str());
  for (Slot &slot : slots) {
    const char *free = nullptr;
    if (slot.path.load())
      continue;
    slot.onlyIfEmpty = onlyIfEmpty;
    if (slot.path.compare_exchange_strong(free, name))
      return;
  }
}

void keepFolderOnSignal(StringRef path) {
  for (Slot &slot : slots)
    if (const char *name = slot.path.load(); name && path == name)
      slot.path = nullptr;
}

} // namespace nereid
