// Which operation converts which pair of types. Half-precision floats go through float32 to everything but
// float32, which is also the rounding that double rounding gives on the hardware; fp8 formats have an
// operation of their own.
#include "compiler/frontends/python/emission/Casting.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/emission/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

Tensor castToBool(EmissionContext &context, const Tensor &tensor) {
  if (tensor.type.getScalar().isBool())
    return tensor;
  if (tensor.type.getScalar().isPointer())
    return castTo(context, castTo(context, tensor, ScalarKind::Int64), ScalarKind::Int1);
  Value zero = tensor.type.getScalar().isFloat() ? Value(0.0) : Value(0);
  return emitComparison(context, Comparison::NotEqual, tensor, zero);
}

/// fp8e4b15 is float16 with one bit of exponent and seven of mantissa less, without infinities and NaN: its
/// bits are those of a float16 between -2 and 2, moved.
static Tensor castFromE4B15(EmissionContext &context, const Tensor &tensor) {
  Tensor bits =
      castTo(context, {tensor.handle, tensor.type.withElement(ScalarKind::UInt8)}, ScalarKind::UInt16);
  Tensor sign = emitBinary(context, ast::Operator::LShift,
                           emitBinary(context, ast::Operator::BitAnd, bits, Value(0x80)), Value(8));
  Tensor rest = emitBinary(context, ast::Operator::LShift,
                           emitBinary(context, ast::Operator::BitAnd, bits, Value(0x7f)), Value(7));
  return bitcastTo(context, emitBinary(context, ast::Operator::BitOr, sign, rest), ScalarKind::FP16);
}

/// Saturates at 1.75 and rounds ties away from zero, as Triton does.
static Tensor castToE4B15(EmissionContext &context, const Tensor &tensor) {
  Tensor bits = bitcastTo(context, tensor, ScalarKind::UInt16);
  Tensor magnitude =
      emitMinMax(context, /*isMax=*/false, emitBinary(context, ast::Operator::BitAnd, bits, Value(0x7fff)),
                 emitNumber(context, Value(0x3f00), ScalarKind::UInt16), false);
  Tensor rounded = emitBinary(context, ast::Operator::RShift,
                              emitBinary(context, ast::Operator::Add, magnitude, Value(0x40)), Value(7));
  Tensor sign = emitBinary(context, ast::Operator::RShift,
                           emitBinary(context, ast::Operator::BitAnd, bits, Value(0x8000)), Value(8));
  Tensor byte = castTo(context, emitBinary(context, ast::Operator::BitOr, sign, rounded), ScalarKind::UInt8);
  return {byte.handle, byte.type.withElement(ScalarKind::FP8E4B15)};
}

static Tensor castFloats(EmissionContext &context, const Tensor &tensor, const Type &from, const Type &to,
                         const Type &result, llvm::StringRef rounding) {
  mlir::Type type = toMLIR(result, context.getMLIRContext());
  bool narrows = to.getBits() < from.getBits();
  if (!rounding.empty() && !narrows)
    context.fail("fp_downcast_rounding only goes with a conversion to a narrower float, not from " +
                 from.str() + " to " + to.str());
  if (!rounding.empty() && rounding != "rtne" && rounding != "rtz")
    context.fail("unknown rounding mode '" + rounding + "'; there are 'rtne' and 'rtz'");
  if (from.isFP8() || to.isFP8() || rounding == "rtz") {
    tt::RoundingModeAttr mode;
    if (narrows)
      mode = tt::RoundingModeAttr::get(context.getMLIRContext(),
                                       rounding == "rtz" ? tt::RoundingMode::RTZ : tt::RoundingMode::RTNE);
    return {context.create<tt::FpToFpOp>(type, tensor.handle, mode), result};
  }
  if (narrows)
    return {context.create<arith::TruncFOp>(type, tensor.handle), result};
  return {context.create<arith::ExtFOp>(type, tensor.handle), result};
}

