// One function an operator family; promotion and shapes are matchOperands' work.
#include "compiler/frontends/python/emission/Arithmetic.h"

#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

using ast::Operator;

static Tensor emitAddPtr(EmissionContext &context, const Tensor &pointer, const Tensor &offset) {
  if (pointer.type.getScalar().isBlockPointer())
    context.fail("a block pointer moves with tl.advance, not with +");
  return movePointer(context, pointer, offset);
}

static Tensor emitAddSub(EmissionContext &context, bool isAdd, const Value &left, const Value &right) {
  auto [a, b] = matchOperands(context, left, right, {/*leftPointer=*/true, /*rightPointer=*/isAdd});
  bool leftPointer = a.type.getScalar().isPointer(), rightPointer = b.type.getScalar().isPointer();
  if (leftPointer && rightPointer)
    context.fail("cannot add two pointers");
  if (rightPointer)
    return emitAddPtr(context, b, a);
  if (leftPointer)
    return emitAddPtr(context, a, isAdd ? b : emitNegation(context, b));
  return makeBinary(context, isAdd ? BinaryOperation::Add : BinaryOperation::Subtract, a, b);
}

static Tensor emitTrueDivision(EmissionContext &context, const Value &left, const Value &right) {
  OperandRules rules;
  rules.isDivision = true;
  auto [a, b] = matchOperands(context, left, right, rules);
  if (a.type.getScalar().isInteger()) {
    a = castTo(context, a, ScalarKind::FP32);
    b = castTo(context, b, ScalarKind::FP32);
  }
  return makeBinary(context, BinaryOperation::Divide, a, b);
}

static Tensor emitIntegerDivision(EmissionContext &context, bool isRemainder, const Value &left,
                                  const Value &right) {
  OperandRules rules;
  rules.isDivision = true;
  auto [a, b] = matchOperands(context, left, right, rules);
  const Type &type = a.type.getScalar();
  if (type.isFloat() && !isRemainder)
    context.fail("// takes integers, not " + type.str() + "; use / and tl.floor, or cast the operands");
  return makeBinary(context, isRemainder ? BinaryOperation::Remainder : BinaryOperation::Divide, a, b);
}

static Tensor emitBitwise(EmissionContext &context, Operator op, const Value &left, const Value &right) {
  auto [a, b] = matchOperands(context, left, right);
  if (!a.type.getScalar().isInteger() || !b.type.getScalar().isInteger())
    context.fail(ast::getSpelling(op) + " takes integers, not " + a.type.getScalar().str() + " and " +
                 b.type.getScalar().str());
  switch (op) {
  case Operator::BitAnd:
    return makeBinary(context, BinaryOperation::And, a, b);
  case Operator::BitOr:
    return makeBinary(context, BinaryOperation::Or, a, b);
  case Operator::BitXor:
    return makeBinary(context, BinaryOperation::Xor, a, b);
  case Operator::LShift:
    return makeBinary(context, BinaryOperation::ShiftLeft, a, b);
  default:
    // Whether the sign is shifted in, the operand says whose method runs, before promotion: int1 >> 3 is an
    // int32.
    const Type &deciding = (left.isTensor() ? left : right).asRunTime().type;
    if (deciding.getScalar().isSignedInteger())
      return {context.create<arith::ShRSIOp>(a.handle, b.handle), a.type};
    return {context.create<arith::ShRUIOp>(a.handle, b.handle), a.type};
  }
}

Tensor emitBinary(EmissionContext &context, Operator op, const Value &left, const Value &right) {
  switch (op) {
  case Operator::Add:
  case Operator::Sub:
    return emitAddSub(context, op == Operator::Add, left, right);
  case Operator::Mult: {
    auto [a, b] = matchOperands(context, left, right);
    return makeBinary(context, BinaryOperation::Multiply, a, b);
  }
  case Operator::Div:
    return emitTrueDivision(context, left, right);
  case Operator::FloorDiv:
  case Operator::Mod:
    return emitIntegerDivision(context, op == Operator::Mod, left, right);
  case Operator::Pow:
    context.fail("** is only supported between compile-time numbers; multiply, or use tl.exp2 and tl.log2");
  case Operator::MatMult:
    context.fail("@ is not supported in a kernel; use tl.dot");
  default:
    return emitBitwise(context, op, left, right);
  }
}

Tensor emitComparison(EmissionContext &context, Comparison comparison, const Value &left,
                      const Value &right) {
  OperandRules rules;
  bool pointers = left.isTensor() && left.asRunTime().type.getScalar().isPointer() && right.isTensor() &&
                  right.asRunTime().type.getScalar().isPointer();
  rules.leftPointer = rules.rightPointer = pointers;
  auto [a, b] = matchOperands(context, left, right, rules);
  if (pointers) {
    a = castTo(context, a, ScalarKind::UInt64);
    b = castTo(context, b, ScalarKind::UInt64);
  }
  return makeComparison(context, comparison, a, b);
}

Tensor emitNegation(EmissionContext &context, const Tensor &operand) {
  const Type &type = operand.type.getScalar();
  if (!type.isScalarNumber())
    context.fail("unary - does not go with " + type.str());
  Value zero = emitNumber(context, type.isFloat() ? Value(0.0) : Value(0), type);
  return emitBinary(context, Operator::Sub, zero, operand);
}

Tensor emitInvert(EmissionContext &context, const Tensor &operand) {
  const Type &type = operand.type.getScalar();
  if (!type.isInteger())
    context.fail("unary ~ does not go with " + type.str());
  Value ones = emitNumber(context, Value(type.isBool() ? 1 : -1), type);
  return emitBinary(context, Operator::BitXor, operand, ones);
}

Tensor emitLogicalNot(EmissionContext &context, const Tensor &operand) {
  return emitInvert(context, castToBool(context, operand));
}

Tensor emitLogical(EmissionContext &context, ast::BoolOperator op, const Tensor &left, const Tensor &right) {
  return emitBinary(context, op == ast::BoolOperator::And ? Operator::BitAnd : Operator::BitOr,
                    castToBool(context, left), castToBool(context, right));
}

Tensor widenBFloat16(EmissionContext &context, const Value &value) {
  Tensor tensor = toTensor(context, value);
  return tensor.type.getScalar().is(ScalarKind::BF16) ? castTo(context, tensor, ScalarKind::FP32) : tensor;
}

Tensor emitMinMax(EmissionContext &context, bool isMax, const Value &left, const Value &right,
                  bool propagateNaN) {
  auto [a, b] = matchOperands(context, widenBFloat16(context, left), widenBFloat16(context, right));
  return makeMinMax(context, isMax, a, b, propagateNaN);
}

} // namespace nereid::python
