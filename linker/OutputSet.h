// Files that change together or not at all.
//
// A build must never lose the user's previous good output, and the header of one build is no good with the
// library of another. So every file of a set is written in a temporary folder beside its destination, and
// only when the last of them is there are they moved, each in one step. What stood there before is kept until
// that is done, and comes back if one cannot be moved.
//
// A file that has these bytes already is left as it is, with its time, so that whatever a build system makes
// of it need not be made again. Ninja takes note (`restat`). Make, which goes by times alone, would run the
// command again and again, as the output stays older than what it was made from; so a set may have a stamp,
// which is touched whenever all is done.
//
// What is no plain file (a terminal, a pipe, /dev/stdout) must not be replaced by one, and is written to as
// it stands, last; a symbolic link stays, and the file it leads to is replaced.
#ifndef NEREID_LINKER_OUTPUTSET_H
#define NEREID_LINKER_OUTPUTSET_H

#include "linker/TemporaryFolder.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace nereid {

/// All errors name the file: "cannot write 'out/add.h': it is a directory". After one, nothing has changed.
class OutputSet {
public:
  OutputSet() = default;
  OutputSet(const OutputSet &) = delete;
  OutputSet &operator=(const OutputSet &) = delete;
  /// What was not put in its place goes.
  ~OutputSet();

  /// `bytes` are to stand in `path`; "-" is the standard output.
  llvm::Error add(llvm::StringRef path, llvm::StringRef bytes);
  /// So is the file `made`, which is in the same file system.
  llvm::Error addMade(llvm::StringRef path, llvm::StringRef made);
  /// Where `made` files are until the set is done.
  void keep(std::unique_ptr<TemporaryFolder> folder) { kept.push_back(std::move(folder)); }
  /// A folder that files of the set are in, and that is made where it is missing.
  llvm::Error addFolder(llvm::StringRef path);
  /// A file that is given the time of now, and made, empty, if there is none. Nothing if there is no path.
  void setStamp(llvm::StringRef path) { stamp = path.str(); }

  /// Puts all in their places.
  llvm::Error commit();

private:
  struct File {
    std::string path;
    /// Where the bytes are, and where they go: `path`, or what that leads to.
    std::string prepared, target;
    /// What stood there before, while it is kept.
    std::string previous;
    bool isMoved = false;
  };
  /// What is no plain file.
  struct Stream {
    std::string path, bytes;
  };
  /// A name for a file in a temporary folder beside `path`.
  std::error_code findPlace(llvm::StringRef path, std::string &place);
  llvm::Error keepPrevious(File &file);
  llvm::Error moveAll();
  void takeBack();

  std::vector<File> files;
  std::vector<Stream> streams;
  /// By the folder that it is in.
  std::map<std::string, TemporaryFolder> folders;
  unsigned placesGiven = 0;
  std::vector<std::unique_ptr<TemporaryFolder>> kept;
  std::vector<std::string> madeFolders;
  std::string stamp;
};

} // namespace nereid

#endif // NEREID_LINKER_OUTPUTSET_H
