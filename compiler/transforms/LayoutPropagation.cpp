// One rule for each kind of operation. See LayoutPropagation.h.
#include "compiler/transforms/LayoutPropagation.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/ButterflyGather.h"

namespace nereid {

using mlir::Attribute;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

Attribute getLayout(mlir::Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

Attribute getLayout(Value value) { return getLayout(value.getType()); }

mlir::Type withLayout(mlir::Type type, Attribute layout) {
  auto tensor = mlir::cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

/// Registers or lanes change places whatever the layout. Sorting in the layout of a load starts where it is.
static bool isButterfly(Operation *op) {
  auto gather = mlir::dyn_cast<tt::GatherOp>(op);
  return gather && isButterfly(gather);
}

bool isLayoutAnchor(Operation *op) {
  // A factor is split where it is multiplied: moving one thing there is cheaper than moving its parts.
  if (auto part = mlir::dyn_cast<ttg::FactorPartOp>(op))
    return mlir::isa_and_nonnull<ttg::DotOperandEncodingAttr>(getLayout(part.getSrc()));
  if (isButterfly(op))
    return false;
  return mlir::isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::DotOp, tt::DotScaledOp,
                   ttng::WarpGroupDotOp, ttg::LocalDotOp, tt::CatOp, tt::HistogramOp, tt::GatherOp,
                   tt::CallOp, tt::ReturnOp, tt::DescriptorLoadOp, tt::DescriptorStoreOp,
                   tt::DescriptorReduceOp, tt::DescriptorGatherOp, tt::DescriptorScatterOp,
                   ttg::ExchangeBlocksOp>(op);
}

// The interface reports failures where it is given a location; here a failure is only an answer.
static const tt::LayoutInterface *interfaceOf(Attribute layout) { return tt::getLayoutInterface(layout); }

static Attribute orNull(mlir::FailureOr<Attribute> layout) {
  return mlir::succeeded(layout) ? *layout : Attribute();
}

static Attribute inferTrans(Attribute layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int32_t> order) {
  const tt::LayoutInterface *interface = interfaceOf(layout);
  return interface ? orNull(interface->inferTrans(layout, shape, order, std::nullopt)) : Attribute();
}

/// The same elements, counted row by row, as a tensor of another shape.
static Attribute inferReshape(Attribute layout, RankedTensorType from, RankedTensorType to) {
  if (!ttg::hasLinearLayout(layout))
    return {};
  llvm::SmallVector<Dim, 4> fromOrder, toOrder;
  llvm::SmallVector<LinearLayout::DimBits, 4> toDims;
  for (unsigned d = from.getRank(); d--;)
    fromOrder.push_back(tensorDim(d));
  for (unsigned d = to.getRank(); d--;)
    toDims.push_back({tensorDim(d), llvm::Log2_64(to.getDimSize(d))});
  for (unsigned d = 0; d != to.getRank(); ++d)
    toOrder.push_back(tensorDim(d));
  LinearLayout linear = ttg::toLinearLayout(from.getShape(), layout);
  linear = linear.reorderOuts(fromOrder).reshapeOuts(toDims).reorderOuts(toOrder);
  return ttg::toLinearEncoding(layout.getContext(), linear);
}

static RankedTensorType tensorType(Value value) { return mlir::cast<RankedTensorType>(value.getType()); }

/// Element by element, or along axes without moving anything between threads: one layout for all.
static bool keepsLayout(Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>() || isButterfly(op) ||
         mlir::isa<tt::BroadcastOp, tt::ScanOp, tt::MapElementwiseOp, mlir::arith::SelectOp,
                   tt::ExternElementwiseOp, tt::ElementwiseInlineAsmOp, ttg::ConvertLayoutOp,
                   ttg::LocalGatherOp>(op);
}

Attribute inferResultLayout(Operation *op, Attribute layout) {
  if (isLayoutAnchor(op))
    return {};
  if (keepsLayout(op))
    return layout;
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    // What a row is reduced to has no layout.
    if (!mlir::isa<RankedTensorType>(reduce->getResult(0).getType()))
      return {};
    return ttg::SliceEncodingAttr::get(op->getContext(), reduce.getAxis(), layout);
  }
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op)) {
    auto slice = mlir::dyn_cast<ttg::SliceEncodingAttr>(layout);
    return slice && slice.getDim() == expand.getAxis() ? slice.getParent() : Attribute();
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op))
    return inferTrans(layout, tensorType(trans.getSrc()).getShape(), trans.getOrder());
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return inferReshape(layout, tensorType(reshape.getSrc()), tensorType(reshape.getResult()));
  if (const tt::LayoutInterface *interface = interfaceOf(layout)) {
    if (auto join = mlir::dyn_cast<tt::JoinOp>(op))
      return orNull(interface->inferJoin(layout, tensorType(join.getLhs()).getShape(), std::nullopt));
    if (auto split = mlir::dyn_cast<tt::SplitOp>(op))
      return orNull(interface->inferSplit(layout, tensorType(split.getSrc()).getShape(), std::nullopt));
  }
  return {};
}

