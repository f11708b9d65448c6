// Folders that files are made in before they go where they belong.
//
// A process that is killed leaves its folders behind, and the next one that makes a folder in the same place
// removes them. Whose owner lives is told by a lock on a file in the folder, which the system lets go with
// the process, however that ends; age tells nothing, as a link may take hours. The file names the machine,
// since not all network file systems show one machine the locks of another.
#ifndef NEREID_LINKER_TEMPORARYFOLDER_H
#define NEREID_LINKER_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <system_error>

namespace nereid {

/// A folder that is removed with everything in it when this object goes.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Makes `.nereid-XXXXXX` in `parent`, so that files can be moved from it to `parent` without being copied.
  llvm::Error create(llvm::StringRef parent);
  std::error_code tryCreate(llvm::StringRef parent);
  /// Makes one where the system has its temporary files.
  llvm::Error createAnywhere();
  /// The path of a file in it.
  std::string getPath(llvm::StringRef name) const;

  /// The folder's path for the command line of another program: GCC 12 writes wrong assembly of a file whose
  /// path has a quote, options are divided at `=` and `,`, and what begins with `-` or `@` is no path. So
  /// this is the path of a link to the folder where its own is not plain.
  llvm::Expected<std::string> getPlainPath();

private:
  /// Whether the folder just made is this process's to use, and stays.
  bool lock();

  std::string path;
  int lockDescriptor = -1;
  /// Holds the link.
  std::unique_ptr<TemporaryFolder> linkFolder;
};

} // namespace nereid

#endif // NEREID_LINKER_TEMPORARYFOLDER_H
