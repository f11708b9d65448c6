// isinstance(x, C): of Python's classes, those of triton.language and those of kernel files.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ISINSTANCE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ISINSTANCE_H

#include "compiler/frontends/python/values/Value.h"

namespace nereid::python {

class BuiltinTable;
class Evaluator;

/// Refuses a `type` that is neither a class nor a tuple of classes.
bool isInstance(Evaluator &evaluator, const Value &value, const Value &type);

/// isinstance, type, and the classes of triton.language that only they are for.
void addIsinstance(BuiltinTable &table);

/// What a tuple's `.type` is: the types of its elements, under this name.
constexpr llvm::StringLiteral tupleTypeName = "tuple_type";

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ISINSTANCE_H
