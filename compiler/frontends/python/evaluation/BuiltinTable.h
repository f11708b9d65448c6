// The table of everything that kernels can call without defining it: triton.language, libdevice, math,
// Python's own.
//
// An entry is a qualified name, the parameters as Python would write them, and a function. Keyword
// arguments, defaults and arity are handled once, here, from the parameter text:
//
//     table.add("py.chr", "x", [](Evaluator &evaluator, Arguments &arguments) { … });
//
// The table knows none of its entries: each floor adds what it has, and those that emit do it through
// builtins/LanguageTable.h.
// What can be said in the language itself (tl.softmax, tl.cdiv, tl.sort) is in prelude/*.py instead.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_BUILTINTABLE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_BUILTINTABLE_H

#include "compiler/frontends/python/values/Builtin.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace nereid::python {

class Context;

/// Matches a call's arguments with the parameters; refuses what does not fit.
Arguments bindArguments(Context &context, const Builtin &builtin, const CallArguments &call);

class BuiltinTable {
public:
  BuiltinTable() = default;
  BuiltinTable(BuiltinTable &&) = default;

  const Builtin *find(llvm::StringRef qualifiedName) const;
  /// The value of a constant such as `math.pi` or `tl.float16`.
  const Value *findConstant(llvm::StringRef qualifiedName) const;
  /// The methods of run-time values: `x.sum` is `tl.sum`.
  bool isMethod(llvm::StringRef name) const { return methods.contains(name); }

  void add(llvm::StringRef name, llvm::StringRef parameters, Builtin::Call call);
  void addClass(llvm::StringRef name, llvm::StringRef parameters, Builtin::Call call);
  /// With Builtin::takesUnknown.
  void addForUnknown(llvm::StringRef name, llvm::StringRef parameters, Builtin::Call call);
  void addConstant(llvm::StringRef name, Value value);
  void addAlias(llvm::StringRef name, llvm::StringRef existing);
  void addMethods(std::initializer_list<llvm::StringRef> names);

private:
  llvm::StringMap<Builtin> builtins;
  llvm::StringMap<const Builtin *> aliases;
  llvm::StringMap<Value> constants;
  llvm::StringMap<bool> methods;
};

/// Python's own functions and the `math` module; methods of strings, numbers, lists, dicts and sets;
/// isinstance and type; and of triton and triton.language what is computed while compiling: dtypes, classes,
/// decorators.
void addPythonBuiltins(BuiltinTable &table);
void addPythonMethods(BuiltinTable &table);
void addIsinstance(BuiltinTable &table);
void addLanguageTypes(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_BUILTINTABLE_H
