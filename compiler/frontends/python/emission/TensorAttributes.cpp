// `x.dtype`, `x.shape`, `x.sum` of run-time values, and slicing with [:, None].
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/semantics/Broadcasting.h"

using namespace llvm;

namespace nereid::python {

/// The shape or the strides of the whole tensor behind a descriptor, as it was made with.
static Value descriptorSizes(Emitter &emitter, const Tensor &descriptor, bool strides) {
  auto made = descriptor.handle.getDefiningOp<tt::MakeTensorDescOp>();
  if (!made)
    emitter.fail(
        Twine("the ") + (strides ? "strides" : "shape") +
        " of a tensor descriptor can only be asked of one made in the same function, outside of what "
        "changes it");
  std::vector<Value> sizes;
  for (mlir::Value size : strides ? made.getStrides() : made.getShape())
    sizes.push_back(Tensor{size, strides ? ScalarKind::Int64 : ScalarKind::Int32});
  return Value::tuple(std::move(sizes));
}

std::optional<Value> Emitter::findTensorAttribute(const Value &object, StringRef name) {
  Tensor tensor = tensorOf(object);
  if (tensor.type.isDescriptor()) {
    if (name == "dtype")
      return Value(tensor.type.getElement().getScalar());
    if (name == "block_shape")
      return Value::sizes(tensor.type.getElement().getShape());
    if (name == "block_type")
      return Value(tensor.type.getElement());
    if (name == "shape" || name == "strides")
      return descriptorSizes(*this, tensor, name == "strides");
    if (const Builtin *method = builtins.find(("descriptor." + name).str()))
      return Value(std::make_shared<BoundMethod>(BoundMethod{object, Value(method)}));
  }
  if (name == "dtype")
    return Value(tensor.type.getScalar());
  if (name == "type")
    return Value(tensor.type);
  if (name == "shape")
    return Value::sizes(tensor.type.getShape());
  if (name == "numel")
    return Value(tensor.type.getNumElements());
  if (name == "T") {
    if (tensor.type.getShape().size() != 2)
      fail(".T takes a block of two dimensions, not " + tensor.type.str() + "; use tl.permute");
    return call(*lookupMember("tl", "trans"), {{object}, {}});
  }
  if (name == "value")
    return object;
  std::string method = name == "to" ? "cast" : name.str();
  if (builtins.isMethod(method))
    if (auto function = lookupMember("tl", method))
      return Value(std::make_shared<BoundMethod>(BoundMethod{object, *function}));
  // `x.__lshift__(4)`
  if (name.starts_with("__"))
    if (const Builtin *function = builtins.find(("operator." + name).str()))
      return Value(std::make_shared<BoundMethod>(BoundMethod{object, Value(function)}));
  return std::nullopt;
}

Value Emitter::emitSubscript(const Value &object, const Value &index) {
  Tensor tensor = tensorOf(object);
  std::vector<Value> parts = index.isTuple() ? index.asTuple().elements : std::vector<Value>{index};
  size_t kept = 0;
  for (const Value &part : parts)
    kept += !part.isNone();
  if (tensor.type.isPointer() && !tensor.type.isBlock())
    if (kept || parts.empty())
      fail("a pointer cannot be indexed in a kernel; use tl.load(pointer + offset)");
  size_t rank = tensor.type.getShape().size();
  Tensor result = tensor;
  unsigned axis = 0;
  for (const Value &part : parts) {
    if (part.isNone()) {
      if (rank && axis > result.type.getShape().size())
        fail("too many indices for a block of type " + tensor.type.str());
      result =
          expandDims(*this, result, std::min<unsigned>(axis, rank ? axis : result.type.getShape().size()));
    } else {
      auto *slice = part.object<SliceObject>();
      if (!slice || !slice->start.isNone() || !slice->stop.isNone() || !slice->step.isNone())
        fail("a block can only be indexed with ':' and None, not with " +
             (slice ? std::string("a part of a slice") : part.describe()) +
             "; use masks, tl.gather or pointers");
    }
    // Like Triton, this lets a ':' pass that has no dimension left to stand for.
    ++axis;
  }
  return result;
}

} // namespace nereid::python
