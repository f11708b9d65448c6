// Which operation converts which pair of types. Half-precision floats go through float32 to everything but
// float32, which is also the rounding that double rounding gives on the hardware; fp8 formats have an
// operation of their own.
#include "compiler/frontends/semantics/Casting.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/semantics/Broadcasting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace mlir;

namespace nereid::semantics {

Tensor castToBool(OperationWriter &writer, const Tensor &tensor) {
  if (tensor.type.getScalar().isBool())
    return tensor;
  if (tensor.type.getScalar().isPointer())
    return castTo(writer, castTo(writer, tensor, ScalarKind::Int64), ScalarKind::Int1);
  if (tensor.type.getScalar().is(ScalarKind::FP8E4B15))
    writer.fail("there is no arithmetic on " + tensor.type.getScalar().str() +
                "; convert it first: x.to(tl.float16)");
  Tensor zero = makeConstant(writer, BigInt(0), tensor.type.getScalar());
  return makeComparison(writer, Comparison::NotEqual, tensor, splat(writer, zero, tensor.type.getShape()));
}

/// fp8e4b15 is float16 with one bit of exponent and seven of mantissa less, without infinities and NaN: its
/// bits are those of a float16 between -2 and 2, moved.
static Tensor castFromE4B15(OperationWriter &writer, const Tensor &tensor) {
  Tensor bits =
      castTo(writer, {tensor.handle, tensor.type.withElement(ScalarKind::UInt8)}, ScalarKind::UInt16);
  using Op = BinaryOperation;
  auto sign = makeBinary(writer, Op::ShiftLeft, makeBinary(writer, Op::And, bits, 0x80), 8);
  auto rest = makeBinary(writer, Op::ShiftLeft, makeBinary(writer, Op::And, bits, 0x7f), 7);
  return bitcastTo(writer, makeBinary(writer, Op::Or, sign, rest), ScalarKind::FP16);
}

/// Saturates at 1.75 and rounds ties away from zero, as Triton does.
static Tensor castToE4B15(OperationWriter &writer, const Tensor &tensor) {
  Tensor bits = bitcastTo(writer, tensor, ScalarKind::UInt16);
  using Op = BinaryOperation;
  Tensor absolute = makeBinary(writer, Op::And, bits, 0x7fff);
  Tensor largest = makeConstant(writer, BigInt(0x3f00), ScalarKind::UInt16);
  largest = splat(writer, largest, bits.type.getShape());
  Tensor magnitude = makeMinMax(writer, /*isMax=*/false, absolute, largest, false);
  Tensor rounded = makeBinary(writer, Op::ShiftRight, makeBinary(writer, Op::Add, magnitude, 0x40), 7);
  Tensor sign = makeBinary(writer, Op::ShiftRight, makeBinary(writer, Op::And, bits, 0x8000), 8);
  Tensor byte = castTo(writer, makeBinary(writer, Op::Or, sign, rounded), ScalarKind::UInt8);
  return {byte.handle, byte.type.withElement(ScalarKind::FP8E4B15)};
}

static Tensor castFloats(OperationWriter &writer, const Tensor &tensor, const Type &from, const Type &to,
                         const Type &result, llvm::StringRef rounding) {
  mlir::Type type = toMLIR(result, writer.getMLIRContext());
  bool narrows = to.getBits() < from.getBits();
  if (!rounding.empty() && !narrows)
    writer.fail("fp_downcast_rounding only goes with a conversion to a narrower float, not from " +
                from.str() + " to " + to.str());
  if (!rounding.empty() && rounding != "rtne" && rounding != "rtz")
    writer.fail("unknown rounding mode '" + rounding + "'; there are 'rtne' and 'rtz'");
  if (from.isFP8() || to.isFP8() || rounding == "rtz") {
    tt::RoundingModeAttr mode;
    if (narrows)
      mode = tt::RoundingModeAttr::get(writer.getMLIRContext(),
                                       rounding == "rtz" ? tt::RoundingMode::RTZ : tt::RoundingMode::RTNE);
    return {writer.create<tt::FpToFpOp>(type, tensor.handle, mode), result};
  }
  if (narrows)
    return {writer.create<arith::TruncFOp>(type, tensor.handle), result};
  return {writer.create<arith::ExtFOp>(type, tensor.handle), result};
}

Tensor castTo(OperationWriter &writer, const Tensor &tensor, const Type &target, llvm::StringRef rounding) {
  const Type &from = tensor.type.getScalar(), &to = target.getScalar();
  if (from == to)
    return tensor;
  Type result = tensor.type.withElement(to);
  mlir::Type type = toMLIR(result, writer.getMLIRContext());
  if ((!to.isScalarNumber() && !to.isPointer()) || from.isBlockPointer() || to.isBlockPointer())
    writer.fail("cannot convert " + tensor.type.str() + " to " + target.str());

  bool isFloatNarrowing = from.isFloat() && to.isFloat();
  if (!rounding.empty() && !isFloatNarrowing)
    writer.fail("fp_downcast_rounding only goes with a conversion to a narrower float, not from " +
                from.str() + " to " + to.str());
  bool usesFP8 = from.isFP8() || to.isFP8();
  bool isHalf = from.is(ScalarKind::FP16) || from.is(ScalarKind::BF16);
  if (isHalf && !to.is(ScalarKind::FP32) && !(to.isFloat() && (usesFP8 || rounding == "rtz")))
    return castTo(writer, castTo(writer, tensor, ScalarKind::FP32), to);
  if (from.isFP8() && to.isInteger())
    return castTo(writer, castTo(writer, tensor, ScalarKind::FP32), to);
  if (from.isInteger() && to.isFP8())
    return castTo(writer, castTo(writer, tensor, ScalarKind::FP32), to);

  if (from.is(ScalarKind::FP8E4B15))
    return castTo(writer, castFromE4B15(writer, tensor), to);
  if (to.is(ScalarKind::FP8E4B15)) {
    if (from.is(ScalarKind::FP16))
      return castToE4B15(writer, tensor);
    Tensor single = castTo(writer, tensor, ScalarKind::FP32);
    return castToE4B15(writer, castTo(writer, single, ScalarKind::FP16, "rtz"));
  }
  if (from.isFloat() && to.isFloat())
    return castFloats(writer, tensor, from, to, result, rounding);
  if (to.isBool() && !from.isPointer())
    return castToBool(writer, tensor);
  if (from.isInteger() && to.isInteger()) {
    if (from.getBits() == to.getBits())
      return {tensor.handle, result};
    if (from.getBits() > to.getBits())
      return {writer.create<arith::TruncIOp>(type, tensor.handle), result};
    if (from.isSignedInteger())
      return {writer.create<arith::ExtSIOp>(type, tensor.handle), result};
    return {writer.create<arith::ExtUIOp>(type, tensor.handle), result};
  }
  if (from.isFloat() && to.isInteger()) {
    if (to.isSignedInteger())
      return {writer.create<arith::FPToSIOp>(type, tensor.handle), result};
    return {writer.create<arith::FPToUIOp>(type, tensor.handle), result};
  }
  if (from.isInteger() && to.isFloat()) {
    if (from.isSignedInteger())
      return {writer.create<arith::SIToFPOp>(type, tensor.handle), result};
    return {writer.create<arith::UIToFPOp>(type, tensor.handle), result};
  }
  if (from.isPointer() && to.isInteger()) {
    if (to.getBits() == 64)
      return {writer.create<tt::PtrToIntOp>(type, tensor.handle), result};
    if (to.isBool())
      return castToBool(writer, castTo(writer, tensor, ScalarKind::Int64));
  }
  if (from.isInteger() && to.isPointer()) {
    Tensor wide = castTo(writer, tensor, ScalarKind::Int64);
    return {writer.create<tt::IntToPtrOp>(type, wide.handle), result};
  }
  if (from.isPointer() && to.isPointer())
    return {writer.create<tt::BitcastOp>(type, tensor.handle), result};
  writer.fail("cannot convert " + from.str() + " to " + to.str());
}

Tensor bitcastTo(OperationWriter &writer, const Tensor &tensor, const Type &target) {
  const Type &from = tensor.type.getScalar(), &to = target.getScalar();
  if (from == to)
    return tensor;
  if (from.isPointer() || to.isPointer())
    return castTo(writer, tensor, to);
  if (!to.isScalarNumber() || !from.isScalarNumber())
    writer.fail("cannot take the bits of " + from.str() + " as " + to.str());
  if (from.getBits() != to.getBits())
    writer.fail("cannot take the bits of " + from.str() + " as " + to.str() + ": they have " +
                Twine(from.getBits()) + " and " + Twine(to.getBits()) + " bits");
  Type result = tensor.type.withElement(to);
  mlir::Type type = toMLIR(result, writer.getMLIRContext());
  if (type == tensor.handle.getType())
    return {tensor.handle, result};
  return {writer.create<tt::BitcastOp>(type, tensor.handle), result};
}

} // namespace nereid::semantics
