// What a compilation asked of the file system: which files it read, and where it looked for files in vain.
//
// A build system only has to watch the files that were read. Whoever keeps a result for later (aot/cache)
// must also know what was not there: `import sizes` in kernels/add.py looks for kernels/sizes.py, then where
// -I says; if the first appears one day, it is read in place of the other, and none of the files that were
// read has changed. And as a package is known by its folders' names, those count where they were asked for.
//
// So frontends ask for files through this class alone, which writes down the questions with their answers.
// Paths stand as they were asked for: relative ones start from the current folder.
#ifndef NEREID_COMPILER_MODEL_FILESREAD_H
#define NEREID_COMPILER_MODEL_FILESREAD_H

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>
#include <vector>

namespace nereid {

/// What stands in a file, as 32 bytes that no other contents have: its SHA-256.
std::string digestOf(llvm::StringRef contents);

/// The folders that hold one of that name above `folder` or `folder` itself, the nearest first: for
/// /p/ops/deep and `ops` it is /p. Starts from the current folder where `folder` is relative.
std::vector<std::string> findParentsOf(llvm::StringRef name, llvm::StringRef folder);

/// Whether something stands under the path that is no folder.
bool isFile(llvm::StringRef path);

class FilesRead {
public:
  struct File {
    std::string path;
    /// digestOf what was read.
    std::string digest;
  };
  /// Answers of findParentsOf.
  struct Search {
    std::string name, folder;
    std::vector<std::string> parents;
  };

  void addRead(llvm::StringRef path, llvm::StringRef contents) { add(path, digestOf(contents)); }
  /// The same with the digest.
  void add(llvm::StringRef path, std::string digest);
  /// As isFile. One that is there will be read.
  bool isThere(llvm::StringRef path);
  /// Whether the folder is a Python package, whose name is that of the folder.
  bool isPackage(llvm::StringRef folder);
  std::vector<std::string> findParents(llvm::StringRef name, llvm::StringRef folder);

  /// Each once, the source first.
  const std::vector<File> &getFiles() const { return files; }
  std::vector<std::string> getPaths() const;
  const std::set<std::string> &getMissed() const { return missed; }
  /// Folders for which isPackage was true.
  const std::set<std::string> &getPackages() const { return packages; }
  const std::vector<Search> &getSearches() const { return searches; }

  /// The file that makes a folder a package.
  static std::string getMarker(llvm::StringRef folder);

private:
  std::vector<File> files;
  std::set<std::string> missed, packages;
  std::vector<Search> searches;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_FILESREAD_H
