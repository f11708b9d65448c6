// From the inside out, up to the first loop in which the value is made. See OutermostLoop.h.
#include "compiler/transforms/OutermostLoop.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

mlir::Operation *findOutermostLoop(mlir::Operation *op, mlir::Value value) {
  mlir::Operation *outermost = nullptr;
  for (auto loop = op->getParentOfType<mlir::LoopLikeOpInterface>();
       loop && loop.isDefinedOutsideOfLoop(value); loop = loop->getParentOfType<mlir::LoopLikeOpInterface>())
    outermost = loop;
  return outermost;
}

} // namespace nereid
