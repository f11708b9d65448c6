// The Python package of a library: a folder that is imported as it lies, and that pip installs.
//
//     NAME/__init__.py         the functions, each by a description of what it takes
//     NAME/__init__.pyi        their types, for editors
//     NAME/_nereid.py          how functions are made of descriptions and call the library by ctypes
//     NAME/pyproject.toml, _nereid_build.py   for pip, without setuptools or anything else
//     NAME/libNAME.so
//
// Nothing of it is compiled, and nothing but Python's standard library is needed.
#ifndef NEREID_LINKER_PYTHONPACKAGE_H
#define NEREID_LINKER_PYTHONPACKAGE_H

#include "compiler/model/Diagnostics.h"
#include "linker/DispatchPlan.h"
#include "linker/PythonFunction.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// Why there can be no package of this name, as a whole message, or empty.
std::string whyNotAPackageName(llvm::StringRef name);

/// The names of the package's files, without the library.
std::vector<std::string> getPythonFiles();

/// Those files' texts, in that order. Reports and returns nothing if Python knows no functions of such names.
/// `version` is the package's.
std::optional<std::vector<std::string>> generatePythonPackage(const DispatchPlan &plan,
                                                              llvm::ArrayRef<PythonFunction> functions,
                                                              llvm::StringRef version,
                                                              Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_PYTHONPACKAGE_H
