// A function of a kernel file as a value: a def or lambda, with what its decorators make of it.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_FUNCTION_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_FUNCTION_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Value.h"

#include "llvm/ADT/MapVector.h"

#include <memory>

namespace nereid::python {

/// Local variables by name, in the order in which they were first assigned.
using Scope = llvm::MapVector<llvm::StringRef, Value>;

/// A def or lambda, with what its decorators make of it.
struct Function {
  enum class Kind {
    /// @triton.jit: emitted into the kernel that calls it.
    Jit,
    /// A plain def, a lambda or @triton.constexpr_function: evaluated at compile time.
    CompileTime,
  };
  std::string name;
  Kind kind = Kind::CompileTime;
  /// One of the two is set.
  const ast::FunctionDef *definition = nullptr;
  const ast::Lambda *lambda = nullptr;
  ModuleObject *module = nullptr;
  bool noinline = false;
  bool debug = false;
  /// @triton.constexpr_function: gets compile-time values as they are, and may be given run-time values, to
  /// ask for their types.
  bool isConstexprFunction = false;
  /// A function that takes part in Triton's compiler (`@core.extern`, `@core.builtin`): plain Python that is
  /// given a kernel's values, and whose compile-time results stay such.
  bool isExtern = false;
  /// What a function in a class gets first: the object, nothing, the class.
  enum class Binding { Ordinary, Static, OfClass, Property };
  Binding binding = Binding::Ordinary;
  bool isMethod = false;
  /// The variables around a lambda or an inner def.
  std::shared_ptr<const Scope> closure;
  /// @triton.heuristics: parameters computed from the other arguments.
  std::vector<std::pair<std::string, Value>> heuristics;
  /// The configurations of @triton.autotune, or of what stands for it: the decorator, evaluated when they are
  /// asked for, or, of `f = triton.autotune(…)(f)`, the record that Autotune.h describes.
  const ast::Call *autotune = nullptr;
  Value configs;

  const ast::Arguments &getArguments() const { return definition ? *definition->args : *lambda->args; }
  llvm::SMRange getRange() const { return definition ? definition->nameRange : lambda->range; }
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_FUNCTION_H
