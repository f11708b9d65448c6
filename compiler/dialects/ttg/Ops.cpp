// The operations of the ttg dialect: what they demand of their operands.
#include "compiler/dialects/ttg/Dialect.h"

using namespace mlir;

namespace nereid::ttg {

static ParseResult parseOffsets(OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  SmallVector<int32_t> values;
  auto parseOne = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets) {
  printer << "[";
  llvm::interleaveComma(offsets.asArrayRef(), printer.getStream());
  printer << "]";
}

} // namespace nereid::ttg

#define GET_OP_CLASSES
#include "compiler/dialects/ttg/Ops.cpp.inc"

namespace nereid::ttg {

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("changes the layout only, but goes from ") << from << " to " << to;
  if (!from.getEncoding() || !to.getEncoding())
    return emitOpError("needs a layout on both of its types, but goes from ") << from << " to " << to;
  return success();
}

LogicalResult LocalDotOp::verify() {
  MemDescType left = getA().getType(), right = getB().getType();
  RankedTensorType sum = getType();
  bool areFloats =
      left.getElementType().isF32() && right.getElementType().isF32() && sum.getElementType().isF32();
  bool areMatrices = left.getRank() == 2 && right.getRank() == 2 && sum.getRank() == 2;
  if (!areFloats || !areMatrices || left.getDimSize(1) != right.getDimSize(0) ||
      left.getDimSize(0) != sum.getDimSize(0) || right.getDimSize(1) != sum.getDimSize(1))
    return emitOpError("multiplies matrices of f32 with sizes that fit, but not ")
           << left << " and " << right << " to " << sum;
  return success();
}

LogicalResult LocalGatherOp::verify() {
  MemDescType source = getSrc().getType();
  auto indices = cast<RankedTensorType>(getIndices().getType()), result = cast<RankedTensorType>(getType());
  auto layout = dyn_cast<SwizzledSharedEncodingAttr>(source.getEncoding());
  bool isPlain = layout && layout.getMaxPhase() == 1;
  bool fits = indices.getShape() == result.getShape() && indices.getEncoding() == result.getEncoding() &&
              source.getElementType() == result.getElementType() && source.getRank() == result.getRank() &&
              int32_t(getAxis()) >= 0 && int32_t(getAxis()) < source.getRank();
  for (int64_t other = 0; fits && other < source.getRank(); ++other)
    fits = other == getAxis() || indices.getDimSize(other) == source.getDimSize(other);
  if (!isPlain || !fits)
    return emitOpError("reads elements of plain rows, one for each index, but not from ")
           << source << " by " << indices << " along axis " << getAxis() << " to " << result;
  return success();
}

LogicalResult FactorPartOp::verify() {
  Type from = getSrc().getType().getElementType(), to = getType().getElementType();
  unsigned count = to.isBF16() ? 3 : 2;
  if (!from.isF32() || !(to.isBF16() || to.isF32()) || unsigned(getPart()) >= count)
    return emitOpError("splits f32 into two parts of f32 or three of bf16, but gives part ")
           << int32_t(getPart()) << " of " << from << " as " << to;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // A constant of one value has that value in any layout.
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return SplatElementsAttr::get(cast<RankedTensorType>(getType()), splat.getSplatValue<Attribute>());
  return {};
}

