// Everything that kernels can call without defining it, in one table.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_BUILTINS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_BUILTINS_H

namespace nereid::python {

class BuiltinTable;

/// The table for an Emitter, and for nothing less: see LanguageTable.
const BuiltinTable &getBuiltins();

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_BUILTINS_H
