// What a kernel's `def` says of its parameters, and values on their way in from a signature and out into what
// dispatch knows of a kernel.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_KERNELPARAMETERS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_KERNELPARAMETERS_H

#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/model/Specialization.h"

#include <vector>

namespace nereid::python {

/// A parameter of a kernel, as the file declares it.
struct DeclaredParameter {
  const ast::Arg *node = nullptr;
  const ast::Expression *defaultValue = nullptr;
  bool isConstexpr = false;
};

/// Refuses parameters that stand for any number of others.
std::vector<DeclaredParameter> parametersOf(Emitter &emitter, const Function &kernel);

/// The value of a constant in a signature; a name is looked up in `file`, which is the one that is compiled.
Value valueOf(Emitter &emitter, SourceModule &file, const ConstantValue &constant);

/// What dispatch and messages show of a value; callers cannot see it, so a form that has no spelling in a
/// signature (a tuple, a function) is given as text.
ConstantValue constantOf(const Value &value);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_KERNELPARAMETERS_H
