// The table of everything that kernels can call without defining it: triton.language, libdevice, math,
// Python's own.
//
// An entry is a qualified name, the parameters as Python would write them, and a function that emits. Keyword
// arguments, defaults and arity are handled once, here, from the parameter text:
//
//     table.add("tl.load", "pointer, mask=None, other=None, …", [](Emitter &emitter, Arguments &arguments) {
//     … });
//
// What can be said in the language itself (tl.softmax, tl.cdiv, tl.sort) is in prelude/*.py instead.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_H

#include "compiler/frontends/python/Value.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>

namespace nereid::python {

class Emitter;

/// What a call passes.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// One value for each parameter of a builtin; a variadic parameter has a tuple.
class Arguments {
public:
  std::vector<Value> values;
  const Value &operator[](size_t index) const { return values[index]; }
  const std::vector<Value> &rest(size_t index) const { return values[index].asTuple().elements; }
};

struct Builtin {
  struct Parameter {
    std::string name;
    std::optional<Value> defaultValue;
    bool isVariadic = false;
    /// `**name`: a dict of the keywords that no other parameter has.
    bool takesKeywords = false;
    bool isKeywordOnly = false;
  };
  using Emit = std::function<Value(Emitter &, Arguments &)>;

  /// `tl.load`, `math.sqrt`, `len`.
  std::string name;
  std::vector<Parameter> parameters;
  Emit emit;
  /// Also a class: can stand on the right of isinstance or in an annotation.
  bool isClass = false;
  /// Takes names of which nothing is known, such as `torch.float16`, and makes sense of them.
  bool takesUnknown = false;
};

/// Matches a call's arguments with the parameters; refuses what does not fit.
Arguments bindArguments(Emitter &emitter, const Builtin &builtin, const CallArguments &call);

class BuiltinTable {
public:
  static const BuiltinTable &get();

  const Builtin *find(llvm::StringRef qualifiedName) const;
  /// The value of a constant such as `math.pi` or `tl.float16`.
  const Value *findConstant(llvm::StringRef qualifiedName) const;
  /// The methods of run-time values: `x.sum` is `tl.sum`.
  bool isMethod(llvm::StringRef name) const { return methods.contains(name); }

  void add(llvm::StringRef name, llvm::StringRef parameters, Builtin::Emit emit);
  void addClass(llvm::StringRef name, llvm::StringRef parameters, Builtin::Emit emit);
  /// With Builtin::takesUnknown.
  void addForUnknown(llvm::StringRef name, llvm::StringRef parameters, Builtin::Emit emit);
  void addConstant(llvm::StringRef name, Value value);
  void addAlias(llvm::StringRef name, llvm::StringRef existing);
  void addMethods(std::initializer_list<llvm::StringRef> names);

private:
  BuiltinTable();
  llvm::StringMap<Builtin> builtins;
  llvm::StringMap<const Builtin *> aliases;
  llvm::StringMap<Value> constants;
  llvm::StringMap<bool> methods;
};

void addPythonBuiltins(BuiltinTable &table);
void addPythonMethods(BuiltinTable &table);
void addLanguageTypes(BuiltinTable &table);
void addProgramBuiltins(BuiltinTable &table);
void addMemoryBuiltins(BuiltinTable &table);
void addShapeBuiltins(BuiltinTable &table);
void addMathBuiltins(BuiltinTable &table);
void addLibdeviceBuiltins(BuiltinTable &table);
void addReductionBuiltins(BuiltinTable &table);
void addMatrixBuiltins(BuiltinTable &table);
void addTargetBuiltins(BuiltinTable &table);
void addAtomicBuiltins(BuiltinTable &table);

/// The module that `import name` gives if the frontend knows it by itself: `triton.language.extra.libdevice`.
/// Returns its canonical name.
std::optional<std::string> findBuiltinModule(llvm::StringRef dottedName);
/// Whether an import of the module can be taken to succeed although nothing of it is known (torch, typing,
/// …).
bool isForeignModule(llvm::StringRef dottedName);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_H
