// How operations are emitted for a CPU, by the operation's type: members of FunctionLowering, and the sinks
// of those that are loop nests over tensors.
#ifndef NEREID_COMPILER_LOWERING_CPU_EMITTERTABLE_H
#define NEREID_COMPILER_LOWERING_CPU_EMITTERTABLE_H

#include "compiler/lowering/cpu/FunctionLowering.h"

#include "llvm/ADT/StringMap.h"

#include <type_traits>

namespace nereid::cpu {

class EmitterTable {
public:
  using Function = void (*)(FunctionLowering &, mlir::Operation *);
  using SinkFunction = std::unique_ptr<Sink> (*)(FunctionLowering &, mlir::Operation *);

  /// `member` takes an Op, or any operation.
  template <typename Op, auto member> void add() {
    functions[Op::getOperationName()] = [](FunctionLowering &lowering, mlir::Operation *op) {
      (lowering.*member)(mlir::cast<Op>(op));
    };
  }
  /// Nothing is emitted for it.
  template <typename Op> void addNothing() { addNothing(Op::getOperationName()); }
  void addNothing(llvm::StringRef name) {
    functions[name] = [](FunctionLowering &, mlir::Operation *) {};
  }
  /// Over tensors a root, whose sink `create` makes.
  template <typename Op, auto create> void addRoot() {
    roots[Op::getOperationName()] = [](FunctionLowering &lowering, mlir::Operation *op) {
      return create(lowering, mlir::cast<Op>(op));
    };
  }
  /// The same, and `member` emits it for scalars.
  template <typename Op, auto create, auto member> void addRoot() {
    addRoot<Op, create>();
    add<Op, member>();
  }

  Function find(mlir::OperationName name) const { return functions.lookup(name.getStringRef()); }
  SinkFunction findRoot(mlir::OperationName name) const { return roots.lookup(name.getStringRef()); }

private:
  llvm::StringMap<Function> functions;
  llvm::StringMap<SinkFunction> roots;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_EMITTERTABLE_H
