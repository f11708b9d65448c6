// Found once for a module. See ContestedMemory.h.
#include "compiler/transforms/ContestedMemory.h"

#include "compiler/transforms/FunctionEffects.h"

namespace nereid {

using mlir::Operation;

ContestedMemory::ContestedMemory(mlir::ModuleOp module) : roots(module) {
  module.walk([&](Operation *op) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    // Calls and assembly do with their pointers what they like.
    if ((load && looksAtOthers(load)) || mlir::isa<tt::CallOp>(op) ||
        (mayWriteGlobal(op) && !mlir::isa<tt::StoreOp>(op)))
      contested.merge(roots.getOfOperands(op));
  });
}

bool ContestedMemory::mayHold(mlir::Value pointer) const {
  return !contested.empty() && contested.meets(roots.get(pointer));
}

} // namespace nereid