LogicalResult ConvertLayoutOp::canonicalize(ConvertLayoutOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (auto inner = dyn_cast_or_null<ConvertLayoutOp>(source)) {
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  if (auto splat = dyn_cast_or_null<tt::SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  if (auto range = dyn_cast_or_null<tt::MakeRangeOp>(source)) {
    rewriter.replaceOpWithNewOp<tt::MakeRangeOp>(op, op.getType(), range.getStart(), range.getEnd());
    return success();
  }
  if (auto load = dyn_cast_or_null<LocalLoadOp>(source); load && load->hasOneUse()) {
    // Read in the layout that is wanted, where the read stands: memory may change between the two.
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(load);
    Value read = LocalLoadOp::create(rewriter, load.getLoc(), op.getType(), load.getSrc(), load.getToken());
    rewriter.replaceOp(op, read);
    rewriter.eraseOp(load);
    return success();
  }
  return failure();
}

namespace {

// Whether a tensor and a view of memory hold the same elements.
LogicalResult verifySameElements(Operation *op, RankedTensorType tensor, MemDescType memory) {
  if (tensor.getShape() != memory.getShape() || tensor.getElementType() != memory.getElementType())
    return op->emitOpError("moves whole tensors, but has ") << tensor << " and " << memory;
  return success();
}

LogicalResult verifyView(Operation *op, MemDescType source, MemDescType result) {
  if (source.getElementType() != result.getElementType() ||
      source.getMemorySpace() != result.getMemorySpace() ||
      (result.getMutableMemory() && !source.getMutableMemory()))
    return op->emitOpError("gives a view with the element type and memory space of its source, and mutable "
                           "only if that is, but goes from ")
           << source << " to " << result;
  return success();
}

} // namespace

LogicalResult LocalAllocOp::verify() {
  if (!getSrc()) {
    if (!getType().getMutableMemory())
      return emitOpError("without a tensor to hold gives mutable memory, but its type is ") << getType();
    return success();
  }
  return verifySameElements(*this, getSrc().getType(), getType());
}

void LocalAllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // Memory that never changes after it is filled is as good as a value: allocations that nobody reads may go.
  if (!getType().getMutableMemory())
    return;
  auto result = cast<OpResult>(getResult());
  effects.emplace_back(MemoryEffects::Allocate::get(), result, SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), result, SharedMemory::get());
}

LogicalResult LocalLoadOp::verify() { return verifySameElements(*this, getType(), getSrc().getType()); }

LogicalResult LocalStoreOp::verify() {
  if (!getDst().getType().getMutableMemory())
    return emitOpError("cannot write to immutable memory ") << getDst().getType();
  return verifySameElements(*this, getSrc().getType(), getDst().getType());
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  bool fits = source.getRank() == result.getRank() + 1 && source.getShape().drop_front() == result.getShape();
  // A row of single elements keeps its one axis.
  fits = fits || (source.getRank() == 1 && result.getShape() == ArrayRef<int64_t>{1});
  if (!fits)
    return emitOpError("takes one buffer along the first axis, but goes from ") << source << " to " << result;
  return verifyView(*this, source, result);
}

LogicalResult MemDescSubsliceOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (source.getRank() != result.getRank() || int64_t(getOffsets().size()) != source.getRank())
    return emitOpError("needs an offset for each axis and keeps their number, but goes from ")
           << source << " to " << result << " with " << getOffsets().size() << " offsets";
  for (int64_t axis = 0; axis < source.getRank(); ++axis)
    if (getOffsets()[axis] < 0 || getOffsets()[axis] + result.getDimSize(axis) > source.getDimSize(axis))
      return emitOpError("leaves its source along axis ")
             << axis << ": offset " << getOffsets()[axis] << " and size " << result.getDimSize(axis) << " of "
             << source.getDimSize(axis);
  return verifyView(*this, source, result);
}

LogicalResult MemDescTransOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  ArrayRef<int32_t> order = getOrder();
  bool fits = int64_t(order.size()) == source.getRank() && source.getRank() == result.getRank();
  SmallVector<bool> seen(order.size(), false);
  for (size_t target = 0; fits && target < order.size(); ++target) {
    int32_t from = order[target];
    fits = from >= 0 && from < source.getRank() && !seen[from] &&
           result.getDimSize(target) == source.getDimSize(from);
    if (fits)
      seen[from] = true;
  }
  if (!fits)
    return emitOpError("permutes the axes by its order [")
           << order << "], but goes from " << source << " to " << result;
  return verifyView(*this, source, result);
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType source = getSrc().getType(), result = getType();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("keeps the number of elements, but goes from ") << source << " to " << result;
  return verifyView(*this, source, result);
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  MemDescType memory = getResult().getType();
  if (!memory.getMutableMemory())
    return emitOpError("cannot write to immutable memory ") << memory;
  return verifySameElements(*this, cast<RankedTensorType>(tt::getAccessedType(getSrc().getType())), memory);
}

} // namespace nereid::ttg
