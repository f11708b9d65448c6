// CC is read as make and CMake read it: a program and perhaps arguments, separated by spaces.
#include "linker/CCompiler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;

namespace nereid {

Expected<std::vector<std::string>> findCCompiler() {
  if (const char *variable = std::getenv("CC"); variable && !StringRef(variable).trim().empty()) {
    SmallVector<StringRef> words;
    StringRef(variable).trim().split(words, ' ', -1, /*KeepEmpty=*/false);
    auto program = sys::findProgramByName(words.front());
    // A path is taken as it is.
    if (!program || !sys::fs::can_execute(*program))
      return createStringError("the C compiler '" + words.front() + "', which CC names, was not found");
    std::vector<std::string> command(words.begin(), words.end());
    command.front() = *program;
    return command;
  }
  for (const char *name : {"cc", "clang", "gcc"})
    if (auto program = sys::findProgramByName(name))
      return std::vector<std::string>{*program};
  return createStringError("no C compiler was found (CC, cc, clang, gcc): install one, gcc or clang, or make "
                           "the library's source with "
                           "--source");
}

} // namespace nereid
