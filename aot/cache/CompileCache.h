// Compiling, with a memory: what was compiled before under the same conditions is not compiled again.
//
// The cache is one of the process, which Main turns on; without that, and in unit tests, everything is
// compiled. Whatever is wrong with the cache's folder, the result is the compiler's: an entry that is damaged
// is removed and made anew, one that cannot be written is not there the next time, which is said once.
//
// What the conditions of a result are is CacheEntry.h's affair, and what a key is made of RequestKey.h's. A
// compilation that fails is not kept; that a target has too little for the kernel (a misfit) is.
#ifndef NEREID_AOT_CACHE_COMPILECACHE_H
#define NEREID_AOT_CACHE_COMPILECACHE_H

#include "aot/cache/CacheEntry.h"
#include "aot/cache/CacheFolder.h"
#include "aot/cache/MovablePaths.h"
#include "compiler/driver/Compiler.h"
#include "toolkits/ToolMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

class CompileCache : public ToolMemory {
public:
  explicit CompileCache(CacheSettings settings)
      : folder(std::make_shared<CacheFolder>(std::move(settings))) {}

  /// As nereid::compile, which `compileNow` does where it was not compiled before; but where stages are asked
  /// for, numWorkerWarps is all of the result's `info`, and there are no images. It may as well have another
  /// process compile it, which keeps the result itself, and return nothing. What there is to say is added to
  /// `messages`, whether it was compiled now or before. Called from several threads at a time.
  std::optional<CompileResult> compile(const CompileRequest &request, Diagnostics &diagnostics,
                                       Misfit &misfit, std::vector<std::string> &messages,
                                       llvm::function_ref<std::optional<CompileResult>()> compileNow);

  /// What the linker's programs made (toolkits/ToolMemory.h). These are entries as well, and are not counted.
  std::optional<std::string> find(const ToolQuestion &question) override;
  void keep(const ToolQuestion &question, llvm::ArrayRef<std::string> filesRead,
            llvm::StringRef answer) override;

  /// Writes down how often it was asked, and trims the folder where that is due. Returns what kept results
  /// from being written, once: the caller says it.
  std::string finish();

private:
  struct Hit {
    std::optional<CompileResult> result;
    Misfit misfit;
    std::vector<std::string> messages;
  };
  std::optional<Hit> find(const CompileRequest &request, const Diagnostics &diagnostics,
                          const MovablePaths &paths, llvm::StringRef key);
  bool filesHold(const ResultConditions &conditions, const MovablePaths &paths);
  bool holds(const ResultConditions &conditions, const CompileRequest &request,
             const Diagnostics &diagnostics, const MovablePaths &paths);
  void store(llvm::StringRef key, ResultConditions conditions, const StoredResult &result);
  /// What stands in a file now; read once. Empty where it cannot be read.
  std::string getDigest(const std::string &path);

  /// Does something with the folder, which must own all that it touches. False if the folder does not answer:
  /// then nothing more is asked of it. `patience` is for what takes so many times as long as other things do.
  bool ask(std::function<void(const CacheFolder &)> work, unsigned patience = 1);
  std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef key);
  void touch(llvm::StringRef key);
  /// Of an entry that is damaged.
  void remove(llvm::StringRef key);

  std::shared_ptr<CacheFolder> folder;
  enum class Place { Unknown, Here, Elsewhere, Lost };
  std::atomic<Place> place{Place::Unknown};
  std::mutex mutex;
  std::map<std::string, std::string> digests;
  std::string problem;
  bool cannotWrite = false;
  std::atomic<uint64_t> hits{0}, misses{0}, stored{0};
};

/// Compiles through the process's cache, if there is one.
std::optional<CompileResult>
compileThroughCache(const CompileRequest &request, Diagnostics &diagnostics, Misfit &misfit,
                    std::vector<std::string> &messages,
                    llvm::function_ref<std::optional<CompileResult>()> compileNow);

/// Turns the process's cache on, as the environment says. The error is for settings that make no sense.
llvm::Error enableCompileCache();
/// See CompileCache::finish; prints what there is to say.
void finishCompileCache();

} // namespace nereid

#endif // NEREID_AOT_CACHE_COMPILECACHE_H
