// Exponentials by their series, which needs no fit: |r| <= ln(2)/2 makes the fourteenth term vanish.
// Logarithms from the series of 2 artanh(f / (2 + f)) and sine and cosine from their own, with coefficients
// fitted to the last bit for the intervals named.
#include "compiler/lowering/cpu/DoubleMath.h"

#include "llvm/IR/Constants.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::cpu {

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// Adding it rounds to an integer, which is then in the low bits of the sum.
static constexpr double roundingAdder = 6755399441055744.0; // 1.5 * 2^52
static constexpr double ln2 = 0x1.62e42fefa39efp-1;

Value *DoubleMath::real(double value) { return ConstantFP::get(type, value); }

/// Coefficients from the constant term up.
Value *DoubleMath::polynomial(Value *x, ArrayRef<double> coefficients) {
  Value *result = real(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = math.multiplyAdd(result, x, real(coefficient));
  return result;
}

/// A NaN stays.
Value *DoubleMath::clamp(Value *x, double low, double high) {
  x = b.CreateSelect(b.CreateFCmpOGT(x, real(high)), real(high), x);
  return b.CreateSelect(b.CreateFCmpOLT(x, real(low)), real(low), x);
}

DoubleMath::Reduced DoubleMath::reduceByLn2(Value *x) {
  Value *sum = math.multiplyAdd(x, real(1 / ln2), real(roundingAdder));
  Value *n = b.CreateFSub(sum, real(roundingAdder));
  // ln 2 in two parts, the first so short that n times it is exact.
  Value *r = math.multiplyAdd(n, real(-0x1.62e42fefa3800p-1), x);
  return {n, sum, math.multiplyAdd(n, real(-0x1.ef35793c76730p-45), r)};
}

/// exp(r) - 1 for |r| <= ln(2)/2: 2^-57
Value *DoubleMath::expSeries(Value *r) {
  SmallVector<double> series;
  double factorial = 1;
  for (int k = 2; k <= 13; ++k)
    series.push_back(1 / (factorial *= k));
  return math.multiplyAdd(b.CreateFMul(r, r), polynomial(r, series), r);
}

/// 2^n where the low bits of `sum` are n, from -1022 to 1023.
Value *DoubleMath::powerOfTwo(Value *sum) {
  Value *biased = b.CreateAdd(b.CreateBitCast(sum, intType), ConstantInt::get(intType, 1023));
  return b.CreateBitCast(b.CreateShl(biased, 52), type);
}

/// In two steps, so that results may be subnormal or infinite.
Value *DoubleMath::scaleByPowerOfTwo(Value *x, Value *n) {
  Value *sum = math.multiplyAdd(n, real(0.5), real(roundingAdder));
  Value *rest = b.CreateFSub(n, b.CreateFSub(sum, real(roundingAdder)));
  return b.CreateFMul(b.CreateFMul(x, powerOfTwo(sum)), powerOfTwo(b.CreateFAdd(rest, real(roundingAdder))));
}

Value *DoubleMath::exp(Value *x) {
  auto [n, sum, r] = reduceByLn2(clamp(x, -746, 710));
  return scaleByPowerOfTwo(b.CreateFAdd(expSeries(r), real(1)), n);
}

Value *DoubleMath::exp2(Value *x) {
  x = clamp(x, -1076, 1025);
  Value *sum = b.CreateFAdd(x, real(roundingAdder));
  Value *n = b.CreateFSub(sum, real(roundingAdder));
  Value *r = b.CreateFSub(x, n);
  SmallVector<double> series;
  double term = 1;
  for (int k = 1; k <= 13; ++k)
    series.push_back(term *= ln2 / k);
  return scaleByPowerOfTwo(math.multiplyAdd(r, polynomial(r, series), real(1)), n);
}

/// 2^n (exp(r) - 1) + (2^n - 1), computed at half the size, which 2^1024 has room for.
Value *DoubleMath::expm1(Value *x) {
  auto [n, sum, r] = reduceByLn2(clamp(x, -50, 710));
  Value *half = powerOfTwo(b.CreateFSub(sum, real(1)));
  Value *result = math.multiplyAdd(half, expSeries(r), b.CreateFSub(half, real(0.5)));
  result = b.CreateFAdd(result, result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), x, result); // -0.0 stays
}

