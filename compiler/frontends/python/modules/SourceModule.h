// A Python file as a namespace: which statement binds each of its names, and where its imports lead.
//
// Nothing of a module is run when it is loaded. A kernel file also holds launch code, tests and imports of
// packages that are not installed where kernels are compiled; only the names that a kernel reaches are
// evaluated, each when it is first needed (ModuleEvaluator::lookupGlobal). So a module is an index: for each
// name the statements that bind it, in order, each with the conditions (`if`, `try`) it stands under. The
// last one whose conditions hold is the value.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_SOURCEMODULE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_SOURCEMODULE_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Function.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <memory>
#include <optional>

namespace nereid::python {

class SourceModule : public ModuleObject {
public:
  /// Every module of a file is one of these.
  static SourceModule &of(ModuleObject &module) { return static_cast<SourceModule &>(module); }

  SourceModule(std::string path, const ast::Module &tree, FilesRead &files);

  llvm::StringRef getPath() const { return path; }
  /// The file that is compiled, as opposed to one that it imports.
  bool isMain = false;
  /// The name that Python knows it by: `torch.version` for …/torch/version.py, where …/torch is a package.
  std::string getDottedName() const;

  /// A condition that a binding stands under.
  struct Guard {
    enum class Kind { IfTrue, IfFalse, TryBody, ExceptHandler };
    Kind kind;
    const ast::Statement *statement;
  };
  struct Binding {
    /// Assign, AnnAssign, AugAssign, FunctionDef, ClassDef, Import, ImportFrom; something else where the name
    /// is bound by a statement that is never evaluated (a loop, `with`).
    const ast::Statement *statement;
    /// The name's alias in an import.
    const ast::Alias *alias = nullptr;
    llvm::SmallVector<Guard, 2> guards;
  };
  /// Null where nothing binds the name.
  const std::vector<Binding> *getBindings(llvm::StringRef name) const;
  llvm::ArrayRef<const ast::ImportFrom *> getStarImports() const { return starImports; }
  /// Whether a function rebinds the name (`global name`), so that what the module binds it to says nothing.
  bool isRebound(llvm::StringRef name) const { return rebound.contains(name); }
  /// The import that gives a rebound name its value, where that is all that is ever done to it: one function
  /// rebinds it, once, by importing it or by what it has imported under another name.
  std::optional<Binding> findLateImport(llvm::StringRef name) const;
  /// The statements that change what the name means without binding it, `sizes.append(64)`. They are not
  /// evaluated.
  llvm::ArrayRef<const ast::Node *> getChanges(llvm::StringRef name) const;
  /// All names bound here, for "did you mean".
  std::vector<llvm::StringRef> getNames() const;

  /// Values found so far.
  llvm::StringMap<Value> values;
  /// Those of them that rest on a guess: see ModuleEvaluator::guesses.
  llvm::StringSet<> guessed;
  /// All that they rest on, by name: see evaluation/GuessLog.h.
  llvm::StringMap<llvm::SmallVector<unsigned>> guessesOf;
  /// What the user defines: these names have this value whatever the file says.
  struct Defined {
    const ast::Expression *value = nullptr;
    /// While it is evaluated, the name means what the file makes of it: `-D "BLOCK=2 * BLOCK"`.
    bool isUnderWay = false;
    bool isUsed = false;
  };
  llvm::StringMap<Defined> defined;
  /// The names whose evaluation is under way, with which of their bindings is being evaluated: meanwhile the
  /// name means what the ones before it made of it, as for `f` on the right of `f = triton.jit(f)`.
  llvm::StringMap<size_t> underWay;
  /// While a statement of the module is evaluated: where it stands. Names mean what the statements before it
  /// made of them, as for `kernel = f` between two functions `f`.
  const char *asOf = nullptr;

private:
  FilesRead &files;

  void index(ast::Statements statements, llvm::SmallVectorImpl<Guard> &guards);
  /// Looks for `global name` in a function or class, and in all that is in it: the bodies that have it.
  void findRebound(const ast::Node *definition);

  /// Looks for statements that change lists and the like, in loops as well.
  void findChanges(const ast::Node *tree);

  llvm::StringMap<std::vector<Binding>> bindings;
  llvm::StringMap<std::vector<const ast::Node *>> changes;
  std::vector<const ast::ImportFrom *> starImports;
  llvm::StringMap<llvm::SmallVector<ast::Statements, 1>> rebound;
};

/// Finds and parses files, each once.
class ModuleLoader {
public:
  ModuleLoader(Diagnostics &diagnostics, std::vector<std::string> importPaths, FilesRead &files)
      : diagnostics(diagnostics), importPaths(std::move(importPaths)), files(files) {}

  /// Null after reporting that the file cannot be read. One that does not parse is reported, and ends the
  /// emission.
  SourceModule *loadFile(llvm::StringRef path);
  /// Null where there is no such file. `level` counts the leading dots of a relative import.
  SourceModule *find(llvm::StringRef dottedName, unsigned level, const SourceModule &importer);
  /// Parses text that is one expression. Null where it is something else; one that does not parse is
  /// reported, and ends the emission.
  const ast::Expression *parseExpression(llvm::StringRef text);
  /// The part of triton.language that is written in the language itself.
  SourceModule &getPrelude();
  /// Functions of libdevice, likewise.
  SourceModule &getLibdevice();
  bool isPrelude(const ModuleObject *module) const {
    return module == prelude || module == libdevice || module == inductorHelpers;
  }

private:
  SourceModule *parse(llvm::StringRef path, llvm::StringRef text);
  /// Modules of other projects that Nereid has itself, for where they are not at hand; or null.
  SourceModule *findStandIn(llvm::StringRef dottedName);

  Diagnostics &diagnostics;
  std::vector<std::string> importPaths;
  FilesRead &files;
  AstContext trees;
  llvm::StringMap<std::unique_ptr<SourceModule>> modules;
  SourceModule *prelude = nullptr;
  SourceModule *libdevice = nullptr;
  SourceModule *inductorHelpers = nullptr;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_MODULES_SOURCEMODULE_H
