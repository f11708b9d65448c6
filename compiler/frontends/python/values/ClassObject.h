// What a class statement of a kernel file is: a named tuple, an aggregate of run-time values, or a plain
// class.
//
// An aggregate (`@triton.language.core._aggregate`) is Triton's way to give a bundle of run-time values a
// name and methods:
//
//     @aggregate
//     class Complex:
//         re: tl.tensor
//         im: tl.tensor
//         @triton.constexpr_function
//         def __init__(self, re, im): self.re, self.im = re, im
//         @triton.jit
//         def norm(self): return self.re * self.re + self.im * self.im
//
// To the emission its objects are tuples with names: loops carry their parts, `if` merges them, noinline
// functions get them one by one (Value::parts). Plain classes and dataclasses serve what is computed while
// compiling.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_CLASSOBJECT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_CLASSOBJECT_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Value.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::python {

struct ClassObject {
  enum class Kind { Plain, Dataclass, NamedTuple, Aggregate };
  struct Field {
    std::string name;
    const ast::Expression *annotation = nullptr;
    const ast::Expression *defaultValue = nullptr;
  };
  std::string name;
  Kind kind = Kind::Plain;
  /// Both null for what collections.namedtuple() makes.
  ModuleObject *module = nullptr;
  const ast::ClassDef *definition = nullptr;
  std::vector<Field> fields;
  std::shared_ptr<const ClassObject> base;
  /// Why there can be no objects of it: what it is derived from is not known.
  std::string unavailable;
  /// The methods and constants that were asked for so far.
  mutable llvm::StringMap<Value> members;

  const Field *findField(llvm::StringRef field) const;
};

using ClassPointer = std::shared_ptr<const ClassObject>;

/// Whether `type` is `base` or derived from it.
bool isDerivedFrom(const ClassObject *type, const ClassObject *base);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_CLASSOBJECT_H
