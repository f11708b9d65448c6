// Takes reshapes up through arithmetic to a reshape that they undo.
//
// A kernel that stores through a descriptor of three axes gives its matrix another one and then converts it:
//
//     %a = tt.reshape %sums : tensor<128x64xf32> -> tensor<1x128x64xf32>
//     %b = arith.truncf %a
//     %c = tt.reshape %b : tensor<1x128x64xf16> -> tensor<128x64xf16>
//
// Layouts of tiles with another number of axes differ, and each change would cost registers or a way through
// memory. Done in the other order, both reshapes vanish:
//
//     %c = arith.truncf %sums
//
// That happens where each operand is such a reshape, or splat, or computed from these in the same way.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Whether a tile of another shape can be had without moving anything; `found` tells whether a reshape goes.
bool canUndo(Value value, llvm::ArrayRef<int64_t> shape, bool &found, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  if (mlir::isa<tt::ReshapeOp, tt::ExpandDimsOp>(op)) {
    bool isUndone = mlir::cast<RankedTensorType>(op->getOperand(0).getType()).getShape() == shape;
    if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
      isUndone &= !reshape.getAllowReorder() && !reshape.getEfficientLayout();
    found |= isUndone;
    return isUndone;
  }
  if (mlir::isa<tt::SplatOp>(op) || mlir::matchPattern(value, mlir::m_Constant()))
    return true;
  // What others need as well would be computed twice.
  return mlir::OpTrait::hasElementwiseMappableTraits(op) && mlir::isPure(op) && op->getNumResults() == 1 &&
         op->hasOneUse() && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !mlir::isa<RankedTensorType>(operand.getType()) ||
                  canUndo(operand, shape, found, depth - 1);
         });
}

struct MoveUp : mlir::OpRewritePattern<tt::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(tt::ReshapeOp reshape, mlir::PatternRewriter &rewriter) const override {
    constexpr unsigned depth = 16;
    auto type = mlir::cast<RankedTensorType>(reshape.getType());
    Operation *op = reshape.getSrc().getDefiningOp();
    bool found = false;
    if (!op || !mlir::OpTrait::hasElementwiseMappableTraits(op) || reshape.getAllowReorder() ||
        reshape.getEfficientLayout() || type.getEncoding() ||
        !canUndo(reshape.getSrc(), type.getShape(), found, depth) || !found)
      return mlir::failure();
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto source = mlir::dyn_cast<RankedTensorType>(operand.getType());
      operands.push_back(source ? tt::ReshapeOp::create(rewriter, op->getLoc(), source.clone(type.getShape()),
                                                        operand, mlir::UnitAttr(), mlir::UnitAttr())
                                      .getResult()
                                : operand);
    }
    Operation *moved = rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                                       mlir::TypeRange(reshape.getType()), op->getAttrs());
    rewriter.replaceOp(reshape, moved);
    return mlir::success();
  }
};

struct MoveReshapes : mlir::PassWrapper<MoveReshapes, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoveReshapes)

  llvm::StringRef getArgument() const final { return "nereid-tt-move-reshapes"; }
  llvm::StringRef getDescription() const final { return "Let reshapes meet those that they undo"; }
  void runOnOperation() final {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<MoveUp>(&getContext());
    tt::ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tt::ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    // That there is more to fold than it cares to is no failure.
    (void)mlir::applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createMoveReshapesPass() { return std::make_unique<MoveReshapes>(); }

} // namespace nereid
