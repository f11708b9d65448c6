// The functions one by one, with the formula that each follows.
#include "compiler/lowering/cpu/SpecialFunctions.h"

#include "llvm/IR/Constants.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid::cpu {

static constexpr double pi = 3.14159265358979323846;
static constexpr double infinity = std::numeric_limits<double>::infinity();

Value *SpecialFunctions::real(double value) { return ConstantFP::get(type, value); }

/// x * y + z rounded once: the formulas below rely on it for what rounding lost.
Value *SpecialFunctions::fma(Value *x, Value *y, Value *z) {
  if (target.hasFMA)
    return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
  return math.callLibrary("fma", {x, y, z});
}

/// Coefficients from the constant term up.
Value *SpecialFunctions::polynomial(Value *x, ArrayRef<double> coefficients) {
  Value *result = real(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = math.multiplyAdd(result, x, real(coefficient));
  return result;
}

/// x = q/2 + r with an integer q and |r| <= 1/4, both exact; then sine or cosine of pi r, by the quadrant.
Value *SpecialFunctions::sinOrCosPi(Value *x, bool isCos) {
  Value *q = b.CreateUnaryIntrinsic(Intrinsic::roundeven, b.CreateFMul(x, real(2)));
  Value *angle = b.CreateFMul(b.CreateFSub(x, b.CreateFMul(q, real(0.5))), real(pi));
  Value *sine = call("sin", angle), *cosine = call("cos", angle);
  if (isCos)
    q = b.CreateFAdd(q, real(1));
  // q modulo 4; where x is so large that adding 1 is lost, x is a multiple of 2.
  Value *turns = b.CreateUnaryIntrinsic(Intrinsic::floor, b.CreateFMul(q, real(0.25)));
  Value *quadrant = b.CreateFSub(q, b.CreateFMul(turns, real(4)));
  Value *isOdd = b.CreateOr(b.CreateFCmpOEQ(quadrant, real(1)), b.CreateFCmpOEQ(quadrant, real(3)));
  Value *result = b.CreateSelect(isOdd, cosine, sine);
  result = b.CreateSelect(b.CreateFCmpOGE(quadrant, real(2)), b.CreateFNeg(result), result);
  if (isCos) {
    Value *isHuge = b.CreateFCmpOGE(abs(x), real(0x1p53));
    result = b.CreateSelect(b.CreateAnd(isHuge, b.CreateFCmpOLT(abs(x), real(infinity))), real(1), result);
    // Zeros of the cosine are positive.
    return b.CreateSelect(b.CreateFCmpOEQ(result, real(0)), real(0), result);
  }
  // Zeros of the sine have the sign of x.
  return b.CreateSelect(b.CreateFCmpOEQ(result, real(0)), withSign(real(0), x), result);
}

/// The square root of the sum of squares, scaled by a power of two so that no square overflows or vanishes.
Value *SpecialFunctions::norm(ArrayRef<Value *> components) {
  Value *largest = nullptr, *isInfinite = nullptr;
  for (Value *component : components) {
    Value *magnitude = abs(component);
    Value *infinite = b.CreateFCmpOEQ(magnitude, real(infinity));
    largest = largest ? b.CreateBinaryIntrinsic(Intrinsic::maxnum, largest, magnitude) : magnitude;
    isInfinite = isInfinite ? b.CreateOr(isInfinite, infinite) : infinite;
  }
  Type *bitsType = type->getWithNewType(b.getInt64Ty());
  auto bits = [&](uint64_t value) { return ConstantInt::get(bitsType, value); };
  Value *exponent = b.CreateAnd(b.CreateBitCast(largest, bitsType), bits(0x7FF0000000000000));
  exponent = b.CreateBinaryIntrinsic(Intrinsic::umax, exponent, bits(1ull << 52));
  exponent = b.CreateBinaryIntrinsic(Intrinsic::umin, exponent, bits(2045ull << 52));
  Value *scale = b.CreateBitCast(exponent, type);
  Value *inverse = b.CreateBitCast(b.CreateSub(bits(2046ull << 52), exponent), type);
  Value *sum = nullptr;
  for (Value *component : components) {
    Value *scaled = b.CreateFMul(component, inverse);
    sum = sum ? math.multiplyAdd(scaled, scaled, sum) : b.CreateFMul(scaled, scaled);
  }
  Value *result = b.CreateFMul(b.CreateUnaryIntrinsic(Intrinsic::sqrt, sum), scale);
  return b.CreateSelect(isInfinite, real(infinity), result);
}

/// exp(x^2) erfc(x). The square is taken in two parts, because exp multiplies its error by x^2; for large x,
/// where erfc vanishes, by the asymptotic series in 1 / (2 x^2).
Value *SpecialFunctions::erfcx(Value *x) {
  Value *square = b.CreateFMul(x, x);
  Value *rest = fma(x, x, b.CreateFNeg(square));
  Value *product = b.CreateFMul(call("exp", square), call("erfc", x));
  Value *isFinite = b.CreateFCmpOLT(product, real(infinity));
  Value *direct = b.CreateSelect(isFinite, fma(product, rest, product), product);
  SmallVector<double> coefficients{1};
  for (int k = 1; k <= 11; ++k)
    coefficients.push_back(-coefficients.back() * (2 * k - 1));
  Value *t = b.CreateFDiv(real(0.5), square);
  Value *series = b.CreateFDiv(polynomial(t, coefficients), b.CreateFMul(x, real(std::sqrt(pi))));
  return b.CreateSelect(b.CreateFCmpOGE(x, real(10)), series, direct);
}

/// erfc(-x / sqrt(2)) / 2, corrected for the rounding of the argument by the derivative.
Value *SpecialFunctions::normcdf(Value *x) {
  const double root = 0.70710678118654757, rootRest = -4.8336466567264567e-17;
  x = b.CreateSelect(b.CreateFCmpOGT(abs(x), real(40)), withSign(real(40), x), x);
  Value *negative = b.CreateFNeg(x);
  Value *z = b.CreateFMul(negative, real(root));
  Value *lost = math.multiplyAdd(negative, real(rootRest), fma(negative, real(root), b.CreateFNeg(z)));
  Value *slope = b.CreateFMul(call("exp", b.CreateFNeg(b.CreateFMul(z, z))), real(-2 / std::sqrt(pi)));
  return b.CreateFMul(math.multiplyAdd(slope, lost, call("erfc", z)), real(0.5));
}

/// An approximation of the inverse error function by elementary ones, good to 0.2 % and better near 0:
/// t^2 = sqrt(c^2 - L/a) - c with L = ln(1 - x^2), c = 2 / (pi a) + L/2 and a = 0.147.
Value *SpecialFunctions::startInverse(Value *logarithm) {
  const double a = 0.147;
  Value *c = math.multiplyAdd(logarithm, real(0.5), real(2 / (pi * a)));
  Value *inner = math.multiplyAdd(c, c, b.CreateFMul(logarithm, real(-1 / a)));
  Value *square = b.CreateFSub(b.CreateUnaryIntrinsic(Intrinsic::sqrt, inner), c);
  square = b.CreateBinaryIntrinsic(Intrinsic::maxnum, square, real(0));
  return b.CreateUnaryIntrinsic(Intrinsic::sqrt, square);
}

/// The inverse of erfc for 0 < y <= 1/2: Newton's method on ln erfc(t) = ln y, which is nearly a parabola.
Value *SpecialFunctions::inverseTail(Value *y, bool forFloat) {
  Value *goal = call("log", y);
  Value *t = startInverse(call("log", b.CreateFMul(y, b.CreateFSub(real(2), y))));
  for (int step = 0; step < (forFloat ? 2 : 4); ++step) {
    Value *tail = call("erfc", t);
    Value *error = b.CreateFSub(call("log", tail), goal);
    Value *slope = b.CreateFMul(call("exp", b.CreateFNeg(b.CreateFMul(t, t))), real(2 / std::sqrt(pi)));
    t = math.multiplyAdd(error, b.CreateFDiv(tail, slope), t);
  }
  return t;
}

Value *SpecialFunctions::erfcinv(Value *y, bool forFloat) {
  // Up to 1/2 the tail; from there to 3/2 the centre, as erfinv(1 - y); beyond, the other tail.
  Value *mirrored = b.CreateFSub(real(2), y);
  Value *isUpper = b.CreateFCmpOGT(y, real(1));
  Value *smaller = b.CreateSelect(isUpper, mirrored, y);
  Value *isTail = b.CreateFCmpOLT(smaller, real(0.5));
  Value *inside = b.CreateSelect(b.CreateFCmpOGT(smaller, real(0)), smaller, real(0.25));
  Value *tail = inverseTail(b.CreateSelect(isTail, inside, real(0.25)), forFloat);
  tail = b.CreateSelect(b.CreateFCmpOEQ(smaller, real(0)), real(infinity), tail);
  tail = b.CreateSelect(isUpper, b.CreateFNeg(tail), tail);
  Value *centre = erfinv(b.CreateSelect(isTail, real(0), b.CreateFSub(real(1), y)), forFloat);
  Value *result = b.CreateSelect(isTail, tail, centre);
  Value *isValid = b.CreateFCmpOGE(smaller, real(0));
  return b.CreateSelect(isValid, result, real(std::nan("")));
}

/// In the centre Halley's method on erf(t) = x; from |x| = 1/2 on, where 1 - |x| is exact, the tail's
/// inverse.
Value *SpecialFunctions::erfinv(Value *x, bool forFloat) {
  Value *magnitude = abs(x);
  Value *isCentre = b.CreateFCmpOLE(magnitude, real(0.5));
  Value *central = b.CreateSelect(isCentre, magnitude, real(0.25));
  Value *t = startInverse(call("log1p", b.CreateFNeg(b.CreateFMul(central, central))));
  // Where x^2 is lost beside 1 that is 0; the first term of the series serves there.
  t = b.CreateSelect(b.CreateFCmpOLT(central, real(0x1p-20)), b.CreateFMul(central, real(std::sqrt(pi) / 2)),
                     t);
  for (int step = 0; step < (forFloat ? 2 : 3); ++step) {
    Value *error = b.CreateFSub(call("erf", t), central);
    Value *slope = b.CreateFMul(call("exp", b.CreateFNeg(b.CreateFMul(t, t))), real(2 / std::sqrt(pi)));
    Value *u = b.CreateFDiv(error, slope);
    t = b.CreateFSub(t, b.CreateFDiv(u, math.multiplyAdd(t, u, real(1))));
  }
  Value *rest = b.CreateFSub(real(1), magnitude);
  Value *isInside = b.CreateAnd(b.CreateFCmpOGT(rest, real(0)), b.CreateNot(isCentre));
  Value *tail = inverseTail(b.CreateSelect(isInside, rest, real(0.25)), forFloat);
  tail = b.CreateSelect(b.CreateFCmpOEQ(rest, real(0)), real(infinity), tail);
  Value *result = withSign(b.CreateSelect(isCentre, t, tail), x);
  return b.CreateSelect(b.CreateFCmpOLE(magnitude, real(1)), result, real(std::nan("")));
}

/// The modified Bessel functions I0 and I1: the power series in x^2/4, whose terms are all positive, up to
/// |x| = 20; beyond, exp(x) / sqrt(2 pi x) times the asymptotic series in 1/x.
Value *SpecialFunctions::bessel(Value *x, unsigned order) {
  Value *magnitude = abs(x);
  SmallVector<double> series{1}, asymptotic{1};
  for (int k = 1; k <= 38; ++k)
    series.push_back(series.back() / (double(k) * (k + order)));
  double mu = 4.0 * order * order;
  for (int k = 1; k <= 30; ++k)
    asymptotic.push_back(asymptotic.back() * ((2 * k - 1) * (2 * k - 1) - mu) / (8.0 * k));
  Value *isLarge = b.CreateFCmpOGT(magnitude, real(20));
  Value *small = b.CreateSelect(isLarge, real(1), magnitude);
  Value *central = polynomial(b.CreateFMul(b.CreateFMul(small, small), real(0.25)), series);
  if (order == 1)
    central = b.CreateFMul(central, b.CreateFMul(small, real(0.5)));
  Value *large = b.CreateSelect(isLarge, magnitude, real(20));
  Value *factor = polynomial(b.CreateFDiv(real(1), large), asymptotic);
  factor = b.CreateFDiv(factor, b.CreateUnaryIntrinsic(Intrinsic::sqrt, b.CreateFMul(large, real(2 * pi))));
  // In two halves: the exponential overflows before the function does.
  Value *half = call("exp", b.CreateFMul(large, real(0.5)));
  Value *outer = b.CreateFMul(b.CreateFMul(factor, half), half);
  outer = b.CreateSelect(b.CreateFCmpOEQ(magnitude, real(infinity)), real(infinity), outer);
  Value *result = b.CreateSelect(isLarge, outer, central);
  return order == 1 ? withSign(result, x) : result;
}

Value *SpecialFunctions::emit(StringRef name, ArrayRef<Value *> v, bool forFloat) {
  type = v[0]->getType();
  auto invert = [&](Value *value) { return b.CreateFDiv(real(1), value); };
  bool isInverse = name.starts_with("rnorm") || name == "rhypot";
  if ((v.size() == 2 && (name == "hypot" || name == "rhypot")) ||
      (v.size() == 3 && (name == "norm3d" || name == "rnorm3d")) ||
      (v.size() == 4 && (name == "norm4d" || name == "rnorm4d"))) {
    Value *length = norm(v);
    return isInverse ? invert(length) : length;
  }
  if (v.size() != 1)
    return nullptr;
  if (name == "sinpi" || name == "cospi")
    return sinOrCosPi(v[0], name == "cospi");
  if (name == "tanpi")
    return b.CreateFDiv(sinOrCosPi(v[0], false), sinOrCosPi(v[0], true));
  if (name == "exp10") // of double only: WideMath has it for float
    return math.callLibrary("pow", {real(10), v[0]});
  if (name == "rcbrt")
    return invert(call("cbrt", v[0]));
  if (name == "erfcx")
    return erfcx(v[0]);
  if (name == "normcdf")
    return normcdf(v[0]);
  if (name == "erfinv")
    return erfinv(v[0], forFloat);
  if (name == "erfcinv")
    return erfcinv(v[0], forFloat);
  if (name == "normcdfinv")
    return b.CreateFMul(erfcinv(b.CreateFMul(v[0], real(2)), forFloat), real(-std::sqrt(2.0)));
  if (name == "cyl_bessel_i0" || name == "cyl_bessel_i1")
    return bessel(v[0], name.back() - '0');
  return nullptr;
}

} // namespace nereid::cpu
