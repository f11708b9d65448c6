// The folder of the compile cache: entries as files, each written and read whole.
//
// Several processes, on several machines where the folder is on a network file system, use it at the same
// time without locks. That works because no file is changed once it has its name: an entry is written under
// another name and renamed, so whoever opens it has all of it or, where the disk was full or the machine lost
// its power, something that CacheEntry finds to be damaged. Two that write the same entry write the same.
//
// Entries are trimmed by llvm::pruneCache, which removes those that were not used for longest; a use sets a
// file's times. What is counted (uses, and how much was written since the folder was last trimmed) are the
// sizes of files that are only ever appended to.
#ifndef NEREID_AOT_CACHE_CACHEFOLDER_H
#define NEREID_AOT_CACHE_CACHEFOLDER_H

#include "aot/Size.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nereid {

/// Where the cache is, and what the environment says of it.
struct CacheSettings {
  /// Absolute. Empty where there is no cache; then `whyNone` says why.
  std::string folder, whyNone;
  /// Whether the user named the folder; one that nobody asked for is nobody's concern if it cannot be made.
  bool isNamed = false;
  /// Entries are used and none is added (NEREID_CACHE_READONLY).
  bool isReadOnly = false;
  uint64_t mostBytes = defaultMostBytes;
  /// How many seconds to wait for a folder that is elsewhere; 0 for ever (NEREID_CACHE_TIMEOUT).
  unsigned timeout = defaultTimeout;

  static constexpr unsigned defaultTimeout = 10;
  static constexpr uint64_t defaultMostBytes = uint64_t(5) << 30;

  /// NEREID_CACHE_DIR, NEREID_CACHE_SIZE, NEREID_CACHE_READONLY, NEREID_CACHE_TIMEOUT. The error is for
  /// numbers that are none.
  static llvm::Expected<CacheSettings> fromEnvironment();
};

class CacheFolder {
public:
  explicit CacheFolder(CacheSettings settings) : settings(std::move(settings)) {}

  const CacheSettings &getSettings() const { return settings; }

  /// The bytes of an entry; null if there is none, or none that can be read.
  std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef key) const;
  /// Says that an entry was used.
  void touch(llvm::StringRef key) const;
  /// Writes an entry in place of the one that there may be.
  llvm::Error write(llvm::StringRef key, llvm::StringRef bytes) const;
  void remove(llvm::StringRef key) const;

  struct Contents {
    uint64_t entries = 0, bytes = 0, hits = 0, misses = 0;
  };
  Contents getContents() const;

  /// Adds to the counts; entries of `stored` bytes were written. Returns whether the folder may have outgrown
  /// its size by that, so that trim() is due.
  [[nodiscard]] bool count(uint64_t hits, uint64_t misses, uint64_t stored) const;
  /// To some less than the size that it may have, for what comes next.
  llvm::Error trim() const;
  /// Removes entries until those that are left have at most that many bytes together.
  llvm::Error trim(uint64_t mostBytes) const;
  /// Removes every entry and the counts; nothing else that is there.
  llvm::Error clear() const;

private:
  std::string getPath(llvm::StringRef name) const;
  std::string getEntryPath(llvm::StringRef key) const;
  llvm::Error make() const;

  CacheSettings settings;
};

} // namespace nereid

#endif // NEREID_AOT_CACHE_CACHEFOLDER_H
