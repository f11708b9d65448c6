// Making blocks and changing their shape: tl.arange, tl.full, tl.reshape, tl.permute, tl.join, casts.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid::python {

/// Elements that a block may have at most, as in Triton.
constexpr int64_t maximumElements = 1048576;

static const Type &dtypeArgument(Emitter &emitter, const Value &value) {
  if (value.isType())
    return value.asType();
  emitter.fail("expected a dtype such as tl.float32, but got a " + value.describe());
}

/// A shape given as one tuple or as several arguments.
static std::vector<Value> spread(const std::vector<Value> &values) {
  if (values.size() == 1 && values[0].isTuple())
    return values[0].asTuple().elements;
  return values;
}

static Shape shapeOf(Emitter &emitter, const std::vector<Value> &sizes) {
  Shape shape;
  int64_t count = 1;
  for (const Value &value : sizes) {
    BigInt size = wholeNumber(emitter, value, "a size of a block");
    if (size > maximumElements)
      emitter.fail("a size of a block may be at most " + Twine(maximumElements) + ", but this one is " +
                   bigToString(size));
    if (size <= 0 || !isPowerOf2_64(static_cast<uint64_t>(size)))
      emitter.fail("a size of a block must be a power of 2, but this one is " + bigToString(size));
    shape.push_back(static_cast<int64_t>(size));
    count *= shape.back();
    if (count > maximumElements)
      emitter.fail("a block of shape " + shapeToString(shape) + " has more than " + Twine(maximumElements) +
                   " elements");
  }
  return shape;
}

static Shape shapeArgument(Emitter &emitter, const Value &value) {
  return shapeOf(emitter, value.isTuple() ? value.asTuple().elements : std::vector<Value>{value});
}

static unsigned axisOf(Emitter &emitter, const Value &value, size_t rank) {
  BigInt axis = wholeNumber(emitter, value, "an axis");
  BigInt size = static_cast<BigInt>(rank);
  if (axis < -size || axis >= size)
    emitter.fail("axis " + bigToString(axis) + " is out of range for " + Twine(rank) +
                 (rank == 1 ? " dimension" : " dimensions"));
  return static_cast<unsigned>(axis < 0 ? axis + size : axis);
}

static Tensor blockArgument(Emitter &emitter, const Value &value, StringRef function) {
  Tensor tensor = emitter.toTensor(value);
  if (!tensor.type.isBlock())
    emitter.fail("tl." + function + " takes a block, not a scalar of type " + tensor.type.str());
  return tensor;
}

static Value makeRange(Emitter &emitter, Arguments &arguments) {
  BigInt start = wholeNumber(emitter, arguments[0], "the start of tl.arange");
  BigInt end = wholeNumber(emitter, arguments[1], "the end of tl.arange");
  if (start < INT32_MIN || end > INT32_MAX)
    emitter.fail("tl.arange must fit in int32");
  if (end <= start)
    emitter.fail("the end of tl.arange must be greater than its start, but it goes from " +
                 bigToString(start) + " to " + bigToString(end));
  if (!isPowerOf2_64(static_cast<uint64_t>(end - start)))
    emitter.fail("the length of tl.arange must be a power of 2, but " + bigToString(end) + " - " +
                 bigToString(start) + " is " + bigToString(end - start));
  if (end - start > maximumElements)
    emitter.fail("tl.arange has more than " + Twine(maximumElements) + " elements");
  Type type = Type::block(ScalarKind::Int32, {static_cast<int64_t>(end - start)});
  return Tensor{emitter.create<tt::MakeRangeOp>(toMLIR(type, emitter.getMLIRContext()),
                                                static_cast<int32_t>(start), static_cast<int32_t>(end)),
                type};
}

static Value full(Emitter &emitter, Arguments &arguments) {
  Shape shape = shapeArgument(emitter, arguments[0]);
  const Type &type = dtypeArgument(emitter, arguments[2]);
  const Value &value = arguments[1];
  Tensor scalar;
  if (value.isNumber() && type.isScalarNumber()) {
    bool negative = value.isInt() && value.asInt() < 0;
    if (type.isInteger() &&
        ((value.isFloat() && value.asDouble() != 0) || (negative && type.isUnsignedInteger())))
      emitter.fail("tl.full cannot fill a block of type " + type.str() + " with " + value.repr());
    scalar = emitNumber(emitter, value, type);
  } else {
    scalar = emitter.toTensor(value);
    if (scalar.type.isBlock())
      emitter.fail("tl.full takes a scalar to fill with, not a block of type " + scalar.type.str());
    scalar = castTo(emitter, scalar, type);
  }
  return splat(emitter, scalar, shape);
}

