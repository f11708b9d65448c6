// pruneCache looks at files whose names begin with "llvmcache-" and at no others, so that a folder which is
// named by mistake loses nothing; clear() keeps to that as well. Unfinished files have such names, too: what
// a process that was killed left behind goes like an entry that nobody uses.
#include "aot/cache/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace nereid {

static constexpr StringLiteral entryPrefix = "llvmcache-";
static constexpr StringLiteral hitsFile = "nereid.hits", missesFile = "nereid.misses",
                               growthFile = "nereid.growth";
/// What a byte of the growth file stands for.
static constexpr uint64_t growthUnit = uint64_t(64) << 10;
/// A folder is trimmed when this part of its size was written, to that much below its size.
static constexpr uint64_t growthPart = 16;

/// Whether a variable turns something on.
static bool isOn(const char *variable) {
  const char *value = std::getenv(variable);
  return value && StringSwitch<bool>(value).CasesLower({"", "0", "no", "off", "false"}, false).Default(true);
}

/// The folder of all programs' caches: XDG_CACHE_HOME, which is to be passed over where it is empty or
/// relative, or ~/.cache.
static bool findCacheHome(SmallVectorImpl<char> &folder) {
  const char *named = std::getenv("XDG_CACHE_HOME");
  if (named && sys::path::is_absolute(named)) {
    StringRef name(named);
    folder.assign(name.begin(), name.end());
    return true;
  }
  if (!sys::path::home_directory(folder) || !sys::path::is_absolute(folder))
    return false;
  sys::path::append(folder, ".cache");
  return true;
}

Expected<CacheSettings> CacheSettings::fromEnvironment() {
  CacheSettings settings;
  if (const char *size = std::getenv("NEREID_CACHE_SIZE"); size && *size) {
    std::optional<uint64_t> bytes = parseSize(size);
    if (!bytes || *bytes == 0)
      return createStringError(Twine("NEREID_CACHE_SIZE is '") + size +
                               "': expected a size such as 500M or 5G");
    settings.mostBytes = *bytes;
  }
  if (const char *timeout = std::getenv("NEREID_CACHE_TIMEOUT"); timeout && *timeout)
    if (StringRef(timeout).getAsInteger(10, settings.timeout))
      return createStringError(Twine("NEREID_CACHE_TIMEOUT is '") + timeout +
                               "': expected a number of seconds, or 0 to wait for ever");
  settings.isReadOnly = isOn("NEREID_CACHE_READONLY");
  SmallString<128> folder;
  if (const char *named = std::getenv("NEREID_CACHE_DIR")) {
    StringRef name(named);
    if (name.empty() || name == "off" || name == "none") {
      settings.whyNone = "NEREID_CACHE_DIR turns it off";
      return settings;
    }
    settings.isNamed = true;
    folder = name;
    if (std::error_code code = sys::fs::make_absolute(folder)) {
      settings.whyNone = "there is no current folder: " + code.message();
      return settings;
    }
  } else if (findCacheHome(folder)) {
    sys::path::append(folder, "nereid");
  } else {
    settings.whyNone = "there is no home folder, and NEREID_CACHE_DIR names none";
    return settings;
  }
  settings.folder = folder.str().str();
  return settings;
}

std::string CacheFolder::getPath(StringRef name) const {
  SmallString<128> path(settings.folder);
  sys::path::append(path, name);
  return path.str().str();
}

std::string CacheFolder::getEntryPath(StringRef key) const { return getPath((entryPrefix + key).str()); }

std::unique_ptr<MemoryBuffer> CacheFolder::read(StringRef key) const {
  // Not mapped into memory: if the file shrank meanwhile, whatever did that, reading it would end the
  // process.
  auto buffer = MemoryBuffer::getFile(getEntryPath(key), /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  return buffer ? std::move(*buffer) : nullptr;
}

void CacheFolder::touch(StringRef key) const {
  // Both times: whoever may write to the file may set both to now, and only its owner one of them. Where that
  // is not allowed, the time of last reading says almost the same.
  if (!settings.isReadOnly)
    (void)::utimensat(AT_FDCWD, getEntryPath(key).c_str(), nullptr, 0);
}

Error CacheFolder::make() const {
  if (sys::fs::is_directory(settings.folder))
    return Error::success();
  // What is in the user's own folder is nobody else's business; a folder for several is made as their umask
  // says.
  std::error_code code = sys::fs::create_directories(
      settings.folder, /*IgnoreExisting=*/true, settings.isNamed ? sys::fs::all_all : sys::fs::owner_all);
  return errorCodeToError(code);
}

/// Writes all of it to an open file, which it closes.
static std::error_code writeAndClose(int descriptor, StringRef bytes) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << bytes;
  os.close();
  std::error_code code = os.error();
  // Or the stream would end the process when it is destroyed.
  os.clear_error();
  return code;
}

