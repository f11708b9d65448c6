// The evaluator of files: what a name means that stands in a module, or that is imported from another.
//
// A global is evaluated when a kernel first asks for it, in the module it stands in, as Python would have:
// the last binding whose conditions hold. What cannot be known here (`if use_fast_path():`) the host guesses
// (host/Host.h); a binding that a guess rules out is still used where there is no other. An import under
// `try` holds if what it imports can be found.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_MODULEEVALUATOR_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_MODULEEVALUATOR_H

#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/host/Host.h"
#include "compiler/frontends/python/modules/SourceModule.h"
#include "compiler/model/Definition.h"

namespace nereid::python {

/// A function that stands in a function or a class, be it under conditions.
struct NestedFunction {
  /// `function.kernel`, `Class.kernel`, `Class.method.kernel`.
  std::string name;
  /// What it stands in, outermost first, and itself.
  llvm::SmallVector<const ast::Statement *, 3> way;

  const ast::FunctionDef *getKernel() const { return llvm::cast<ast::FunctionDef>(way.back()); }
  bool isInFunction() const { return llvm::isa<ast::FunctionDef>(way[way.size() - 2]); }
};

/// Those of a file, or those in what bears the name `outermost` there, by the names of what they stand in.
std::vector<NestedFunction> findNested(const SourceModule &file, llvm::StringRef outermost = "");

class ModuleEvaluator : public Evaluator {
public:
  ModuleEvaluator(Diagnostics &diagnostics, const BuiltinTable &builtins, const Target &target,
                  ModuleLoader &loader, uint64_t compileLimit)
      : Evaluator(diagnostics, builtins, target, compileLimit), loader(loader), host(target, builtins) {}

  ModuleLoader &loader;
  const Host host;

  std::optional<Value> lookupGlobal(ModuleObject &module, llvm::StringRef name) override;
  std::vector<llvm::StringRef> getGlobalNames(const ModuleObject &module) override;
  std::optional<Value> lookupMember(llvm::StringRef builtinModule, llvm::StringRef name) override;
  std::optional<Value> findModule(llvm::StringRef name, unsigned level) override;
  std::optional<Value> findModuleAttribute(ModuleObject &module, llvm::StringRef name) override;
  Value getUnknownAttribute(const Opaque &object, llvm::StringRef name) override;
  void runImport(const ast::Statement *import) override;
  bool guess(const ast::Expression *condition) override;
  bool isPrelude(const ModuleObject *module) const override { return loader.isPrelude(module); }

  /// Gives names of the file, and of those it imports, the values that the user wants them to have.
  void define(SourceModule &file, llvm::ArrayRef<Definition> definitions);
  /// Refuses a definition of a name that nothing was found to bind or to ask for.
  void checkDefinitions(SourceModule &file, llvm::ArrayRef<Definition> definitions);
  /// What a signature names: `name` or `module.name` of this file, or `package.module:name`.
  Value lookupQualified(SourceModule &file, llvm::StringRef text);
  /// What stands in a plain function of the file under that name, `kernel` or `test_add.kernel`. Where a bare
  /// name means several, the first is guessed.
  std::optional<Value> lookupNested(SourceModule &file, llvm::StringRef name);
  /// The first `if` that a binding stands under on a side that is not taken; null where there is none.
  const SourceModule::Guard *findUntakenBranch(SourceModule &module, const SourceModule::Binding &binding);

private:
  std::optional<Value> findGlobal(SourceModule &module, llvm::StringRef name);
  std::optional<Value> findDefined(SourceModule &module, llvm::StringRef name);
  /// host.findFact, which guesses some.
  std::optional<Value> findFact(llvm::StringRef dottedName);
  Value evaluateBinding(SourceModule &module, llvm::StringRef name, const SourceModule::Binding &binding);
  Value evaluateRebound(SourceModule &module, llvm::StringRef name, const SourceModule::Binding &binding);
  void guessUnchanged(SourceModule &module, llvm::StringRef name, const SourceModule::Binding &binding,
                      const Value &value);
  Value evaluateAttempt(SourceModule &module, llvm::StringRef name,
                        llvm::ArrayRef<SourceModule::Binding> bindings, size_t chosen);
  /// Picks `name` out of what an assignment to `target` would do with `value`.
  std::optional<Value> pickTarget(const ast::Expression *target, const Value &value, llvm::StringRef name);
  enum class Holds { Yes, No, Likely, Unlikely };
  Holds checkGuard(SourceModule &module, const SourceModule::Guard &guard);
  Holds checkGuards(SourceModule &module, const SourceModule::Binding &binding);
  bool hasAlternative(SourceModule &module, llvm::StringRef name,
                      llvm::ArrayRef<SourceModule::Binding> bindings, size_t chosen);
  Host::Likelihood judge(const ast::Expression *test);
  bool isImportable(SourceModule &module, ast::Statements statements);
  Value importModule(SourceModule &module, const ast::Alias *alias);
  std::optional<Value> importName(SourceModule &module, const ast::ImportFrom *statement,
                                  llvm::StringRef name);
  std::optional<Value> followTo(SourceModule &file, llvm::ArrayRef<const ast::Statement *> way);
  /// Follows a function up to `inner` on the way to the kernel; false where it cannot be got to.
  bool followIn(const ast::FunctionDef *outer, const ast::Statement *inner, const ast::FunctionDef *kernel);

  /// How often a value was taken that the file only may have: what the handler of a `try` gives where the
  /// `try` itself cannot be followed. A condition in whose evaluation this grows is not certain.
  unsigned guesses = 0;
  /// The depth of lookupGlobal: 0 where the code of a kernel asks.
  unsigned lookupDepth = 0;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_MODULEEVALUATOR_H
