// A thread takes some ten microseconds to start, which a process pays once where its folder is on a disk.
#include "aot/cache/PatientCalls.h"

#include "llvm/Support/Path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include <sys/vfs.h>

namespace nereid {

namespace {

struct Ending {
  std::mutex mutex;
  std::condition_variable changed;
  bool hasEnded = false;
};

} // namespace

bool endsWithin(std::chrono::milliseconds limit, std::function<void()> work) {
  auto ending = std::make_shared<Ending>();
  // Signals are for threads that can answer them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool hasThread = true;
  try {
    std::thread([ending, work] {
      work();
      std::lock_guard<std::mutex> lock(ending->mutex);
      ending->hasEnded = true;
      ending->changed.notify_all();
    }).detach();
  } catch (const std::system_error &) {
    hasThread = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!hasThread) {
    work();
    return true;
  }
  std::unique_lock<std::mutex> lock(ending->mutex);
  return ending->changed.wait_for(lock, limit, [&] { return ending->hasEnded; });
}

bool isOnThisMachine(const std::string &folder) {
  // As linux/magic.h numbers them: ext, XFS, Btrfs, tmpfs, ramfs, overlay, ZFS, F2FS, bcachefs.
  constexpr std::array<uint32_t, 9> local = {0xef53,     0x58465342, 0x9123683e, 0x01021994, 0x858458f6,
                                             0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e};
  llvm::StringRef path(folder);
  struct statfs status;
  while (::statfs(path.str().c_str(), &status) != 0) {
    if (errno != ENOENT || path.size() <= 1)
      return false;
    path = llvm::sys::path::parent_path(path);
  }
  return std::find(local.begin(), local.end(), static_cast<uint32_t>(status.f_type)) != local.end();
}

} // namespace nereid
