// Names of libraries, kernels and parameters become names in generated C, where not every name will do.
//
// A kernel `add_kernel` of the library `vec` is exported as `vec_add_kernel`, and the header offers it as
// `add_kernel` as well. That short name lives in the user's own translation unit, beside the headers of C and
// of C++, so it must be none of theirs: a kernel called `exp` needs another name for its C function.
#ifndef NEREID_LINKER_CNAMES_H
#define NEREID_LINKER_CNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// True if `name` consists of ASCII letters, digits and underscores and does not begin with a digit.
bool isCIdentifier(llvm::StringRef name);

/// The same, with any letters beyond ASCII, in UTF-8: what Python takes for a name.
bool isPythonIdentifier(llvm::StringRef name);

/// An identifier of C for such a name: `u03BB` for a lambda.
std::string spellInC(llvm::StringRef name);

/// True for keywords of C (to C23) and of C++ (to C++20), and for the names that both keep for themselves:
/// those that begin with `__`, or with an underscore and a capital.
bool isReservedInC(llvm::StringRef name);

/// True for the names that the headers of C and of POSIX declare: `exp`, `read`, `size_t`, `EOF`.
bool isCLibraryName(llvm::StringRef name);

/// Why a C function cannot be called `name`, as the end of a sentence ("it is a keyword of C or C++"); empty
/// if it can.
std::string whyNotAFunctionName(llvm::StringRef name);

/// Why a library cannot be called `name`, as a whole message; empty if it can.
std::string whyNotALibraryName(llvm::StringRef name);

/// How to give a kernel's C function another name, for messages that refuse the one it has.
inline constexpr const char *howToNameFunction =
    "give its C function another one (--function, FUNCTION in CMake, \"function\" in a manifest)";

} // namespace nereid

#endif // NEREID_LINKER_CNAMES_H
