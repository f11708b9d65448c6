// Functions of Python's standard library that work with functions.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_STANDARDFUNCTIONS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_STANDARDFUNCTIONS_H

namespace nereid::python {

class BuiltinTable;

/// The module `operator`, and `functools.partial` and `reduce`.
void addStandardFunctions(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_STANDARDFUNCTIONS_H
