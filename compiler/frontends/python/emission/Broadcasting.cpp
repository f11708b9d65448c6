// The shape rules of Broadcasting.h as tt.splat, tt.expand_dims and tt.broadcast.
#include "compiler/frontends/python/emission/Broadcasting.h"

#include "compiler/dialects/tt/Dialect.h"

using namespace llvm;

namespace nereid::python {

Tensor splat(EmissionContext &context, const Tensor &scalar, ArrayRef<int64_t> shape) {
  if (shape.empty())
    return scalar;
  if (scalar.type.isDescriptor() || scalar.type.isBlockPointer())
    context.fail("a value of type " + scalar.type.str() + " cannot be the element of a block");
  Type type = Type::block(scalar.type, shape);
  return {context.create<tt::SplatOp>(toMLIR(type, context.getMLIRContext()), scalar.handle), type};
}

Tensor expandDims(EmissionContext &context, const Tensor &tensor, unsigned axis) {
  Shape shape(tensor.type.getShape().begin(), tensor.type.getShape().end());
  shape.insert(shape.begin() + axis, 1);
  if (!tensor.type.isBlock())
    return splat(context, tensor, shape);
  Type type = Type::block(tensor.type.getElement(), shape);
  return {context.create<tt::ExpandDimsOp>(toMLIR(type, context.getMLIRContext()), tensor.handle, axis),
          type};
}

Tensor broadcastTo(EmissionContext &context, const Tensor &tensor, ArrayRef<int64_t> shape) {
  if (!tensor.type.isBlock())
    return splat(context, tensor, shape);
  ArrayRef<int64_t> source = tensor.type.getShape();
  if (source.size() != shape.size())
    context.fail("cannot broadcast " + shapeToString(source) + " to " + shapeToString(shape) +
                 ": they have different numbers of dimensions");
  if (source == shape)
    return tensor;
  for (size_t i = 0; i < shape.size(); ++i)
    if (source[i] != shape[i] && source[i] != 1)
      context.fail("cannot broadcast " + shapeToString(source) + " to " + shapeToString(shape) +
                   ": dimension " + Twine(i) + " is " + Twine(source[i]) + " and only 1 can grow");
  Type type = Type::block(tensor.type.getElement(), shape);
  return {context.create<tt::BroadcastOp>(toMLIR(type, context.getMLIRContext()), tensor.handle), type};
}

void matchShapes(EmissionContext &context, Tensor &a, Tensor &b) {
  if (!a.type.isBlock() && !b.type.isBlock())
    return;
  if (!b.type.isBlock()) {
    b = splat(context, b, a.type.getShape());
    return;
  }
  if (!a.type.isBlock()) {
    a = splat(context, a, b.type.getShape());
    return;
  }
  std::string before = shapeToString(a.type.getShape()) + " and " + shapeToString(b.type.getShape());
  while (a.type.getShape().size() < b.type.getShape().size())
    a = expandDims(context, a, 0);
  while (b.type.getShape().size() < a.type.getShape().size())
    b = expandDims(context, b, 0);
  Shape shape;
  for (auto [index, left, right] : enumerate(a.type.getShape(), b.type.getShape())) {
    if (left != right && left != 1 && right != 1)
      context.fail("blocks of shapes " + before + " do not go together: at dimension " + Twine(index) +
                   " they have " + Twine(left) + " and " + Twine(right) + " elements");
    shape.push_back(left == 1 ? right : left);
  }
  a = broadcastTo(context, a, shape);
  b = broadcastTo(context, b, shape);
}

} // namespace nereid::python
