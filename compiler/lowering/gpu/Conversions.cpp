// Conversions of one element from type to type: between integers, between floating-point types, across, and
// of bits.
//
// The floating-point types of 8 bits are integers here (LLVM has no such types), and are converted with
// integer arithmetic that is right on every target: widened to f16, bf16 or f32 by moving exponent and
// mantissa into place, and narrowed from f32 with round to nearest even, or toward zero, on the mantissa's
// bits. Where the hardware converts two at once, that is used instead.
//
// All targets agree bit for bit (docs/targets.md): too large a number becomes infinity in f16
// and bf16, and the largest number in the types of 8 bits, infinity too unless it is cut off toward zero; a
// NaN becomes the one whose fraction is all ones and whose sign is not set, which is what NVIDIA's
// instructions give. From bf16 to f32 the bits move as they are, a NaN's too.
#include "compiler/lowering/gpu/FloatFormats.h"
#include "compiler/lowering/gpu/IntegerPairs.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

using Operands = llvm::ArrayRef<llvm::Value *>;

static Type getResultElement(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()); }
static Type getOperandElement(Operation *op) { return getElementTypeOrSelf(op->getOperand(0).getType()); }

template <llvm::Instruction::CastOps opcode>
static llvm::Value *emitCast(Emitter &e, Operation *op, Operands x) {
  return e.b.CreateCast(opcode, x[0], e.convertType(op->getResult(0).getType()));
}

template <bool isSigned> static llvm::Value *emitIndexCast(Emitter &e, Operation *op, Operands x) {
  return e.b.CreateIntCast(x[0], e.convertType(op->getResult(0).getType()), isSigned);
}

//===- fp8 ---------------------------------------------------------------===//

namespace {
/// A small floating-point format: sign, exponent, mantissa, and what its largest codes mean.
struct SmallFloat {
  unsigned mantissaBits;
  int bias;
  /// Infinities and NaNs as in IEEE (e5m2); otherwise one NaN a sign (e4m3fn), or one in all: negative zero
  /// (fnuz).
  enum { IEEE, FiniteNaN, FiniteUnsignedZero } kind;
  /// The largest finite number, without its sign.
  unsigned largest;
};
} // namespace

static std::optional<SmallFloat> getSmallFloat(Type type) {
  if (isa<Float8E5M2Type>(type))
    return SmallFloat{2, 15, SmallFloat::IEEE, 0x7B};
  if (isa<Float8E4M3FNType>(type))
    return SmallFloat{3, 7, SmallFloat::FiniteNaN, 0x7E};
  if (isa<Float8E5M2FNUZType>(type))
    return SmallFloat{2, 16, SmallFloat::FiniteUnsignedZero, 0x7F};
  if (isa<Float8E4M3FNUZType>(type))
    return SmallFloat{3, 8, SmallFloat::FiniteUnsignedZero, 0x7F};
  return std::nullopt;
}

/// fp8 to f32: with exponent and mantissa at the top of f32's fields, the number is right but for a power of
/// two, also if it is subnormal; one exact multiplication puts that straight.
static llvm::Value *widenSmallFloat(Emitter &e, llvm::Value *bits, const SmallFloat &format) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *i32 = b.getInt32Ty(), *f32 = b.getFloatTy();
  llvm::Value *wide = b.CreateZExt(bits, i32);
  llvm::Value *magnitude = b.CreateAnd(wide, 0x7F);
  llvm::Value *sign = b.CreateShl(b.CreateAnd(wide, 0x80), 24);
  llvm::Value *number = b.CreateBitCast(b.CreateShl(magnitude, 23 - format.mantissaBits), f32);
  llvm::APFloat scale =
      llvm::scalbn(llvm::APFloat(1.0f), 127 - format.bias, llvm::APFloat::rmNearestTiesToEven);
  number = b.CreateFMul(number, llvm::ConstantFP::get(f32, scale));
  llvm::Value *result = b.CreateOr(b.CreateBitCast(number, i32), sign);
  llvm::Value *nan = b.getInt32(0x7FFFFFFF);
  switch (format.kind) {
  case SmallFloat::IEEE: {
    llvm::Value *special = b.getInt32(0x7F800000);
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32(0x7C)), b.CreateOr(special, sign), result);
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, b.getInt32(0x7C)), nan, result);
    break;
  }
  case SmallFloat::FiniteNaN:
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32(0x7F)), nan, result);
    break;
  case SmallFloat::FiniteUnsignedZero:
    result = b.CreateSelect(b.CreateICmpEQ(wide, b.getInt32(0x80)), nan, result);
    break;
  }
  return b.CreateBitCast(result, f32);
}

