// Integers are computed in 128 bits and wrapped to their type, floats in double and rounded to theirs.
#include "compiler/frontends/triton_c/emission/Folding.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace nereid::triton_c {

static BigInt wrap(BigInt number, const Type &type) {
  if (type.isBool())
    return number != 0;
  unsigned bits = type.getBits();
  auto mask = (static_cast<unsigned __int128>(1) << bits) - 1;
  unsigned __int128 low = static_cast<unsigned __int128>(number) & mask;
  bool isNegative = type.isSignedInteger() && (low >> (bits - 1)) & 1;
  return isNegative ? static_cast<BigInt>(low) - (BigInt(1) << bits) : static_cast<BigInt>(low);
}

static double roundTo(double number, const Type &type) {
  if (type.is(ScalarKind::FP64) || type.is(ScalarKind::FP8E4B15))
    return number;
  APFloat value(number);
  bool losesInfo;
  value.convert(getFloatSemantics(type.getScalarKind()), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

Value foldConversion(const Value &number, const Type &type) {
  if (number.type == type)
    return number;
  if (type.isFloat())
    return Value::floating(roundTo(number.getDouble(), type), type.getScalarKind());
  if (type.isBool())
    return Value::boolean(!number.isZero());
  if (number.isInteger())
    return Value::integer(wrap(number.getInteger(), type), type.getScalarKind());
  // What does not fit is undefined in C; the nearest number is as good as any.
  double value = number.getDouble();
  double low = static_cast<double>(type.getMinInteger()), high = static_cast<double>(type.getMaxInteger());
  BigInt integer = std::isnan(value) ? BigInt(0)
                   : value <= low    ? type.getMinInteger()
                   : value >= high   ? type.getMaxInteger()
                                     : static_cast<BigInt>(value);
  return Value::integer(integer, type.getScalarKind());
}

bool isExact(const Value &number, const Type &type) {
  Value there = foldConversion(number, type);
  return foldConversion(there, number.type).isSame(number);
}

static std::optional<double> foldFloats(BinaryOperation operation, double a, double b) {
  switch (operation) {
  case BinaryOperation::Add:
    return a + b;
  case BinaryOperation::Subtract:
    return a - b;
  case BinaryOperation::Multiply:
    return a * b;
  case BinaryOperation::Divide:
    return a / b;
  case BinaryOperation::Remainder:
    return std::fmod(a, b);
  default:
    return std::nullopt;
  }
}

static std::optional<BigInt> foldIntegers(BinaryOperation operation, BigInt a, BigInt b, const Type &type) {
  auto ua = static_cast<unsigned __int128>(a), ub = static_cast<unsigned __int128>(b);
  BigInt bits = type.getBits();
  switch (operation) {
  case BinaryOperation::Add:
    return a + b;
  case BinaryOperation::Subtract:
    return a - b;
  case BinaryOperation::Multiply:
    return static_cast<BigInt>(ua * ub);
  case BinaryOperation::Divide:
    return b ? std::optional<BigInt>(a / b) : std::nullopt;
  case BinaryOperation::Remainder:
    return b ? std::optional<BigInt>(a % b) : std::nullopt;
  case BinaryOperation::And:
    return a & b;
  case BinaryOperation::Or:
    return a | b;
  case BinaryOperation::Xor:
    return a ^ b;
  case BinaryOperation::ShiftLeft:
    return b >= 0 && b < bits ? std::optional<BigInt>(static_cast<BigInt>(ua << ub)) : std::nullopt;
  case BinaryOperation::ShiftRight:
    return b >= 0 && b < bits ? std::optional<BigInt>(a >> b) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> foldBinary(BinaryOperation operation, const Value &a, const Value &b) {
  const Type &type = a.type;
  if (type.isFloat()) {
    auto result = foldFloats(operation, a.getDouble(), b.getDouble());
    if (!result)
      return std::nullopt;
    return Value::floating(roundTo(*result, type), type.getScalarKind());
  }
  auto result = foldIntegers(operation, a.getInteger(), b.getInteger(), type);
  if (!result)
    return std::nullopt;
  return Value::integer(wrap(*result, type), type.getScalarKind());
}

template <typename Number> static bool compare(Comparison comparison, Number a, Number b) {
  switch (comparison) {
  case Comparison::Equal:
    return a == b;
  case Comparison::NotEqual:
    return a != b;
  case Comparison::Less:
    return a < b;
  case Comparison::LessEqual:
    return a <= b;
  case Comparison::Greater:
    return a > b;
  case Comparison::GreaterEqual:
    return a >= b;
  }
  return false;
}

Value foldComparison(Comparison comparison, const Value &a, const Value &b) {
  return Value::boolean(a.isInteger() ? compare(comparison, a.getInteger(), b.getInteger())
                                      : compare(comparison, a.getDouble(), b.getDouble()));
}

} // namespace nereid::triton_c
