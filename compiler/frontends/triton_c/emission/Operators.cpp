// C's operators, element by element, and those for matrices.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Overflow.h"
#include "compiler/frontends/semantics/Products.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"
#include "compiler/frontends/triton_c/emission/Folding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace nereid::triton_c {

static std::optional<Comparison> findComparison(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Less:
    return Comparison::Less;
  case BinaryOperator::LessEqual:
    return Comparison::LessEqual;
  case BinaryOperator::Greater:
    return Comparison::Greater;
  case BinaryOperator::GreaterEqual:
    return Comparison::GreaterEqual;
  case BinaryOperator::Equal:
    return Comparison::Equal;
  case BinaryOperator::NotEqual:
    return Comparison::NotEqual;
  default:
    return std::nullopt;
  }
}

static BinaryOperation operationOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Multiply:
    return BinaryOperation::Multiply;
  case BinaryOperator::Divide:
    return BinaryOperation::Divide;
  case BinaryOperator::Remainder:
    return BinaryOperation::Remainder;
  case BinaryOperator::Subtract:
    return BinaryOperation::Subtract;
  case BinaryOperator::ShiftLeft:
    return BinaryOperation::ShiftLeft;
  case BinaryOperator::ShiftRight:
    return BinaryOperation::ShiftRight;
  case BinaryOperator::And:
    return BinaryOperation::And;
  case BinaryOperator::Or:
    return BinaryOperation::Or;
  case BinaryOperator::Xor:
    return BinaryOperation::Xor;
  default:
    return BinaryOperation::Add;
  }
}

/// Both of one type already.
Value Emitter::emitArithmetic(BinaryOperation operation, const Value &left, const Value &right) {
  const Type type = left.type.getScalar();
  bool divides = operation == BinaryOperation::Divide || operation == BinaryOperation::Remainder;
  if (divides && type.isInteger() && right.isConstant() && right.isZero())
    fail("division by zero");
  if (left.isConstant() && right.isConstant()) {
    if (auto folded = foldBinary(operation, left, right)) {
      folded->isPlainDouble = type.is(ScalarKind::FP64) && (left.isPlainDouble || right.isPlainDouble);
      return *folded;
    }
    fail("this shift leaves the number's bits");
  }
  // Halves have no division of their own: the quotient of floats, rounded once more, is the right one.
  if (divides && (type.is(ScalarKind::FP16) || type.is(ScalarKind::BF16)))
    return convert(
        emitArithmetic(operation, convert(left, ScalarKind::FP32), convert(right, ScalarKind::FP32)), type);
  Tensor a = toTensor(left), b = toTensor(right);
  matchShapes(*this, a, b);
  const char *spelling = operation == BinaryOperation::Add        ? "+"
                         : operation == BinaryOperation::Subtract ? "-"
                         : operation == BinaryOperation::Multiply ? "*"
                                                                  : nullptr;
  if (debug && checksOverflow && spelling && type.isSignedInteger())
    assertNoOverflow(*this, operation, spelling, a, b, getMask(a.type, std::nullopt));
  return makeBinary(*this, operation, a, b);
}

