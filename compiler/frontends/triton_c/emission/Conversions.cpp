// C's conversions: which type two operands meet in, and what an assignment or a cast does.
//
//     promotion      bool, int8, int16 → int; the fp8 formats, which are for memory, → float
//     two floats     the wider; half and bfloat16 → float
//     two integers   the longer; of one length the unsigned one
//     a float and an integer → the float
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"
#include "compiler/frontends/triton_c/emission/Folding.h"

#include "compiler/dialects/tt/Dialect.h"

using namespace llvm;

namespace nereid::triton_c {

Tensor Emitter::toTensor(const Value &value) {
  if (value.isVoid())
    fail("this has no value: the function returns void");
  if (value.isInteger())
    return makeConstant(*this, value.getInteger(), value.type);
  if (value.isConstant())
    return makeConstant(*this, value.getDouble(), value.type);
  if (!value.handle)
    fail("this has no value yet");
  return {value.handle, value.type};
}

Type Emitter::promote(const Type &type) {
  if (type.isFP8())
    return ScalarKind::FP32;
  if (type.isInteger() && type.getBits() < 32)
    return ScalarKind::Int32;
  return type;
}

bool pointToTheSame(const Type &a, const Type &b) {
  return a.isPointer() && b.isPointer() && a.getElement() == b.getElement();
}

Type Emitter::getCommonType(const Value &left, const Value &right) {
  if (left.isVoid() || right.isVoid())
    fail("this has no value: the function returns void");
  const Type a = promote(left.type.getScalar()), b = promote(right.type.getScalar());
  if (a == b)
    return a;
  if (pointToTheSame(a, b))
    return a.isConstPointer() ? a : b;
  if (a.isPointer() && right.isInteger() && right.isZero())
    return a;
  if (b.isPointer() && left.isInteger() && left.isZero())
    return b;
  if (!a.isScalarNumber() || !b.isScalarNumber())
    fail("operands of type " + left.type.str() + " and " + right.type.str() + " do not go together");
  if (a.isFloat() || b.isFloat()) {
    if (!a.isFloat() || !b.isFloat())
      return a.isFloat() ? a : b;
    bool surprises = (left.isPlainDouble && !right.isConstant() && !b.is(ScalarKind::FP64)) ||
                     (right.isPlainDouble && !left.isConstant() && !a.is(ScalarKind::FP64));
    if (surprises && !warnedOfDouble) {
      warn(place, "a number without suffix is a double, and what it is combined with (" +
                      (left.isPlainDouble ? right : left).type.str() +
                      ") is converted to double as well; write 'f' behind the number for float");
      warnedOfDouble = true;
    }
    if (a.getBits() == b.getBits())
      return ScalarKind::FP32; // half and bfloat16
    return a.getBits() > b.getBits() ? a : b;
  }
  if (a.getBits() != b.getBits())
    return a.getBits() > b.getBits() ? a : b;
  return a.isUnsignedInteger() ? a : b;
}

Value Emitter::convert(const Value &value, const Type &target, bool isCast) {
  if (value.isVoid())
    fail("this has no value: the function returns void");
  const Type &from = value.type.getScalar(), &to = target.getScalar();
  if (from == to)
    return value;
  if (from.isPointer() && to.isPointer()) {
    bool isSame = pointToTheSame(from, to);
    if (!isSame && !isCast)
      fail("a value of type " + value.type.str() + " is no " + to.str() + "; a cast makes it one");
    if (isSame && from.isConstPointer() && !to.isConstPointer() && !isCast)
      warn(place, "the pointer loses its const here");
    Tensor tensor = toTensor(value);
    if (!isSame)
      return castTo(*this, tensor, to);
    tensor.type = tensor.type.withElement(to);
    return tensor;
  }
  if (to.isBool() && from.isPointer())
    return castToBool(*this, toTensor(value));
  if (to.isPointer()) {
    bool isNull = value.isInteger() && value.isZero();
    if (!from.isInteger() || (!isCast && !isNull))
      fail("a value of type " + value.type.str() + " is no " + to.str() +
           (from.isInteger() ? "; a cast makes it one" : ""));
    return castTo(*this, toTensor(convert(value, ScalarKind::Int64)), to);
  }
  if (from.isPointer()) {
    if (!isCast || !to.isInteger())
      fail("a value of type " + value.type.str() + " is no " + to.str() +
           (to.isInteger() ? "; a cast makes it one" : ""));
    return castTo(*this, castTo(*this, toTensor(value), ScalarKind::Int64), to);
  }
  if (value.isConstant())
    return foldConversion(value, to);
  return castTo(*this, toTensor(value), to);
}

Value Emitter::convertToShape(const Value &value, const Type &type, bool isCast) {
  Value converted = convert(value, type, isCast);
  if (!type.isBlock()) {
    if (converted.isBlock())
      fail("a block of type " + value.type.str() + " does not fit in a " + type.str() +
           "; reduce it, or declare a block");
    return converted;
  }
  Tensor tensor = toTensor(converted);
  if (tensor.type.isBlock()) {
    ArrayRef<int64_t> have = tensor.type.getShape(), want = type.getShape();
    bool fits = have.size() <= want.size();
    for (size_t i = 0; fits && i < have.size(); ++i) {
      int64_t size = have[have.size() - 1 - i];
      fits = size == 1 || size == want[want.size() - 1 - i];
    }
    if (!fits)
      fail("a block of shape " + shapeToString(have) + " cannot be broadcast to " + shapeToString(want));
    while (tensor.type.getShape().size() < want.size())
      tensor = expandDims(*this, tensor, 0);
  }
  return broadcastTo(*this, tensor, type.getShape());
}

Value Emitter::toBool(const Value &value) {
  if (value.isVoid())
    fail("this has no value: the function returns void");
  return convert(value, ScalarKind::Int1);
}

Value Emitter::toCondition(const Value &value, StringRef what) {
  if (!value.isBlock())
    return toBool(value);
  if (value.type.getNumElements() != 1)
    fail(what + " must be a scalar, but this is a block of type " + value.type.str() +
         "; choose between elements with '?:', or reduce it first");
  Tensor block = toTensor(value);
  return toBool(Tensor{create<tt::UnsplatOp>(block.handle), block.type.getElement()});
}

} // namespace nereid::triton_c
