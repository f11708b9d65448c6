// Conversions by integer arithmetic, branch-free so that they vectorize. With e exponent and m fraction bits:
//
// widening shifts the magnitude to where float's exponent and fraction are and multiplies by 2^(127 - bias),
// which corrects the exponent and also normalizes subnormal numbers;
//
// narrowing adds half a unit in the last place (less one, plus the bit that decides ties) and shifts; what
// would be subnormal is added to a power of two whose unit in the last place is the format's smallest number,
// so that the floating-point adder rounds.
//
// A NaN becomes the one without a sign and with all bits of the fraction set, as on GPUs (lowering/gpu's
// Conversions.cpp). The processor's own instructions for f16 keep more of it, so explicit conversions correct
// that (ElementEmitter::convertFloat); arithmetic in f16 does not need it.
#include "compiler/lowering/cpu/FloatFormats.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

namespace {

struct Format {
  unsigned bits, fraction;
  int bias;
  /// Infinity's bits in an IEEE format; in the others, one more than the largest number.
  uint32_t limit;
  bool isIEEE, isUnsignedZero;
};

Format describe(NarrowFloat format) {
  switch (format) {
  case NarrowFloat::F16:
    return {16, 10, 15, 0x7C00, true, false};
  case NarrowFloat::BF16:
    return {16, 7, 127, 0x7F80, true, false};
  case NarrowFloat::E4M3FN:
    return {8, 3, 7, 0x7F, false, false};
  case NarrowFloat::E5M2:
    return {8, 2, 15, 0x7C, true, false};
  case NarrowFloat::E4M3FNUZ:
    return {8, 3, 8, 0x80, false, true};
  case NarrowFloat::E5M2FNUZ:
    return {8, 2, 16, 0x80, false, true};
  }
  llvm_unreachable("every format is listed");
}

/// The float 2^exponent.
APFloat powerOfTwo(int exponent) { return scalbn(APFloat(1.0f), exponent, APFloat::rmNearestTiesToEven); }

} // namespace

Type *FloatFormats::like(Value *value, Type *element) {
  if (auto *vector = dyn_cast<FixedVectorType>(value->getType()))
    return FixedVectorType::get(element, vector->getNumElements());
  return element;
}

Value *FloatFormats::widen(Value *bits, NarrowFloat kind) {
  Format format = describe(kind);
  Type *intType = like(bits, b.getInt32Ty()), *floatType = like(bits, b.getFloatTy());
  if (kind == NarrowFloat::F16 && target.hasHalfConversion)
    return b.CreateFPExt(b.CreateBitCast(bits, like(bits, b.getHalfTy())), floatType);
  auto constant = [&](uint32_t value) { return ConstantInt::get(intType, value); };

  Value *wide = b.CreateZExt(bits, intType);
  if (kind == NarrowFloat::BF16)
    return b.CreateBitCast(b.CreateShl(wide, 16), floatType);

  uint32_t signBit = 1u << (format.bits - 1);
  Value *sign = b.CreateShl(b.CreateAnd(wide, constant(signBit)), 32 - format.bits);
  Value *magnitude = b.CreateAnd(wide, constant(signBit - 1));
  Value *shifted = b.CreateBitCast(b.CreateShl(magnitude, 23 - format.fraction), floatType);
  Value *value = b.CreateFMul(shifted, ConstantFP::get(floatType, powerOfTwo(127 - format.bias)));
  Value *result = b.CreateBitCast(value, intType), *nan = constant(0x7FFFFFFF);
  if (format.isIEEE) {
    Value *isInfinite = b.CreateICmpEQ(magnitude, constant(format.limit));
    result = b.CreateOr(b.CreateSelect(isInfinite, constant(0x7F800000), result), sign);
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, constant(format.limit)), nan, result);
  } else if (format.isUnsignedZero) {
    // The bits of minus zero stand for NaN.
    result = b.CreateOr(result, sign);
    result = b.CreateSelect(b.CreateICmpEQ(wide, constant(signBit)), nan, result);
  } else {
    result = b.CreateOr(result, sign);
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, constant(format.limit)), nan, result);
  }
  return b.CreateBitCast(result, floatType);
}

