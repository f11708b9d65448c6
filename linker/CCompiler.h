// The C compiler that turns a library's generated source into a library. It is the one program of others that
// linking cannot do without, except with --source, where the project that takes the source has its own.
#ifndef NEREID_LINKER_CCOMPILER_H
#define NEREID_LINKER_CCOMPILER_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

/// $CC with its arguments, or the first of cc, clang and gcc; the error says that there is none.
llvm::Expected<std::vector<std::string>> findCCompiler();

} // namespace nereid

#endif // NEREID_LINKER_CCOMPILER_H
