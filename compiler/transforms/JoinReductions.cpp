// Lets threads meet once for results that are combined with one another.
//
// Weights of four bits are two to a byte, and each half has its own products with a vector:
//
//     %l = tt.reduce %low {axis = 1}
//     %h = tt.reduce %high {axis = 1}
//     %s = arith.addf (arith.addf %sum, %l), %h
//
// So it is with loops that were unrolled. Threads combine what they have of both, and meet for that:
//
//     %p = arith.addf (parts of %low), (parts of %high)        ReductionParts.h
//     %s = arith.addf %sum, (tt.reduce %p {axis = 1})
//
// This is also what lets a loop that adds several results in a round leave all of them apart
// (ReducePastLoops.cpp). Numbers are added in another order than the program says.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

struct JoinReductions : mlir::PassWrapper<JoinReductions, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinReductions)

  llvm::StringRef getArgument() const final { return "nereid-ttg-join-reductions"; }
  llvm::StringRef getDescription() const final {
    return "Let threads meet once for results that are combined";
  }
  void runOnOperation() final;
};

/// Two results that an operation combines; the first one has been combined with others `before`, or not.
struct Pair {
  ReducedTerm first, second;
  Operation *before = nullptr;
  Value others;
};

} // namespace

static std::optional<Pair> findPair(Operation *last) {
  if (last->getNumOperands() != 2 || last->getNumResults() != 1 ||
      !last->hasTrait<mlir::OpTrait::IsCommutative>())
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    std::optional<ReducedTerm> second = findReducedTerm(last->getOperand(1 - i), last);
    if (!second)
      continue;
    Value rest = last->getOperand(i);
    if (std::optional<ReducedTerm> first = findReducedTerm(rest, last))
      return Pair{*first, *second};
    Operation *before = rest.getDefiningOp();
    if (!before || before->getName() != last->getName() || before->getBlock() != last->getBlock() ||
        !before->hasOneUse())
      continue;
    for (unsigned j : {0u, 1u})
      if (std::optional<ReducedTerm> first = findReducedTerm(before->getOperand(j), before))
        return Pair{*first, *second, before, before->getOperand(1 - j)};
  }
  return std::nullopt;
}

/// Whether the parts of both are the same threads' of the same rows.
static bool areAlike(Pair &pair) {
  auto isSame = [](mlir::RankedTensorType a, mlir::RankedTensorType b) {
    return a.getShape() == b.getShape() && a.getEncoding() == b.getEncoding();
  };
  return pair.first.reduce.getAxis() == pair.second.reduce.getAxis() &&
         isSame(getPartsType(pair.first.reduce), getPartsType(pair.second.reduce));
}

static void join(mlir::IRRewriter &rewriter, Operation *last, const Pair &pair) {
  rewriter.setInsertionPoint(last);
  Value first = makeParts(rewriter, pair.first), second = makeParts(rewriter, pair.second);
  auto combine = [&](Value left, Value right) {
    Operation *copy = rewriter.clone(*last);
    copy->setOperands({left, right});
    copy->getResult(0).setType(left.getType());
    return copy->getResult(0);
  };
  Value result = reduceParts(rewriter, pair.second.reduce, combine(first, second));
  mlir::Type type = last->getResult(0).getType();
  if (result.getType() != type)
    result = ttg::ConvertLayoutOp::create(rewriter, last->getLoc(), type, result);
  rewriter.replaceOp(last, pair.others ? combine(pair.others, result) : result);
  // Nobody else needed it; it must not look as if somebody did.
  if (pair.before)
    rewriter.eraseOp(pair.before);
}

void JoinReductions::runOnOperation() {
  if (getOperation()->hasAttr(ttg::reducesInLoopsName))
    return;
  llvm::SmallVector<Operation *> all;
  getOperation().walk([&](Operation *op) { all.push_back(op); });
  mlir::IRRewriter rewriter(&getContext());
  for (Operation *op : all)
    if (std::optional<Pair> pair = findPair(op); pair && areAlike(*pair)) {
      join(rewriter, op, *pair);
      getOperation()->setAttr(ttg::reducesPastLoopsName, rewriter.getUnitAttr());
    }
}

std::unique_ptr<mlir::Pass> createJoinReductionsPass() { return std::make_unique<JoinReductions>(); }

} // namespace nereid
