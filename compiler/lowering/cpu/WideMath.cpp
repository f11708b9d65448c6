// Three series carry everything here: of the logarithm, of the exponential and of the arc tangent.
#include "compiler/lowering/cpu/WideMath.h"

#include "llvm/IR/Constants.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::cpu {

static constexpr double pi = 3.14159265358979323846;
static constexpr double ln2 = 0.69314718055994530942;
static constexpr double infinity = std::numeric_limits<double>::infinity();

Value *WideMath::real(double value) { return ConstantFP::get(type, value); }

/// Coefficients from the constant term up.
Value *WideMath::polynomial(Value *x, ArrayRef<double> coefficients) {
  Value *result = real(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = math.multiplyAdd(result, x, real(coefficient));
  return result;
}

/// Of numbers that were floats, none of which is subnormal in double, or infinity. x = m 2^e with m around 1,
/// and ln m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172: 2^-44
Value *WideMath::log2(Value *x) {
  Type *intType = type->getWithNewType(b.getInt64Ty());
  auto integer = [&](uint64_t value) { return ConstantInt::get(intType, value); };
  uint64_t sqrtHalf = 0x3FE6A09E667F3BCD;
  Value *shifted = b.CreateSub(b.CreateBitCast(x, intType), integer(sqrtHalf));
  Value *m =
      b.CreateBitCast(b.CreateAdd(b.CreateAnd(shifted, integer(0xFFFFFFFFFFFFF)), integer(sqrtHalf)), type);
  // Through i32, from which every processor converts.
  Value *e = b.CreateTrunc(b.CreateAShr(shifted, 52), type->getWithNewType(b.getInt32Ty()));
  Value *s = b.CreateFDiv(b.CreateFSub(m, real(1)), b.CreateFAdd(m, real(1)));
  SmallVector<double> series;
  for (int k = 0; k < 8; ++k)
    series.push_back(2 / ln2 / (2 * k + 1));
  Value *result = math.multiplyAdd(s, polynomial(b.CreateFMul(s, s), series), b.CreateSIToFP(e, type));
  result = b.CreateSelect(b.CreateFCmpOLT(x, real(infinity)), result, b.CreateFAdd(x, real(infinity)));
  result = b.CreateSelect(b.CreateFCmpOLT(x, real(0)), real(std::nan("")), result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), real(-infinity), result);
}

/// With u = 1 + x rounded, what rounding lost counts by 1 / u.
Value *WideMath::log1p(Value *x) {
  Value *u = b.CreateFAdd(x, real(1));
  Value *lost = b.CreateFSub(x, b.CreateFSub(u, real(1)));
  Value *correction = b.CreateFDiv(lost, u);
  correction = b.CreateSelect(b.CreateFCmpOLT(abs(correction), real(1)), correction, real(0));
  Value *result = math.multiplyAdd(log2(u), real(ln2), correction);
  return b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), x, result); // -0.0 stays
}

/// 2^x - 1, without loss near 0, or 2^x: with x = n + r, |r| <= 1/2, it is 2^n q + (2^n - 1) where q = 2^r -
/// 1: 2^-36. Beyond float's range it is only known to be.
Value *WideMath::exp2Minus1(Value *x, bool keepsOne) {
  Type *intType = type->getWithNewType(b.getInt64Ty());
  x = b.CreateSelect(b.CreateFCmpOGT(x, real(1000)), real(1000), x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, real(-1000)), real(-1000), x);
  double adder = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to an integer
  Value *sum = b.CreateFAdd(x, real(adder));
  Value *r = b.CreateFSub(x, b.CreateFSub(sum, real(adder)));
  Value *n = b.CreateSub(b.CreateBitCast(sum, intType), b.CreateBitCast(real(adder), intType));
  Value *scale = b.CreateBitCast(b.CreateShl(b.CreateAdd(n, ConstantInt::get(intType, 1023)), 52), type);
  SmallVector<double> series;
  double term = 1;
  for (int k = 1; k <= 10; ++k)
    series.push_back(term *= ln2 / k);
  Value *q = b.CreateFMul(r, polynomial(r, series));
  return math.multiplyAdd(scale, q, keepsOne ? scale : b.CreateFSub(scale, real(1)));
}

