// Taking values apart and putting them together again.
#include "compiler/frontends/python/emission/RunTimeParts.h"

#include "compiler/frontends/python/values/ClassObject.h"

using namespace llvm;

namespace nereid::python {

void flatten(const Value &value, SmallVectorImpl<Tensor> &tensors) {
  if (value.isTensor())
    tensors.push_back(tensorOf(value));
  if (value.parts().empty())
    return;
  NestingGuard guard;
  for (const Value &part : value.parts())
    flatten(part, tensors);
}

Value unflatten(const Value &shape, ArrayRef<mlir::Value> &handles) {
  if (shape.isTensor()) {
    Tensor tensor{handles.front(), shape.asRunTime().type};
    handles = handles.drop_front();
    return tensor;
  }
  if (!shape.hasTensor())
    return shape;
  NestingGuard guard;
  spendSteps(shape.parts().size() * stepsOfElement);
  std::vector<Value> parts;
  for (const Value &part : shape.parts())
    parts.push_back(unflatten(part, handles));
  return shape.withParts(std::move(parts));
}

/// Whether two tuples or objects have the same parts, as `same` finds them.
static bool haveParts(const Value &a, const Value &b,
                      llvm::function_ref<bool(const Value &, const Value &)> same) {
  auto *object = a.object<InstanceObject>(), *other = b.object<InstanceObject>();
  if (object && other ? object->type != other->type : !a.isTuple() || !b.isTuple())
    return false;
  NestingGuard guard;
  return llvm::equal(a.parts(), b.parts(), same);
}

bool haveSameType(const Value &a, const Value &b) {
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.asRunTime().type == b.asRunTime().type;
  return haveParts(a, b, haveSameType) || identicalValues(a, b);
}

bool areSame(const Value &a, const Value &b) {
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.asRunTime().handle == b.asRunTime().handle;
  return haveParts(a, b, areSame) || identicalValues(a, b);
}

SmallVector<mlir::Value> handlesOf(ArrayRef<Tensor> tensors) {
  SmallVector<mlir::Value> handles;
  for (const Tensor &tensor : tensors)
    handles.push_back(tensor.handle);
  return handles;
}

SmallVector<mlir::Type> typesOf(ArrayRef<Tensor> tensors) {
  SmallVector<mlir::Type> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.handle.getType());
  return types;
}

} // namespace nereid::python
