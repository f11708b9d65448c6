// One function an operator family.
#include "compiler/frontends/semantics/Arithmetic.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::semantics {

static Tensor makeFloatConstant(OperationWriter &writer, double number, FloatType floatType,
                                const Type &type) {
  APFloat value(number);
  bool losesInfo;
  value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  // A constant has no place in the source: equal ones are merged and move to the function's start.
  return {arith::ConstantOp::create(writer.builder, writer.builder.getUnknownLoc(),
                                    FloatAttr::get(floatType, value)),
          type};
}

static Tensor makeIntegerConstant(OperationWriter &writer, BigInt value, const Type &type) {
  auto integerType = dyn_cast<mlir::IntegerType>(toMLIR(type, writer.getMLIRContext()));
  if (!integerType)
    writer.fail("a constant cannot have the type " + type.str());
  APInt bits(integerType.getWidth(), static_cast<uint64_t>(value), /*isSigned=*/false,
             /*implicitTrunc=*/true);
  return {arith::ConstantOp::create(writer.builder, writer.builder.getUnknownLoc(),
                                    mlir::IntegerAttr::get(integerType, bits)),
          type};
}

Tensor makeConstant(OperationWriter &writer, BigInt value, const Type &type) {
  if (auto floatType = dyn_cast<FloatType>(toMLIR(type, writer.getMLIRContext())))
    return makeFloatConstant(writer, static_cast<double>(value), floatType, type);
  return makeIntegerConstant(writer, type.isBool() ? BigInt(value != 0) : value, type);
}

Tensor makeConstant(OperationWriter &writer, double value, const Type &type) {
  if (auto floatType = dyn_cast<FloatType>(toMLIR(type, writer.getMLIRContext())))
    return makeFloatConstant(writer, value, floatType, type);
  return makeIntegerConstant(writer, type.isBool() ? BigInt(value != 0) : static_cast<BigInt>(value), type);
}

Tensor makeBinary(OperationWriter &writer, BinaryOperation operation, const Tensor &a, const Tensor &b) {
  const Type &type = a.type.getScalar();
  bool isFloat = type.isFloat(), isSigned = type.isSignedInteger();
  auto make = [&](auto op) -> Tensor {
    return {writer.create<typename decltype(op)::type>(a.handle, b.handle), a.type};
  };
#define OPERATION(name) make(std::common_type<arith::name>())
  switch (operation) {
  case BinaryOperation::Add:
    return isFloat ? OPERATION(AddFOp) : OPERATION(AddIOp);
  case BinaryOperation::Subtract:
    return isFloat ? OPERATION(SubFOp) : OPERATION(SubIOp);
  case BinaryOperation::Multiply:
    return isFloat ? OPERATION(MulFOp) : OPERATION(MulIOp);
  case BinaryOperation::Divide:
    return isFloat ? OPERATION(DivFOp) : isSigned ? OPERATION(DivSIOp) : OPERATION(DivUIOp);
  case BinaryOperation::Remainder:
    return isFloat ? OPERATION(RemFOp) : isSigned ? OPERATION(RemSIOp) : OPERATION(RemUIOp);
  case BinaryOperation::And:
    return OPERATION(AndIOp);
  case BinaryOperation::Or:
    return OPERATION(OrIOp);
  case BinaryOperation::Xor:
    return OPERATION(XOrIOp);
  case BinaryOperation::ShiftLeft:
    return OPERATION(ShLIOp);
  case BinaryOperation::ShiftRight:
    return isSigned ? OPERATION(ShRSIOp) : OPERATION(ShRUIOp);
  }
#undef OPERATION
  llvm_unreachable("an unknown operation");
}

Tensor makeBinary(OperationWriter &writer, BinaryOperation operation, const Tensor &a, BigInt b) {
  Tensor constant = makeConstant(writer, b, a.type.getScalar());
  return makeBinary(writer, operation, a, splat(writer, constant, a.type.getShape()));
}

Tensor movePointer(OperationWriter &writer, const Tensor &pointer, Tensor offset) {
  // tt.addptr takes the offset as signed, so an unsigned one must grow first.
  if (offset.type.getScalar().isUnsignedInteger() && offset.type.getScalar().getBits() < 64)
    offset = castTo(writer, offset, ScalarKind::Int64);
  return {writer.create<tt::AddPtrOp>(pointer.handle.getType(), pointer.handle, offset.handle), pointer.type};
}

Tensor makeComparison(OperationWriter &writer, Comparison comparison, const Tensor &a, const Tensor &b) {
  Type result = a.type.withElement(ScalarKind::Int1);
  const Type &type = a.type.getScalar();
  if (type.isFloat()) {
    using P = arith::CmpFPredicate;
    static const P predicates[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return {writer.create<arith::CmpFOp>(predicates[static_cast<int>(comparison)], a.handle, b.handle),
            result};
  }
  using P = arith::CmpIPredicate;
  static const P signedPredicates[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static const P unsignedPredicates[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  P predicate =
      (type.isSignedInteger() ? signedPredicates : unsignedPredicates)[static_cast<int>(comparison)];
  return {writer.create<arith::CmpIOp>(predicate, a.handle, b.handle), result};
}

Tensor makeMinMax(OperationWriter &writer, bool isMax, const Tensor &a, const Tensor &b, bool propagateNaN) {
  const Type &type = a.type.getScalar();
  if (type.isFloat()) {
    if (propagateNaN && isMax)
      return {writer.create<arith::MaximumFOp>(a.handle, b.handle), a.type};
    if (propagateNaN)
      return {writer.create<arith::MinimumFOp>(a.handle, b.handle), a.type};
    if (isMax)
      return {writer.create<arith::MaxNumFOp>(a.handle, b.handle), a.type};
    return {writer.create<arith::MinNumFOp>(a.handle, b.handle), a.type};
  }
  if (type.isSignedInteger()) {
    if (isMax)
      return {writer.create<arith::MaxSIOp>(a.handle, b.handle), a.type};
    return {writer.create<arith::MinSIOp>(a.handle, b.handle), a.type};
  }
  if (isMax)
    return {writer.create<arith::MaxUIOp>(a.handle, b.handle), a.type};
  return {writer.create<arith::MinUIOp>(a.handle, b.handle), a.type};
}

} // namespace nereid::semantics