/// Arguments above 1 by atan(x) = pi/2 - atan(1/x), above tan(pi/8) by atan(x) = pi/4 + atan((x - 1) / (x +
/// 1)); then the series, |t| < 0.415: 2^-37
Value *WideMath::atan(Value *x) {
  Value *magnitude = abs(x);
  Value *isLarge = b.CreateFCmpOGT(magnitude, real(1));
  Value *t = b.CreateSelect(isLarge, b.CreateFDiv(real(1), magnitude), magnitude);
  Value *isMiddle = b.CreateFCmpOGT(t, real(0.41421356237309503));
  Value *turned = b.CreateFDiv(b.CreateFSub(t, real(1)), b.CreateFAdd(t, real(1)));
  t = b.CreateSelect(isMiddle, turned, t);
  SmallVector<double> series;
  for (int k = 0; k < 14; ++k)
    series.push_back((k % 2 ? -1.0 : 1.0) / (2 * k + 1));
  Value *result = b.CreateFMul(t, polynomial(b.CreateFMul(t, t), series));
  result = b.CreateSelect(isMiddle, b.CreateFAdd(result, real(pi / 4)), result);
  result = b.CreateSelect(isLarge, b.CreateFSub(real(pi / 2), result), result);
  return withSign(result, x);
}

Value *WideMath::atan2(Value *y, Value *x) {
  Value *up = abs(y), *along = abs(x);
  Value *ratio = b.CreateFDiv(up, along);
  ratio = b.CreateSelect(b.CreateFCmpOEQ(up, along), real(1), ratio); // both infinite too
  ratio = b.CreateSelect(b.CreateFCmpOEQ(up, real(0)), real(0), ratio);
  Value *angle = atan(ratio);
  // Minus zero points to the left.
  Value *isLeft = b.CreateFCmpOLT(withSign(real(1), x), real(0));
  angle = b.CreateSelect(isLeft, b.CreateFSub(real(pi), angle), angle);
  Value *isNaN = b.CreateFCmpUNO(x, y);
  return b.CreateSelect(isNaN, real(std::nan("")), withSign(angle, y));
}

/// 2^(y log2 |x|), negative where x is and y is odd, and the exceptions of C's Annex F.
Value *WideMath::power(Value *x, Value *y) {
  Value *magnitude = abs(x);
  Value *result = exp2Minus1(b.CreateFMul(y, log2(magnitude)), true);
  auto isWhole = [&](Value *value) {
    return b.CreateFCmpOEQ(value, b.CreateUnaryIntrinsic(Intrinsic::trunc, value));
  };
  Value *whole = isWhole(y);
  Value *isOdd = b.CreateAnd(whole, b.CreateNot(isWhole(b.CreateFMul(y, real(0.5)))));
  Value *isNegative = b.CreateFCmpOLT(withSign(real(1), x), real(0));
  result = b.CreateSelect(b.CreateFCmpOEQ(magnitude, real(1)), real(1), result); // to infinite powers too
  result = b.CreateSelect(b.CreateAnd(isNegative, isOdd), b.CreateFNeg(result), result);
  Value *isBetween = b.CreateAnd(b.CreateFCmpOLT(x, real(0)), b.CreateFCmpOGT(x, real(-infinity)));
  Value *isNaN = b.CreateOr(b.CreateFCmpUNO(x, y), b.CreateAnd(isBetween, b.CreateNot(whole)));
  result = b.CreateSelect(isNaN, real(std::nan("")), result);
  Value *isOne = b.CreateOr(b.CreateFCmpOEQ(y, real(0)), b.CreateFCmpOEQ(x, real(1)));
  return b.CreateSelect(isOne, real(1), result);
}