/// f32 to fp8. Normal numbers are rebiased and rounded as integers: adding half of what is cut off (less one,
/// plus the lowest bit kept) carries into the exponent where it must. For subnormal ones, adding a power of
/// two whose last mantissa bit is worth the smallest subnormal lets the addition itself round; toward zero,
/// that is a truncation.
static llvm::Value *narrowToSmallFloat(Emitter &e, llvm::Value *value, const SmallFloat &format,
                                       bool towardZero) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *i32 = b.getInt32Ty(), *f32 = b.getFloatTy();
  unsigned cut = 23 - format.mantissaBits;
  llvm::Value *bits = b.CreateBitCast(value, i32);
  llvm::Value *magnitude = b.CreateAnd(bits, 0x7FFFFFFF);
  llvm::Value *sign = b.CreateLShr(b.CreateAnd(bits, 0x80000000), 24);

  llvm::Value *rounded = magnitude;
  if (!towardZero) {
    llvm::Value *lowest = b.CreateAnd(b.CreateLShr(magnitude, cut), 1);
    rounded = b.CreateAdd(b.CreateAdd(magnitude, b.getInt32((1u << (cut - 1)) - 1)), lowest);
  }
  llvm::Value *normal =
      b.CreateSub(b.CreateLShr(rounded, cut), b.getInt32((127 - format.bias) << format.mantissaBits));

  // The smallest subnormal is 2^(1 - bias - mantissaBits).
  int smallest = 1 - format.bias - int(format.mantissaBits);
  llvm::Value *subnormal;
  if (towardZero) {
    llvm::APFloat scale = llvm::scalbn(llvm::APFloat(1.0f), -smallest, llvm::APFloat::rmNearestTiesToEven);
    llvm::Value *scaled = b.CreateFMul(b.CreateBitCast(magnitude, f32), llvm::ConstantFP::get(f32, scale));
    // Beyond the subnormal numbers this is not used, and must not overflow the conversion.
    scaled = b.CreateBinaryIntrinsic(llvm::Intrinsic::minnum, scaled, llvm::ConstantFP::get(f32, 256.0));
    subnormal = b.CreateFPToUI(scaled, i32);
  } else {
    llvm::APFloat magic =
        llvm::scalbn(llvm::APFloat(1.0f), smallest + 23, llvm::APFloat::rmNearestTiesToEven);
    llvm::Value *constant = llvm::ConstantFP::get(f32, magic);
    llvm::Value *sum = b.CreateFAdd(b.CreateBitCast(magnitude, f32), constant);
    subnormal = b.CreateSub(b.CreateBitCast(sum, i32), b.CreateBitCast(constant, i32));
  }
  uint32_t smallestNormal = uint32_t(127 + 1 - format.bias) << 23;
  llvm::Value *result =
      b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(smallestNormal)), subnormal, normal);

  // Too large numbers become the largest one. Of a huge one the shifted exponent may have wrapped around
  // below that.
  llvm::Value *isNaN = b.CreateICmpUGT(magnitude, b.getInt32(0x7F800000));
  llvm::Value *isHuge = b.CreateICmpUGE(magnitude, b.getInt32(uint32_t(127 + 17) << 23));
  llvm::Value *isTooLarge = b.CreateICmpUGT(result, b.getInt32(format.largest));
  result = b.CreateSelect(b.CreateOr(isHuge, isTooLarge), b.getInt32(format.largest), result);
  if (format.kind == SmallFloat::IEEE && towardZero)
    result = b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32(0x7F800000)), b.getInt32(0x7C), result);
  if (format.kind == SmallFloat::FiniteUnsignedZero) {
    sign = b.CreateSelect(b.CreateICmpEQ(result, b.getInt32(0)), b.getInt32(0), sign);
    result = b.CreateSelect(isNaN, b.getInt32(0x80), b.CreateOr(result, sign));
  } else {
    result = b.CreateSelect(isNaN, b.getInt32(0x7F), b.CreateOr(result, sign));
  }
  return b.CreateTrunc(result, b.getInt8Ty());
}