Attribute inferSplitByExchange(tt::SplitOp split, Attribute layout) {
  if (!ttg::hasLinearLayout(layout))
    return {};
  llvm::ArrayRef<int64_t> shape = tensorType(split.getSrc()).getShape();
  LinearLayout linear = ttg::toLinearLayout(shape, layout);
  Dim halves = tensorDim(shape.size() - 1);
  f2::Vector fromHalfToHalf = f2::Vector(1) << linear.getOutShift(halves);
  f2::Vectors columns(linear.getColumns().begin(), linear.getColumns().end());
  std::optional<size_t> thread;
  for (auto [bit, column] : llvm::enumerate(columns)) {
    bool isOfThread = bit >= linear.getInShift(Dim::Lane) && bit < linear.getInShift(Dim::Block);
    if (column == fromHalfToHalf && isOfThread && !thread)
      thread = bit;
    else if (column & fromHalfToHalf)
      return {};
  }
  // The outermost register bit, along the first axis that has one: neighbours stay together.
  for (unsigned d = 0; thread && d + 1 < shape.size(); ++d) {
    std::optional<unsigned> outermost;
    for (unsigned bit = 0; bit < linear.getInBits(Dim::Register); ++bit) {
      uint32_t step = linear.getBasis(Dim::Register, bit, tensorDim(d));
      if (step && (!outermost || step > linear.getBasis(Dim::Register, *outermost, tensorDim(d))))
        outermost = bit;
    }
    if (!outermost)
      continue;
    std::swap(columns[*thread], columns[linear.getInShift(Dim::Register) + *outermost]);
    linear = LinearLayout::fromColumns(linear.getInDims(), linear.getOutDims(), columns);
    return inferResultLayout(split, ttg::toLinearEncoding(layout.getContext(), linear));
  }
  return {};
}

Attribute inferOperandLayout(Operation *op, Attribute layout) {
  if (isLayoutAnchor(op))
    return {};
  if (keepsLayout(op))
    return layout;
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    auto slice = mlir::dyn_cast<ttg::SliceEncodingAttr>(layout);
    return slice && slice.getDim() == reduce.getAxis() ? slice.getParent() : Attribute();
  }
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(op))
    return ttg::SliceEncodingAttr::get(op->getContext(), expand.getAxis(), layout);
  if (auto trans = mlir::dyn_cast<tt::TransOp>(op)) {
    llvm::SmallVector<int32_t, 4> inverse(trans.getOrder().size());
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      inverse[from] = to;
    return inferTrans(layout, tensorType(trans.getResult()).getShape(), inverse);
  }
  if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(op))
    return inferReshape(layout, tensorType(reshape.getResult()), tensorType(reshape.getSrc()));
  if (const tt::LayoutInterface *interface = interfaceOf(layout)) {
    if (auto join = mlir::dyn_cast<tt::JoinOp>(op)) {
      // A join decides where the new axis goes among the registers, so not every layout that could be split
      // comes from one.
      llvm::ArrayRef<int64_t> shape = tensorType(join.getResult()).getShape();
      Attribute half = orNull(interface->inferSplit(layout, shape, std::nullopt));
      Attribute back = half ? inferResultLayout(op, half) : Attribute();
      return back && ttg::toLinearLayout(shape, back) == ttg::toLinearLayout(shape, layout) ? half
                                                                                            : Attribute();
    }
    if (auto split = mlir::dyn_cast<tt::SplitOp>(op))
      return orNull(interface->inferJoin(layout, tensorType(split.getOutLHS()).getShape(), std::nullopt));
  }
  return {};
}

bool canHaveResultLayout(Operation *op, Attribute layout) {
  if (isLayoutAnchor(op))
    return false;
  bool hasTensorOperand = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (!hasTensorOperand)
    return mlir::isa<mlir::arith::ConstantOp, tt::SplatOp, tt::MakeRangeOp, mlir::ub::PoisonOp>(op);
  return bool(inferOperandLayout(op, layout));
}

Value withoutConversion(Value value) {
  while (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
    value = convert.getSrc();
  return value;
}

void setLayout(Value value, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(withLayout(value.getType(), layout));
  value.setType(type);
  if (auto constant = value.getDefiningOp<mlir::arith::ConstantOp>()) {
    auto elements = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
    constant.setValueAttr(elements.reshape(type));
  }
}

Attribute getDefaultLayout(RankedTensorType type, unsigned numWarps, unsigned threadsPerWarp) {
  unsigned rank = type.getRank();
  llvm::SmallVector<unsigned, 4> sizePerThread(rank, 1), order;
  for (unsigned d = rank; d--;)
    order.push_back(d);
  return ttg::BlockedEncodingAttr::get(type.getContext(), type.getShape(), sizePerThread, order, numWarps,
                                       threadsPerWarp);
}

} // namespace nereid