/// e / (e + 2) with e = exp(2 |x|) - 1; 1 to the last bit from 20 on.
Value *DoubleMath::tanh(Value *x) {
  Value *magnitude = clamp(abs(x), 0, 22);
  Value *e = expm1(b.CreateFAdd(magnitude, magnitude));
  Value *result = b.CreateFDiv(e, b.CreateFAdd(e, real(2)));
  return b.CreateBinaryIntrinsic(Intrinsic::copysign, result, x);
}

DoubleMath::Decomposed DoubleMath::decompose(Value *x) {
  auto integer = [&](uint64_t value) { return ConstantInt::get(intType, value); };
  Value *isSubnormal = b.CreateFCmpOLT(x, real(std::numeric_limits<double>::min()));
  Value *normal = b.CreateSelect(isSubnormal, b.CreateFMul(x, real(0x1p54)), x);
  // Counting the exponent from sqrt(1/2) makes the rest lie around 1.
  uint64_t sqrtHalf = 0x3FE6A09E667F3BCD;
  Value *shifted = b.CreateSub(b.CreateBitCast(normal, intType), integer(sqrtHalf));
  // Through i32, from which every processor converts.
  Value *exponent = b.CreateTrunc(b.CreateAShr(shifted, 52), type->getWithNewType(b.getInt32Ty()));
  exponent = b.CreateSIToFP(exponent, type);
  exponent = b.CreateFSub(exponent, b.CreateSelect(isSubnormal, real(54), real(0)));
  Value *mantissa = b.CreateAdd(b.CreateAnd(shifted, integer(0xFFFFFFFFFFFFF)), integer(sqrtHalf));
  Value *f = b.CreateFSub(b.CreateBitCast(mantissa, type), real(1));
  // With s = f / (2 + f), |s| < 0.1716: log(1 + f) = f - s (f - R), R = s^2 (2/3 + 2/5 s^2 + …) fitted to
  // 2^-58.
  Value *s = b.CreateFDiv(f, b.CreateFAdd(f, real(2)));
  Value *z = b.CreateFMul(s, s);
  Value *series = b.CreateFMul(
      z, polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                        2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                        1.479819860511658591e-01}));
  Value *halfSquare = b.CreateFMul(b.CreateFMul(f, real(0.5)), f);
  return {f, exponent, halfSquare, b.CreateFMul(s, b.CreateFAdd(halfSquare, series))};
}

/// What a logarithm gives for zero, negative numbers, infinity and NaN.
Value *DoubleMath::fixLogarithm(Value *x, Value *result) {
  result = b.CreateSelect(b.CreateFCmpOLT(x, real(infinity)), result, b.CreateFAdd(x, real(infinity)));
  result = b.CreateSelect(b.CreateFCmpOLT(x, real(0)), real(std::nan("")), result);
  return b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), real(-infinity), result);
}

Value *DoubleMath::log(Value *x) {
  auto [f, exponent, halfSquare, rest] = decompose(x);
  // ln 2 in two parts, of which the first times the exponent is exact.
  Value *small = math.multiplyAdd(exponent, real(1.90821492927058770002e-10), rest);
  Value *result = b.CreateFSub(f, b.CreateFSub(halfSquare, small));
  result = math.multiplyAdd(exponent, real(6.93147180369123816490e-01), result);
  return fixLogarithm(x, result);
}

/// A logarithm of another base: log(1 + f) in two parts, times 1 / log(base) in two parts, plus the exponent
/// times the logarithm of 2 in two parts. The large parts are short enough for their products to be exact.
Value *DoubleMath::logarithm(Value *x, double scaleHigh, double scaleLow, double unitHigh, double unitLow) {
  auto [f, exponent, halfSquare, rest] = decompose(x);
  Value *high = b.CreateFSub(f, halfSquare);
  high = b.CreateBitCast(
      b.CreateAnd(b.CreateBitCast(high, intType), ConstantInt::get(intType, 0xFFFFFFFF00000000)), type);
  Value *low = b.CreateFAdd(b.CreateFSub(b.CreateFSub(f, high), halfSquare), rest);
  Value *large = b.CreateFMul(high, real(scaleHigh));
  Value *small =
      math.multiplyAdd(low, real(scaleHigh), b.CreateFMul(b.CreateFAdd(low, high), real(scaleLow)));
  if (unitLow != 0)
    small = math.multiplyAdd(exponent, real(unitLow), small);
  Value *units = b.CreateFMul(exponent, real(unitHigh));
  Value *sum = b.CreateFAdd(units, large);
  small = b.CreateFAdd(small, b.CreateFAdd(b.CreateFSub(units, sum), large));
  return fixLogarithm(x, b.CreateFAdd(small, sum));
}

