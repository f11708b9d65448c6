// See Memory.h.
#include "compiler/frontends/semantics/Memory.h"

#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

using namespace llvm;

namespace nereid::semantics {

Tensor asBytes(OperationWriter &writer, const Tensor &pointer) {
  const Type &scalar = pointer.type.getScalar();
  return scalar.getElement().isBool() ? castTo(writer, pointer, Type::pointer(ScalarKind::Int8)) : pointer;
}

Tensor makeLoad(OperationWriter &writer, Tensor pointer, std::optional<Tensor> mask,
                std::optional<Tensor> other, const AccessOptions &options) {
  for (auto &[operand, name] :
       {std::pair<std::optional<Tensor> &, const char *>{mask, "mask"}, {other, "other"}}) {
    if (!operand)
      continue;
    if (!pointer.type.isBlock() && operand->type.isBlock())
      writer.fail("the " + Twine(name) + " of " + options.name + " is a block of type " +
                  operand->type.str() + ", but the pointer is a scalar");
    if (pointer.type.isBlock())
      matchShapes(writer, pointer, *operand);
  }
  // A mask that has grown with `other` must grow too.
  if (mask && pointer.type.isBlock())
    matchShapes(writer, pointer, *mask);
  bool isBool = pointer.type.getScalar().getElement().isBool();
  pointer = asBytes(writer, pointer);
  Type element = pointer.type.getScalar().getElement();
  if (other)
    other = castTo(writer, *other, element);
  auto loaded = writer.create<tt::LoadOp>(pointer.handle, mask ? mask->handle : mlir::Value(),
                                          other ? other->handle : mlir::Value(), options.cache, options.evict,
                                          options.isVolatile);
  Tensor result{loaded, pointer.type.withElement(element)};
  return isBool ? castToBool(writer, result) : result;
}

void makeStore(OperationWriter &writer, Tensor pointer, Tensor value, std::optional<Tensor> mask,
               const AccessOptions &options) {
  if (!pointer.type.isBlock()) {
    if (value.type.isBlock())
      writer.fail("cannot store a block of type " + value.type.str() + " through a scalar pointer");
    if (mask && mask->type.isBlock())
      writer.fail("the mask of " + options.name + " is a block of type " + mask->type.str() +
                  ", but the pointer is a scalar");
  } else {
    Type before = pointer.type;
    matchShapes(writer, pointer, value);
    if (mask)
      matchShapes(writer, pointer, *mask);
    if (pointer.type.getShape() != before.getShape())
      writer.fail("the block of pointers has shape " + shapeToString(before.getShape()) +
                  ", but the value or the mask has shape " + shapeToString(pointer.type.getShape()));
    matchShapes(writer, pointer, value);
  }
  pointer = asBytes(writer, pointer);
  value = castTo(writer, value, pointer.type.getScalar().getElement());
  if (mask)
    writer.create<tt::StoreOp>(pointer.handle, value.handle, mask->handle, options.cache, options.evict);
  else
    writer.create<tt::StoreOp>(pointer.handle, value.handle, options.cache, options.evict);
}

} // namespace nereid::semantics