static Value reshape(Emitter &emitter, const Value &input, const std::vector<Value> &sizes, bool reorder) {
  Tensor tensor = emitter.toTensor(input);
  Shape shape = shapeOf(emitter, sizes);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (tensor.type.getNumElements() != count)
    emitter.fail("cannot reshape " + tensor.type.str() + " to " + shapeToString(shape) +
                 ": they have different numbers of elements");
  if (!tensor.type.isBlock())
    return splat(emitter, tensor, shape);
  if (shape.empty())
    return Tensor{emitter.create<tt::UnsplatOp>(tensor.handle), tensor.type.getElement()};
  Type type = Type::block(tensor.type.getElement(), shape);
  return Tensor{
      emitter.create<tt::ReshapeOp>(toMLIR(type, emitter.getMLIRContext()), tensor.handle, reorder, false),
      type};
}

static Value permute(Emitter &emitter, const Tensor &tensor, const std::vector<Value> &dims) {
  size_t rank = tensor.type.getShape().size();
  if (dims.size() != rank)
    emitter.fail("this names " + Twine(dims.size()) + " dimensions of a block of " + Twine(rank));
  SmallVector<int32_t> order;
  Shape shape;
  for (const Value &dim : dims) {
    unsigned axis = axisOf(emitter, dim, rank);
    if (is_contained(order, static_cast<int32_t>(axis)))
      emitter.fail("dimension " + Twine(axis) + " is named twice");
    order.push_back(static_cast<int32_t>(axis));
    shape.push_back(tensor.type.getShape()[axis]);
  }
  Type type = Type::block(tensor.type.getElement(), shape);
  return Tensor{emitter.create<tt::TransOp>(toMLIR(type, emitter.getMLIRContext()), tensor.handle, order),
                type};
}

static Value transpose(Emitter &emitter, Arguments &arguments) {
  Tensor tensor = blockArgument(emitter, arguments[0], "trans");
  std::vector<Value> dims = spread(arguments.rest(1));
  if (dims.empty()) {
    size_t rank = tensor.type.getShape().size();
    if (rank < 2)
      emitter.fail("tl.trans takes a block of at least two dimensions, not " + tensor.type.str());
    for (size_t i = 0; i < rank; ++i)
      dims.push_back(Value(static_cast<int64_t>(i)));
    std::swap(dims[rank - 1], dims[rank - 2]);
  }
  return permute(emitter, tensor, dims);
}

static Value insertDimensions(Emitter &emitter, Arguments &arguments) {
  Tensor tensor = emitter.toTensor(arguments[0]);
  auto axes = arguments[1].isTuple() ? arguments[1].asTuple().elements : std::vector<Value>{arguments[1]};
  size_t rank = tensor.type.getShape().size() + axes.size();
  SmallVector<unsigned> positions;
  for (const Value &axis : axes)
    positions.push_back(axisOf(emitter, axis, rank));
  llvm::sort(positions);
  if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
    emitter.fail("tl.expand_dims names an axis twice");
  for (unsigned position : positions)
    tensor = expandDims(emitter, tensor, position);
  return tensor;
}

static Value join(Emitter &emitter, Arguments &arguments) {
  Tensor a = emitter.toTensor(arguments[0]), b = emitter.toTensor(arguments[1]);
  matchShapes(emitter, a, b);
  if (a.type.getScalar() != b.type.getScalar())
    emitter.fail("tl.join takes two values of one type, not " + a.type.str() + " and " + b.type.str());
  bool scalars = !a.type.isBlock();
  if (scalars) {
    a = expandDims(emitter, a, 0);
    b = expandDims(emitter, b, 0);
  }
  Shape shape(a.type.getShape().begin(), a.type.getShape().end());
  shape.push_back(2);
  Type type = Type::block(a.type.getElement(), shape);
  Tensor joined{emitter.create<tt::JoinOp>(toMLIR(type, emitter.getMLIRContext()), a.handle, b.handle), type};
  return scalars ? reshape(emitter, joined, {Value(2)}, false) : joined;
}

static Value split(Emitter &emitter, Arguments &arguments) {
  Tensor tensor = blockArgument(emitter, arguments[0], "split");
  if (tensor.type.getShape().back() != 2)
    emitter.fail("tl.split takes a block whose last dimension is 2, not " + tensor.type.str());
  bool scalars = tensor.type.getShape().size() == 1;
  if (scalars)
    tensor = expandDims(emitter, tensor, 0);
  Type type = Type::block(tensor.type.getElement(), tensor.type.getShape().drop_back());
  mlir::Type mlirType = toMLIR(type, emitter.getMLIRContext());
  auto op = emitter.create<tt::SplitOp>(mlir::TypeRange{mlirType, mlirType}, tensor.handle);
  Tensor left{op.getOutLHS(), type}, right{op.getOutRHS(), type};
  if (!scalars)
    return Value::tuple({left, right});
  auto scalar = [&](const Tensor &one) {
    return Value(Tensor{emitter.create<tt::UnsplatOp>(one.handle), type.getElement()});
  };
  return Value::tuple({scalar(left), scalar(right)});
}