Value Emitter::emitBinary(BinaryOperator op, Value left, Value right) {
  if (op == BinaryOperator::MatrixMultiply)
    return emitProduct(left, right, std::nullopt, "'@'");
  if (op == BinaryOperator::LogicalAnd)
    return emitAnd(toBool(left), toBool(right));
  if (op == BinaryOperator::LogicalOr)
    return emitOr(toBool(left), toBool(right));
  if (left.isVoid() || right.isVoid())
    fail("this has no value: the function returns void");
  const Type a = left.type.getScalar(), b = right.type.getScalar();

  if (auto comparison = findComparison(op)) {
    Type type = getCommonType(left, right);
    if (type.isPointer()) {
      left = convert(convert(left, type), ScalarKind::UInt64, /*isCast=*/true);
      right = convert(convert(right, type), ScalarKind::UInt64, /*isCast=*/true);
    } else {
      left = convert(left, type);
      right = convert(right, type);
    }
    if (left.isConstant() && right.isConstant())
      return foldComparison(*comparison, left, right);
    Tensor x = toTensor(left), y = toTensor(right);
    matchShapes(*this, x, y);
    return makeComparison(*this, *comparison, x, y);
  }

  if (a.isPointer() || b.isPointer()) {
    bool adds = op == BinaryOperator::Add, subtracts = op == BinaryOperator::Subtract;
    if (subtracts && pointToTheSame(a, b)) {
      Value distance = emitArithmetic(BinaryOperation::Subtract, convert(left, ScalarKind::Int64, true),
                                      convert(right, ScalarKind::Int64, true));
      unsigned bytes = a.getElement().isPointer() ? 8 : getScalarBytes(a.getElement().getScalarKind());
      return emitArithmetic(BinaryOperation::Divide, distance, Value::integer(bytes, ScalarKind::Int64));
    }
    const Value &offset = a.isPointer() ? right : left;
    if ((!adds && !(subtracts && a.isPointer())) || !offset.type.getScalar().isInteger())
      fail("'" + getSpelling(op) + "' does not go with operands of type " + left.type.str() + " and " +
           right.type.str());
    Value moved = convert(offset, promote(offset.type.getScalar()));
    if (subtracts)
      moved = emitUnary(UnaryOperator::Minus, moved);
    Tensor pointer = toTensor(a.isPointer() ? left : right), distance = toTensor(moved);
    matchShapes(*this, pointer, distance);
    return movePointer(*this, pointer, distance);
  }

  BinaryOperation operation = operationOf(op);
  bool isBitwise = op == BinaryOperator::And || op == BinaryOperator::Or || op == BinaryOperator::Xor;
  bool isShift = op == BinaryOperator::ShiftLeft || op == BinaryOperator::ShiftRight;
  if ((isBitwise || isShift || op == BinaryOperator::Remainder) && (!a.isInteger() || !b.isInteger()))
    fail("'" + getSpelling(op) + "' takes integers, not operands of type " + left.type.str() + " and " +
         right.type.str() +
         (op == BinaryOperator::Remainder ? "; use fmod"
          : op == BinaryOperator::Xor     ? "; a matrix is transposed by '^' before it"
                                          : ""));
  // Of truth values these are truth values: in C they would be ints that are 0 or 1.
  Type type = isBitwise && a.isBool() && b.isBool() ? a : isShift ? promote(a) : getCommonType(left, right);
  bool wasPlain = left.isPlainDouble || right.isPlainDouble;
  left = convert(left, type);
  right = convert(right, type);
  left.isPlainDouble = left.isConstant() && wasPlain;
  return emitArithmetic(operation, left, right);
}

Value Emitter::emitUnary(UnaryOperator op, const Value &operand) {
  if (operand.isVoid())
    fail("this has no value: the function returns void");
  const Type scalar = operand.type.getScalar();
  if (op == UnaryOperator::Transpose)
    return transpose(operand);
  if (op == UnaryOperator::Not)
    return emitNot(operand);
  if (!scalar.isScalarNumber() || (op == UnaryOperator::Complement && !scalar.isInteger()))
    fail("this operator does not go with a value of type " + operand.type.str());
  if (op == UnaryOperator::Complement && scalar.isBool())
    warn(place, "'~' of a truth value is never 0 in C; '!' negates it");
  Value value = convert(operand, promote(scalar));
  bool wasPlain = operand.isPlainDouble;
  const Type type = value.type.getScalar();
  if (op == UnaryOperator::Minus && type.isFloat()) {
    if (value.isConstant()) {
      Value negative = Value::floating(-value.getDouble(), type.getScalarKind());
      negative.isPlainDouble = wasPlain;
      return negative;
    }
    // -0.0 - x is -x for all x, zeros too.
    return emitArithmetic(BinaryOperation::Subtract, Value::floating(-0.0, type.getScalarKind()), value);
  }
  if (op == UnaryOperator::Minus)
    return emitArithmetic(BinaryOperation::Subtract, Value::integer(0, type.getScalarKind()), value);
  if (op == UnaryOperator::Complement) {
    BigInt ones = type.isSignedInteger() ? BigInt(-1) : type.getMaxInteger();
    return emitArithmetic(BinaryOperation::Xor, value, Value::integer(ones, type.getScalarKind()));
  }
  value.isPlainDouble = wasPlain;
  return value;
}

Value Emitter::emitNot(const Value &value) {
  Value truth = toBool(value);
  if (truth.isConstant())
    return Value::boolean(truth.isZero());
  return makeBinary(*this, BinaryOperation::Xor, toTensor(truth), 1);
}