//===- Between floating-point types --------------------------------------===//

/// `converted`, or where `value` is not a number, the NaN of its type that stands for all. `converted` may be
/// anything there.
static llvm::Value *chooseCanonicalNaN(Emitter &e, llvm::Value *value, llvm::Value *converted) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *type = converted->getType();
  unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Type *integer = b.getIntNTy(bits);
  llvm::Value *nan = llvm::ConstantInt::get(integer, llvm::APInt::getSignedMaxValue(bits));
  llvm::Value *isNaN = b.CreateFCmpUNO(value, value);
  return b.CreateBitCast(b.CreateSelect(isNaN, nan, b.CreateBitCast(converted, integer)), type);
}

/// The same where `converted` is a NaN, too, if `value` is.
static llvm::Value *withCanonicalNaN(Emitter &e, llvm::Value *value, llvm::Value *converted) {
  llvm::IRBuilder<> &b = e.b;
  if (llvm::isKnownNeverNaN(value, llvm::SimplifyQuery(b.GetInsertBlock()->getDataLayout())))
    return converted;
  llvm::Value *canonical = e.target.canonicalizeNaN(b, converted);
  return canonical ? canonical : chooseCanonicalNaN(e, value, converted);
}

/// f32 to f16 or bf16 toward zero: cut the number down to the bits that fit, after which the conversion is
/// exact.
static llvm::Value *truncateTowardZero(Emitter &e, llvm::Value *value, llvm::Type *type) {
  llvm::IRBuilder<> &b = e.b;
  if (type->isBFloatTy()) {
    llvm::Value *bits = b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 16);
    // What is cut off may be all that made it a NaN.
    return chooseCanonicalNaN(e, value, b.CreateBitCast(b.CreateTrunc(bits, b.getInt16Ty()), type));
  }
  // Rounded to nearest, and a step back where that went away from zero.
  llvm::Value *nearest = b.CreateFPTrunc(value, type);
  llvm::Value *back = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b.CreateFPExt(nearest, value->getType()));
  llvm::Value *wentAway = b.CreateFCmpOGT(back, b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  llvm::Value *bits = b.CreateBitCast(nearest, b.getInt16Ty());
  bits = b.CreateSub(bits, b.CreateZExt(wentAway, b.getInt16Ty()));
  return withCanonicalNaN(e, value, b.CreateBitCast(bits, type));
}

/// f64 to f32 on the way to something narrower still: where that is not exact, to the neighbour whose last
/// bit is set, so that a second rounding gives what one would have given.
static llvm::Value *narrowToOdd(Emitter &e, llvm::Value *value) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *f64 = value->getType();
  auto magnitude = [&](llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
  llvm::Value *nearest = b.CreateFPTrunc(value, b.getFloatTy());
  llvm::Value *back = b.CreateFPExt(nearest, f64);
  llvm::Value *wentAway = b.CreateFCmpOGT(magnitude(back), magnitude(value));
  llvm::Value *isInexact = b.CreateFCmpONE(back, value);
  llvm::Value *bits = b.CreateBitCast(nearest, b.getInt32Ty());
  bits = b.CreateSub(bits, b.CreateZExt(wentAway, b.getInt32Ty()));
  bits = b.CreateOr(bits, b.CreateZExt(isInexact, b.getInt32Ty()));
  return b.CreateBitCast(bits, b.getFloatTy());
}

