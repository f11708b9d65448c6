// Follows a value forward until every use is a store, or one is not.
#include "compiler/transforms/StoredScalars.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

StoredScalars::StoredScalars(tt::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto branching = mlir::dyn_cast<mlir::RegionBranchOpInterface>(op))
      branching.getSuccessorOperandInputMapping(receivers);
    if (auto branch = mlir::dyn_cast<mlir::BranchOpInterface>(op))
      for (mlir::OpOperand &operand : op->getOpOperands())
        if (auto argument = branch.getSuccessorBlockArgument(operand.getOperandNumber()))
          receivers[&operand].push_back(*argument);
  });
}

static bool isScalar(Value value) { return !mlir::isa<mlir::ShapedType>(value.getType()); }

bool StoredScalars::isByOneThread(Operation *op) {
  auto store = mlir::dyn_cast<tt::StoreOp>(op);
  return store && isScalar(store.getValue());
}

/// Whether it computes scalars of scalars, and does nothing else.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         !op->hasTrait<mlir::OpTrait::IsTerminator>() && mlir::isMemoryEffectFree(op) &&
         llvm::all_of(op->getResults(), isScalar);
}

bool StoredScalars::isOnlyStored(Value value) const {
  llvm::SmallSetVector<Value, 8> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (mlir::OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      auto handed = receivers.find(&use);
      if (handed != receivers.end())
        reached.insert_range(handed->second);
      else if (isArithmetic(user))
        reached.insert_range(user->getResults());
      else if (!isByOneThread(user))
        return false;
    }
  }
  return true;
}

} // namespace nereid
