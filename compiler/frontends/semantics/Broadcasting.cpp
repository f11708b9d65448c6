// The shape rules of Broadcasting.h as tt.splat, tt.expand_dims and tt.broadcast.
#include "compiler/frontends/semantics/Broadcasting.h"

#include "compiler/dialects/tt/Dialect.h"

using namespace llvm;

namespace nereid::semantics {

Tensor splat(OperationWriter &writer, const Tensor &scalar, ArrayRef<int64_t> shape) {
  if (shape.empty())
    return scalar;
  if (scalar.type.isDescriptor() || scalar.type.isBlockPointer())
    writer.fail("a value of type " + scalar.type.str() + " cannot be the element of a block");
  Type type = Type::block(scalar.type, shape);
  return {writer.create<tt::SplatOp>(toMLIR(type, writer.getMLIRContext()), scalar.handle), type};
}

Tensor expandDims(OperationWriter &writer, const Tensor &tensor, unsigned axis) {
  Shape shape(tensor.type.getShape().begin(), tensor.type.getShape().end());
  shape.insert(shape.begin() + axis, 1);
  if (!tensor.type.isBlock())
    return splat(writer, tensor, shape);
  Type type = Type::block(tensor.type.getElement(), shape);
  return {writer.create<tt::ExpandDimsOp>(toMLIR(type, writer.getMLIRContext()), tensor.handle, axis), type};
}

Tensor broadcastTo(OperationWriter &writer, const Tensor &tensor, ArrayRef<int64_t> shape) {
  if (!tensor.type.isBlock())
    return splat(writer, tensor, shape);
  ArrayRef<int64_t> source = tensor.type.getShape();
  if (source.size() != shape.size())
    writer.fail("cannot broadcast " + shapeToString(source) + " to " + shapeToString(shape) +
                ": they have different numbers of dimensions");
  if (source == shape)
    return tensor;
  for (size_t i = 0; i < shape.size(); ++i)
    if (source[i] != shape[i] && source[i] != 1)
      writer.fail("cannot broadcast " + shapeToString(source) + " to " + shapeToString(shape) +
                  ": dimension " + Twine(i) + " is " + Twine(source[i]) + " and only 1 can grow");
  Type type = Type::block(tensor.type.getElement(), shape);
  return {writer.create<tt::BroadcastOp>(toMLIR(type, writer.getMLIRContext()), tensor.handle), type};
}

void matchShapes(OperationWriter &writer, Tensor &a, Tensor &b) {
  if (!a.type.isBlock() && !b.type.isBlock())
    return;
  if (!b.type.isBlock()) {
    b = splat(writer, b, a.type.getShape());
    return;
  }
  if (!a.type.isBlock()) {
    a = splat(writer, a, b.type.getShape());
    return;
  }
  std::string before = shapeToString(a.type.getShape()) + " and " + shapeToString(b.type.getShape());
  while (a.type.getShape().size() < b.type.getShape().size())
    a = expandDims(writer, a, 0);
  while (b.type.getShape().size() < a.type.getShape().size())
    b = expandDims(writer, b, 0);
  Shape shape;
  for (auto [index, left, right] : enumerate(a.type.getShape(), b.type.getShape())) {
    if (left != right && left != 1 && right != 1)
      writer.fail("blocks of shapes " + before + " do not go together: at dimension " + Twine(index) +
                  " they have " + Twine(left) + " and " + Twine(right) + " elements");
    shape.push_back(left == 1 ? right : left);
  }
  a = broadcastTo(writer, a, shape);
  b = broadcastTo(writer, b, shape);
}

} // namespace nereid::semantics
