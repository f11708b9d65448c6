// Everything that kernel files ask about where they run, behind one interface: the machine, the libraries
// beside Triton, and what is assumed where neither is known.
//
// A kernel file is compiled where neither its GPU nor PyTorch need be. So what it asks PyTorch about the
// machine is answered for the target (MachineFacts.cpp), what it asks about dtypes and the environment is a
// table (HostFacts.cpp), versions are those that Triton comes with (Versions.cpp), and all the rest, `if
// use_fast_path():`, is a guess (Guesses.cpp).
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_HOST_HOST_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_HOST_HOST_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Value.h"
#include "compiler/model/Target.h"

#include <optional>

namespace nereid::python {

class BuiltinTable;
class GuessLog;

class Host {
public:
  Host(const Target &target, const BuiltinTable &builtins) : target(target), builtins(builtins) {}

  /// The value of `torch.version.hip`, `torch.finfo` and their like, by its full name; nothing for all other
  /// names.
  std::optional<Value> findFact(llvm::StringRef dottedName) const;

  /// Whether an import of the module can be taken to succeed although nothing of it is known (torch, os, …).
  static bool isForeignModule(llvm::StringRef dottedName);
  /// What module of Triton's is meant by a name that is imported from a module which is not at hand.
  static std::optional<llvm::StringRef> findConventionalModule(llvm::StringRef name);

  struct Likelihood {
    bool isTrue, isCertain;
  };
  /// What can be known of a condition; where that is nothing, `reason` says why.
  using Judgement =
      llvm::function_ref<std::optional<Likelihood>(const ast::Expression *condition, std::string &reason)>;
  /// Whether a condition of a module holds. `evaluate` says what can be known of it and of its parts; the
  /// rest is written down in `log`.
  static Likelihood guess(const ast::Expression *condition, Judgement evaluate, GuessLog &log);
  /// Whether a condition asks if Triton is there, `if HAS_TRITON: import triton` with stand-ins in the other
  /// branch, and then the answer that leads to Triton: where kernels are compiled, it is there, whatever the
  /// project's own search (for an active driver, say) would find.
  static std::optional<bool> findTritonBranch(const ast::If *conditional);

private:
  const Target &target;
  const BuiltinTable &builtins;
};

/// torch.cuda, triton.language.target_info: the target.
void addMachineFacts(BuiltinTable &table);
/// packaging.version.
void addVersions(BuiltinTable &table);
/// torch, numpy, os.
void addHostFacts(BuiltinTable &table);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_HOST_HOST_H
