// @triton.autotune, and decorators of projects that stand for it.
//
// What is given to it is the concern of whoever picks a configuration. So a decorator stays the call that it
// is until somebody asks (Function::autotune), and what a call as a function, `f = triton.autotune(…)(f)`,
// was given is kept as a record, `triton.autotune`, with the fields `configs`, `key` and `options`, a dict of
// all others. What could not be evaluated is opaque there, with the reason.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_AUTOTUNE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_AUTOTUNE_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Value.h"

#include <optional>

namespace nereid::python {

class Evaluator;
class BuiltinTable;

/// Which argument of a decorator's call are the configurations, if no keyword says so: where the function, or
/// the class, that it calls has a parameter `configs`. Triton's own has it first.
std::optional<size_t> findConfigsParameter(Evaluator &evaluator, const ast::Call &decorator);

/// Whether a decorator puts an object in a kernel's place that only launches it: one of a class that is
/// derived from Triton's own for that.
bool makesLauncher(Evaluator &evaluator, const ast::Expression &decorator);

void addAutotune(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_AUTOTUNE_H
