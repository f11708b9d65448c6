// The modules that the frontend knows by itself, under all the names that they are imported by.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_KNOWNMODULES_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_KNOWNMODULES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid::python {

/// The module that `import name` gives if the frontend knows it by itself: `triton.language.extra.libdevice`.
/// Returns its canonical name, under which the table of builtins has its members.
std::optional<std::string> findBuiltinModule(llvm::StringRef dottedName);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_KNOWNMODULES_H