/// f16 to f32.
static llvm::Value *extendHalf(Emitter &e, llvm::Value *value) {
  llvm::Value *wide = e.b.CreateFPExt(value, e.b.getFloatTy());
  return e.target.givesCanonicalNaN(value->getType(), wide->getType()) ? wide
                                                                       : withCanonicalNaN(e, value, wide);
}

bool isSmallFloat(Type type) { return getSmallFloat(type).has_value(); }

/// Two numbers of 8 bits to f16, where the hardware widens such; null elsewhere.
static llvm::Value *widenTwo(Emitter &e, llvm::Value *bytes, Type from) {
  bool isE4M3 = isa<Float8E4M3FNType>(from);
  return isE4M3 || isa<Float8E5M2Type>(from) ? e.target.widenSmallFloatPair(e.b, bytes, isE4M3) : nullptr;
}

/// Two of f32 to 8 bits, rounded to nearest, in the same way.
static llvm::Value *narrowTwo(Emitter &e, llvm::Value *first, llvm::Value *second, Type to) {
  bool isE4M3 = isa<Float8E4M3FNType>(to);
  return isE4M3 || isa<Float8E5M2Type>(to) ? e.target.narrowToSmallFloatPair(e.b, first, second, isE4M3)
                                           : nullptr;
}

llvm::Value *convertFloat(Emitter &e, llvm::Value *value, Type from, Type to, bool towardZero) {
  llvm::IRBuilder<> &b = e.b;
  if (from == to)
    return value;
  if (std::optional<SmallFloat> format = getSmallFloat(from)) {
    // Alone, beside a zero.
    if (llvm::Value *pair = widenTwo(e, b.CreateZExt(value, b.getInt16Ty()), from))
      return convertFloat(e, b.CreateExtractElement(pair, uint64_t(0)), Float16Type::get(from.getContext()),
                          to, towardZero);
    llvm::Value *wide = widenSmallFloat(e, value, *format);
    return convertFloat(e, wide, Float32Type::get(from.getContext()), to, towardZero);
  }
  llvm::Type *f32 = b.getFloatTy();
  if (std::optional<SmallFloat> format = getSmallFloat(to)) {
    if (value->getType()->isDoubleTy())
      value = narrowToOdd(e, value);
    else if (value->getType() != f32)
      value = convertFloat(e, value, from, Float32Type::get(from.getContext()));
    llvm::Value *zero = llvm::ConstantFP::get(f32, 0);
    if (llvm::Value *bytes = towardZero ? nullptr : narrowTwo(e, value, zero, to))
      return b.CreateTrunc(bytes, b.getInt8Ty());
    return narrowToSmallFloat(e, value, *format, towardZero);
  }
  llvm::Type *type = e.convertType(to);
  unsigned toBits = to.getIntOrFloatBitWidth();
  if (value->getType()->isBFloatTy()) {
    llvm::Value *bits = b.CreateZExt(b.CreateBitCast(value, b.getInt16Ty()), b.getInt32Ty());
    value = b.CreateBitCast(b.CreateShl(bits, 16), f32);
  } else if (value->getType()->isHalfTy()) {
    value = extendHalf(e, value);
  }
  if (value->getType() == type)
    return value;
  if (type->isDoubleTy())
    return withCanonicalNaN(e, value, b.CreateFPExt(value, type));
  if (type == f32)
    return withCanonicalNaN(e, value, b.CreateFPTrunc(value, f32));
  if (towardZero && toBits == 16)
    return truncateTowardZero(e, value->getType() == f32 ? value : narrowToOdd(e, value), type);
  if (value->getType()->isDoubleTy()) {
    if (e.target.narrowsDoublesAtOnce(type))
      return withCanonicalNaN(e, value, b.CreateFPTrunc(value, type));
    // By way of f32 the hardware would round twice.
    value = narrowToOdd(e, value);
  }
  llvm::Value *narrow = type->isBFloatTy() ? e.target.truncateToBF16(b, value) : b.CreateFPTrunc(value, type);
  return e.target.givesCanonicalNaN(f32, type) ? narrow : withCanonicalNaN(e, value, narrow);
}

