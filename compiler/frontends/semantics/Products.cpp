// tt.dot takes matrices or one batch of them; more dimensions are folded into that one.
#include "compiler/frontends/semantics/Products.h"

#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

using namespace llvm;

namespace nereid::semantics {

static Tensor reshaped(OperationWriter &writer, const Tensor &tensor, const Shape &shape) {
  Type type = Type::block(tensor.type.getElement(), shape);
  return {writer.create<tt::ReshapeOp>(toMLIR(type, writer.getMLIRContext()), tensor.handle, false, false),
          type};
}

/// The shape with all dimensions but the last two made one.
static Shape withOneBatch(ArrayRef<int64_t> shape) {
  Shape flat{1, shape[shape.size() - 2], shape.back()};
  for (int64_t size : shape.drop_back(2))
    flat[0] *= size;
  return flat;
}

/// The type that products of these elements are summed in.
static Type sumTypeOf(OperationWriter &writer, const Type &element, const ProductOptions &options) {
  if (element.isInteger())
    return ScalarKind::Int32;
  const Type &result = options.wanted;
  if (result.is(ScalarKind::BF16))
    writer.fail(options.name +
                " has no out_dtype bf16; leave it out and convert the result with .to(tl.bfloat16)");
  if (element.is(ScalarKind::FP64))
    return ScalarKind::FP64;
  if (element.is(ScalarKind::FP32) || element.is(ScalarKind::BF16))
    return ScalarKind::FP32;
  if (!result.is(ScalarKind::FP16) && !result.is(ScalarKind::FP32))
    writer.fail("out_dtype of a " + options.name + " of " + element.str() + " must be fp32 or fp16, not " +
                result.str());
  return result;
}

Tensor makeProduct(OperationWriter &writer, Tensor a, Tensor b, std::optional<Tensor> accumulator,
                   const ProductOptions &options) {
  StringRef name = options.name;
  const Shape leftShape(a.type.getShape()), rightShape(b.type.getShape());
  size_t rank = leftShape.size();
  if (rank != rightShape.size() || rank < 2)
    writer.fail(name + " takes two blocks of the same rank, 2 or more, not " + a.type.str() + " and " +
                b.type.str());
  if (leftShape[rank - 1] != rightShape[rank - 2])
    writer.fail("the inner dimensions of " + name + " differ: " + a.type.str() + " has " +
                Twine(leftShape[rank - 1]) + " columns and " + b.type.str() + " has " +
                Twine(rightShape[rank - 2]) + " rows");
  if (ArrayRef(leftShape).drop_back(2) != ArrayRef(rightShape).drop_back(2))
    writer.fail("the batch dimensions of " + name + " differ: " + a.type.str() + " and " + b.type.str());
  Type left = a.type.getElement(), right = b.type.getElement();
  if (left.isFP8() && right.isFP8() && (left.is(ScalarKind::FP8E4B15) || right.is(ScalarKind::FP8E4B15))) {
    // IR has no such type, and float16 holds all of its values; so in Triton.
    left = right = ScalarKind::FP16;
    a = castTo(writer, a, left);
    b = castTo(writer, b, right);
  }
  if (!left.isScalarNumber() || !right.isScalarNumber() || left.isFP8() != right.isFP8() ||
      (!left.isFP8() && left != right))
    writer.fail("both operands of " + name + " must have the same type, not " + left.str() + " and " +
                right.str());
  if (left.isInteger() && !left.is(ScalarKind::Int8))
    writer.fail("of integers, " + name + " only takes int8, not " + left.str());
  Type sumType = sumTypeOf(writer, left, options);

  Shape shape(leftShape.begin(), leftShape.end());
  shape.back() = rightShape.back();
  Type type = Type::block(sumType, shape);
  if (!accumulator)
    accumulator = splat(writer, makeConstant(writer, BigInt(0), sumType), shape);
  else if (accumulator->type != type)
    writer.fail("the accumulator of " + name + " must be of type " + type.str() + ", not " +
                accumulator->type.str());
  if (rank > 3) {
    a = reshaped(writer, a, withOneBatch(leftShape));
    b = reshaped(writer, b, withOneBatch(rightShape));
    accumulator = reshaped(writer, *accumulator, withOneBatch(shape));
  }
  Tensor product{writer.create<tt::DotOp>(accumulator->handle.getType(), a.handle, b.handle,
                                          accumulator->handle, options.precision, options.maxImpreciseSums),
                 accumulator->type};
  return rank > 3 ? reshaped(writer, product, shape) : product;
}

} // namespace nereid::semantics
