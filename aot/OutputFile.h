// What commands make sure of before they write their files (linker/OutputSet.h).
#ifndef NEREID_AOT_OUTPUTFILE_H
#define NEREID_AOT_OUTPUTFILE_H

#include "compiler/model/Diagnostics.h"
#include "linker/OutputSet.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// Reports an error, if it is one, and returns whether there was none.
bool isDone(llvm::Error error, Diagnostics &diagnostics);

/// Writes `bytes` to `path` unless they are there. Reports and returns false if that cannot be done; then
/// nothing at `path` has changed.
bool writeOutputFile(llvm::StringRef path, llvm::StringRef bytes, Diagnostics &diagnostics);

/// Whether `path` is none of the files that were read, under this or another name (a link). Reports if it is.
bool checkIsNoInput(llvm::StringRef path, llvm::ArrayRef<std::string> inputs, Diagnostics &diagnostics);

/// A file that is to be written, and what the user knows it as: `--stamp`. Of no path there is none.
struct NamedOutput {
  llvm::StringRef name, path;
};

/// Whether no two of them are the same file. Reports if some are.
bool checkAreDifferent(llvm::ArrayRef<NamedOutput> outputs, Diagnostics &diagnostics);

/// A folder that files are to be written to. One that was made for them goes again with this object, or with
/// a signal that ends the process, if nothing was put into it.
class OutputFolder {
public:
  OutputFolder() = default;
  OutputFolder(const OutputFolder &) = delete;
  ~OutputFolder();

  /// Makes sure that `path` is a folder that files can be written to, creating its last component where it is
  /// missing. Reports and returns false if it is not.
  bool prepare(llvm::StringRef path, Diagnostics &diagnostics);

private:
  /// Empty unless this object made it.
  std::string made;
};

} // namespace nereid

#endif // NEREID_AOT_OUTPUTFILE_H
