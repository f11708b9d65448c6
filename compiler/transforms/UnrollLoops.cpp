// Unrolls loops that ask for it: `for i in tl.range(0, n, loop_unroll_factor=4)`.
//
//     scf.for %i = %a to %b step %s {tt.loop_unroll_factor = 2}
//       f(%i)
//   →
//     scf.for %i = %a to %m step %s * 2          %m: the rounds that make pairs
//       f(%i), f(%i + %s)
//     scf.for %i = %m to %b step %s {tt.num_stages = 1}
//       f(%i)                                    what is left; not worth loads that run ahead
//
// MLIR does it (scf::Utils), for loops whose bounds ascend. A loop of the language may have none: range(3, 1)
// runs no round. So the upper bound is made no less than the lower one before.
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace {

struct UnrollLoops : mlir::PassWrapper<UnrollLoops, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoops)

  llvm::StringRef getArgument() const final { return "nereid-tt-unroll-loops"; }
  llvm::StringRef getDescription() const final { return "Unroll loops that ask for it"; }
  void runOnOperation() final;
};

/// What all loops of a function may come to, so that factors of loops in loops cannot fill the memory.
constexpr uint64_t mostOperations = 100'000;

uint64_t countOperations(mlir::scf::ForOp loop) {
  uint64_t count = 0;
  loop->walk([&](mlir::Operation *) { ++count; });
  return count;
}

void makeBoundsAscend(mlir::scf::ForOp loop) {
  mlir::OpBuilder builder(loop);
  mlir::Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  loop.setUpperBound(loop.getUnsignedCmp()
                         ? builder.createOrFold<mlir::arith::MaxUIOp>(loop.getLoc(), lower, upper)
                         : builder.createOrFold<mlir::arith::MaxSIOp>(loop.getLoc(), lower, upper));
}

void unroll(mlir::scf::ForOp loop, uint64_t factor) {
  if (countOperations(loop) * factor > mostOperations) {
    loop.emitWarning() << "the loop is not unrolled: " << factor << " rounds of it are more than "
                       << mostOperations << " operations";
    return;
  }
  makeBoundsAscend(loop);
  auto loops = mlir::loopUnrollByFactor(loop, factor);
  if (mlir::failed(loops)) {
    loop.emitWarning("the loop cannot be unrolled");
    return;
  }
  if (loops->epilogueLoopOp) {
    mlir::scf::ForOp rest = *loops->epilogueLoopOp;
    rest->setAttr("tt.num_stages", mlir::IntegerAttr::get(mlir::IntegerType::get(rest.getContext(), 32), 1));
  }
}

} // namespace

void UnrollLoops::runOnOperation() {
  // Inner loops first, so that an outer one repeats what they have become.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  getOperation()->walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  for (mlir::scf::ForOp loop : loops) {
    auto factor = mlir::dyn_cast_if_present<mlir::IntegerAttr>(loop->removeAttr("tt.loop_unroll_factor"));
    if (factor && factor.getInt() > 1)
      unroll(loop, factor.getInt());
  }
}

std::unique_ptr<mlir::Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoops>(); }

} // namespace nereid
