// Folders and canonical forms of tt operations: rewrites that are right and cheap wherever they apply, so
// that every later stage sees fewer forms. A tensor of one value is, after folding, either a dense constant
// or a tt.splat: shape operations move through it.
#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tt {

namespace {

// The constant of this type whose every element is that of the splat constant `value`; null when `value` is
// none.
Attribute foldSplat(Attribute value, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!splat || !tensor || splat.getElementType() != tensor.getElementType())
    return Attribute();
  return SplatElementsAttr::get(tensor, splat.getSplatValue<Attribute>());
}

// Whether this is a constant of zeros, or of ones in each bit.
bool isZero(Value value) { return matchPattern(value, m_Zero()); }
bool isAllTrue(Value value) {
  return matchPattern(value, m_One()) && getElementTypeOrSelf(value.getType()).isInteger(1);
}

// A shape operation over a splat is the splat in the new shape.
LogicalResult moveIntoSplat(Operation *op, PatternRewriter &rewriter) {
  auto splat = op->getOperand(0).getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResult(0).getType(), splat.getSrc());
  return success();
}

} // namespace

OpFoldResult AddPtrOp::fold(FoldAdaptor) { return isZero(getOffset()) ? getPtr() : Value(); }

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<PtrToIntOp>();
  return inner && inner.getSrc().getType() == getType() ? inner.getSrc() : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<IntToPtrOp>();
  return inner ? inner.getSrc() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return {};
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // What is exact is the same with every rounding. A format without infinity, or with no negative zero, has
  // rules of its own for them.
  const llvm::fltSemantics &semantics = cast<FloatType>(getElementTypeOrSelf(getType())).getFloatSemantics();
  return constFoldCastOp<FloatAttr, FloatAttr, llvm::APFloat, llvm::APFloat, /*PoisonAttr=*/void>(
      adaptor.getOperands(), getType(), [&](llvm::APFloat value, bool &isExact) {
        bool losesInfo = false;
        bool isPlain = value.isFiniteNonZero() || value.isPosZero();
        isExact =
            isPlain &&
            value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo) == llvm::APFloat::opOK &&
            !losesInfo;
        return value;
      });
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  return type.getNumElements() == 1 ? SplatElementsAttr::get(type, getStartAttr().getValue())
                                    : OpFoldResult();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<RankedTensorType>(getType()), value);
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return constant.getSplatValue<Attribute>();
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldSplat(adaptor.getSrc(), getType()); }

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  if (succeeded(moveIntoSplat(op, rewriter)))
    return success();
  // Broadcast last, so that what is broadcast is as small as can be. Layouts would have to be inferred anew.
  auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
  auto type = cast<RankedTensorType>(op.getType());
  if (!broadcast || type.getEncoding())
    return failure();
  Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), broadcast.getSrc(), op.getAxis());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, expanded);
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (succeeded(moveIntoSplat(op, rewriter)))
    return success();
  auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

/// A reshape that only adds axes of size 1 as what says so, which keeps to the layouts of other tiles.
static LogicalResult turnIntoExpandDims(ReshapeOp op, PatternRewriter &rewriter) {
  auto source = cast<RankedTensorType>(op.getSrc().getType()), type = cast<RankedTensorType>(op.getType());
  if (op.getEfficientLayout() || source.getEncoding() || type.getRank() <= source.getRank())
    return failure();
  SmallVector<int32_t> axes;
  int64_t next = 0;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (next < source.getRank() && source.getDimSize(next) == size)
      ++next;
    else if (size == 1)
      axes.push_back(axis);
    else
      return failure();
  }
  Value value = op.getSrc();
  for (int32_t axis : axes)
    value = ExpandDimsOp::create(rewriter, op.getLoc(), value, axis);
  rewriter.replaceOp(op, value);
  return success();
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (succeeded(moveIntoSplat(op, rewriter)) || succeeded(turnIntoExpandDims(op, rewriter)))
    return success();
  // Whose layouts would have to be inferred anew.
  auto expand = op.getSrc().getDefiningOp<ExpandDimsOp>();
  if (expand && !cast<RankedTensorType>(op.getType()).getEncoding()) {
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(expand.getSrc()); });
    return success();
  }
  auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
  if (!inner || op.getEfficientLayout() || inner.getEfficientLayout())
    return failure();
  bool reorder = op.getAllowReorder() || inner.getAllowReorder();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(), reorder,
                                         /*efficient_layout=*/false);
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [index, axis] : llvm::enumerate(getOrder()))
    identity = identity && axis == int32_t(index);
  if (identity && getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult TransOp::canonicalize(TransOp op, PatternRewriter &rewriter) {
  if (succeeded(moveIntoSplat(op, rewriter)))
    return success();
  auto inner = op.getSrc().getDefiningOp<TransOp>();
  if (!inner)
    return failure();
  SmallVector<int32_t> order;
  for (int32_t axis : op.getOrder())
    order.push_back(inner.getOrder()[axis]);
  rewriter.replaceOpWithNewOp<TransOp>(op, op.getType(), inner.getSrc(),
                                       rewriter.getDenseI32ArrayAttr(order));
  return success();
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getOutLHS() && getRhs() == split.getOutRHS() &&
      split.getSrc().getType() == getType())
    return split.getSrc();
  if (adaptor.getLhs() && adaptor.getLhs() == adaptor.getRhs())
    return foldSplat(adaptor.getLhs(), getType());
  return {};
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (join && join.getLhs().getType() == getOutLHS().getType()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  Attribute half = foldSplat(adaptor.getSrc(), getOutLHS().getType());
  if (!half)
    return failure();
  results.assign({half, half});
  return success();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (isAllTrue(op.getMask())) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.getOtherMutable().clear();
    });
    return success();
  }
  // Nothing is read: the value is `other`. Without it the elements are undefined, which stays the lowering's
  // choice.
  if (isZero(op.getMask()) && op.getOther() && !op.getIsVolatile()) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (isAllTrue(op.getMask())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  if (isZero(op.getMask())) {
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor) { return llvm::all_of(getOffsets(), isZero) ? getPtr() : Value(); }

LogicalResult AdvanceOp::canonicalize(AdvanceOp op, PatternRewriter &rewriter) {
  auto inner = op.getPtr().getDefiningOp<AdvanceOp>();
  if (!inner || !inner->hasOneUse())
    return failure();
  SmallVector<Value> offsets;
  for (auto [first, second] : llvm::zip(inner.getOffsets(), op.getOffsets()))
    offsets.push_back(arith::AddIOp::create(rewriter, op.getLoc(), first, second));
  rewriter.replaceOpWithNewOp<AdvanceOp>(op, op.getType(), inner.getPtr(), offsets);
  return success();
}

LogicalResult ExperimentalDescriptorLoadOp::canonicalize(ExperimentalDescriptorLoadOp op,
                                                         PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<DescriptorLoadOp>(op, op.getType(), op.getDesc(), op.getIndices(),
                                                op.getCache(), op.getEvict());
  return success();
}

LogicalResult ExperimentalDescriptorStoreOp::canonicalize(ExperimentalDescriptorStoreOp op,
                                                          PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<DescriptorStoreOp>(op, op.getDesc(), op.getSrc(), op.getIndices());
  return success();
}

} // namespace nereid::tt
