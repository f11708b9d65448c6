// Matrix products, reductions, scans and maps: what they demand of their operands, and the types of their
// results.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/ResultTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialects/tt/ComputeOps.cpp.inc"

namespace nereid::tt {

//===-- Matrix products
//--------------------------------------------------------------------------------------------===//

LogicalResult DotOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getC().getType());
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), d = getD().getType();
  int64_t rank = d.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("multiplies matrices, or batches of matrices, of one number of axes, but has ")
           << a << " * " << b << " -> " << d;
  bool fits = a.getDimSize(rank - 1) == b.getDimSize(rank - 2) &&
              d.getDimSize(rank - 2) == a.getDimSize(rank - 2) &&
              d.getDimSize(rank - 1) == b.getDimSize(rank - 1);
  if (rank == 3)
    fits = fits && a.getDimSize(0) == b.getDimSize(0) && a.getDimSize(0) == d.getDimSize(0);
  if (!fits)
    return emitOpError("cannot multiply these shapes: ") << a << " * " << b << " -> " << d;
  bool floating = isa<FloatType>(d.getElementType());
  if (isa<FloatType>(a.getElementType()) != floating || isa<FloatType>(b.getElementType()) != floating)
    return emitOpError("mixes integers and floating-point numbers: ") << a << " * " << b << " -> " << d;
  if (getElementBits(a) != getElementBits(b))
    return emitOpError("needs operands of one width, but has ") << a << " * " << b;
  Attribute aLayout = a.getEncoding(), bLayout = b.getEncoding(), dLayout = d.getEncoding();
  if (!aLayout && !bLayout && !dLayout)
    return success();
  if (!aLayout || !bLayout || !dLayout)
    return emitOpError("needs a layout on all of its types or on none, but has ")
           << a << " * " << b << " -> " << d;
  if (auto *layouts = getLayoutInterface(dLayout))
    return layouts->verifyDot(aLayout, bLayout, dLayout, *this);
  return success();
}

namespace {

// Numbers that an element of a packed operand holds: two of 4 bits, else one.
int64_t packing(ScaleDotElemType type) { return type == ScaleDotElemType::E2M1 ? 2 : 1; }

} // namespace

LogicalResult DotScaledOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), d = getD().getType();
  int64_t rank = d.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("multiplies matrices, or batches of matrices, of one number of axes, but has ")
           << a << " * " << b << " -> " << d;
  int64_t m = a.getDimSize(rank - 2) * (getLhsKPack() ? 1 : packing(getAElemType()));
  int64_t kOfA = a.getDimSize(rank - 1) * (getLhsKPack() ? packing(getAElemType()) : 1);
  int64_t kOfB = b.getDimSize(rank - 2) * (getRhsKPack() ? packing(getBElemType()) : 1);
  int64_t n = b.getDimSize(rank - 1) * (getRhsKPack() ? 1 : packing(getBElemType()));
  bool fits = kOfA == kOfB && d.getDimSize(rank - 2) == m && d.getDimSize(rank - 1) == n;
  if (rank == 3)
    fits = fits && a.getDimSize(0) == b.getDimSize(0) && a.getDimSize(0) == d.getDimSize(0);
  if (!fits)
    return emitOpError("cannot multiply these shapes: ") << a << " * " << b << " -> " << d;
  auto verifyScale = [&](Value scale, int64_t rows, const char *side) -> LogicalResult {
    if (!scale)
      return success();
    auto type = cast<RankedTensorType>(scale.getType());
    if (type.getRank() != rank || type.getDimSize(rank - 2) != rows || type.getDimSize(rank - 1) == 0 ||
        kOfA % type.getDimSize(rank - 1) != 0)
      return emitOpError("needs a ") << side << " scale for each run along the " << kOfA
                                     << " summed elements of " << rows << " rows, but it has type " << type;
    return success();
  };
  if (failed(verifyScale(getAScale(), m, "left")))
    return failure();
  return verifyScale(getBScale(), n, "right");
}

//===-- Reductions and scans
//---------------------------------------------------------------------------------------===//