Tensor castTo(EmissionContext &context, const Tensor &tensor, const Type &target, llvm::StringRef rounding) {
  const Type &from = tensor.type.getScalar(), &to = target.getScalar();
  if (from == to)
    return tensor;
  Type result = tensor.type.withElement(to);
  mlir::Type type = toMLIR(result, context.getMLIRContext());
  if ((!to.isScalarNumber() && !to.isPointer()) || from.isBlockPointer() || to.isBlockPointer())
    context.fail("cannot convert " + tensor.type.str() + " to " + target.str());

  bool isFloatNarrowing = from.isFloat() && to.isFloat();
  if (!rounding.empty() && !isFloatNarrowing)
    context.fail("fp_downcast_rounding only goes with a conversion to a narrower float, not from " +
                 from.str() + " to " + to.str());
  bool usesFP8 = from.isFP8() || to.isFP8();
  bool isHalf = from.is(ScalarKind::FP16) || from.is(ScalarKind::BF16);
  if (isHalf && !to.is(ScalarKind::FP32) && !(to.isFloat() && (usesFP8 || rounding == "rtz")))
    return castTo(context, castTo(context, tensor, ScalarKind::FP32), to);
  if (from.isFP8() && to.isInteger())
    return castTo(context, castTo(context, tensor, ScalarKind::FP32), to);
  if (from.isInteger() && to.isFP8())
    return castTo(context, castTo(context, tensor, ScalarKind::FP32), to);

  if (from.is(ScalarKind::FP8E4B15))
    return castTo(context, castFromE4B15(context, tensor), to);
  if (to.is(ScalarKind::FP8E4B15)) {
    if (from.is(ScalarKind::FP16))
      return castToE4B15(context, tensor);
    Tensor single = castTo(context, tensor, ScalarKind::FP32);
    return castToE4B15(context, castTo(context, single, ScalarKind::FP16, "rtz"));
  }
  if (from.isFloat() && to.isFloat())
    return castFloats(context, tensor, from, to, result, rounding);
  if (to.isBool() && !from.isPointer())
    return castToBool(context, tensor);
  if (from.isInteger() && to.isInteger()) {
    if (from.getBits() == to.getBits())
      return {tensor.handle, result};
    if (from.getBits() > to.getBits())
      return {context.create<arith::TruncIOp>(type, tensor.handle), result};
    if (from.isSignedInteger())
      return {context.create<arith::ExtSIOp>(type, tensor.handle), result};
    return {context.create<arith::ExtUIOp>(type, tensor.handle), result};
  }
  if (from.isFloat() && to.isInteger()) {
    if (to.isSignedInteger())
      return {context.create<arith::FPToSIOp>(type, tensor.handle), result};
    return {context.create<arith::FPToUIOp>(type, tensor.handle), result};
  }
  if (from.isInteger() && to.isFloat()) {
    if (from.isSignedInteger())
      return {context.create<arith::SIToFPOp>(type, tensor.handle), result};
    return {context.create<arith::UIToFPOp>(type, tensor.handle), result};
  }
  if (from.isPointer() && to.isInteger()) {
    if (to.getBits() == 64)
      return {context.create<tt::PtrToIntOp>(type, tensor.handle), result};
    if (to.isBool())
      return castToBool(context, castTo(context, tensor, ScalarKind::Int64));
  }
  if (from.isInteger() && to.isPointer()) {
    Tensor wide = castTo(context, tensor, ScalarKind::Int64);
    return {context.create<tt::IntToPtrOp>(type, wide.handle), result};
  }
  if (from.isPointer() && to.isPointer())
    return {context.create<tt::BitcastOp>(type, tensor.handle), result};
  context.fail("cannot convert " + from.str() + " to " + to.str());
}

Tensor bitcastTo(EmissionContext &context, const Tensor &tensor, const Type &target) {
  const Type &from = tensor.type.getScalar(), &to = target.getScalar();
  if (from == to)
    return tensor;
  if (from.isPointer() || to.isPointer())
    return castTo(context, tensor, to);
  if (!to.isScalarNumber() || !from.isScalarNumber())
    context.fail("cannot take the bits of " + from.str() + " as " + to.str());
  if (from.getBits() != to.getBits())
    context.fail("cannot take the bits of " + from.str() + " as " + to.str() + ": they have " +
                 Twine(from.getBits()) + " and " + Twine(to.getBits()) + " bits");
  Type result = tensor.type.withElement(to);
  mlir::Type type = toMLIR(result, context.getMLIRContext());
  if (type == tensor.handle.getType())
    return {tensor.handle, result};
  return {context.create<tt::BitcastOp>(type, tensor.handle), result};
}

} // namespace nereid::python
