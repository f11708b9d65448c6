// Python's operators where an operand is only known at run time: each ends in a function of Arithmetic.h or
// Casting.h.
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/semantics/Casting.h"

using namespace llvm;

namespace nereid::python {

Tensor Emitter::toTensor(const Value &value) { return python::toTensor(*this, value); }

Value Emitter::emitNumber(const Value &number) { return toTensor(number); }

Value Emitter::emitConversion(const Value &value, const Type &type) {
  return castTo(*this, toTensor(value), type);
}

Value Emitter::emitBinary(ast::Operator op, const Value &left, const Value &right) {
  assertNoOverflow(op, left, right);
  return python::emitBinary(*this, op, left, right);
}

Value Emitter::emitUnary(ast::UnaryOperator op, const Value &operand) {
  switch (op) {
  case ast::UnaryOperator::USub:
    assertNoOverflow(ast::Operator::Sub, Value(0), operand);
    return emitNegation(*this, tensorOf(operand));
  case ast::UnaryOperator::Invert:
    return emitInvert(*this, tensorOf(operand));
  case ast::UnaryOperator::Not:
    return emitLogicalNot(*this, tensorOf(operand));
  case ast::UnaryOperator::UAdd:
    break;
  }
  return operand;
}

static Comparison comparisonOf(ast::CmpOp op) {
  switch (op) {
  case ast::CmpOp::Eq:
    return Comparison::Equal;
  case ast::CmpOp::NotEq:
    return Comparison::NotEqual;
  case ast::CmpOp::Lt:
    return Comparison::Less;
  case ast::CmpOp::LtE:
    return Comparison::LessEqual;
  case ast::CmpOp::Gt:
    return Comparison::Greater;
  default:
    return Comparison::GreaterEqual;
  }
}

Value Emitter::emitComparison(ast::CmpOp op, const Value &left, const Value &right) {
  // A number is compared as a value of its own type: float16 < 0.1 in float32, int8 == 300 in int32.
  return python::emitComparison(*this, comparisonOf(op), toTensor(left), toTensor(right));
}

Value Emitter::emitLogical(ast::BoolOperator op, const Value &left, const Value &right) {
  return python::emitLogical(*this, op, tensorOf(left), tensorOf(right));
}

Value Emitter::emitExtremum(bool isMax, const Value &left, const Value &right) {
  return emitMinMax(*this, isMax, left, right, /*propagateNaN=*/false);
}

Value Emitter::emitTruth(const Value &value) { return castToBool(*this, tensorOf(value)); }

} // namespace nereid::python