/// Two numbers of 8 bits at once, where the hardware widens them to f16, which holds them.
static bool widenPair(Emitter &e, Operation *op, Operands firsts, Operands seconds, Registers &results) {
  Type from = getOperandElement(op), to = getResultElement(op);
  if (!isSmallFloat(from) || !(to.isF16() || to.isBF16() || to.isF32()))
    return false;
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *bytes = b.CreateOr(b.CreateZExt(firsts[0], b.getInt16Ty()),
                                  b.CreateShl(b.CreateZExt(seconds[0], b.getInt16Ty()), 8));
  llvm::Value *pair = widenTwo(e, bytes, from);
  if (!pair)
    return false;
  auto split = [&](llvm::Value *vector, unsigned i) { return b.CreateExtractElement(vector, uint64_t(i)); };
  llvm::Value *first = split(pair, 0), *second = split(pair, 1);
  if (!to.isF16()) {
    first = extendHalf(e, first);
    second = extendHalf(e, second);
  }
  if (to.isBF16()) {
    llvm::Value *narrow = e.target.truncatePairToBF16(b, first, second);
    first = split(narrow, 0);
    second = split(narrow, 1);
  }
  results.push_back(first);
  results.push_back(second);
  return true;
}

/// Two numbers of up to 32 bits at once, where the hardware narrows f32 to 8 bits.
static bool narrowPair(Emitter &e, Operation *op, Operands firsts, Operands seconds, Registers &results) {
  Type from = getOperandElement(op), to = getResultElement(op);
  if (!isSmallFloat(to) || !(from.isF16() || from.isBF16() || from.isF32()) ||
      cast<tt::FpToFpOp>(op).getRounding() == tt::RoundingMode::RTZ)
    return false;
  llvm::IRBuilder<> &b = e.b;
  Type f32 = Float32Type::get(op->getContext());
  llvm::Value *first = convertFloat(e, firsts[0], from, f32),
              *second = convertFloat(e, seconds[0], from, f32);
  llvm::Value *bytes = narrowTwo(e, first, second, to);
  if (!bytes)
    return false;
  llvm::Value *pair = b.CreateBitCast(bytes, llvm::FixedVectorType::get(b.getInt8Ty(), 2));
  results.push_back(b.CreateExtractElement(pair, uint64_t(0)));
  results.push_back(b.CreateExtractElement(pair, uint64_t(1)));
  return true;
}

/// Two numbers at once, where one of the types has 8 bits.
static bool convertPair(Emitter &e, Operation *op, Operands firsts, Operands seconds, Registers &results) {
  return widenPair(e, op, firsts, seconds, results) || narrowPair(e, op, firsts, seconds, results);
}

/// The number of bf16 that a number of f32 has the value of, if it was widened from one, or is a constant
/// that bf16 holds; null for others.
static llvm::Value *getAsBF16(llvm::Value *wide) {
  using namespace llvm::PatternMatch;
  llvm::Value *narrow;
  if (match(wide, m_BitCast(m_Shl(m_ZExt(m_BitCast(m_Value(narrow))), m_SpecificInt(16)))) &&
      narrow->getType()->isBFloatTy())
    return narrow;
  auto *constant = llvm::dyn_cast<llvm::ConstantFP>(wide);
  if (!constant || constant->isNaN())
    return nullptr;
  llvm::APFloat value = constant->getValueAPF();
  bool losesInfo = true;
  value.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return losesInfo ? nullptr : llvm::ConstantFP::get(wide->getContext(), value);
}

