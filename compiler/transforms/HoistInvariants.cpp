// Moves what a loop computes anew in each round, always the same, before the loop.
//
// MLIR's own pass of that kind, but for loops that ask to be left alone: `tl.range(0, n, disable_licm=True)`
// keeps values out of registers that would have to last through the loop. Such a loop keeps its attribute,
// with which the lowering tells LLVM, too.
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace nereid {

namespace {

struct HoistInvariants : mlir::PassWrapper<HoistInvariants, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistInvariants)

  llvm::StringRef getArgument() const final { return "nereid-tt-hoist-invariants"; }
  llvm::StringRef getDescription() const final {
    return "Move what rounds of a loop have in common before it";
  }
  void runOnOperation() final {
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([](mlir::LoopLikeOpInterface loop) {
      if (!loop->hasAttr("tt.disable_licm"))
        mlir::moveLoopInvariantCode(loop);
    });
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createHoistInvariantsPass() { return std::make_unique<HoistInvariants>(); }

} // namespace nereid
