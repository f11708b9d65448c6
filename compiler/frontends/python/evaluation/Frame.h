// The function being walked, and how a walk through statements ends.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_FRAME_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_FRAME_H

#include "compiler/frontends/python/values/Function.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace nereid::python {

struct Frame {
  const Function *function = nullptr; // null for a module's own statements
  ModuleObject *module = nullptr;
  Frame *caller = nullptr;
  /// Plain Python: assignments keep numbers as they are, every loop is run.
  bool atCompileTime = false;
  Scope locals;
  /// Variables that lost their value at the end of a block, and why.
  struct Lost {
    llvm::SMRange range;
    std::string reason;
    /// It has a value on every path, but not of one type.
    bool differs = false;
  };
  llvm::DenseMap<llvm::StringRef, Lost> lost;
  std::shared_ptr<const Scope> closure;
  std::optional<Value> returned;
  /// Where each variable was last assigned, for messages.
  llvm::DenseMap<llvm::StringRef, llvm::SMRange> assignedAt;
  /// Run-time loops around the current statement, and loops that are run while compiling.
  unsigned loopDepth = 0;
  unsigned staticLoopDepth = 0;
  /// A break or continue here ends or cuts short a loop that is run while compiling.
  bool breakable = false;
};

enum class Flow { Next, Returned, Break, Continue };

/// The statements that follow the block being walked, up to the end of the function.
struct Continuation {
  ast::Statements statements;
  const Continuation *next;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_FRAME_H
