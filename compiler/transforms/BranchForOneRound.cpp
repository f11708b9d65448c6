// Makes a branch of a loop that runs one round at most.
//
//     %n = minsi %left, 1
//     scf.for %i = 0 to %n step 1 {           →      scf.if 0 < %n {
//       f(%i)                                          f(0)
//     }                                              }
//
// Kernels that give each program several tiles are often launched with one, and an argument of 1 is a
// constant of its specialization. What is loaded in a loop is started rounds ahead, in rings of buffers that
// no round would use: sglang's _gqa_share_sparse_fwd_kernel had 88064 bytes of them and others, and has
// 74240.
//
// Only what is in no other loop: the rounds of that are pipelined through the inner loop, and not through a
// branch.
#include "compiler/transforms/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;
using mlir::scf::ForOp;

namespace {

struct BranchForOneRound : mlir::PassWrapper<BranchForOneRound, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BranchForOneRound)

  llvm::StringRef getArgument() const final { return "nereid-tt-branch-for-one-round"; }
  llvm::StringRef getDescription() const final { return "Make branches of loops that run one round at most"; }
  void runOnOperation() final;
};

/// What a value may be, widened so that differences fit.
struct Range {
  llvm::APInt least, most;
};

std::optional<Range> getRange(Value value, bool isUnsigned, const mlir::DataFlowSolver &solver) {
  const auto *state = solver.lookupState<mlir::dataflow::IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  const mlir::ConstantIntRanges &range = state->getValue().getValue();
  unsigned bits = range.smin().getBitWidth() + 1;
  if (isUnsigned)
    return Range{range.umin().zext(bits), range.umax().zext(bits)};
  return Range{range.smin().sext(bits), range.smax().sext(bits)};
}

bool runsOneRoundAtMost(ForOp loop, const mlir::DataFlowSolver &solver) {
  bool isUnsigned = loop.getUnsignedCmp();
  std::optional<Range> lower = getRange(loop.getLowerBound(), isUnsigned, solver),
                       upper = getRange(loop.getUpperBound(), isUnsigned, solver),
                       step = getRange(loop.getStep(), isUnsigned, solver);
  return lower && upper && step && step->least.isStrictlyPositive() &&
         (upper->most - lower->least).sle(step->least);
}

void makeBranch(ForOp loop) {
  mlir::OpBuilder builder(loop);
  mlir::Location loc = loop.getLoc();
  auto less = loop.getUnsignedCmp() ? mlir::arith::CmpIPredicate::ult : mlir::arith::CmpIPredicate::slt;
  Value runs = mlir::arith::CmpIOp::create(builder, loc, less, loop.getLowerBound(), loop.getUpperBound());
  bool hasResults = loop.getNumResults() != 0;
  auto branch = mlir::scf::IfOp::create(builder, loc, loop.getResultTypes(), runs, /*addThenBlock=*/true,
                                        /*addElseBlock=*/hasResults);
  mlir::Block *body = loop.getBody();
  body->getArgument(0).replaceAllUsesWith(loop.getLowerBound());
  for (auto [argument, initial] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    argument.replaceAllUsesWith(initial);
  mlir::Block *then = branch.thenBlock();
  then->getOperations().splice(then->end(), body->getOperations());
  if (hasResults) {
    builder.setInsertionPointToEnd(branch.elseBlock());
    mlir::scf::YieldOp::create(builder, loc, loop.getInitArgs());
  }
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

/// Whether something that bounds a number is near; without, the whole function need not be looked at.
bool isBounded(Value value, unsigned depth = 0) {
  constexpr unsigned farthest = 4;
  Operation *op = value.getDefiningOp();
  if (!op || depth == farthest || !mlir::isa<mlir::arith::ArithDialect>(op->getDialect()))
    return false;
  return mlir::isa<mlir::arith::MinSIOp, mlir::arith::MinUIOp, mlir::arith::AndIOp, mlir::arith::RemSIOp,
                   mlir::arith::RemUIOp, mlir::arith::CmpIOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value operand) { return isBounded(operand, depth + 1); });
}

void BranchForOneRound::runOnOperation() {
  bool isWorthALook = false;
  getOperation().walk([&](ForOp loop) { isWorthALook |= isBounded(loop.getUpperBound()); });
  if (!isWorthALook)
    return;
  mlir::DataFlowSolver solver;
  mlir::dataflow::loadBaselineAnalyses(solver);
  solver.load<mlir::dataflow::IntegerRangeAnalysis>();
  if (mlir::failed(solver.initializeAndRun(getOperation())))
    return signalPassFailure();
  llvm::SmallVector<ForOp> loops; // of those in one another the outer first
  getOperation().walk<mlir::WalkOrder::PreOrder>([&](ForOp loop) {
    if (isBounded(loop.getUpperBound()) && runsOneRoundAtMost(loop, solver))
      loops.push_back(loop);
  });
  for (ForOp loop : loops)
    if (!loop->getParentOfType<mlir::LoopLikeOpInterface>())
      makeBranch(loop);
}

} // namespace

std::unique_ptr<mlir::Pass> createBranchForOneRoundPass() { return std::make_unique<BranchForOneRound>(); }

} // namespace nereid
