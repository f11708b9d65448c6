// The C compiler that turns a library's generated source into a library. It is the one program of others that
// linking cannot do without, except with --source, where the project that takes the source has its own.
#ifndef NEREID_LINKER_CCOMPILER_H
#define NEREID_LINKER_CCOMPILER_H

#include "linker/Subprocess.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// `aarch64` for EM_AARCH64, `x86_64` for EM_X86_64.
llvm::StringRef getProcessorName(uint16_t machine);

/// $CC with its arguments, or the first of cc, clang and gcc; for processors that are not this machine's, if
/// any are given, their gcc. The error says that there is none, and how to come by one.
llvm::Expected<std::vector<std::string>> findCCompiler(std::optional<uint16_t> other = std::nullopt);

/// Checks that a compiler made an object for these processors.
llvm::Error checkIsFor(uint16_t machine, llvm::ArrayRef<std::string> compiler, llvm::StringRef objectPath);

/// Compiles a file of the folder, which has a plain path (TemporaryFolder.h), to another of it, for a shared
/// library. `compiler` is findCCompiler's answer,
/// `flags` name no paths, and `headers` are what of the folder the source may include. Taken from the
/// ToolMemory, if it is known what the compiler makes of it.
llvm::Error compileC(const std::vector<std::string> &compiler, llvm::ArrayRef<std::string> flags,
                     llvm::StringRef folder, llvm::StringRef source, llvm::ArrayRef<std::string> headers,
                     llvm::StringRef object);

} // namespace nereid

#endif // NEREID_LINKER_CCOMPILER_H
