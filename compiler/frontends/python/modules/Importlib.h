// importlib, which finds modules by name.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_IMPORTLIB_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_IMPORTLIB_H

namespace nereid::python {

class BuiltinTable;

void addImportlib(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_IMPORTLIB_H
