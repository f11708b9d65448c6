// See LastingFactors.h.
#include "compiler/transforms/LastingFactors.h"

#include "compiler/dialects/ttng/Dialect.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

bool hasLastingFactors(mlir::ModuleOp module) {
  return module
      .walk([](ttng::WarpGroupDotOp product) {
        mlir::Value factor = product.getA();
        auto loop = product->getParentOfType<mlir::LoopLikeOpInterface>();
        if (!loop || !mlir::isa<mlir::RankedTensorType>(factor.getType()))
          return mlir::WalkResult::advance();
        bool isTakenAgain = llvm::any_of(factor.getUsers(), [&](mlir::Operation *user) {
          return user != product && mlir::isa<ttng::WarpGroupDotOp>(user);
        });
        return isTakenAgain || loop.isDefinedOutsideOfLoop(factor) ? mlir::WalkResult::interrupt()
                                                                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace nereid
