// An entry of the cache: what became of one request, for each state that its files were in.
//
// A request's key knows the source's text, but not the files that it imports: only the frontend finds out
// which those are. So an entry has several results, each with the conditions under which it holds: the
// files that were read with what stood in them, and those that were looked for in vain. (ccache calls that
// its direct mode.) The newest comes first, and of too many the oldest goes.
//
// On disk: eight letters, the size of the head, a digest of the head; the head (CBOR: the key; for each
// result its conditions, and where it stands with a digest of its own); the results. So a hit reads the head
// and its own result only, and damage anywhere is found before it does harm.
#ifndef NEREID_AOT_CACHE_CACHEENTRY_H
#define NEREID_AOT_CACHE_CACHEENTRY_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// When a result holds. All paths are as MovablePaths folds them, but for `spelled`.
struct ResultConditions {
  struct File {
    std::string path, digest;
    /// How the path is written in the result; empty where the result does not have it, so that it may stand
    /// anywhere.
    std::string spelled;
  };
  struct Search {
    std::string name, folder;
    std::vector<std::string> parents;
  };
  struct Package {
    std::string folder, name;
  };
  std::vector<File> files;
  std::vector<std::string> missed;
  std::vector<Package> packages;
  std::vector<Search> searches;
  /// Where the request's parts have to stand (describePlaces), as messages show those places; or empty.
  std::string places;
  /// The current folder, where the result has it; or empty.
  std::string currentFolder;
  /// Whether there were messages, which may be errors for others.
  bool hasMessages = false;

  bool operator==(const ResultConditions &other) const;
};

struct StoredResult {
  /// Warnings; of a misfit the error.
  std::vector<std::string> messages;
  /// Misfit::reason, without an object; or the kernel object with one target's code, or what was asked for in
  /// its place.
  std::string misfit, object;
};

class CacheEntry {
public:
  /// Takes the entry of a key apart. Nothing if it is damaged, or of another key.
  static std::optional<CacheEntry> parse(llvm::StringRef bytes, llvm::StringRef key);

  size_t size() const { return results.size(); }
  const ResultConditions &getConditions(size_t index) const { return results[index].conditions; }
  /// Nothing if it is damaged.
  std::optional<StoredResult> getResult(size_t index) const;

  /// Adds a result as the newest, in place of the one that there may be under the same conditions.
  void add(ResultConditions conditions, const StoredResult &result);
  std::string serialize(llvm::StringRef key) const;

private:
  struct Result {
    ResultConditions conditions;
    std::string bytes, digest;
  };
  std::vector<Result> results;
};

} // namespace nereid

#endif // NEREID_AOT_CACHE_CACHEENTRY_H
