// See ScalarLoops.h.
//
// Only at the end: behind it other warps would come to what the kernel does next before the loop has stored
// what that may load. Programs have to order such accesses by a barrier, but do not always.
#include "compiler/lowering/gpu/ScalarLoops.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::gpu {

/// Whether nothing of the kernel comes behind it, but the ends of what it is nested in.
static bool isAtEnd(Operation *op) {
  while (op->use_empty() && op->getNextNode() && op->getNextNode()->hasTrait<OpTrait::IsTerminator>()) {
    Operation *parent = op->getParentOp();
    if (auto function = dyn_cast<tt::FuncOp>(parent))
      return function.isPublic() && isa<tt::ReturnOp>(op->getNextNode());
    if (!isa<scf::IfOp>(parent))
      return false;
    op = parent;
  }
  return false;
}

static bool isScalar(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat() || isa<tt::PointerType>(type); };
  return llvm::all_of(op->getOperandTypes(), isNumber) && llvm::all_of(op->getResultTypes(), isNumber) &&
         (isa<scf::ForOp, scf::WhileOp, scf::IfOp, tt::LoadOp, tt::StoreOp>(op) || isMemoryEffectFree(op));
}

bool isScalarLoopAtEnd(Operation *loop) {
  return isAtEnd(loop) && !loop->walk([](Operation *op) {
                                 return isScalar(op) ? WalkResult::advance() : WalkResult::interrupt();
                               })
                               .wasInterrupted();
}

} // namespace nereid::gpu
