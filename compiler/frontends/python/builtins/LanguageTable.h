// Adds to the table of builtins what triton.language and its like have for run-time values. The functions get
// the Emitter:
//
//     table.add("tl.load", "pointer, mask=None, other=None, …", [](Emitter &emitter, Arguments &arguments) {
//     … });
//
// What can be said in the language itself (tl.softmax, tl.cdiv, tl.sort) is in prelude/*.py instead.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_LANGUAGETABLE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_LANGUAGETABLE_H

#include "compiler/frontends/python/emission/Emitter.h"

namespace nereid::python {

class LanguageTable {
public:
  explicit LanguageTable(BuiltinTable &table) : table(table) {}

  template <typename Emit> void add(llvm::StringRef name, llvm::StringRef parameters, Emit emit) {
    table.add(name, parameters, withEmitter(std::move(emit)));
  }
  template <typename Emit> void addClass(llvm::StringRef name, llvm::StringRef parameters, Emit emit) {
    table.addClass(name, parameters, withEmitter(std::move(emit)));
  }
  void addConstant(llvm::StringRef name, Value value) { table.addConstant(name, std::move(value)); }
  void addAlias(llvm::StringRef name, llvm::StringRef existing) { table.addAlias(name, existing); }
  /// The methods of run-time values: `x.sum` is `tl.sum`.
  void addMethods(std::initializer_list<llvm::StringRef> names) { table.addMethods(names); }

private:
  /// Only an Emitter is ever given the table that these entries are in: see Builtins.h.
  template <typename Emit> static Builtin::Call withEmitter(Emit emit) {
    return [emit = std::move(emit)](Evaluator &evaluator, Arguments &arguments) -> Value {
      return emit(static_cast<Emitter &>(evaluator), arguments);
    };
  }

  BuiltinTable &table;
};

// One for each file of this folder.
void addAtomicBuiltins(LanguageTable &table);
void addLibdeviceBuiltins(LanguageTable &table);
void addMathBuiltins(LanguageTable &table);
void addMatrixBuiltins(LanguageTable &table);
void addMemoryBuiltins(LanguageTable &table);
void addProgramBuiltins(LanguageTable &table);
void addReductionBuiltins(LanguageTable &table);
void addShapeBuiltins(LanguageTable &table);
void addTargetBuiltins(LanguageTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_BUILTINS_LANGUAGETABLE_H
