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
//
// Sparse attention scores blocks of keys by the largest of each one's products, as many blocks at once as a
// tile has, often one:
//
//     %a = tt.expand_dims %products {axis = 1} : tensor<64x128xf32> -> tensor<64x1x128xf32>
//     %m = tt.reduce %a {axis = 2} : tensor<64x1xf32>
//
// Such a reduction is done without the axis that has one element, which its result is given instead.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
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
  return op->hasTrait<mlir::OpTrait::Elementwise>() && mlir::isPure(op) && op->getNumResults() == 1 &&
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
    if (!op || !op->hasTrait<mlir::OpTrait::Elementwise>() || reshape.getAllowReorder() ||
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

llvm::SmallVector<int64_t> shapeWithout(Value value, unsigned axis) {
  llvm::SmallVector<int64_t> shape(mlir::cast<RankedTensorType>(value.getType()).getShape());
  shape.erase(shape.begin() + axis);
  return shape;
}

/// The axis of what `expand` expands that becomes `axis`.
unsigned axisBefore(tt::ExpandDimsOp expand, unsigned axis) { return axis - (expand.getAxis() < axis); }

/// Whether a tile can be had without an axis of one element and without moving anything. What others need as
/// well would be computed twice, which is done for no more than `mostTwice` elements.
bool canDrop(Value value, unsigned axis, int64_t mostTwice, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op))
    return expand.getAxis() == axis ||
           canDrop(expand.getSrc(), axisBefore(expand, axis), mostTwice, depth - 1);
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return !reshape.getAllowReorder() && !reshape.getEfficientLayout() &&
           mlir::cast<RankedTensorType>(reshape.getSrc().getType()).getShape() ==
               llvm::ArrayRef(shapeWithout(value, axis));
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op))
    return canDrop(broadcast.getSrc(), axis, mostTwice, depth - 1);
  if (mlir::isa<tt::SplatOp>(op) || mlir::matchPattern(value, mlir::m_Constant()))
    return true;
  return op->hasTrait<mlir::OpTrait::Elementwise>() && mlir::isPure(op) && op->getNumResults() == 1 &&
         (op->hasOneUse() || mlir::cast<RankedTensorType>(value.getType()).getNumElements() <= mostTwice) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !mlir::isa<RankedTensorType>(operand.getType()) ||
                  canDrop(operand, axis, mostTwice, depth - 1);
         });
}

/// That tile.
Value drop(mlir::PatternRewriter &rewriter, Value value, unsigned axis) {
  Operation *op = value.getDefiningOp();
  auto type = mlir::cast<RankedTensorType>(value.getType()).clone(shapeWithout(value, axis));
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    if (expand.getAxis() == axis)
      return expand.getSrc();
    Value source = drop(rewriter, expand.getSrc(), axisBefore(expand, axis));
    return tt::ExpandDimsOp::create(rewriter, op->getLoc(), type, source,
                                    expand.getAxis() - (axis < expand.getAxis()));
  }
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return reshape.getSrc();
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(op))
    return tt::BroadcastOp::create(rewriter, op->getLoc(), type, drop(rewriter, broadcast.getSrc(), axis));
  if (!op->hasTrait<mlir::OpTrait::Elementwise>() || op->getNumOperands() == 0)
    return tt::ReshapeOp::create(rewriter, op->getLoc(), type, value, mlir::UnitAttr(), mlir::UnitAttr());
  llvm::SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(mlir::isa<RankedTensorType>(operand.getType()) ? drop(rewriter, operand, axis)
                                                                      : operand);
  return rewriter
      .create(op->getLoc(), op->getName().getIdentifier(), operands, mlir::TypeRange(type), op->getAttrs())
      ->getResult(0);
}

struct ReduceWithoutUnit : mlir::OpRewritePattern<tt::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(tt::ReduceOp reduce, mlir::PatternRewriter &rewriter) const override {
    constexpr unsigned depth = 16;
    RankedTensorType type = reduce.getInputTypes().front();
    if (type.getEncoding() || type.getRank() < 3)
      return mlir::failure();
    unsigned reduced = reduce.getAxis();
    for (unsigned axis = 0; axis != type.getRank(); ++axis) {
      if (axis == reduced || type.getDimSize(axis) != 1 || !llvm::all_of(reduce.getSrcs(), [&](Value source) {
            return canDrop(source, axis, type.getNumElements() / 8, depth);
          }))
        continue;
      mlir::IRMapping sources;
      for (Value source : reduce.getSrcs())
        sources.map(source, drop(rewriter, source, axis));
      Operation *moved = rewriter.clone(*reduce, sources);
      mlir::cast<tt::ReduceOp>(moved).setAxis(reduced - (axis < reduced));
      unsigned place = axis - (reduced < axis);
      llvm::SmallVector<Value> results;
      for (mlir::OpResult result : moved->getResults()) {
        auto whole = mlir::cast<RankedTensorType>(result.getType());
        result.setType(whole.clone(shapeWithout(result, place)));
        results.push_back(tt::ExpandDimsOp::create(rewriter, reduce.getLoc(), whole, result, place));
      }
      rewriter.replaceOp(reduce, results);
      return mlir::success();
    }
    return mlir::failure();
  }
};

/// Such a reshape as the axis of one element makes needless, behind arithmetic with what was reduced.
struct DropUnit : mlir::OpRewritePattern<tt::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(tt::ReshapeOp reshape, mlir::PatternRewriter &rewriter) const override {
    constexpr unsigned depth = 16;
    Value source = reshape.getSrc();
    auto type = mlir::cast<RankedTensorType>(source.getType());
    Operation *op = source.getDefiningOp();
    if (!op || type.getEncoding() || reshape.getAllowReorder() || reshape.getEfficientLayout() ||
        !op->hasTrait<mlir::OpTrait::Elementwise>() || !op->hasOneUse())
      return mlir::failure();
    for (unsigned axis = 0; axis != type.getRank(); ++axis) {
      if (type.getDimSize(axis) != 1 ||
          mlir::cast<RankedTensorType>(reshape.getType()).getShape() !=
              llvm::ArrayRef(shapeWithout(source, axis)) ||
          !canDrop(source, axis, type.getNumElements() / 8, depth))
        continue;
      rewriter.replaceOp(reshape, drop(rewriter, source, axis));
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct MoveReshapes : mlir::PassWrapper<MoveReshapes, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoveReshapes)

  llvm::StringRef getArgument() const final { return "nereid-tt-move-reshapes"; }
  llvm::StringRef getDescription() const final { return "Let reshapes meet those that they undo"; }
  void runOnOperation() final {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<MoveUp, ReduceWithoutUnit, DropUnit>(&getContext());
    tt::ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tt::ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    // That there is more to fold than it cares to is no failure.
    (void)mlir::applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createMoveReshapesPass() { return std::make_unique<MoveReshapes>(); }

} // namespace nereid
