// What evaluation asks of the world around a function: the names of modules, and what is known of the
// machine. Implemented by modules/ModuleEvaluator.h.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ENVIRONMENT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ENVIRONMENT_H

#include "compiler/frontends/python/values/Value.h"

#include <optional>

namespace nereid::python {

namespace ast {
struct Expression;
struct Statement;
} // namespace ast

class Environment {
public:
  virtual ~Environment() = default;

  /// What a name of the module itself means; nothing where it has none of that name.
  virtual std::optional<Value> lookupGlobal(ModuleObject &module, llvm::StringRef name) = 0;
  /// The names that the module binds, for "did you mean".
  virtual std::vector<llvm::StringRef> getGlobalNames(const ModuleObject &module) = 0;
  /// A member of a module known to the frontend: native, or from the prelude.
  virtual std::optional<Value> lookupMember(llvm::StringRef builtinModule, llvm::StringRef name) = 0;
  /// What `import name` gives; nothing where there is no such module. `level` counts leading dots.
  virtual std::optional<Value> findModule(llvm::StringRef name, unsigned level) = 0;
  /// `module.name` of a file.
  virtual std::optional<Value> findModuleAttribute(ModuleObject &module, llvm::StringRef name) = 0;
  /// `torch.version.hip`, where `torch.version` is not known.
  virtual Value getUnknownAttribute(const Opaque &object, llvm::StringRef name) = 0;
  /// An import in a function: binds its names there.
  virtual void runImport(const ast::Statement *import) = 0;
  /// Whether a condition holds that may ask for what is not known here. Such a one is guessed.
  virtual bool guess(const ast::Expression *condition) = 0;
  /// The language's own modules: their functions return compile-time values as they are.
  virtual bool isPrelude(const ModuleObject *module) const = 0;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_ENVIRONMENT_H
