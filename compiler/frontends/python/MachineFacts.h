// What kernel files ask PyTorch about the machine, to choose between definitions of a function:
// `torch.version.hip`, `torch.cuda.get_device_capability()`. The machine is the target that is compiled for.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MACHINEFACTS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MACHINEFACTS_H

#include "compiler/frontends/python/Value.h"

#include <optional>

namespace nereid::python {

class BuiltinTable;
class Emitter;

/// The value of `torch.version.hip` and its like, or nothing where the target does not tell.
std::optional<Value> findMachineFact(Emitter &emitter, llvm::StringRef dottedName);

void addMachineFacts(BuiltinTable &table);
/// packaging.version.
void addVersions(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MACHINEFACTS_H