namespace {

SmallVector<RankedTensorType> tensorTypes(ValueRange values) {
  SmallVector<RankedTensorType> types;
  for (Value value : values)
    types.push_back(cast<RankedTensorType>(value.getType()));
  return types;
}

SmallVector<Type> elementTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(getElementTypeOrSelf(value.getType()));
  return types;
}

LogicalResult verifyAxis(Operation *op, ValueRange sources, int32_t axis) {
  if (sources.empty())
    return op->emitOpError("needs at least one operand");
  auto type = cast<RankedTensorType>(sources.front().getType());
  if (axis < 0 || axis >= type.getRank())
    return op->emitOpError("needs an axis from 0 to ")
           << type.getRank() - 1 << " for " << type << ", but has " << axis;
  return success();
}

} // namespace

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  for (Value source : adaptor.getSrcs()) {
    auto type = cast<RankedTensorType>(source.getType());
    int32_t axis = adaptor.getAxis();
    if (axis < 0 || axis >= type.getRank())
      return emitOptionalError(location, "'tt.reduce' op needs an axis from 0 to ", type.getRank() - 1,
                               " for ", type, ", but has ", axis);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    if (shape.empty()) {
      results.push_back(type.getElementType());
      continue;
    }
    Attribute layout;
    if (auto *layouts = getLayoutInterface(type.getEncoding())) {
      FailureOr<Attribute> inferred = layouts->inferReduce(type.getEncoding(), axis, location);
      if (failed(inferred))
        return failure();
      layout = *inferred;
    }
    results.push_back(RankedTensorType::get(shape, type.getElementType(), layout));
  }
  return success();
}

bool ReduceOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areTypesEquivalent(lhs, rhs); }
SmallVector<RankedTensorType> ReduceOp::getInputTypes() { return tensorTypes(getSrcs()); }
SmallVector<Type> ReduceOp::getElementTypes() { return elementTypes(getSrcs()); }

LogicalResult ReduceOp::verify() {
  if (failed(verifyAxis(*this, getSrcs(), getAxis())))
    return failure();
  return verifyResultTypes(*this);
}

LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  // Where an axis of one element was put in and is reduced, there is nothing to combine.
  SmallVector<Value> sources;
  for (auto [source, result] : llvm::zip(op.getSrcs(), op.getResults())) {
    auto expand = source.getDefiningOp<ExpandDimsOp>();
    if (!expand || expand.getAxis() != op.getAxis() || expand.getSrc().getType() != result.getType())
      return failure();
    sources.push_back(expand.getSrc());
  }
  rewriter.replaceOp(op, sources);
  return success();
}

Operation *ReduceOp::getSingleCombiner() {
  if (getNumOperands() != 1 || getNumResults() != 1)
    return nullptr;
  Block &block = getCombineOp().front();
  Operation *result = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!result || result->getBlock() != &block || &block.front() != result ||
      result->getNextNode() != block.getTerminator())
    return nullptr;
  if (result->getNumOperands() != 2 || result->getNumResults() != 1)
    return nullptr;
  Value lhs = block.getArgument(0), rhs = block.getArgument(1);
  bool combinesBoth = (result->getOperand(0) == lhs && result->getOperand(1) == rhs) ||
                      (result->getOperand(0) == rhs && result->getOperand(1) == lhs);
  return combinesBoth ? result : nullptr;
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getSrcs().getTypes());
  return success();
}

bool ScanOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areTypesEquivalent(lhs, rhs); }
SmallVector<RankedTensorType> ScanOp::getInputTypes() { return tensorTypes(getSrcs()); }
SmallVector<Type> ScanOp::getElementTypes() { return elementTypes(getSrcs()); }
LogicalResult ScanOp::verify() { return verifyAxis(*this, getSrcs(), getAxis()); }

LogicalResult MapElementwiseOp::verify() {
  if (getSrcs().empty())
    return emitOpError("needs at least one operand");
  int32_t pack = getPack();
  if (pack < 1 || !llvm::isPowerOf2_32(pack))
    return emitOpError("needs a pack that is a power of two, but has ") << pack;
  return success();
}

} // namespace nereid::tt
