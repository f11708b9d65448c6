// Links a vendor's math library, a bitcode file, into a kernel's module: only the functions that are called.
#ifndef NEREID_COMPILER_TARGETS_DEVICELIBRARY_H
#define NEREID_COMPILER_TARGETS_DEVICELIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// The name of a function that the module declares and uses without defining it and that starts with
/// `prefix`; empty if there is none.
llvm::StringRef findUndefined(const llvm::Module &module, llvm::StringRef prefix);

/// Links what `module` lacks from the bitcode file at `path`.
llvm::Error linkDeviceLibrary(llvm::Module &module, llvm::StringRef path);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_DEVICELIBRARY_H
