// See MoreStages.h.
#include "compiler/driver/MoreStages.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/driver/ResidentBlocks.h"
#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace nereid {

std::optional<unsigned> getStagesToTry(mlir::ModuleOp module) {
  if (auto stages = module->getAttrOfType<mlir::IntegerAttr>(stagesToTryName))
    return stages.getInt();
  return std::nullopt;
}

bool mayTakeMoreStages(mlir::ModuleOp module, const CompileRequest &request, const CompileResult &one) {
  if (request.numStages != 1 || request.hasExactStages || request.isCooperative || !one.cyclesOfWarp ||
      !one.info.resources)
    return false;
  return module
      ->walk([](mlir::Operation *op) {
        return mlir::isa<tt::DotOp, tt::DotScaledOp>(op) && op->getParentOfType<mlir::scf::ForOp>()
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool copiesAhead(mlir::ModuleOp module) {
  return module
      ->walk([](mlir::Operation *op) {
        return mlir::isa<ttg::AsyncCopyGlobalToLocalOp, ttng::AsyncTMACopyGlobalToLocalOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool isBetterWithMoreStages(const CompileResult &more, const CompileResult &one, const Target &target) {
  if (!more.cyclesOfWarp || !more.info.resources)
    return false;
  // What copies in the background take does not show in the walk, and is not nothing.
  uint64_t cycles = std::max(more.cyclesOfWarp, one.cyclesOfWarp / 2);
  return 10 * cycles * countBlocks(one.info, target) <= 9 * one.cyclesOfWarp * countBlocks(more.info, target);
}

} // namespace nereid
