// The variables that a run-time loop hands from one turn to the next.
//
// Which ones these are is only known when the body has been walked, and the loop's operation is only made
// after that. So the body is walked into a block of its own, with every variable that it assigns (and that
// exists before) as an argument of the block. Those whose value at its end is the argument itself do not
// change, and are taken out again when the operation is made around the block:
//
//     for i in range(n):       # acc and scale are arguments of the block that is walked;
//         acc += scale * i     # the scf.for carries acc alone, and scale is what it was before
//         scale = scale
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_LOOPVARIABLES_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_LOOPVARIABLES_H

#include "compiler/frontends/python/emission/Tensor.h"
#include "compiler/frontends/python/values/Function.h"

#include "mlir/IR/Block.h"

namespace nereid::python {

class Emitter;

class LoopVariables {
public:
  /// Of the names that are assigned in the loop, those with a run-time value now.
  LoopVariables(Emitter &emitter, llvm::ArrayRef<llvm::StringRef> assigned, llvm::SMRange loop);

  /// Makes the variables arguments of a block that is to be walked.
  void bind(mlir::Block &block);
  /// Walks the loop's body to the end of the block, and finds out what it changes.
  void walkBody(mlir::Block &block, ast::Statements statements);

  /// Of the variables that change: their parts before the loop and at the end of its body, and the first
  /// one's name.
  llvm::SmallVector<Tensor> initial, next;
  llvm::StringRef firstName;

  /// Puts `arguments`, one for each part that changes, in the place of a walked block's: in the operations
  /// that use them, and in `values`. What does not change is what it was before the loop.
  void replaceArguments(mlir::Block &walked, mlir::ValueRange arguments,
                        llvm::MutableArrayRef<Tensor> values);

  /// After the loop: what changed has the loop's results, and what only its body knows is forgotten.
  void leave(mlir::ResultRange results);

private:
  struct Variable {
    llvm::StringRef name;
    Value initial;
    llvm::SmallVector<Tensor, 2> parts;
    /// Where its parts stand among the arguments of a block.
    unsigned first = 0;
    bool changes = false;
  };
  void checkTypes(const Variable &variable);
  void checkConstants();
  llvm::SMRange positionOf(llvm::StringRef name) const;

  Emitter &emitter;
  llvm::SMRange loop;
  Scope before;
  std::vector<Variable> variables;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_LOOPVARIABLES_H
