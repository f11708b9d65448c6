// Operations that make tensors and change their shape: what they demand, and which types their results have.
//
// Where a result's layout follows from the operand's, the dialect of the layout is asked (LayoutInterface.h).
// The checks in inferReturnTypes run on operations that nothing has checked yet, so they must not trust any
// operand or attribute.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/ResultTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialects/tt/ShapeOps.cpp.inc"

namespace nereid::tt {

namespace {

using TypeList = SmallVectorImpl<Type>;
using InferLayout = function_ref<FailureOr<Attribute>(const LayoutInterface &, Attribute)>;

// Appends a tensor of `shape` whose layout `infer` derives from that of `source`.
LogicalResult addTensor(RankedTensorType source, ArrayRef<int64_t> shape, TypeList &results,
                        InferLayout infer) {
  Attribute layout;
  if (Attribute sourceLayout = source.getEncoding()) {
    if (auto *layouts = getLayoutInterface(sourceLayout)) {
      FailureOr<Attribute> inferred = infer(*layouts, sourceLayout);
      if (failed(inferred))
        return failure();
      layout = *inferred;
    }
  }
  results.push_back(RankedTensorType::get(shape, source.getElementType(), layout));
  return success();
}

} // namespace

LogicalResult MakeRangeOp::verify() {
  RankedTensorType type = cast<RankedTensorType>(getType());
  if (!type.getElementType().isInteger(32) || type.getRank() != 1)
    return emitOpError("gives a tensor of one axis and of i32, but its type is ") << type;
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  if (start >= end)
    return emitOpError("needs a start below its end, but goes from ") << start << " to " << end;
  if (end - start != type.getDimSize(0))
    return emitOpError("gives the ") << end - start << " integers from " << start << " to " << end
                                     << ", but its type holds " << type.getDimSize(0);
  return success();
}

LogicalResult SplatOp::verify() {
  if (auto tensor = dyn_cast<RankedTensorType>(getSrc().getType()))
    return emitOpError("takes a scalar, but its operand has type ") << tensor;
  return success();
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          TypeList &results) {
  results.push_back(getElementTypeOrSelf(adaptor.getSrc().getType()));
  return success();
}

LogicalResult UnsplatOp::verify() {
  auto type = cast<RankedTensorType>(getSrc().getType());
  if (type.getNumElements() != 1)
    return emitOpError("takes a tensor of one element, but its operand has type ") << type;
  return success();
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             TypeList &results) {
  auto type = cast<RankedTensorType>(adaptor.getSrc().getType());
  int32_t axis = adaptor.getAxis();
  if (axis < 0 || axis > type.getRank())
    return emitOptionalError(location, "'tt.expand_dims' op needs an axis from 0 to ", type.getRank(),
                             " for ", type, ", but has ", axis);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  return addTensor(type, shape, results, [&](const LayoutInterface &layouts, Attribute layout) {
    return layouts.inferExpandDims(layout, axis, location);
  });
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  if (from.getRank() != to.getRank())
    return emitOpError("keeps the number of axes, but goes from ") << from << " to " << to;
  if (from.getEncoding() != to.getEncoding())
    return emitOpError("keeps the layout, but goes from ") << from << " to " << to;
  for (int64_t axis = 0; axis < from.getRank(); ++axis)
    if (from.getDimSize(axis) != to.getDimSize(axis) && from.getDimSize(axis) != 1)
      return emitOpError("repeats axes of size 1 only, but axis ")
             << axis << " has size " << from.getDimSize(axis) << " in " << from << " and "
             << to.getDimSize(axis) << " in " << to;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("keeps the number of elements, but goes from ") << from << " to " << to;
  if (bool(from.getEncoding()) != bool(to.getEncoding()))
    return emitOpError("needs a layout on both its types or on neither, but goes from ")
           << from << " to " << to;
  return success();
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        TypeList &results) {
  auto type = cast<RankedTensorType>(adaptor.getSrc().getType());
  ArrayRef<int32_t> order = adaptor.getOrder();
  SmallVector<bool> seen(type.getRank(), false);
  bool valid = int64_t(order.size()) == type.getRank();
  for (int32_t axis : order) {
    if (axis < 0 || axis >= type.getRank() || seen[axis])
      valid = false;
    else
      seen[axis] = true;
  }
  if (!valid)
    return emitOptionalError(location, "'tt.trans' op needs an order that names each axis of ", type,
                             " once, but has [", order, "]");
  SmallVector<int64_t> shape;
  for (int32_t axis : order)
    shape.push_back(type.getDimSize(axis));
  return addTensor(type, shape, results, [&](const LayoutInterface &layouts, Attribute layout) {
    return layouts.inferTrans(layout, type.getShape(), order, location);
  });
}

LogicalResult CatOp::verify() {
  auto from = cast<RankedTensorType>(getLhs().getType()), to = cast<RankedTensorType>(getType());
  bool fits = from.getRank() == to.getRank() && to.getRank() > 0 &&
              to.getDimSize(0) == 2 * from.getDimSize(0) &&
              to.getShape().drop_front() == from.getShape().drop_front();
  if (!fits)
    return emitOpError("doubles the first axis, but goes from ") << from << " to " << to;
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       TypeList &results) {
  auto type = cast<RankedTensorType>(adaptor.getLhs().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return addTensor(type, shape, results, [&](const LayoutInterface &layouts, Attribute layout) {
    return layouts.inferJoin(layout, type.getShape(), location);
  });
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        TypeList &results) {
  auto type = cast<RankedTensorType>(adaptor.getSrc().getType());
  if (type.getRank() == 0 || type.getShape().back() != 2)
    return emitOptionalError(location, "'tt.split' op needs a last axis of size 2, but its operand has type ",
                             type);
  auto infer = [&](const LayoutInterface &layouts, Attribute layout) {
    return layouts.inferSplit(layout, type.getShape(), location);
  };
  if (failed(addTensor(type, type.getShape().drop_back(), results, infer)))
    return failure();
  results.push_back(results.back());
  return success();
}

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (source.getRank() != 1 || result.getRank() != 1)
    return emitOpError("goes from one axis to one axis, but goes from ") << source << " to " << result;
  return success();
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value src, Value indices, int axis) {
  auto from = cast<RankedTensorType>(src.getType()), places = cast<RankedTensorType>(indices.getType());
  build(builder, state, places.clone(from.getElementType()), src, indices, axis, /*efficient_layout=*/false);
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType()), result = cast<RankedTensorType>(getType());
  int32_t axis = getAxis();
  if (indices.getShape() != result.getShape())
    return emitOpError("gives one element for each index, but the indices have type ")
           << indices << " and the result has type " << result;
  if (indices.getEncoding() != result.getEncoding())
    return emitOpError("gives the result the layout of the indices, but they have type ")
           << indices << " and the result has type " << result;
  if (source.getElementType() != result.getElementType())
    return emitOpError("keeps the element type, but goes from ") << source << " to " << result;
  if (source.getRank() != indices.getRank())
    return emitOpError("needs source and indices of the same number of axes, but they have types ")
           << source << " and " << indices;
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("needs an axis from 0 to ")
           << source.getRank() - 1 << " for " << source << ", but has " << axis;
  for (int64_t other = 0; other < source.getRank(); ++other)
    if (other != axis && indices.getDimSize(other) != source.getDimSize(other))
      return emitOpError("needs source and indices of one size along each axis but ")
             << axis << ", but they have types " << source << " and " << indices;
  return success();
}

LogicalResult ExpandDimsOp::verify() { return verifyResultTypes(*this); }
LogicalResult TransOp::verify() { return verifyResultTypes(*this); }
LogicalResult JoinOp::verify() { return verifyResultTypes(*this); }
LogicalResult SplitOp::verify() { return verifyResultTypes(*this); }

bool ExpandDimsOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) {
  return areTypesEquivalent(lhs, rhs);
}
bool TransOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areTypesEquivalent(lhs, rhs); }
bool JoinOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areTypesEquivalent(lhs, rhs); }
bool SplitOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areTypesEquivalent(lhs, rhs); }

} // namespace nereid::tt