static Value concatenate(Emitter &emitter, Arguments &arguments) {
  Tensor a = blockArgument(emitter, arguments[0], "cat"), b = blockArgument(emitter, arguments[1], "cat");
  if (!arguments[2].isTruthy())
    emitter.fail("tl.cat may reorder elements, so it needs can_reorder=True");
  if (a.type.getShape().size() != 1 || a.type != b.type)
    emitter.fail("tl.cat takes two blocks of one dimension and the same type, not " + a.type.str() + " and " +
                 b.type.str());
  Type type = Type::block(a.type.getElement(), {a.type.getShape()[0] * 2});
  return Tensor{emitter.create<tt::CatOp>(toMLIR(type, emitter.getMLIRContext()), a.handle, b.handle), type};
}

static Value gather(Emitter &emitter, Arguments &arguments) {
  Tensor source = blockArgument(emitter, arguments[0], "gather"),
         index = blockArgument(emitter, arguments[1], "gather");
  size_t rank = source.type.getShape().size();
  if (!index.type.getElement().isInteger() || index.type.getShape().size() != rank)
    emitter.fail("tl.gather takes integer indices with as many dimensions as the source, not " +
                 index.type.str() + " for " + source.type.str());
  unsigned axis = axisOf(emitter, arguments[2], rank);
  for (size_t i = 0; i < rank; ++i)
    if (i != axis && index.type.getShape()[i] != source.type.getShape()[i])
      emitter.fail("the indices of tl.gather must have the source's shape but for the axis: " +
                   index.type.str() + " and " + source.type.str() + " differ at dimension " + Twine(i));
  Type type = Type::block(source.type.getElement(), index.type.getShape());
  auto op = emitter.create<tt::GatherOp>(source.handle, index.handle, static_cast<int>(axis));
  return Tensor{op, type};
}

static Value cast(Emitter &emitter, Arguments &arguments) {
  Tensor tensor = emitter.toTensor(arguments[0]);
  const Type &type = dtypeArgument(emitter, arguments[1]);
  if (tensor.type.isDescriptor() || tensor.type.isBlockPointer())
    emitter.fail("a value of type " + tensor.type.str() + " cannot be converted");
  if (arguments[3].isTruthy())
    return bitcastTo(emitter, tensor, type.getScalar());
  std::string rounding;
  if (!arguments[2].isNone())
    rounding = arguments[2].str();
  return castTo(emitter, tensor, type.getScalar(), rounding);
}

void addShapeBuiltins(LanguageTable &table) {
  table.add("tl.arange", "start, end", makeRange);
  table.add("tl.full", "shape, value, dtype", full);
  table.add("tl.broadcast_to", "input, *shape", [](Emitter &emitter, Arguments &arguments) -> Value {
    return broadcastTo(emitter, emitter.toTensor(arguments[0]), shapeOf(emitter, spread(arguments.rest(1))));
  });
  table.add("tl.broadcast", "input, other", [](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor a = emitter.toTensor(arguments[0]), b = emitter.toTensor(arguments[1]);
    matchShapes(emitter, a, b);
    return Value::tuple({a, b});
  });
  table.add("tl.expand_dims", "input, axis", insertDimensions);
  table.add("tl.reshape", "input, *shape, can_reorder=False", [](Emitter &emitter, Arguments &arguments) {
    return reshape(emitter, arguments[0], spread(arguments.rest(1)), arguments[2].isTruthy());
  });
  table.add("tl.view", "input, *shape", [](Emitter &emitter, Arguments &arguments) {
    return reshape(emitter, arguments[0], spread(arguments.rest(1)), /*reorder=*/true);
  });
  table.add("tl.trans", "input, *dims", transpose);
  table.add("tl.permute", "input, *dims", [](Emitter &emitter, Arguments &arguments) {
    return permute(emitter, blockArgument(emitter, arguments[0], "permute"), spread(arguments.rest(1)));
  });
  table.add("tl.join", "a, b", join);
  table.add("tl.split", "a", split);
  table.add("tl.cat", "input, other, can_reorder=False, dim=0", concatenate);
  table.add("tl.gather", "src, index, axis", gather);
  table.add("tl.cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", cast);
  table.add("tl.item", "input",
            [](Emitter &emitter, Arguments &arguments) { return reshape(emitter, arguments[0], {}, false); });
  table.add("tl.to_tensor", "x",
            [](Emitter &emitter, Arguments &arguments) -> Value { return emitter.toTensor(arguments[0]); });
  table.addMethods({"broadcast_to", "trans", "permute", "split", "view", "reshape", "expand_dims", "cast",
                    "gather", "item", "ravel", "flip"});
}

} // namespace nereid::python
