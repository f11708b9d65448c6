// Pointers are followed backwards, through arithmetic and control flow. See PointerRoots.h.
#include "compiler/transforms/PointerRoots.h"

#include "compiler/transforms/TensorMaps.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

bool PointerRoots::merge(const PointerRoots &other) {
  bool changed = other.unknown && !unknown;
  unknown |= other.unknown;
  for (Value argument : other.arguments)
    changed |= arguments.insert(argument);
  return changed;
}

bool PointerRoots::meets(const PointerRoots &other) const {
  if (empty() || other.empty())
    return false;
  return unknown || other.unknown ||
         llvm::any_of(arguments, [&](Value argument) { return other.arguments.contains(argument); });
}

PointerRoots PointerRoots::anywhere() {
  PointerRoots roots;
  roots.unknown = true;
  return roots;
}

bool isPointerLike(Value value) {
  return mlir::isa<tt::PointerType>(mlir::getElementTypeOrSelf(value.getType()));
}

PointerRoots PointerRootAnalysis::get(Value pointer) const {
  PointerRoots roots;
  llvm::SetVector<Value> reached;
  reached.insert(pointer);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Value value = reached[i];
    if (llvm::ArrayRef<Value> senders = flow.getSenders(value); !senders.empty()) {
      reached.insert_range(senders);
      continue;
    }
    Operation *op = value.getDefiningOp();
    bool isKnown = false;
    if (!op) {
      // Of a function that is called, the arguments may be any of its callers'.
      auto function = mlir::dyn_cast<tt::FuncOp>(value.getParentBlock()->getParentOp());
      isKnown = function && function.isPublic() && value.getParentBlock()->isEntryBlock();
      if (isKnown)
        roots.arguments.insert(value);
    } else if (mlir::isPure(op)) {
      for (Value operand : op->getOperands())
        if (isPointerLike(operand)) {
          reached.insert(operand);
          isKnown = true;
        }
    }
    roots.unknown |= !isKnown;
  }
  return roots;
}

PointerRoots PointerRootAnalysis::getOfOperands(Operation *op) const {
  PointerRoots roots;
  for (Value operand : op->getOperands())
    if (isPointerLike(operand))
      roots.merge(get(operand));
    else if (isTensorMap(operand))
      roots.merge(get(getTensorMapBase(operand)));
  return roots;
}

} // namespace nereid