Value *DoubleMath::sinOrCos(Value *x, bool isCos) {
  // Up to 2^20 quarter turns are taken off with pi/2 in three parts of 33 bits, whose products are exact;
  // what is left is y and a correction. Larger arguments go to the C library, in the rare case.
  Value *isLarge = b.CreateFCmpUGT(abs(x), real(1.6e6));
  Value *small = b.CreateSelect(isLarge, real(0), x);
  Value *sum = b.CreateFAdd(b.CreateFMul(small, real(6.36619772367581382433e-01)), real(roundingAdder));
  Value *n = b.CreateFSub(sum, real(roundingAdder));
  Value *r = b.CreateFSub(small, b.CreateFMul(n, real(1.57079632673412561417e+00)));
  // What rounding loses in the subtractions counts too.
  Value *lost = b.CreateFMul(n, real(8.47842766036889956997e-32));
  for (double part : {6.07710050630396597660e-11, 2.02226624871116645580e-21}) {
    Value *before = r, *w = b.CreateFMul(n, real(part));
    r = b.CreateFSub(before, w);
    lost = b.CreateFSub(lost, b.CreateFSub(b.CreateFSub(before, r), w));
  }
  Value *y = b.CreateFSub(r, lost);
  Value *tail = b.CreateFSub(b.CreateFSub(r, y), lost);

  Value *z = b.CreateFMul(y, y), *v = b.CreateFMul(z, y);
  // sin(y + t) and cos(y + t), |y| <= pi/4: 2^-58
  Value *p =
      polynomial(z, {8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                     -2.50507602534068634195e-08, 1.58969099521155010221e-10});
  Value *sine = b.CreateFSub(b.CreateFMul(tail, real(0.5)), b.CreateFMul(v, p));
  sine = b.CreateFSub(b.CreateFMul(z, sine), tail);
  sine = b.CreateFSub(y, b.CreateFSub(sine, b.CreateFMul(v, real(-1.66666666666666324348e-01))));
  Value *q =
      polynomial(z, {4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                     -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11});
  q = b.CreateFMul(z, q);
  Value *half = b.CreateFMul(z, real(0.5)), *w = b.CreateFSub(real(1), half);
  Value *cosine = b.CreateFSub(b.CreateFMul(z, q), b.CreateFMul(y, tail));
  cosine = b.CreateFAdd(b.CreateFSub(b.CreateFSub(real(1), w), half), cosine);
  cosine = b.CreateFAdd(w, cosine);

  Value *quadrant = b.CreateBitCast(sum, intType);
  if (isCos)
    quadrant = b.CreateAdd(quadrant, ConstantInt::get(intType, 1));
  Value *isOdd =
      b.CreateICmpNE(b.CreateAnd(quadrant, ConstantInt::get(intType, 1)), Constant::getNullValue(intType));
  Value *result = b.CreateSelect(isOdd, cosine, sine);
  Value *sign = b.CreateShl(b.CreateAnd(quadrant, ConstantInt::get(intType, 2)), 62);
  result = b.CreateBitCast(b.CreateXor(b.CreateBitCast(result, intType), sign), type);
  if (!isCos) // -0.0 would come out as +0.0
    result = b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), x, result);
  return math.callWhereLarge(isCos ? "cos" : "sin", isLarge, x, result);
}

Value *DoubleMath::emit(StringRef name, ArrayRef<Value *> arguments) {
  if (arguments.size() != 1 || !arguments[0]->getType()->getScalarType()->isDoubleTy())
    return nullptr;
  Value *x = arguments[0];
  type = x->getType();
  intType = type->getWithNewType(b.getInt64Ty());
  if (name == "exp")
    return exp(x);
  if (name == "exp2")
    return exp2(x);
  if (name == "expm1")
    return expm1(x);
  if (name == "tanh")
    return tanh(x);
  if (name == "log")
    return log(x);
  if (name == "log2")
    return logarithm(x, 1.44269504072144627571e+00, 1.67517131648865118353e-10, 1, 0);
  if (name == "log10")
    return logarithm(x, 4.34294481878168880939e-01, 2.50829467116452752298e-11, 3.01029995663611771306e-01,
                     3.69423907715893078616e-13);
  if (name == "sin" || name == "cos")
    return sinOrCos(x, name == "cos");
  return nullptr;
}

} // namespace nereid::cpu