Value *WideMath::unary(StringRef name, Value *x) {
  Value *magnitude = abs(x);
  if (name == "log10")
    return b.CreateFMul(log2(x), real(ln2 / 2.30258509299404568402));
  if (name == "log1p")
    return log1p(x);
  if (name == "exp10")
    return exp2Minus1(b.CreateFMul(x, real(2.30258509299404568402 / ln2)), true);
  if (name == "expm1")
    return b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), x, exp2Minus1(b.CreateFMul(x, real(1 / ln2)), false));
  if (name == "atan")
    return atan(x);
  if (name == "asin" || name == "acos") {
    // By the adjacent side; beyond 1 its square root is NaN.
    Value *side = sqrt(b.CreateFMul(b.CreateFSub(real(1), x), b.CreateFAdd(x, real(1))));
    Value *angle = atan(b.CreateFDiv(x, side));
    return name == "asin" ? angle : b.CreateFSub(real(pi / 2), angle);
  }
  if (name == "sinh") {
    Value *e = exp2Minus1(b.CreateFMul(magnitude, real(1 / ln2)), false);
    Value *sum = b.CreateFAdd(e, b.CreateFDiv(e, b.CreateFAdd(e, real(1))));
    return withSign(b.CreateFMul(sum, real(0.5)), x);
  }
  if (name == "cosh") {
    Value *e = exp2Minus1(b.CreateFMul(magnitude, real(1 / ln2)), true);
    return b.CreateFMul(b.CreateFAdd(e, b.CreateFDiv(real(1), e)), real(0.5));
  }
  if (name == "asinh") {
    Value *square = b.CreateFMul(magnitude, magnitude);
    Value *root = sqrt(b.CreateFAdd(square, real(1)));
    Value *inner = b.CreateFAdd(magnitude, b.CreateFDiv(square, b.CreateFAdd(root, real(1))));
    inner = b.CreateSelect(b.CreateFCmpOEQ(magnitude, real(infinity)), magnitude, inner);
    return withSign(log1p(inner), x);
  }
  if (name == "acosh") {
    Value *t = b.CreateFSub(x, real(1));
    // Two roots, so that below 1 there is none.
    return log1p(b.CreateFAdd(t, b.CreateFMul(sqrt(t), sqrt(b.CreateFAdd(t, real(2))))));
  }
  if (name == "atanh") {
    Value *ratio = b.CreateFDiv(b.CreateFMul(magnitude, real(2)), b.CreateFSub(real(1), magnitude));
    return withSign(b.CreateFMul(log1p(ratio), real(0.5)), x);
  }
  if (name == "cbrt") {
    Value *root = exp2Minus1(b.CreateFMul(log2(magnitude), real(1.0 / 3)), true);
    root = b.CreateSelect(b.CreateFCmpOEQ(magnitude, real(0)), real(0), root);
    root = b.CreateSelect(b.CreateFCmpOEQ(magnitude, real(infinity)), magnitude, root);
    return withSign(root, x);
  }
  return nullptr;
}

Value *WideMath::emit(StringRef name, ArrayRef<Value *> v) {
  Type *given = v[0]->getType();
  if (!given->getScalarType()->isFloatTy() || v.size() > 2)
    return nullptr;
  type = given->getWithNewType(b.getDoubleTy());
  SmallVector<Value *> wide;
  for (Value *value : v)
    wide.push_back(b.CreateFPExt(value, type));
  Value *result = nullptr;
  if (v.size() == 1)
    result = unary(name, wide[0]);
  else if (name == "pow")
    result = power(wide[0], wide[1]);
  else if (name == "atan2")
    result = atan2(wide[0], wide[1]);
  return result ? b.CreateFPTrunc(result, given) : nullptr;
}

} // namespace nereid::cpu
