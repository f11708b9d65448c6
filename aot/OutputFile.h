// Files that appear whole or not at all.
//
// A build must never lose the user's previous good output, so every file is written under a temporary name
// beside its destination and moved there in one step. "-" is the standard output.
//
// A file that has these bytes already is left as it is, with its time, so that whatever a build system makes
// of it need not be made again. Ninja takes note (`restat`). Make, which goes by times alone, would run the
// command again and again, as the output stays older than what it was made from; so commands have a stamp,
// which is touched whenever they are done.
#ifndef NEREID_AOT_OUTPUTFILE_H
#define NEREID_AOT_OUTPUTFILE_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// Writes `bytes` to `path` unless they are there. Reports and returns false if that cannot be done; then
/// nothing at `path` has changed.
bool writeOutputFile(llvm::StringRef path, llvm::StringRef bytes, Diagnostics &diagnostics);

/// Gives the file `path` the time of now, and makes an empty one if there is none. Does nothing if there is
/// no path. Reports and returns false if that cannot be done.
bool touchStamp(llvm::StringRef path, Diagnostics &diagnostics);

/// Whether `path` is none of the files that were read, under this or another name (a link). Reports if it is.
bool checkIsNoInput(llvm::StringRef path, llvm::ArrayRef<std::string> inputs, Diagnostics &diagnostics);

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
