// One function an operator family; promotion and shapes are matchOperands' work.
#include "compiler/frontends/python/emission/Arithmetic.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/python/emission/Broadcasting.h"
#include "compiler/frontends/python/emission/Casting.h"
#include "compiler/frontends/python/emission/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

using ast::Operator;

static Tensor emitAddPtr(EmissionContext &context, const Tensor &pointer, Tensor offset) {
  if (pointer.type.getScalar().isBlockPointer())
    context.fail("a block pointer moves with tl.advance, not with +");
  // tt.addptr takes the offset as signed, so an unsigned one must grow first.
  if (offset.type.getScalar().isUnsignedInteger() && offset.type.getScalar().getBits() < 64)
    offset = castTo(context, offset, ScalarKind::Int64);
  return {context.create<tt::AddPtrOp>(pointer.handle.getType(), pointer.handle, offset.handle),
          pointer.type};
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
  if (a.type.getScalar().isFloat()) {
    if (isAdd)
      return {context.create<arith::AddFOp>(a.handle, b.handle), a.type};
    return {context.create<arith::SubFOp>(a.handle, b.handle), a.type};
  }
  if (isAdd)
    return {context.create<arith::AddIOp>(a.handle, b.handle), a.type};
  return {context.create<arith::SubIOp>(a.handle, b.handle), a.type};
}

static Tensor emitTrueDivision(EmissionContext &context, const Value &left, const Value &right) {
  OperandRules rules;
  rules.isDivision = true;
  auto [a, b] = matchOperands(context, left, right, rules);
  if (a.type.getScalar().isInteger()) {
    a = castTo(context, a, ScalarKind::FP32);
    b = castTo(context, b, ScalarKind::FP32);
  }
  return {context.create<arith::DivFOp>(a.handle, b.handle), a.type};
}

static Tensor emitIntegerDivision(EmissionContext &context, bool isRemainder, const Value &left,
                                  const Value &right) {
  OperandRules rules;
  rules.isDivision = true;
  auto [a, b] = matchOperands(context, left, right, rules);
  const Type &type = a.type.getScalar();
  if (type.isFloat()) {
    if (isRemainder)
      return {context.create<arith::RemFOp>(a.handle, b.handle), a.type};
    context.fail("// takes integers, not " + type.str() + "; use / and tl.floor, or cast the operands");
  }
  if (type.isSignedInteger()) {
    if (isRemainder)
      return {context.create<arith::RemSIOp>(a.handle, b.handle), a.type};
    return {context.create<arith::DivSIOp>(a.handle, b.handle), a.type};
  }
  if (isRemainder)
    return {context.create<arith::RemUIOp>(a.handle, b.handle), a.type};
  return {context.create<arith::DivUIOp>(a.handle, b.handle), a.type};
}

static Tensor emitBitwise(EmissionContext &context, Operator op, const Value &left, const Value &right) {
  auto [a, b] = matchOperands(context, left, right);
  if (!a.type.getScalar().isInteger() || !b.type.getScalar().isInteger())
    context.fail(ast::getSpelling(op) + " takes integers, not " + a.type.getScalar().str() + " and " +
                 b.type.getScalar().str());
  switch (op) {
  case Operator::BitAnd:
    return {context.create<arith::AndIOp>(a.handle, b.handle), a.type};
  case Operator::BitOr:
    return {context.create<arith::OrIOp>(a.handle, b.handle), a.type};
  case Operator::BitXor:
    return {context.create<arith::XOrIOp>(a.handle, b.handle), a.type};
  case Operator::LShift:
    return {context.create<arith::ShLIOp>(a.handle, b.handle), a.type};
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
    if (a.type.getScalar().isFloat())
      return {context.create<arith::MulFOp>(a.handle, b.handle), a.type};
    return {context.create<arith::MulIOp>(a.handle, b.handle), a.type};
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
  Type result = a.type.withElement(ScalarKind::Int1);
  const Type &type = a.type.getScalar();
  if (type.isFloat()) {
    using P = arith::CmpFPredicate;
    static const P predicates[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return {context.create<arith::CmpFOp>(predicates[static_cast<int>(comparison)], a.handle, b.handle),
            result};
  }
  using P = arith::CmpIPredicate;
  static const P signedPredicates[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static const P unsignedPredicates[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  P predicate =
      (type.isSignedInteger() ? signedPredicates : unsignedPredicates)[static_cast<int>(comparison)];
  return {context.create<arith::CmpIOp>(predicate, a.handle, b.handle), result};
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
  const Type &type = a.type.getScalar();
  if (type.isFloat()) {
    if (propagateNaN && isMax)
      return {context.create<arith::MaximumFOp>(a.handle, b.handle), a.type};
    if (propagateNaN)
      return {context.create<arith::MinimumFOp>(a.handle, b.handle), a.type};
    if (isMax)
      return {context.create<arith::MaxNumFOp>(a.handle, b.handle), a.type};
    return {context.create<arith::MinNumFOp>(a.handle, b.handle), a.type};
  }
  if (type.isSignedInteger()) {
    if (isMax)
      return {context.create<arith::MaxSIOp>(a.handle, b.handle), a.type};
    return {context.create<arith::MinSIOp>(a.handle, b.handle), a.type};
  }
  if (isMax)
    return {context.create<arith::MaxUIOp>(a.handle, b.handle), a.type};
  return {context.create<arith::MinUIOp>(a.handle, b.handle), a.type};
}

} // namespace nereid::python
