// What a program made of its input, kept for the next time it would be asked for the same.
//
// The linker runs NVIDIA's fatbinary for every image and the C compiler for the dispatch code, which together
// take longer than all else of a link whose kernels came from the compile cache. It asks here first. Who
// remembers is the build-time tool's affair (aot/cache); without it nothing is remembered.
#ifndef NEREID_TOOLKITS_TOOLMEMORY_H
#define NEREID_TOOLKITS_TOOLMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

/// What stands in a program's or a library's file, in 32 bytes; empty where it cannot be read. Read once in a
/// process, and where there is a ToolMemory once for as long as the file stays what it is.
std::string digestOfTool(llvm::StringRef path);

/// A question to a program: which program it is, its arguments, its input. Each part is written with its
/// length, so that no two questions are written alike.
class ToolQuestion {
public:
  void add(llvm::StringRef part);
  /// Adds the contents of a program, wherever it is.
  void addProgram(llvm::StringRef path);
  llvm::StringRef getText() const { return text; }

private:
  std::string text;
};

class ToolMemory {
public:
  virtual ~ToolMemory();

  virtual std::optional<std::string> find(const ToolQuestion &question) = 0;
  /// Keeps an answer that holds as long as these files have the contents that they have now.
  virtual void keep(const ToolQuestion &question, llvm::ArrayRef<std::string> filesRead,
                    llvm::StringRef answer) = 0;

  /// The process's, or null.
  static ToolMemory *get();
  static void set(ToolMemory *memory);
};

} // namespace nereid

#endif // NEREID_TOOLKITS_TOOLMEMORY_H