/// A sum, difference or product of numbers of bf16 that is computed in f32 and then cut down to bf16, as
/// programs do that round where PyTorch would. f32 has more than twice the digits, so that rounding twice
/// gives what rounding once does: where the hardware computes with bf16, that is one instruction for two
/// elements in place of a multiplication and a conversion for each. Null for all else.
static llvm::Value *computeInBF16(Emitter &e, Operation *op, llvm::Value *wide) {
  Value source = op->getOperand(0);
  auto *computed = llvm::dyn_cast<llvm::BinaryOperator>(wide);
  if (!getResultElement(op).isBF16() || !getOperandElement(op).isF32() || !source.hasOneUse() ||
      !isa_and_nonnull<arith::MulFOp, arith::AddFOp, arith::SubFOp>(source.getDefiningOp()) || !computed)
    return nullptr;
  llvm::Value *left = getAsBF16(computed->getOperand(0)), *right = getAsBF16(computed->getOperand(1));
  return left && right ? e.target.computeInBF16(e.b, computed->getOpcode(), left, right) : nullptr;
}

static llvm::Value *emitFloatCast(Emitter &e, Operation *op, Operands x) {
  if (llvm::Value *narrow = computeInBF16(e, op, x[0]))
    return narrow;
  return convertFloat(e, x[0], getOperandElement(op), getResultElement(op), /*towardZero=*/false);
}

static llvm::Value *emitFpToFp(Emitter &e, Operation *op, Operands x) {
  bool towardZero = cast<tt::FpToFpOp>(op).getRounding() == tt::RoundingMode::RTZ;
  return convertFloat(e, x[0], getOperandElement(op), getResultElement(op), towardZero);
}

/// Beyond the integer's range the result is whatever the hardware gives. An i1 tells whether the number is
/// not zero.
template <bool isSigned> static llvm::Value *emitFloatToInt(Emitter &e, Operation *op, Operands x) {
  llvm::Type *type = e.convertType(op->getResult(0).getType());
  llvm::Value *value = convertFloat(e, x[0], getOperandElement(op),
                                    getSmallFloat(getOperandElement(op)) ? Float32Type::get(op->getContext())
                                                                         : getOperandElement(op),
                                    false);
  if (type->getIntegerBitWidth() == 1)
    return e.b.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
  return isSigned ? e.b.CreateFPToSI(value, type) : e.b.CreateFPToUI(value, type);
}

/// An integer that some float type holds exactly and that rounds to a type of 16 bits or fewer as `value`
/// does: of a large number, what lies below the bits that decide becomes one bit that says whether it was
/// zero.
///
///     i32: 0x12345678  ->  0x12345700     24 bits, which f32 holds
static llvm::Value *keepDecidingBits(Emitter &e, llvm::Value *value, bool isSigned) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *type = value->getType();
  unsigned bits = type->getIntegerBitWidth(), precision = bits == 64 ? 53 : 24;
  llvm::Value *low = llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(bits, bits - precision + 1));
  llvm::Value *sticky = llvm::ConstantInt::get(type, llvm::APInt::getOneBitSet(bits, bits - precision));
  llvm::Value *hasLow = b.CreateIsNotNull(b.CreateAnd(value, low));
  llvm::Value *kept = b.CreateAnd(value, b.CreateNot(low));
  kept = b.CreateOr(kept, b.CreateSelect(hasLow, sticky, llvm::Constant::getNullValue(type)));
  llvm::Value *magnitude = value;
  if (isSigned)
    magnitude = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse());
  llvm::Value *isLarge =
      b.CreateICmpUGT(magnitude, llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(bits, precision)));
  return b.CreateSelect(isLarge, kept, value);
}

