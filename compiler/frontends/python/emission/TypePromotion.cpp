// The rules of TypePromotion.h, and the constants that compile-time numbers become.
#include "compiler/frontends/python/emission/TypePromotion.h"

#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::python {

Type promoteIntegers(const Type &a, const Type &b) {
  if (a.isSignedInteger() == b.isSignedInteger())
    return a.getBits() > b.getBits() ? a : b;
  const Type &unsignedType = a.isSignedInteger() ? b : a;
  const Type &signedType = a.isSignedInteger() ? a : b;
  return unsignedType.getBits() >= signedType.getBits() ? unsignedType : signedType;
}

static int kindRank(const Type &type) { return type.isBool() ? 0 : type.isInteger() ? 1 : 2; }

Type getComputationType(EmissionContext &context, const Type &a, bool aIsNumber, const Type &b,
                        bool bIsNumber, bool isDivision) {
  auto halfOf = [&](ScalarKind kind) { return Type(isDivision ? ScalarKind::FP32 : kind); };
  if (aIsNumber != bIsNumber) {
    const Type &number = aIsNumber ? a : b;
    const Type &tensor = aIsNumber ? b : a;
    if (kindRank(number) <= kindRank(tensor)) {
      if (tensor.is(ScalarKind::FP16) || tensor.is(ScalarKind::BF16))
        return halfOf(tensor.getScalarKind());
      return tensor;
    }
  }
  for (ScalarKind kind : {ScalarKind::FP64, ScalarKind::FP32})
    if (a.is(kind) || b.is(kind))
      return kind;
  if (a.is(ScalarKind::FP16) || b.is(ScalarKind::FP16))
    return halfOf(ScalarKind::FP16);
  if (a.is(ScalarKind::BF16) || b.is(ScalarKind::BF16)) {
    // Beside an integer or an fp8 the kind and width rules ask for bfloat16 itself.
    if (!isDivision && a != b)
      context.source.warnOfBFloat16((a.is(ScalarKind::BF16) ? b : a).str());
    return halfOf(ScalarKind::BF16);
  }
  if (a.isFP8() && b.isFP8())
    return a == b ? a : Type(ScalarKind::FP16);
  if (a.isFP8() || b.isFP8())
    return a.isFP8() ? a : b;
  if (!a.isInteger() || !b.isInteger())
    context.fail("operands of type " + a.str() + " and " + b.str() + " do not go together");
  if (isDivision && a.isSignedInteger() != b.isSignedInteger())
    context.fail("cannot divide " + a.str() + " and " + b.str() +
                 ": one is signed and the other is not; cast one of them");
  return promoteIntegers(a, b);
}

Type getNumberType(EmissionContext &context, const Value &number) {
  if (number.isBool())
    return ScalarKind::Int1;
  if (number.isInt()) {
    for (ScalarKind kind : {ScalarKind::Int32, ScalarKind::UInt32, ScalarKind::Int64, ScalarKind::UInt64})
      if (number.asInt() >= Type(kind).getMinInteger() && number.asInt() <= Type(kind).getMaxInteger())
        return kind;
    context.fail("the integer " + number.repr() + " does not fit in 64 bits");
  }
  // Numbers that float32 would flush to a subnormal, or to infinity, are kept in float64.
  double magnitude = std::fabs(number.asDouble());
  bool fits =
      std::isinf(magnitude) || std::isnan(magnitude) || magnitude == 0 ||
      (magnitude >= std::numeric_limits<float>::min() && magnitude <= std::numeric_limits<float>::max());
  return fits ? ScalarKind::FP32 : ScalarKind::FP64;
}

Tensor emitNumber(EmissionContext &context, const Value &number, const Type &type) {
  if (number.isFloat())
    return makeConstant(context, number.asDouble(), type);
  return makeConstant(context, number.asInt(), type);
}

Tensor toTensor(EmissionContext &context, const Value &value) {
  if (value.isTensor())
    return tensorOf(value);
  if (value.isNumber())
    return emitNumber(context, value, getNumberType(context, value));
  if (auto *opaque = value.object<const Opaque>())
    context.source.failUnknown(*opaque);
  context.fail("expected a number, a scalar or a block, but got " +
               (value.isNone() ? std::string("None") : value.describe()));
}

static void checkPointer(EmissionContext &context, const Type &a, const Type &b, bool allowed) {
  if (!a.isPointer())
    return;
  if (!allowed || (b.isPointer() && a != b) || b.isFloat())
    context.fail("invalid operands of type " + a.str() + " and " + b.str());
}

std::pair<Tensor, Tensor> matchOperands(EmissionContext &context, const Value &left, const Value &right,
                                        OperandRules rules) {
  bool leftIsNumber = left.isNumber(), rightIsNumber = right.isNumber();
  auto scalarOf = [&](const Value &value, bool isNumber) -> Type {
    return isNumber ? getNumberType(context, value) : toTensor(context, value).type.getScalar();
  };
  Type leftScalar = scalarOf(left, leftIsNumber), rightScalar = scalarOf(right, rightIsNumber);
  checkPointer(context, leftScalar, rightScalar, rules.leftPointer);
  checkPointer(context, rightScalar, leftScalar, rules.rightPointer);

  Tensor a, b;
  if (rules.promote && !leftScalar.isPointer() && !rightScalar.isPointer()) {
    Type type =
        getComputationType(context, leftScalar, leftIsNumber, rightScalar, rightIsNumber, rules.isDivision);
    if (type.is(ScalarKind::FP8E4B15) && !rules.isMoved)
      context.fail("there is no arithmetic on " + type.str() + "; convert it first: x.to(tl.float16)");
    auto bring = [&](const Value &value, bool isNumber) {
      if (!isNumber)
        return castTo(context, tensorOf(value), type);
      if (value.isIntLike() && type.isInteger()) {
        BigInt integer = value.asInt();
        if (integer < 0 && type.isUnsignedInteger())
          context.fail("cannot combine a " + type.str() + " with the negative number " + value.repr() +
                       "; cast one of them");
        if (integer < type.getMinInteger() || integer > type.getMaxInteger())
          context.fail("the number " + value.repr() + " is out of range for type " + type.str());
      }
      return emitNumber(context, value, type);
    };
    a = bring(left, leftIsNumber);
    b = bring(right, rightIsNumber);
  } else {
    a = toTensor(context, left);
    b = toTensor(context, right);
  }
  matchShapes(context, a, b);
  return {a, b};
}

} // namespace nereid::python
