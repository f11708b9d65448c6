// Runs a program of a vendor's toolkit, and the temporary files that such programs exchange data through.
#ifndef NEREID_TOOLKITS_RUNTOOL_H
#define NEREID_TOOLKITS_RUNTOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

/// A file in the system's temporary folder that is removed with this object, or by a signal that ends the
/// process.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  /// Creates `nereid-XXXXXX.SUFFIX` with the given contents.
  llvm::Error create(llvm::StringRef suffix, llvm::StringRef contents = "");
  llvm::StringRef getPath() const { return path; }
  llvm::Expected<std::string> read() const;

private:
  llvm::SmallString<64> path;
};

struct ToolResult {
  int exitCode = 0;
  /// What it wrote to stdout and stderr.
  std::string output;
};

/// Runs a program and waits for it. The error is for a program that could not be started, that crashed, or
/// that was stopped because it took longer than the environment variable NEREID_TOOL_TIMEOUT allows, in
/// seconds (600 where it is not set, no limit for 0). Threads may run programs at the same time.
llvm::Expected<ToolResult> runTool(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace nereid

#endif // NEREID_TOOLKITS_RUNTOOL_H
