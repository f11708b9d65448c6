// Operands are checked and matched first, so that what follows only chooses operations.
#include "compiler/frontends/semantics/Atomics.h"

#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace nereid::semantics {

namespace {

struct Operands {
  Tensor pointer, value, mask;
};

} // namespace

static Operands matchOperands(OperationWriter &writer, const AtomicOperation &operation,
                              const Tensor &pointer, const Tensor &value, const std::optional<Tensor> &mask) {
  Operands operands{pointer, value, {}};
  const Type scalar = pointer.type.getScalar();
  if (!scalar.isPointer() || scalar.isBlockPointer())
    writer.fail(operation.name + " takes a pointer or a block of pointers, not a value of type " +
                pointer.type.str());
  if (scalar.isConstPointer())
    writer.fail("cannot store through a pointer to const");
  const Type &element = scalar.getElement();
  // As Triton: of 16 bits, all can be compared and swapped, and floats be added to.
  bool isNarrow = element.isScalarNumber() && element.getBits() == 16;
  if (!element.isScalarNumber() || element.getBits() < 16 ||
      (isNarrow && operation.kind != AtomicKind::CompareAndSwap &&
       (element.isInteger() || operation.kind != AtomicKind::Add)))
    writer.fail(operation.name + " does not go with elements of type " + element.str());
  operands.mask = mask ? castToBool(writer, *mask) : makeConstant(writer, BigInt(1), ScalarKind::Int1);
  if (pointer.type.isBlock()) {
    operands.value = broadcastTo(writer, operands.value, pointer.type.getShape());
    operands.mask = broadcastTo(writer, operands.mask, pointer.type.getShape());
  } else if (operands.value.type.isBlock() || operands.mask.type.isBlock()) {
    writer.fail("the value and the mask of " + operation.name + " must be scalars, as the pointer is one");
  }
  operands.value = castTo(writer, operands.value, element);
  return operands;
}

static Tensor makeRMW(OperationWriter &writer, const AtomicOperation &operation, tt::RMWOp op,
                      const Tensor &pointer, const Tensor &value, const Tensor &mask) {
  return {writer.create<tt::AtomicRMWOp>(value.handle.getType(), op, pointer.handle, value.handle,
                                         mask.handle, operation.semantic, operation.scope),
          value.type};
}

static Tensor makeExtreme(OperationWriter &writer, const AtomicOperation &operation,
                          const Operands &operands) {
  bool isMax = operation.kind == AtomicKind::Max;
  auto [pointer, value, mask] = operands;
  const Type scalar = value.type.getScalar();
  auto op = [&](bool max, bool isSigned) {
    return max ? (isSigned ? tt::RMWOp::MAX : tt::RMWOp::UMAX)
               : (isSigned ? tt::RMWOp::MIN : tt::RMWOp::UMIN);
  };
  if (scalar.isInteger())
    return makeRMW(writer, operation, op(isMax, scalar.isSignedInteger()), pointer, value, mask);
  if (!scalar.is(ScalarKind::FP32) && !scalar.is(ScalarKind::FP64))
    writer.fail(operation.name + " does not go with elements of type " + scalar.str());
  bool wide = scalar.is(ScalarKind::FP64);
  Type bits = wide ? ScalarKind::Int64 : ScalarKind::Int32,
       unsignedBits = wide ? ScalarKind::UInt64 : ScalarKind::UInt32;
  Tensor asSigned = bitcastTo(writer, value, bits), asUnsigned = bitcastTo(writer, value, unsignedBits);
  Tensor signedPointer = castTo(writer, pointer, Type::pointer(bits));
  Tensor unsignedPointer = castTo(writer, pointer, Type::pointer(unsignedBits));
  // The sign bit, not a comparison with zero, tells -0.0 from 0.0.
  auto compareWithZero = [&](Comparison comparison) {
    Tensor zero = makeConstant(writer, BigInt(0), bits);
    return makeComparison(writer, comparison, asSigned, splat(writer, zero, asSigned.type.getShape()));
  };
  Tensor negative = compareWithZero(Comparison::Less);
  Tensor positive = compareWithZero(Comparison::GreaterEqual);
  Tensor ifPositive = makeRMW(writer, operation, op(isMax, true), signedPointer, asSigned,
                              makeBinary(writer, BinaryOperation::And, mask, positive));
  Tensor ifNegative = makeRMW(writer, operation, op(!isMax, false), unsignedPointer, asUnsigned,
                              makeBinary(writer, BinaryOperation::And, mask, negative));
  Tensor result{writer.create<mlir::arith::SelectOp>(positive.handle, ifPositive.handle, ifNegative.handle),
                asSigned.type};
  return bitcastTo(writer, result, scalar);
}

Tensor makeAtomic(OperationWriter &writer, const AtomicOperation &operation, const Tensor &pointer,
                  const Tensor &value, const std::optional<Tensor> &mask) {
  Operands operands = matchOperands(writer, operation, pointer, value, mask);
  const Type scalar = operands.value.type.getScalar();
  auto rmw = [&](tt::RMWOp op) {
    return makeRMW(writer, operation, op, operands.pointer, operands.value, operands.mask);
  };
  auto bitwise = [&](tt::RMWOp op) {
    if (!scalar.isInteger())
      writer.fail(operation.name + " takes integers, not " + scalar.str());
    return rmw(op);
  };
  switch (operation.kind) {
  case AtomicKind::Max:
  case AtomicKind::Min:
    return makeExtreme(writer, operation, operands);
  case AtomicKind::Add:
    return rmw(scalar.isFloat() ? tt::RMWOp::FADD : tt::RMWOp::ADD);
  case AtomicKind::And:
    return bitwise(tt::RMWOp::AND);
  case AtomicKind::Or:
    return bitwise(tt::RMWOp::OR);
  case AtomicKind::Xor:
    return bitwise(tt::RMWOp::XOR);
  case AtomicKind::Exchange:
  case AtomicKind::CompareAndSwap:
    break;
  }
  return rmw(tt::RMWOp::XCHG);
}

Tensor makeCompareAndSwap(OperationWriter &writer, const AtomicOperation &operation, const Tensor &pointer,
                          const Tensor &expected, const Tensor &value) {
  Operands operands = matchOperands(writer, operation, pointer, value, std::nullopt);
  Tensor compared = expected;
  if (pointer.type.isBlock())
    compared = broadcastTo(writer, compared, pointer.type.getShape());
  else if (compared.type.isBlock())
    writer.fail("what " + operation.name + " compares with must be a scalar, as the pointer is one");
  compared = castTo(writer, compared, operands.value.type.getScalar());
  return {writer.create<tt::AtomicCASOp>(operands.value.handle.getType(), operands.pointer.handle,
                                         compared.handle, operands.value.handle, operation.semantic,
                                         operation.scope),
          operands.value.type};
}

} // namespace nereid::semantics
