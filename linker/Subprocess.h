// Programs that the linker runs, the C compiler and `fatbinary`, and the files that they read and write.
#ifndef NEREID_LINKER_SUBPROCESS_H
#define NEREID_LINKER_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

/// Runs a command, a program's path and its arguments. Fails with everything the program wrote if it could
/// not be started or did not return 0.
llvm::Error runProgram(llvm::ArrayRef<std::string> command);

/// Writes or reads a whole file; the errors name it.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_SUBPROCESS_H
