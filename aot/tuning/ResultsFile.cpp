// The lock is a file of its own, FILE.lock, as the results' own is replaced by each change. Who takes it away
// holds it, and who gets it makes sure that it is still the one which has the name. As only its holder
// writes FILE.partial, that may have the same name each time, and one that was left is written over.
#include "aot/tuning/ResultsFile.h"

#include "aot/CheckedJson.h"

#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

void reportResultsError(Error error, Diagnostics &diagnostics) {
  handleAllErrors(
      std::move(error),
      [&](const TuningResultsError &damage) {
        // What is no JSON is reported by this.
        if (std::optional<CheckedJson> file = CheckedJson::read(damage.path, diagnostics))
          file->fail(damage.pointer, "this is no file of tuning results: " + damage.problem);
      },
      [&](const ErrorInfoBase &other) { diagnostics.error(other.message()); });
}

static Error failWrite(StringRef path, int code) {
  return createStringError("cannot write '" + path + "': " + std::generic_category().message(code));
}

namespace {

class FileLock {
public:
  explicit FileLock(StringRef path) : path(path.str()) {}
  ~FileLock() {
    if (descriptor < 0)
      return;
    ::unlink(path.c_str());
    ::close(descriptor);
  }

  Error take() {
    while (true) {
      descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor < 0)
        return failWrite(path, errno);
      while (::flock(descriptor, LOCK_EX) != 0)
        if (errno != EINTR) {
          int code = errno;
          ::close(std::exchange(descriptor, -1));
          return failWrite(path, code);
        }
      struct stat held, named;
      if (::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
          held.st_ino == named.st_ino && held.st_dev == named.st_dev)
        return Error::success();
      ::close(std::exchange(descriptor, -1));
    }
  }

private:
  std::string path;
  int descriptor = -1;
};

} // namespace

static Error writeWhole(const std::string &path, StringRef bytes) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return failWrite(path, errno);
  int code = 0;
  while (!bytes.empty() && code == 0) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0)
      bytes = bytes.drop_front(count);
    else if (errno != EINTR)
      code = errno;
  }
  // Some file systems notice only now that they are full.
  if (code == 0 && ::fsync(descriptor) != 0 && errno != EINVAL)
    code = errno;
  if (::close(descriptor) != 0 && code == 0)
    code = errno;
  if (code == 0)
    return Error::success();
  ::unlink(path.c_str());
  return failWrite(path, code);
}

static Expected<std::vector<Measurement>> read(StringRef path) {
  if (!sys::fs::exists(path))
    return std::vector<Measurement>();
  return readTuningResults(path);
}

Error ResultsFile::load() {
  Expected<std::vector<Measurement>> there = read(path);
  if (!there)
    return there.takeError();
  measurements = std::move(*there);
  return Error::success();
}

Error ResultsFile::add(ArrayRef<Measurement> more) {
  mergeTuningResults(unsaved, more);
  return save();
}

Error ResultsFile::save() {
  // Through links, so that the file they lead to is replaced, and not the link.
  SmallString<256> target;
  if (sys::fs::real_path(path, target))
    target = path;
  FileLock lock((target + ".lock").str());
  auto write = [&]() -> Error {
    if (Error error = lock.take())
      return error;
    Expected<std::vector<Measurement>> there = read(target);
    if (!there)
      return there.takeError();
    measurements = std::move(*there);
    mergeTuningResults(measurements, unsaved);
    std::string partial = (target + ".partial").str();
    if (Error error = writeWhole(partial, printTuningResults(measurements)))
      return error;
    if (::rename(partial.c_str(), target.c_str()) != 0)
      return failWrite(target, errno);
    return Error::success();
  };
  Error error = write();
  if (error)
    mergeTuningResults(measurements, unsaved);
  else
    unsaved.clear();
  return error;
}

} // namespace nereid
