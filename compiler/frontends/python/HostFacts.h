// What kernel files ask of the libraries around them besides the machine: the limits of a dtype
// (`torch.finfo(torch.float16).max`), constants (`numpy.inf`), and the environment (`os.getenv("TUNE",
// "0")`), which is empty where kernels are compiled, so that what is built does not depend on who builds it.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_HOSTFACTS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_HOSTFACTS_H

#include "compiler/frontends/python/Value.h"

#include <optional>

namespace nereid::python {

class BuiltinTable;

/// The value of `torch.inf`, `torch.finfo` and their like, by its full name; nothing for all other names.
std::optional<Value> findHostFact(llvm::StringRef dottedName);

void addHostFacts(BuiltinTable &table);
/// importlib.
void addImportlib(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_HOSTFACTS_H
