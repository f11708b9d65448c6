// Reduces several axes of a tile in one go.
//
// The greatest of a tile is asked for an axis at a time, as what quantizes it is scaled by:
//
//     %r = tt.reduce %x {axis = 1} : tensor<64x128xf32> -> tensor<64xf32>
//     %m = tt.reduce %r {axis = 0} : tensor<64xf32> -> f32
//
// Threads would meet twice, once for each row's greatest and once for that of the rows, and lanes would
// shuffle for each row. Both axes become one, which they combine at once:
//
//     %y = tt.reshape %x : tensor<64x128xf32> -> tensor<8192xf32>
//     %m = tt.reduce %y {axis = 0} : tensor<8192xf32> -> f32
//
// No number moves for the reshape, as layouts of one axis are layouts of two. How a reduction pairs its
// elements is not said, so neither is in which order sums are taken.
//
// Only where one number is left: of tiles that keep an axis, what a thread has of it is combined sooner the
// other way. miniworld-engine's _opm_grouped_epilogue_kernel, which sums two of three axes, took 50.7 us of
// an H200 with both together, and 47.3.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nereid {

using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// The reduction whose results, all of them and nobody else's, `outer` reduces along another axis.
tt::ReduceOp findInner(tt::ReduceOp outer) {
  auto inner = outer.getSrcs().front().getDefiningOp<tt::ReduceOp>();
  if (!inner || inner.getNumResults() != outer.getSrcs().size() ||
      !llvm::all_of(inner->getResults(), [](Value result) { return result.hasOneUse(); }) ||
      !std::equal(outer.getSrcs().begin(), outer.getSrcs().end(), inner->result_begin()))
    return {};
  bool isSame = mlir::OperationEquivalence::isRegionEquivalentTo(&inner.getCombineOp(), &outer.getCombineOp(),
                                                                 mlir::OperationEquivalence::IgnoreLocations);
  return isSame ? inner : tt::ReduceOp();
}

struct ReduceTogether : mlir::OpRewritePattern<tt::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(tt::ReduceOp outer, mlir::PatternRewriter &rewriter) const override {
    tt::ReduceOp inner = findInner(outer);
    if (!inner || inner.getInputTypes().front().getEncoding())
      return mlir::failure();
    RankedTensorType type = inner.getInputTypes().front();
    unsigned axis = std::min(inner.getAxis(), outer.getAxis());
    bool areNeighbours = inner.getAxis() - axis <= 1 && outer.getAxis() == axis;
    int64_t length = areNeighbours ? type.getDimSize(axis) * type.getDimSize(axis + 1) : 0;
    if (length != type.getNumElements())
      return mlir::failure();
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[axis] = length;
    shape.erase(shape.begin() + axis + 1);
    llvm::SmallVector<Value> sources;
    for (Value source : inner.getSrcs()) {
      auto whole = mlir::cast<RankedTensorType>(source.getType());
      sources.push_back(tt::ReshapeOp::create(rewriter, inner.getLoc(), whole.clone(shape), source,
                                              mlir::UnitAttr(), mlir::UnitAttr()));
    }
    rewriter.modifyOpInPlace(outer, [&] {
      outer->setOperands(sources);
      outer.setAxis(axis);
    });
    rewriter.eraseOp(inner);
    return mlir::success();
  }
};

struct ReduceAxesTogether : mlir::PassWrapper<ReduceAxesTogether, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceAxesTogether)

  llvm::StringRef getArgument() const final { return "nereid-tt-reduce-axes-together"; }
  llvm::StringRef getDescription() const final { return "Reduce several axes of a tile in one go"; }
  void runOnOperation() final {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<ReduceTogether>(&getContext());
    // That there is more to fold than it cares to is no failure.
    (void)mlir::applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createReduceAxesTogetherPass() { return std::make_unique<ReduceAxesTogether>(); }

} // namespace nereid
