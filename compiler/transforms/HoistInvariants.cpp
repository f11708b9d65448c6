// Moves what a loop computes anew in each round, always the same, before the loop.
//
// MLIR's own pass of that kind, but for loops that ask to be left alone: `tl.range(0, n, disable_licm=True)`
// keeps values out of registers that would have to last through the loop. Such a loop keeps its attribute,
// with which the lowering tells LLVM, too.
//
// MLIR's pass leaves what stands under a condition, as it may not be needed. A product's factor that was
// known before the loop is needed in some round, or the loop does little: block-sparse attention, which
// multiplies by the blocks that a mask names, would bring its queries into the product's layout again for
// each of them.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace nereid {

namespace {

void moveFactorsFromConditions(mlir::LoopLikeOpInterface loop) {
  llvm::SmallVector<ttg::ConvertLayoutOp> factors;
  loop->walk([&](ttg::ConvertLayoutOp convert) {
    mlir::Operation *parent = convert->getParentOp();
    if (!mlir::isa<mlir::scf::IfOp>(parent) || !loop.isDefinedOutsideOfLoop(convert.getSrc()) ||
        !mlir::isa<ttg::DotOperandEncodingAttr>(convert.getType().getEncoding()))
      return;
    while (mlir::isa<mlir::scf::IfOp>(parent))
      parent = parent->getParentOp();
    if (parent == loop)
      factors.push_back(convert);
  });
  for (ttg::ConvertLayoutOp factor : factors)
    factor->moveBefore(loop);
}

struct HoistInvariants : mlir::PassWrapper<HoistInvariants, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistInvariants)

  llvm::StringRef getArgument() const final { return "nereid-tt-hoist-invariants"; }
  llvm::StringRef getDescription() const final {
    return "Move what rounds of a loop have in common before it";
  }
  void runOnOperation() final {
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([](mlir::LoopLikeOpInterface loop) {
      if (loop->hasAttr("tt.disable_licm"))
        return;
      mlir::moveLoopInvariantCode(loop);
      moveFactorsFromConditions(loop);
    });
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createHoistInvariantsPass() { return std::make_unique<HoistInvariants>(); }

} // namespace nereid