Value Emitter::emitAnd(const Value &a, const Value &b) {
  if (a.isConstant() && !a.isZero())
    return b;
  if (b.isConstant() && !b.isZero())
    return a;
  if (!a.isBlock() && !b.isBlock() && ((a.isConstant() && a.isZero()) || (b.isConstant() && b.isZero())))
    return Value::boolean(false);
  return emitArithmetic(BinaryOperation::And, a, b);
}

Value Emitter::emitOr(const Value &a, const Value &b) {
  if (a.isConstant() && a.isZero())
    return b;
  if (b.isConstant() && b.isZero())
    return a;
  if (!a.isBlock() && !b.isBlock() && (a.isConstant() || b.isConstant()))
    return Value::boolean(true);
  return emitArithmetic(BinaryOperation::Or, a, b);
}

Value Emitter::transpose(const Value &value, ArrayRef<int32_t> order) {
  size_t rank = value.type.getShape().size();
  if (rank < 2)
    fail("a block of two dimensions or more can be transposed, not a value of type " + value.type.str());
  SmallVector<int32_t> axes(order);
  if (axes.empty()) {
    for (size_t i = 0; i < rank; ++i)
      axes.push_back(static_cast<int32_t>(i));
    std::swap(axes[rank - 1], axes[rank - 2]);
  }
  Shape shape;
  for (int32_t axis : axes)
    shape.push_back(value.type.getShape()[axis]);
  Tensor tensor = toTensor(value);
  Type type = Type::block(tensor.type.getElement(), shape);
  return Tensor{create<tt::TransOp>(toMLIR(type, getMLIRContext()), tensor.handle, axes), type};
}

Value Emitter::emitProduct(const Value &a, const Value &b, std::optional<Value> sum, StringRef name) {
  if (!a.isBlock() || !b.isBlock())
    fail(name + " takes two blocks of the same rank, 2 or more, not " + a.type.str() + " and " +
         b.type.str());
  const Type left = a.type.getElement(), right = b.type.getElement();
  Value x = a, y = b;
  if (left != right && left.isScalarNumber() && right.isScalarNumber() && !(left.isFP8() && right.isFP8())) {
    Type type = getCommonType(a, b);
    x = convert(a, type);
    y = convert(b, type);
  }
  ProductOptions options;
  options.name = name;
  options.precision = target.backend == Backend::CUDA ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE;
  std::optional<Tensor> accumulator;
  if (sum)
    accumulator = toTensor(*sum);
  return makeProduct(*this, toTensor(x), toTensor(y), accumulator, options);
}

Value Emitter::emitMinMax(bool isMax, const Value &left, const Value &right) {
  Type type = getCommonType(left, right);
  if (!type.isScalarNumber())
    fail("min and max take numbers, not " + type.str());
  Value a = convert(left, type), b = convert(right, type);
  if (a.isConstant() && b.isConstant()) {
    bool first =
        foldComparison(isMax ? Comparison::GreaterEqual : Comparison::LessEqual, a, b).getInteger() != 0;
    return first ? a : b;
  }
  // The hardware compares no bfloat16.
  if (type.is(ScalarKind::BF16))
    return convert(emitMinMax(isMax, convert(a, ScalarKind::FP32), convert(b, ScalarKind::FP32)), type);
  Tensor x = toTensor(a), y = toTensor(b);
  matchShapes(*this, x, y);
  return makeMinMax(*this, isMax, x, y, /*propagateNaN=*/false);
}

Value Emitter::select(const Value &condition, Value a, Value b) {
  Type type = getCommonType(a, b);
  // Truth values stay what they are.
  if (a.type.getScalar() == b.type.getScalar())
    type = a.type.getScalar();
  a = convert(a, type);
  b = convert(b, type);
  Tensor x = toTensor(a), y = toTensor(b), choice = toTensor(toBool(condition));
  matchShapes(*this, x, y);
  if (choice.type.isBlock()) {
    matchShapes(*this, choice, x);
    matchShapes(*this, x, y);
  } else if (x.type.isBlock()) {
    choice = splat(*this, choice, x.type.getShape());
  }
  return Tensor{create<mlir::arith::SelectOp>(choice.handle, x.handle, y.handle), x.type};
}

} // namespace nereid::triton_c
