// Who makes a folder locks it at once, but not at the same time: somebody else may take it for one that was
// left. They have its lock then, or it is gone already, and another folder is made in either case. Locks are
// those of open files (F_OFD_SETLK), which other threads of the process, and files that they close, have no
// part in.
#include "linker/TemporaryFolder.h"

#include "linker/SignalCleanup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

static constexpr StringLiteral lockName = ".lock";
static constexpr StringLiteral namePattern = ".nereid-%%%%%%";

/// This machine, and its run since it was started, in two lines.
static std::string describeMachine() {
  // Files of the kernel have no size to read by.
  std::string run;
  if (int descriptor = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); descriptor >= 0) {
    char text[64];
    if (ssize_t size = ::read(descriptor, text, sizeof text); size > 0)
      run = StringRef(text, size).trim().str();
    ::close(descriptor);
  }
  char name[256] = "";
  (void)::gethostname(name, sizeof name - 1);
  return run + "\n" + name + "\n";
}

enum class LockAttempt { Locked, HeldByAnother, NoLocksHere };

static LockAttempt tryLock(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0)
    return LockAttempt::Locked;
  return errno == EAGAIN || errno == EACCES ? LockAttempt::HeldByAnother : LockAttempt::NoLocksHere;
}

static bool isSameFile(int descriptor, const std::string &path) {
  struct stat opened, named;
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Whether a folder's owner has ended, as far as its lock file, which this process has locked, tells. One
/// that is empty is of a process that was not done with making the folder, and will miss the lock.
static bool isOfThisMachine(int descriptor) {
  char text[512];
  ssize_t size = ::pread(descriptor, text, sizeof text, 0);
  if (size <= 0)
    return size == 0;
  auto [run, host] = StringRef(text, size).split('\n');
  std::string own = describeMachine();
  auto [ownRun, ownHost] = StringRef(own).split('\n');
  return (!run.empty() && run == ownRun) || (host.size() > 1 && host == ownHost);
}

static void removeIfLeft(const std::string &folder) {
  struct stat status;
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
    return;
  int descriptor =
      ::open((folder + "/" + lockName.str()).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return;
  if (tryLock(descriptor) == LockAttempt::Locked && isOfThisMachine(descriptor))
    (void)sys::fs::remove_directories(folder);
  ::close(descriptor);
}

/// Removes what processes have left that are no more; once for each place.
static void removeLeftovers(StringRef parent) {
  static std::mutex mutex;
  static std::set<std::string> done;
  std::lock_guard<std::mutex> lock(mutex);
  if (!done.insert(parent.str()).second)
    return;
  StringRef prefix = namePattern.take_until([](char c) { return c == '%'; });
  std::error_code code;
  for (sys::fs::directory_iterator it(parent, code, /*follow_symlinks=*/false), end; it != end && !code;
       it.increment(code)) {
    StringRef name = sys::path::filename(it->path());
    if (name.size() == namePattern.size() && name.consume_front(prefix) && all_of(name, isHexDigit))
      removeIfLeft(it->path());
  }
}

bool TemporaryFolder::lock() {
  std::string file = getPath(lockName);
  lockDescriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (lockDescriptor < 0)
    return sys::fs::is_directory(path);
  // Where there are no locks, nobody else gets one either.
  if (tryLock(lockDescriptor) != LockAttempt::HeldByAnother) {
    std::string machine = describeMachine();
    (void)!::write(lockDescriptor, machine.data(), machine.size());
    if (isSameFile(lockDescriptor, file))
      return true;
  }
  ::close(std::exchange(lockDescriptor, -1));
  return false;
}

std::error_code TemporaryFolder::tryCreate(StringRef parent) {
  removeLeftovers(parent);
  std::error_code code = std::make_error_code(std::errc::file_exists);
  // createUniqueDirectory always goes to the system's temporary folder, so the name is made here.
  for (int attempt = 0; attempt < 100 && code == std::errc::file_exists; ++attempt) {
    // A `%` in the parent's name is none that is to be replaced.
    SmallString<32> name;
    sys::fs::createUniquePath(namePattern, name, /*MakeAbsolute=*/false);
    std::string candidate = (parent + "/" + name).str();
    code = sys::fs::create_directory(candidate, /*IgnoreExisting=*/false);
    if (code)
      continue;
    path = std::move(candidate);
    if (lock()) {
      removeFolderOnSignal(path);
    } else {
      path.clear();
      code = std::make_error_code(std::errc::file_exists);
    }
  }
  return code;
}

Error TemporaryFolder::create(StringRef parent) {
  std::error_code code = tryCreate(parent);
  return code ? createStringError("cannot make a temporary folder in '" + parent + "': " + code.message())
              : Error::success();
}

Error TemporaryFolder::createAnywhere() {
  SmallString<128> parent;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  return create(parent);
}

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  [[maybe_unused]] std::error_code leftover = sys::fs::remove_directories(path);
  keepFolderOnSignal(path);
  if (lockDescriptor >= 0)
    ::close(lockDescriptor);
}

std::string TemporaryFolder::getPath(StringRef name) const { return path + "/" + name.str(); }

/// Whether no program takes anything in a path for something else.
static bool isPlain(StringRef path) {
  return !path.starts_with("-") &&
         all_of(path, [](char c) { return isAlnum(c) || StringRef("/._+-").contains(c); });
}

Expected<std::string> TemporaryFolder::getPlainPath() {
  if (isPlain(path))
    return path;
  if (linkFolder)
    return linkFolder->getPath("folder");
  SmallString<128> parent, target(path);
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  auto made = std::make_unique<TemporaryFolder>();
  if (Error error = made->create(isPlain(parent) ? parent.str() : StringRef("/tmp")))
    return std::move(error);
  std::error_code code = sys::fs::make_absolute(target);
  if (!code)
    code = sys::fs::create_link(target, made->getPath("folder"));
  if (code)
    return createStringError("cannot make a link to '" + path + "': " + code.message());
  linkFolder = std::move(made);
  return linkFolder->getPath("folder");
}

} // namespace nereid