Value *FloatFormats::narrow(Value *value, NarrowFloat kind, Rounding rounding) {
  Format format = describe(kind);
  Type *intType = like(value, b.getInt32Ty()), *floatType = like(value, b.getFloatTy());
  Type *bitsType = like(value, b.getIntNTy(format.bits));
  bool nearest = rounding == Rounding::NearestEven;
  if (kind == NarrowFloat::F16 && target.hasHalfConversion && nearest)
    return b.CreateBitCast(b.CreateFPTrunc(value, like(value, b.getHalfTy())), bitsType);
  auto constant = [&](uint32_t number) { return ConstantInt::get(intType, number); };

  Value *bits = b.CreateBitCast(value, intType);
  Value *magnitude = b.CreateAnd(bits, constant(0x7FFFFFFF));
  Value *isNaN = b.CreateICmpUGT(magnitude, constant(0x7F800000));
  unsigned dropped = 23 - format.fraction;

  auto roundNormal = [&](Value *from) {
    if (!nearest)
      return b.CreateLShr(from, dropped);
    Value *tie = b.CreateAnd(b.CreateLShr(from, dropped), constant(1));
    return b.CreateLShr(b.CreateAdd(from, b.CreateAdd(tie, constant((1u << (dropped - 1)) - 1))), dropped);
  };

  if (kind == NarrowFloat::BF16) {
    // Same exponents as float, so nothing but the fraction changes.
    return b.CreateTrunc(b.CreateSelect(isNaN, constant(0x7FFF), roundNormal(bits)), bitsType);
  }

  uint32_t smallestNormal = uint32_t(127 + 1 - format.bias) << 23;
  Value *normal =
      b.CreateSub(roundNormal(magnitude), constant(uint32_t(127 - format.bias) << format.fraction));
  Value *subnormal;
  Value *absolute = b.CreateBitCast(magnitude, floatType);
  if (nearest) {
    APFloat adder = powerOfTwo(24 - format.bias - int(format.fraction));
    Value *sum = b.CreateFAdd(absolute, ConstantFP::get(floatType, adder));
    subnormal = b.CreateSub(b.CreateBitCast(sum, intType), constant(adder.bitcastToAPInt().getZExtValue()));
  } else {
    // Numbers that are not subnormal would overflow the conversion; they are replaced by zero.
    Value *small = b.CreateSelect(b.CreateICmpULT(magnitude, constant(smallestNormal)), absolute,
                                  Constant::getNullValue(floatType));
    Value *scaled =
        b.CreateFMul(small, ConstantFP::get(floatType, powerOfTwo(format.bias - 1 + int(format.fraction))));
    subnormal = b.CreateFPToSI(scaled, intType);
  }
  Value *result = b.CreateSelect(b.CreateICmpULT(magnitude, constant(smallestNormal)), subnormal, normal);

  // Beyond the largest number. Rounding towards zero keeps infinity where the format has it.
  uint32_t largest = format.limit - 1;
  bool saturates = kind != NarrowFloat::F16;
  uint32_t overflow = saturates || !nearest ? largest : format.limit;
  Value *isOver = b.CreateICmpSGE(result, constant(format.limit));
  result = b.CreateSelect(isOver, constant(overflow), result);
  if (format.isIEEE && !nearest)
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, constant(0x7F800000)), constant(format.limit), result);

  uint32_t signBit = 1u << (format.bits - 1);
  Value *sign = b.CreateAnd(b.CreateLShr(bits, 32 - format.bits), constant(signBit));
  if (format.isUnsignedZero) {
    sign = b.CreateSelect(b.CreateICmpEQ(result, constant(0)), constant(0), sign);
    result = b.CreateSelect(isNaN, constant(signBit), b.CreateOr(result, sign));
  } else {
    result = b.CreateSelect(isNaN, constant(signBit - 1), b.CreateOr(result, sign));
  }
  return b.CreateTrunc(result, bitsType);
}

Value *FloatFormats::withCanonicalNaN(Value *value, Value *converted) {
  Type *type = converted->getType();
  unsigned bits = type->getScalarSizeInBits();
  Type *intType = like(value, b.getIntNTy(bits));
  Value *nan = ConstantInt::get(intType, APInt::getSignedMaxValue(bits));
  Value *isNaN = b.CreateFCmpUNO(value, value);
  return b.CreateBitCast(b.CreateSelect(isNaN, nan, b.CreateBitCast(converted, intType)), type);
}

Value *FloatFormats::roundToOdd(Value *value) {
  Type *floatType = like(value, b.getFloatTy()), *intType = like(value, b.getInt32Ty());
  Value *nearest = b.CreateFPTrunc(value, floatType);
  Value *back = b.CreateFPExt(nearest, value->getType());
  Value *bits = b.CreateBitCast(nearest, intType);
  Value *tooLarge = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                                    b.CreateUnaryIntrinsic(Intrinsic::fabs, value));
  Value *towardZero = b.CreateSub(bits, b.CreateZExt(tooLarge, intType));
  Value *odd = b.CreateOr(towardZero, ConstantInt::get(intType, 1));
  return b.CreateBitCast(b.CreateSelect(b.CreateFCmpONE(back, value), odd, bits), floatType);
}

} // namespace nereid::cpu
