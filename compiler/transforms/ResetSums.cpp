// Lets products start a sum anew in place of a loop that sets it to zero.
//
// A kernel that walks through the rounds of all its tiles in one loop stores a tile where its last round
// ends, and goes on with zeros:
//
//     %r = scf.for … iter_args(%sums) {
//       %d = ttng.warp_group_dot %a, %b, %sums
//       scf.if %last { store %d }
//       %next = arith.select %last, 0, %d
//       scf.yield %next
//     }
//
// So in each round something else than a product touches the sums, and the product has to be done by then.
// But a product may leave out the sums that it would add to (wgmma's scale-d). The loop carries whether it
// does, and the sums stay where they are:
//
//     %r = scf.for … iter_args(%sums, %anew) {
//       %adds = arith.xori %anew, true
//       %d = ttng.warp_group_dot %a, %b, %sums, %adds
//       scf.if %last { store %d }
//       scf.yield %d, %last
//     }
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/LoopPipeline.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Value;

namespace {

struct ResetSums : mlir::PassWrapper<ResetSums, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResetSums)

  llvm::StringRef getArgument() const final { return "nereid-ttg-reset-sums"; }
  llvm::StringRef getDescription() const final { return "Let products start sums anew"; }
  void runOnOperation() final;
};

/// A sum that the loop carries as its variable `number`.
struct Reset {
  ttng::WarpGroupDotOp product;
  mlir::arith::SelectOp select;
  unsigned number;
};

std::optional<Reset> findReset(mlir::scf::ForOp loop) {
  for (auto product : loop.getBody()->getOps<ttng::WarpGroupDotOp>()) {
    auto sums = mlir::dyn_cast<mlir::BlockArgument>(product.getC());
    if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() || product.getUseC())
      continue;
    Value next = loop.getTiedLoopYieldedValue(sums)->get();
    auto select = next.getDefiningOp<mlir::arith::SelectOp>();
    if (select && select->hasOneUse() && select.getCondition().getType().isInteger(1) &&
        isZero(select.getTrueValue()) && select.getFalseValue() == product.getResult())
      return Reset{product, select, sums.getArgNumber() - loop.getNumInductionVars()};
  }
  return std::nullopt;
}

/// Returns the loop that takes the place of this one.
mlir::scf::ForOp carryCondition(mlir::IRRewriter &rewriter, mlir::scf::ForOp loop, Reset reset) {
  rewriter.setInsertionPoint(loop);
  Value condition = reset.select.getCondition(), zero = reset.select.getTrueValue(),
        anew = mlir::arith::ConstantIntOp::create(rewriter, loop.getLoc(),
                                                  isZero(loop.getInitArgs()[reset.number]), 1);
  auto yield = [&](mlir::OpBuilder &builder, mlir::Location location,
                   llvm::ArrayRef<mlir::BlockArgument> carried) -> llvm::SmallVector<Value> {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(reset.product);
    Value always = mlir::arith::ConstantIntOp::create(builder, location, 1, 1);
    reset.product.getUseCMutable().assign(
        mlir::arith::XOrIOp::create(builder, location, carried.front(), always));
    return {condition};
  };
  auto replaced = mlir::cast<mlir::scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, anew, /*replaceInitOperandUsesInLoop=*/false, yield));
  rewriter.replaceAllUsesWith(reset.select.getResult(), reset.product.getResult());
  Value sums = replaced.getResult(reset.number);
  if (!sums.use_empty()) {
    rewriter.setInsertionPointAfter(replaced);
    Value constant = rewriter.clone(*zero.getDefiningOp())->getResult(0);
    auto last = mlir::arith::SelectOp::create(rewriter, replaced.getLoc(), replaced.getResults().back(),
                                              constant, sums);
    rewriter.replaceAllUsesExcept(sums, last, last);
  }
  rewriter.eraseOp(reset.select);
  return replaced;
}

void ResetSums::runOnOperation() {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  getOperation().walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  mlir::IRRewriter rewriter(&getContext());
  for (mlir::scf::ForOp loop : loops)
    while (std::optional<Reset> reset = findReset(loop))
      loop = carryCondition(rewriter, loop, *reset);
}

} // namespace

std::unique_ptr<mlir::Pass> createResetSumsPass() { return std::make_unique<ResetSums>(); }

} // namespace nereid
