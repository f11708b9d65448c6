// A loop waits if it looks at memory that others write, and does nothing else that shows.
#include "compiler/lowering/cpu/Waiting.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::cpu {

bool isWaitingLoop(mlir::scf::WhileOp loop) {
  bool looks = false;
  mlir::WalkResult result = loop.walk([&](mlir::Operation *op) {
    if (op == loop)
      return mlir::WalkResult::advance();
    // Locks and flags are single words; atomic operations on whole tiles do work.
    bool isScalar = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<mlir::RankedTensorType>);
    if (isScalar && mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op)) {
      looks = true;
      return mlir::WalkResult::advance();
    }
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      looks |= isScalar && load.getIsVolatile();
      return mlir::WalkResult::advance();
    }
    if (mlir::isa<tt::AssertOp>(op))
      return mlir::WalkResult::advance();
    llvm::StringRef name = op->getName().getStringRef();
    bool isBarrier = name == "gpu.barrier" || name == "ttg.barrier";
    return isBarrier || op->getNumRegions() || mlir::isMemoryEffectFree(op) ? mlir::WalkResult::advance()
                                                                            : mlir::WalkResult::interrupt();
  });
  return looks && !result.wasInterrupted();
}

} // namespace nereid::cpu