template <bool isSigned> static llvm::Value *emitIntToFloat(Emitter &e, Operation *op, Operands x) {
  Type to = getResultElement(op);
  if (to.isBF16() && x[0]->getType()->getIntegerBitWidth() >= 32) {
    // Some targets go by way of f32, and so would round twice.
    llvm::Value *integer = keepDecidingBits(e, x[0], isSigned);
    bool isLong = integer->getType()->isIntegerTy(64);
    llvm::Type *wide = isLong ? e.b.getDoubleTy() : e.b.getFloatTy();
    llvm::Value *exact = isSigned ? e.b.CreateSIToFP(integer, wide) : e.b.CreateUIToFP(integer, wide);
    Type from = isLong ? Type(Float64Type::get(op->getContext())) : Float32Type::get(op->getContext());
    return convertFloat(e, exact, from, to);
  }
  llvm::Type *type = getSmallFloat(to) ? e.b.getFloatTy() : e.convertType(to);
  llvm::Value *value = isSigned ? e.b.CreateSIToFP(x[0], type) : e.b.CreateUIToFP(x[0], type);
  return getSmallFloat(to) ? convertFloat(e, value, Float32Type::get(op->getContext()), to, false) : value;
}

template <bool isSigned>
static bool convertIntegers(Emitter &e, Operation *op, Operands firsts, Operands seconds,
                            Registers &results) {
  return convertIntegerPair(e, firsts[0], seconds[0], isSigned, getResultElement(op), results);
}

static llvm::Value *emitBitcast(Emitter &e, Operation *op, Operands x) {
  llvm::Type *type = e.convertType(op->getResult(0).getType());
  if (x[0]->getType() == type)
    return x[0];
  if (type->isPointerTy() && x[0]->getType()->isPointerTy())
    return e.b.CreateAddrSpaceCast(x[0], type);
  return e.b.CreateBitOrPointerCast(x[0], type);
}

/// What the parts before leave of the factor, rounded to a part's type; the second, last one in tf32 as it
/// is. Parts of one factor begin alike, which LLVM sees.
static llvm::Value *emitFactorPart(Emitter &e, Operation *op, Operands x) {
  llvm::IRBuilder<> &b = e.b;
  Type f32 = getOperandElement(op), element = getResultElement(op);
  int32_t part = cast<ttg::FactorPartOp>(op).getPart();
  if (element.isF32()) {
    llvm::Value *rounded = e.target.roundToTF32(b, x[0]);
    return part == 0 ? rounded : b.CreateFSub(x[0], rounded);
  }
  for (llvm::Value *rest = x[0];; --part) {
    llvm::Value *rounded = convertFloat(e, rest, f32, element);
    if (part == 0)
      return rounded;
    rest = b.CreateFSub(rest, convertFloat(e, rounded, element, f32));
  }
}

void addConversionEmitters(EmitterTable &table) {
  using llvm::Instruction;
  table.addElementwise<arith::ExtSIOp>(emitCast<Instruction::SExt>);
  table.addElementwise<arith::ExtUIOp>(emitCast<Instruction::ZExt>);
  table.addElementwise<arith::TruncIOp>(emitCast<Instruction::Trunc>);
  table.addElementwise<arith::IndexCastOp>(emitIndexCast<true>);
  table.addElementwise<arith::IndexCastUIOp>(emitIndexCast<false>);
  table.addElementwise<arith::ExtFOp>(emitFloatCast);
  table.addElementwise<arith::TruncFOp>(emitFloatCast);
  table.addElementwise<tt::FpToFpOp>(emitFpToFp);
  table.addPairwise<tt::FpToFpOp>(convertPair);
  table.addElementwise<arith::FPToSIOp>(emitFloatToInt<true>);
  table.addElementwise<arith::FPToUIOp>(emitFloatToInt<false>);
  table.addElementwise<arith::SIToFPOp>(emitIntToFloat<true>);
  table.addElementwise<arith::UIToFPOp>(emitIntToFloat<false>);
  table.addPairwise<arith::SIToFPOp>(convertIntegers<true>);
  table.addPairwise<arith::UIToFPOp>(convertIntegers<false>);
  table.addElementwise<ttg::FactorPartOp>(emitFactorPart);
  table.addElementwise<arith::BitcastOp>(emitBitcast);
  table.addElementwise<tt::BitcastOp>(emitBitcast);
  table.addElementwise<tt::IntToPtrOp>(emitCast<Instruction::IntToPtr>);
  table.addElementwise<tt::PtrToIntOp>(emitCast<Instruction::PtrToInt>);
}

} // namespace nereid::gpu