Error CacheFolder::write(StringRef key, StringRef bytes) const {
  if (Error error = make())
    return error;
  std::error_code code = std::make_error_code(std::errc::file_exists);
  std::string temporary;
  int descriptor = -1;
  for (unsigned attempt = 0; code == std::errc::file_exists && attempt < 16; ++attempt) {
    SmallString<32> random;
    sys::fs::createUniquePath("new-%%%%%%%%%%%%", random, /*MakeAbsolute=*/false);
    temporary = getEntryPath(random);
    code = sys::fs::openFileForWrite(temporary, descriptor, sys::fs::CD_CreateNew);
  }
  if (code)
    return errorCodeToError(code);
  code = writeAndClose(descriptor, bytes);
  if (!code)
    code = sys::fs::rename(temporary, getEntryPath(key));
  if (code) {
    (void)sys::fs::remove(temporary);
    // A server that has done it, and whose answer was lost, is asked again, and finds nothing to rename.
    if (std::unique_ptr<MemoryBuffer> written = read(key); written && written->getBuffer() == bytes)
      return Error::success();
  }
  return errorCodeToError(code);
}

void CacheFolder::remove(StringRef key) const { (void)sys::fs::remove(getEntryPath(key)); }

static uint64_t getSize(const std::string &path) {
  uint64_t size = 0;
  return sys::fs::file_size(path, size) ? 0 : size;
}

/// Lets a file grow by that many bytes. Returns false if it may not be written to.
static bool grow(const std::string &path, uint64_t bytes) {
  int descriptor = -1;
  if (bytes == 0)
    return true;
  if (sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_OpenAlways, sys::fs::OF_Append))
    return false;
  // In one piece, which the system appends as one.
  std::string text(std::min<uint64_t>(bytes, 1u << 20), '.');
  [[maybe_unused]] ssize_t written = ::write(descriptor, text.data(), text.size());
  ::close(descriptor);
  return true;
}

CacheFolder::Contents CacheFolder::getContents() const {
  Contents contents;
  std::error_code code;
  for (sys::fs::directory_iterator it(settings.folder, code), end; it != end && !code; it.increment(code)) {
    if (!sys::path::filename(it->path()).starts_with(entryPrefix))
      continue;
    sys::fs::file_status status;
    if (sys::fs::status(it->path(), status))
      continue;
    ++contents.entries;
    contents.bytes += status.getSize();
  }
  contents.hits = getSize(getPath(hitsFile));
  contents.misses = getSize(getPath(missesFile));
  return contents;
}

bool CacheFolder::count(uint64_t hits, uint64_t misses, uint64_t stored) const {
  if (settings.isReadOnly || !sys::fs::is_directory(settings.folder))
    return false;
  grow(getPath(hitsFile), hits);
  grow(getPath(missesFile), misses);
  if (stored == 0)
    return false;
  const std::string growth = getPath(growthFile);
  const uint64_t units = (stored + growthUnit - 1) / growthUnit;
  // In a folder of several users it may be somebody's whose umask let nobody else write. The size has to stay
  // within its bounds all the same, so it begins anew.
  if (!grow(growth, units) && !sys::fs::remove(growth))
    grow(growth, units);
  return getSize(growth) * growthUnit >= settings.mostBytes / growthPart;
}

Error CacheFolder::trim() const { return trim(settings.mostBytes - settings.mostBytes / growthPart); }

Error CacheFolder::trim(uint64_t mostBytes) const {
  if (mostBytes == 0)
    return clear();
  if (!sys::fs::is_directory(settings.folder))
    return Error::success();
  // What is written from now on counts for the next time.
  (void)::truncate(getPath(growthFile).c_str(), 0);
  // Without an answer to this question pruneCache would end the process.
  if (auto space = sys::fs::disk_space(settings.folder); !space)
    return errorCodeToError(space.getError());
  CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeBytes = mostBytes;
  pruneCache(settings.folder, policy);
  return Error::success();
}

Error CacheFolder::clear() const {
  if (!sys::fs::is_directory(settings.folder))
    return Error::success();
  std::error_code code, failed;
  for (sys::fs::directory_iterator it(settings.folder, code), end; it != end && !code; it.increment(code))
    if (StringRef name = sys::path::filename(it->path()); name.starts_with(entryPrefix) || name == hitsFile ||
                                                          name == missesFile || name == growthFile ||
                                                          name == "llvmcache.timestamp")
      if (std::error_code reason = sys::fs::remove(it->path()))
        failed = reason;
  return errorCodeToError(code ? code : failed);
}

} // namespace nereid
