// Programs that the linker runs, the C compiler and `fatbinary`, and the temporary folder they work in.
#ifndef NEREID_LINKER_SUBPROCESS_H
#define NEREID_LINKER_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

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
  /// The path of a file in it.
  std::string getPath(llvm::StringRef name) const;

private:
  std::string path;
};

/// Runs a command, a program's path and its arguments. Fails with everything the program wrote if it could
/// not be started or did not return 0.
llvm::Error runProgram(llvm::ArrayRef<std::string> command);

/// Writes or reads a whole file; the errors name it.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_SUBPROCESS_H
