// kernels/libdevice.py: each function beside the C library, or beside its definition where C has none.
// Functions with a rounding mode in their name are computed under that mode and must agree exactly.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cfenv>
#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::test;

namespace {

const double inf = HUGE_VAL;
const double aNaN = std::nan("");
const long double pi = 3.14159265358979323846264338327950288L;

std::string call(const char *op, const std::vector<std::string> &types, size_t count) {
  std::string signature;
  for (const std::string &type : types)
    signature += "*" + type + ", ";
  return signature + "\"" + op + "\", " + std::to_string(count);
}

// Functions of one float.

using Real = long double;

Real erfinv(Real y) {
  Real x = 0;
  for (int i = 0; i < 200; ++i)
    x -= (std::erf(x) - y) / (2 / std::sqrt(pi) * std::exp(-x * x));
  return x;
}
/// By the complement, which keeps what is lost in 1 - y.
Real erfcinv(Real y) {
  Real x = 0;
  for (int i = 0; i < 200; ++i)
    x += (std::erfc(x) - y) / (2 / std::sqrt(pi) * std::exp(-x * x));
  return x;
}
Real erfcx(Real x) { return std::exp(x * x) * std::erfc(x); }
Real normcdf(Real x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }
Real normcdfinv(Real p) { return -std::sqrt(2.0L) * erfcinv(2 * p); }
Real exp10(Real x) { return std::pow(10.0L, x); }
Real rcbrt(Real x) { return 1 / std::cbrt(x); }
Real rsqrt(Real x) { return 1 / std::sqrt(x); }
Real sinpi(Real x) { return std::sin(pi * (x - 2 * std::round(x / 2))); }
Real cospi(Real x) { return std::cos(pi * (x - 2 * std::round(x / 2))); }
Real besselI0(Real x) { return std::cyl_bessel_i(0.0L, std::fabs(x)); }
Real besselI1(Real x) { return std::copysign(std::cyl_bessel_i(1.0L, std::fabs(x)), x); }
Real besselJ0(Real x) { return ::j0l(x); }
Real besselJ1(Real x) { return ::j1l(x); }
Real besselY0(Real x) { return ::y0l(x); }
Real besselY1(Real x) { return ::y1l(x); }
Real saturate(Real x) { return std::fmin(1.0L, std::fmax(0.0L, x)); }

/// What CUDA's documentation allows its functions: units in the last place in float32 and float64, and for
/// some an absolute error as well, near zeros or over a range. No units: the nearest number.
struct Allowed {
  double inFP32 = 0, inFP64 = 0, absoluteInFP32 = 0, absoluteInFP64 = 0;

  Tolerance of(ScalarKind kind) const {
    bool isDouble = kind == ScalarKind::FP64;
    double absolute = isDouble ? absoluteInFP64 : absoluteInFP32;
    // Half a unit is that of the reference.
    return ulps(kind, (isDouble ? inFP64 : inFP32) + 0.5) +
           Tolerance{[=](size_t, double) { return absolute; }};
  }
};

struct FloatFunction {
  const char *name;
  Real (*reference)(Real);
  double low, high;
  Allowed allowed = {};
  /// There is no version for float64.
  bool onlyFP32 = false;
};

const FloatFunction floatFunctions[] = {
    {"acos", std::acos, -1, 1, {2, 2}},
    {"acosh", std::acosh, 1, 50, {4, 3}},
    {"asin", std::asin, -1, 1, {2, 2}},
    {"asinh", std::asinh, -50, 50, {3, 3}},
    {"asinh", std::asinh, -0.001, 0.001, {3, 3}},
    {"atan", std::atan, -50, 50, {2, 2}},
    {"atan", std::atan, -0.001, 0.001, {2, 2}},
    {"atanh", std::atanh, -0.99, 0.99, {3, 2}},
    {"cbrt", std::cbrt, -50, 50, {1, 1}},
    {"ceil", std::ceil, -50, 50},
    {"cos", std::cos, -50, 50, {2, 2}},
    {"cosh", std::cosh, -5, 5, {2, 1}},
    {"cospi", cospi, -3, 3, {1, 2}},
    {"cyl_bessel_i0", besselI0, -5, 5, {6, 6}},
    {"cyl_bessel_i1", besselI1, -5, 5, {6, 6}},
    {"erf", std::erf, -3, 3, {2, 2}},
    {"erf", std::erf, -0.001, 0.001, {2, 2}},
    {"erfc", std::erfc, -3, 3, {4, 5}},
    {"erfc", std::erfc, 3, 10, {4, 5}},
    {"erfcinv", erfcinv, 0.05, 1.95, {4, 6}},
    {"erfcx", erfcx, -2, 4, {4, 4}},
    {"erfinv", erfinv, -0.95, 0.95, {2, 5}},
    {"exp", std::exp, -5, 5, {2, 1}},
    {"exp", std::exp, -103, 88.7, {2, 1}},
    {"exp10", exp10, -3, 3, {2, 1}},
    {"exp10", exp10, -44.8, 38.5, {2, 1}},
    {"exp2", std::exp2, -5, 5, {2, 1}},
    {"exp2", std::exp2, -149, 127.9, {2, 1}},
    {"expm1", std::expm1, -3, 3, {1, 1}},
    {"expm1", std::expm1, -1e-05, 1e-05, {1, 1}},
    {"floor", std::floor, -50, 50},
    {"j0", besselJ0, -10, 10, {9, 7, 2.2e-06, 5e-12}},
    {"j1", besselJ1, -10, 10, {9, 7, 2.2e-06, 5e-12}},
    {"lgamma", std::lgamma, 0.1, 20, {6, 4}},
    {"log", std::log, 0.01, 50, {1, 1}},
    {"log", std::log, 0.9, 1.1, {1, 1}},
    {"log10", std::log10, 0.01, 50, {2, 1}},
    {"log10", std::log10, 0.9, 1.1, {2, 1}},
    {"log1p", std::log1p, -0.9, 50, {1, 1}},
    {"log1p", std::log1p, -1e-06, 1e-06, {1, 1}},
    {"log2", std::log2, 0.01, 50, {1, 1}},
    {"logb", std::logb, 0.01, 50},
    {"nearbyint", std::nearbyint, -50, 50},
    {"normcdf", normcdf, -4, 4, {5, 5}},
    {"normcdf", normcdf, -12, -4, {5, 5}},
    {"normcdfinv", normcdfinv, 0.05, 0.95, {5, 8}},
    {"rcbrt", rcbrt, 0.1, 50, {1, 1}},
    {"rint", std::rint, -50, 50},
    {"round", std::round, -50, 50},
    {"rsqrt", rsqrt, 0.01, 50, {2, 1}},
    {"sin", std::sin, -50, 50, {2, 2}},
    {"sin", std::sin, -1e-06, 1e-06, {2, 2}},
    {"sinh", std::sinh, -5, 5, {3, 2}},
    {"sinh", std::sinh, -0.001, 0.001, {3, 2}},
    {"sinpi", sinpi, -3, 3, {1, 2}},
    {"sqrt", std::sqrt, 0, 50},
    {"tan", std::tan, -1.4, 1.4, {4, 2}},
    {"tanh", std::tanh, -5, 5, {2, 1}},
    {"tanh", std::tanh, -0.001, 0.001, {2, 1}},
    {"tgamma", std::tgamma, 0.2, 5, {5, 10}},
    {"trunc", std::trunc, -50, 50},
    {"y0", besselY0, 0.1, 10, {9, 7, 2.2e-06, 5e-12}},
    {"y1", besselY1, 0.1, 10, {9, 7, 2.2e-06, 5e-12}},
    {"abs", std::fabs, -50, 50},
    {"fast_cosf", std::cos, -3, 3, {0, 0, 0x1.4p-21}, true},
    {"fast_exp10f", exp10, -2, 2, {8, 0}, true},
    {"fast_expf", std::exp, -3, 3, {5, 0}, true},
    {"fast_log10f", std::log10, 0.1, 50, {3, 0, 0x1.7p-22}, true},
    {"fast_log2f", std::log2, 0.1, 50, {2, 0, 0x1p-22}, true},
    {"fast_logf", std::log, 0.1, 50, {3, 0, 0x1.7p-22}, true},
    {"fast_sinf", std::sin, -3, 3, {0, 0, 0x1.8p-22}, true},
    {"fast_tanf", std::tan, -1, 1, {4, 0, 0x1p-19}, true},
    {"saturatef", saturate, -2, 3, {}, true},
    {"rsqrt_rn", rsqrt, 0.01, 50, {}, true},
};

struct FloatCase {
  FloatFunction function;
  const char *type;
};

class LibdeviceFloat : public testing::TestWithParam<FloatCase> {};

TEST_P(LibdeviceFloat, OverItsRange) {
  const auto &[function, type] = GetParam();
  covers(std::string("libdevice.") + function.name);
  ScalarKind kind = kindOf(type);
  std::vector<double> x = randomValues(128, 11), want;
  for (double &v : x) {
    v = roundTo(kind, function.low + (v + 1) / 2 * (function.high - function.low));
    want.push_back(roundTo(kind, static_cast<double>(function.reference(v))));
  }
  std::vector<double> got =
      compute("libdevice.py", "unary", call(function.name, {type, type}, 128), {{"x_ptr", x}}, 128);
  const Allowed &allowed = function.allowed;
  if (allowed.inFP32 == 0 && allowed.absoluteInFP32 == 0)
    expectSame(got, want);
  else
    expectClose(got, want, allowed.of(kind));
}

std::vector<FloatCase> floatCases() {
  std::vector<FloatCase> cases;
  for (const FloatFunction &function : floatFunctions) {
    cases.push_back({function, "fp32"});
    if (!function.onlyFP32)
      cases.push_back({function, "fp64"});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Libdevice, LibdeviceFloat, testing::ValuesIn(floatCases()), [](const auto &info) {
  return std::string(info.param.function.name) + "_" + info.param.type + "_" + std::to_string(info.index);
});

// Functions with given inputs and exact results: any number of arguments, any types.

struct ExactCase {
  const char *label, *op;
  /// Of the arguments, then of the result.
  std::vector<std::string> types;
  std::vector<std::vector<double>> arguments;
  std::vector<double> want;
};

class LibdeviceExact : public testing::TestWithParam<ExactCase> {};

void checkExact(const ExactCase &c) {
  covers(std::string("libdevice.") + c.op);
  static const char *const kernels[] = {"", "unary", "binary", "ternary", "quaternary"};
  static const char *const names[] = {"a_ptr", "b_ptr", "c_ptr", "d_ptr"};
  std::vector<Input> inputs;
  size_t count = 8;
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    std::vector<double> values = c.arguments[i];
    values.resize(count, 1);
    inputs.push_back({c.arguments.size() == 1 ? "x_ptr" : names[i], values});
  }
  std::vector<double> got =
      compute("libdevice.py", kernels[c.arguments.size()], call(c.op, c.types, count), inputs, count);
  got.resize(std::min(got.size(), c.want.size()));
  expectSame(got, c.want);
}

TEST_P(LibdeviceExact, Values) { checkExact(GetParam()); }

const double tiny32 = 0x1p-149;

INSTANTIATE_TEST_SUITE_P(
    Libdevice, LibdeviceExact,
    testing::Values(
        ExactCase{"isnan_fp32", "isnan", {"fp32", "i32"}, {{aNaN, inf, 0, 1}}, {1, 0, 0, 0}},
        ExactCase{"isnan_fp64", "isnan", {"fp64", "i32"}, {{aNaN, inf, 0, 1}}, {1, 0, 0, 0}},
        ExactCase{"isinf_fp32", "isinf", {"fp32", "i32"}, {{aNaN, inf, -inf, 1}}, {0, 1, 1, 0}},
        ExactCase{"isinf_fp64", "isinf", {"fp64", "i32"}, {{aNaN, inf, -inf, 1}}, {0, 1, 1, 0}},
        ExactCase{"finitef", "finitef", {"fp32", "i32"}, {{aNaN, inf, -inf, 1}}, {0, 0, 0, 1}},
        ExactCase{"isfinited", "isfinited", {"fp64", "i32"}, {{aNaN, inf, -inf, 1}}, {0, 0, 0, 1}},
        ExactCase{"ilogb_fp32", "ilogb", {"fp32", "i32"}, {{1, 0.5, 8.5, -100}}, {0, -1, 3, 6}},
        ExactCase{
            "llrint_fp32", "llrint", {"fp32", "i64"}, {{0.5, 1.5, -2.5, 1e12}}, {0, 2, -2, 999999995904.0}},
        ExactCase{"llround_fp64", "llround", {"fp64", "i64"}, {{0.5, 1.5, -2.5, 1e15}}, {1, 2, -3, 1e15}},
        ExactCase{"brev_i32", "brev", {"i32", "i32"}, {{1, 0, -1, 2}}, {-2147483648.0, 0, -1, 1073741824}},
        ExactCase{"clz_i32", "clz", {"i32", "i32"}, {{1, 0, -1, 65536}}, {31, 32, 0, 15}},
        ExactCase{"clz_i64", "clz", {"i64", "i32"}, {{1, 0, -1, 65536}}, {63, 64, 0, 47}},
        ExactCase{"ffs_i32", "ffs", {"i32", "i32"}, {{1, 0, -1, 65536}}, {1, 0, 1, 17}},
        ExactCase{"popc_i32", "popc", {"i32", "i32"}, {{1, 0, -1, 65535}}, {1, 0, 32, 16}},
        ExactCase{"popc_i64", "popc", {"i64", "i32"}, {{1, 0, -1, 65535}}, {1, 0, 64, 16}},
        ExactCase{"abs_i32", "abs", {"i32", "i32"}, {{1, 0, -1, -2147483647.0}}, {1, 0, 1, 2147483647.0}},
        ExactCase{"float_as_int",
                  "float_as_int",
                  {"fp32", "i32"},
                  {{1, -0.0, inf}},
                  {0x3f800000, -2147483648.0, 0x7f800000}},
        ExactCase{"int_as_float",
                  "int_as_float",
                  {"i32", "fp32"},
                  {{0x3f800000, -2147483648.0, 0x7f800000}},
                  {1, -0.0, inf}},
        ExactCase{"float_as_uint",
                  "float_as_uint",
                  {"fp32", "i32"},
                  {{1, -0.0, inf}},
                  {0x3f800000, -2147483648.0, 0x7f800000}},
        ExactCase{"uint_as_float",
                  "uint_as_float",
                  {"u32", "fp32"},
                  {{0x3f800000, 2147483648.0, 0x7f800000}},
                  {1, -0.0, inf}},
        ExactCase{"double_as_longlong",
                  "double_as_longlong",
                  {"fp64", "i64"},
                  {{1, 0, 2}},
                  {0x3ff0000000000000, 0, 0x4000000000000000}},
        ExactCase{"longlong_as_double",
                  "longlong_as_double",
                  {"i64", "fp64"},
                  {{0x3ff0000000000000, 0, 0x4000000000000000}},
                  {1, 0, 2}},
        ExactCase{
            "double2hiint", "double2hiint", {"fp64", "i32"}, {{1, 0, -2}}, {0x3ff00000, 0, -1073741824.0}},
        ExactCase{"double2loint",
                  "double2loint",
                  {"fp64", "i32"},
                  {{1, 1 + 0x1p-52, 1 + 0x1p-21}},
                  {0, 1, -2147483648.0}},
        ExactCase{"hiloint2double",
                  "hiloint2double",
                  {"i32", "i32", "fp64"},
                  {{0x3ff00000, 0x40000000}, {0, 1}},
                  {1, 2 + 0x1p-51}},
        ExactCase{"copysign_fp32",
                  "copysign",
                  {"fp32", "fp32", "fp32"},
                  {{1, -2, 0, inf}, {-1, 1, -0.0, -5}},
                  {-1, 2, -0.0, -inf}},
        ExactCase{"copysign_fp64",
                  "copysign",
                  {"fp64", "fp64", "fp64"},
                  {{1, -2, 0, inf}, {-1, 1, -0.0, -5}},
                  {-1, 2, -0.0, -inf}},
        ExactCase{"fdim_fp32",
                  "fdim",
                  {"fp32", "fp32", "fp32"},
                  {{3, 1, -1, aNaN}, {1, 3, -4, 0}},
                  {2, 0, 3, aNaN}},
        ExactCase{"fmod_fp32",
                  "fmod",
                  {"fp32", "fp32", "fp32"},
                  {{7.5, -7.5, 7.5, inf, 5, 1}, {2, 2, -2, 2, inf, 0}},
                  {1.5, -1.5, 1.5, aNaN, 5, aNaN}},
        ExactCase{"fmod_fp64",
                  "fmod",
                  {"fp64", "fp64", "fp64"},
                  {{7.5, -7.5, 7.5, inf}, {2, 2, -2, 2}},
                  {1.5, -1.5, 1.5, aNaN}},
        ExactCase{"remainder_fp32",
                  "remainder",
                  {"fp32", "fp32", "fp32"},
                  {{7, -7, 5, 3}, {4, 4, 2, 2}},
                  {-1, 1, 1, -1}},
        ExactCase{"nextafter_fp32",
                  "nextafter",
                  {"fp32", "fp32", "fp32"},
                  {{1, 0, 1}, {2, 1, 1}},
                  {1 + 0x1p-23, tiny32, 1}},
        ExactCase{"nextafter_fp64",
                  "nextafter",
                  {"fp64", "fp64", "fp64"},
                  {{1, 1}, {2, 0}},
                  {1 + 0x1p-52, 1 - 0x1p-53}},
        ExactCase{"ldexp_fp32",
                  "ldexp",
                  {"fp32", "i32", "fp32"},
                  {{1.5, -1, 1, 3}, {4, -3, 200, 0}},
                  {24, -0.125, inf, 3}},
        ExactCase{"scalbn_fp64",
                  "scalbn",
                  {"fp64", "i32", "fp64"},
                  {{1.5, -1, 1, 3}, {4, -3, 200, 0}},
                  {24, -0.125, 0x1p200, 3}},
        ExactCase{"mulhi_i32",
                  "mulhi",
                  {"i32", "i32", "i32"},
                  {{-1, -1, 65536, 5}, {-1, 2, 65536, 1}},
                  {0, -1, 1, 0}},
        ExactCase{"mulhi_u32",
                  "mulhi",
                  {"u32", "u32", "u32"},
                  {{4294967295.0, 65536}, {4294967295.0, 65536}},
                  {4294967294.0, 1}},
        ExactCase{
            "mul24_i32", "mul24", {"i32", "i32", "i32"}, {{3, -4, 1000}, {5, 6, 1000}}, {15, -24, 1000000}},
        ExactCase{"hadd_i32",
                  "hadd",
                  {"i32", "i32", "i32"},
                  {{3, -4, 2147483647, -3}, {5, 7, 2147483647, 0}},
                  {4, 1, 2147483647, -2}},
        ExactCase{"rhadd_i32",
                  "rhadd",
                  {"i32", "i32", "i32"},
                  {{3, -4, 2147483647, -3}, {5, 7, 2147483647, 0}},
                  {4, 2, 2147483647, -1}},
        ExactCase{"sad_i32",
                  "sad",
                  {"i32", "i32", "u32", "i32"},
                  {{3, -4, 10}, {5, 6, 7}, {1, 2, 100}},
                  {3, 12, 103}},
        ExactCase{"byte_perm",
                  "byte_perm",
                  {"i32", "i32", "i32", "i32"},
                  {{0x03020100, 0x03020100}, {0x07060504, 0x07060504}, {0x3210, 0x0246}},
                  {0x03020100, 0x00020406}},
        ExactCase{"fma_fp32",
                  "fma",
                  {"fp32", "fp32", "fp32", "fp32"},
                  {{1 + 0x1p-12}, {1 + 0x1p-12}, {-(1 + 0x1p-11)}},
                  {0x1p-24}},
        ExactCase{"fma_fp64",
                  "fma",
                  {"fp64", "fp64", "fp64", "fp64"},
                  {{1 + 0x1p-27}, {1 + 0x1p-27}, {-(1 + 0x1p-26)}},
                  {0x1p-54}},
        ExactCase{
            "norm3d_fp32", "norm3d", {"fp32", "fp32", "fp32", "fp32"}, {{2, 0}, {3, 3}, {6, 4}}, {7, 5}},
        ExactCase{"rnorm3d_fp64",
                  "rnorm3d",
                  {"fp64", "fp64", "fp64", "fp64"},
                  {{4, 0}, {4, 0}, {2, 0.5}},
                  {1.0 / 6, 2}},
        ExactCase{"norm4d_fp32",
                  "norm4d",
                  {"fp32", "fp32", "fp32", "fp32", "fp32"},
                  {{2, 1}, {2, 1}, {2, 1}, {2, 1}},
                  {4, 2}},
        ExactCase{"rnorm4d_fp32",
                  "rnorm4d",
                  {"fp32", "fp32", "fp32", "fp32", "fp32"},
                  {{2, 1}, {2, 1}, {2, 1}, {2, 1}},
                  {0.25, 0.5}}),
    [](const auto &info) { return std::string(info.param.label); });

// Functions of two floats, in double precision.

struct PairCase {
  const char *name;
  Real (*reference)(Real, Real);
  double low, high;
  Allowed allowed;
  bool onlyFP32 = false;
};

class LibdevicePair : public testing::TestWithParam<PairCase> {};

Real rhypot(Real a, Real b) { return 1 / std::hypot(a, b); }
Real quotient(Real a, Real b) { return a / b; }

TEST_P(LibdevicePair, OverItsRange) {
  const PairCase &c = GetParam();
  covers(std::string("libdevice.") + c.name);
  for (const char *type : {"fp32", "fp64"}) {
    ScalarKind kind = kindOf(type);
    if (c.onlyFP32 && kind == ScalarKind::FP64)
      continue;
    std::vector<double> a = randomValues(64, 1), b = randomValues(64, 2), want;
    for (size_t i = 0; i < 64; ++i) {
      a[i] = roundTo(kind, c.low + (a[i] + 1) / 2 * (c.high - c.low));
      b[i] = roundTo(kind, c.low + (b[i] + 1) / 2 * (c.high - c.low));
      want.push_back(static_cast<double>(c.reference(a[i], b[i])));
    }
    expectClose(compute("libdevice.py", "binary", call(c.name, {type, type, type}, 64),
                        {{"a_ptr", a}, {"b_ptr", b}}, 64),
                want, c.allowed.of(kind));
  }
}

INSTANTIATE_TEST_SUITE_P(Libdevice, LibdevicePair,
                         testing::Values(PairCase{"atan2", std::atan2, -5, 5, {3, 2}},
                                         PairCase{"hypot", std::hypot, -5, 5, {3, 2}},
                                         PairCase{"rhypot", rhypot, 0.1, 5, {2, 1}},
                                         PairCase{"pow", std::pow, 0.1, 4, {4, 2}},
                                         PairCase{"fast_powf", std::pow, 0.2, 3, {16}, true},
                                         PairCase{"fast_dividef", quotient, 0.2, 5, {2}, true}),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Libdevice, PowOfSpecialValues) {
  covers("libdevice.pow");
  expectSame(
      compute("libdevice.py", "binary", call("pow", {"fp32", "fp32", "fp32"}, 8),
              {{"a_ptr", {0, 0, -2, -2, inf, aNaN, 1, -8}}, {"b_ptr", {0, -1, 3, 0.5, -1, 0, aNaN, 2}}}, 8),
      {1, inf, -8, aNaN, 0, 1, 1, 64});
}

TEST(Libdevice, PowByIntegers) {
  covers("libdevice.pow");
  for (const char *type : {"fp32", "fp64"}) {
    std::string p = std::string("*") + type;
    expectSame(compute("libdevice.py", "pow_by_integers", p + ", *i32, " + p + ", 4",
                       {{"x_ptr", {2, -2, 0.5, 3}}, {"n_ptr", {10, 3, -2, 0}}}, 4),
               {1024, -8, 4, 1});
  }
}

TEST(Libdevice, BesselFunctionsOfIntegerOrder) {
  covers("libdevice.jn libdevice.yn");
  for (const char *type : {"fp32", "fp64"}) {
    std::vector<double> n = {0, 1, 2, 3}, x = {0.5, 1.5, 2.5, 3.5}, first, second;
    for (size_t i = 0; i < 4; ++i) {
      first.push_back(static_cast<double>(::jnl(static_cast<int>(n[i]), x[i])));
      second.push_back(static_cast<double>(::ynl(static_cast<int>(n[i]), x[i])));
    }
    std::vector<Input> inputs = {{"a_ptr", n}, {"b_ptr", x}};
    // CUDA's documentation gives an absolute error.
    Tolerance tolerance = Allowed{0, 0, 2.2e-6, 5e-12}.of(kindOf(type));
    expectClose(compute("libdevice.py", "binary", call("jn", {"i32", type, type}, 4), inputs, 4), first,
                tolerance);
    expectClose(compute("libdevice.py", "binary", call("yn", {"i32", type, type}, 4), inputs, 4), second,
                tolerance);
  }
}

TEST(Libdevice, SignOfNumbers) {
  covers("libdevice.signbit");
  for (const char *type : {"fp32", "fp64"}) {
    std::vector<double> got = compute("libdevice.py", "unary", call("signbit", {type, "i32"}, 4),
                                      {{"x_ptr", {1, -1, 0.0, -0.0}}}, 4);
    for (double &v : got)
      v = v != 0;
    expectSame(got, {0, 1, 0, 1});
  }
}

TEST(Libdevice, ReciprocalOfTheHighHalf) {
  covers("libdevice.rcp64h");
  expectClose(
      compute("libdevice.py", "unary", call("rcp64h", {"fp64", "fp64"}, 4), {{"x_ptr", {1, 2, -4, 3}}}, 4),
      {1, 0.5, -0.25, 1.0 / 3}, ulps(ScalarKind::FP64, 0x1p32)); // the low half is not computed
}

TEST(Libdevice, OtherImportPaths) {
  covers("libdevice.log1p");
  std::vector<double> x = {0, 1, 1e-5, -0.5}, want;
  for (double v : x)
    want.push_back(std::log1p(roundTo(ScalarKind::FP32, v)));
  for (const char *path : {"cuda", "attribute", "cuda attribute", "whole path"})
    expectClose(compute("libdevice.py", "other_paths", std::string("*fp32, *fp32, \"") + path + "\", 4",
                        {{"x_ptr", x}}, 4),
                want, ulps(ScalarKind::FP32, 1.5));
}

TEST(Libdevice, OfScalars) {
  covers("libdevice.pow libdevice.tanh");
  expectClose(compute("libdevice.py", "of_scalars", "*fp32, *fp32", {{"x_ptr", {1.5}}}, 2),
              {3.375, std::tanh(1.5)}, ulps(ScalarKind::FP32, 2.5));
}

// Rounding modes. The reference computes under the mode; volatile keeps the compiler from moving it out.

int modeOf(const std::string &name) {
  std::string suffix = name.substr(name.rfind('_') + 1);
  return suffix == "rn"   ? FE_TONEAREST
         : suffix == "rz" ? FE_TOWARDZERO
         : suffix == "rd" ? FE_DOWNWARD
                          : FE_UPWARD;
}

template <typename T> double directed(const std::string &name, double x, double y = 0, double z = 0) {
  volatile T a = static_cast<T>(x), b = static_cast<T>(y), c = static_cast<T>(z);
  volatile T result = 0;
  std::string base = name.substr(0, name.find('_'));
  fesetround(modeOf(name));
  if (base == "add")
    result = a + b;
  else if (base == "sub")
    result = a - b;
  else if (base == "mul")
    result = a * b;
  else if (base == "div")
    result = a / b;
  else if (base == "rcp")
    result = T(1) / a;
  else if (base == "sqrt")
    result = std::sqrt(a);
  else
    result = std::fma(T(a), T(b), T(c));
  fesetround(FE_TONEAREST);
  return result;
}

class LibdeviceRounded : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(LibdeviceRounded, Arithmetic) {
  auto [base, mode] = GetParam();
  std::string name = std::string(base) + "_" + mode;
  covers("libdevice." + name);
  size_t arity = base == std::string("fma")                                  ? 3
                 : base == std::string("rcp") || base == std::string("sqrt") ? 1
                                                                             : 2;
  static const char *const kernels[] = {"", "unary", "binary", "ternary"};
  static const char *const names[] = {"a_ptr", "b_ptr", "c_ptr"};
  for (const char *type : {"fp32", "fp64"}) {
    bool isDouble = type == std::string("fp64");
    std::vector<std::vector<double>> values;
    std::vector<Input> inputs;
    for (size_t i = 0; i < arity; ++i) {
      values.push_back(randomValues(64, static_cast<unsigned>(20 + i)));
      for (double &v : values.back())
        v = arity == 1 ? std::fabs(v) + 0.01 : v;
      for (double &v : values.back())
        v = isDouble ? v * 1.0000001234567 : static_cast<float>(v);
      inputs.push_back({arity == 1 ? "x_ptr" : names[i], values.back()});
    }
    std::vector<double> want;
    for (size_t i = 0; i < 64; ++i) {
      double x = values[0][i], y = arity > 1 ? values[1][i] : 0, z = arity > 2 ? values[2][i] : 0;
      want.push_back(isDouble ? directed<double>(name, x, y, z) : directed<float>(name, x, y, z));
    }
    expectSame(compute("libdevice.py", kernels[arity],
                       call(name.c_str(), std::vector<std::string>(arity + 1, type), 64), inputs, 64),
               want);
  }
}

INSTANTIATE_TEST_SUITE_P(Libdevice, LibdeviceRounded,
                         testing::Combine(testing::Values("add", "sub", "mul", "div", "rcp", "sqrt", "fma"),
                                          testing::Values("rn", "rz", "rd", "ru")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

struct ConversionCase {
  const char *base, *from, *to;
  std::vector<double> x;
};

class LibdeviceConversion : public testing::TestWithParam<std::tuple<ConversionCase, const char *>> {};

TEST_P(LibdeviceConversion, UnderTheMode) {
  auto [c, mode] = GetParam();
  std::string name = std::string(c.base) + "_" + mode;
  covers("libdevice." + name);
  std::vector<double> want;
  for (double v : c.x) {
    volatile double source = v;
    volatile double result;
    fesetround(modeOf(name));
    if (std::string(c.to) == "fp32")
      result = static_cast<float>(source);
    else if (std::string(c.to) == "fp64")
      result = source;
    else
      result = std::nearbyint(source);
    fesetround(FE_TONEAREST);
    double rounded = result;
    want.push_back(c.to[0] == 'i' && rounded == 0 ? 0 : rounded); // -0.25 rounds to a negative zero
  }
  expectSame(compute("libdevice.py", "unary", call(name.c_str(), {c.from, c.to}, c.x.size()),
                     {{"x_ptr", c.x}}, c.x.size()),
             want);
}

const std::vector<double> fractions = {2.5, -2.5, 3.5, -0.75, 0.25, 1e6 + 0.5, -7, 0};
const std::vector<double> positive = {2.5, 1.25, 3.5, 0.75, 0.25, 1e6 + 0.5, 7, 0};

INSTANTIATE_TEST_SUITE_P(
    Libdevice, LibdeviceConversion,
    testing::Combine(
        testing::Values(ConversionCase{"double2float",
                                       "fp64",
                                       "fp32",
                                       {0.1, -0.1, 1.0 / 3, 1e30, 1, 1e-50, -1e-50, 5e38}},
                        ConversionCase{"double2int", "fp64", "i32", fractions},
                        ConversionCase{"double2uint", "fp64", "i32", positive},
                        ConversionCase{"double2ll", "fp64", "i64", fractions},
                        ConversionCase{"double2ull", "fp64", "i64", positive},
                        ConversionCase{"float2int", "fp32", "i32", fractions},
                        ConversionCase{"float2uint", "fp32", "i32", positive},
                        ConversionCase{"float2ll", "fp32", "i64", fractions},
                        ConversionCase{"float2ull", "fp32", "i64", positive},
                        ConversionCase{"int2float", "i32", "fp32", {16777217, -16777217, 5, 2147483647}},
                        ConversionCase{"uint2float", "u32", "fp32", {16777217, 4294967295.0, 5, 16777219}},
                        ConversionCase{"ll2float", "i64", "fp32", {16777217, -16777217, 5, 1e15 + 1}},
                        ConversionCase{"ull2float", "u64", "fp32", {16777217, 16777219, 5, 1e15 + 1}},
                        ConversionCase{"ll2double", "i64", "fp64", {16777217, -16777217, 5, 1e15 + 1}},
                        ConversionCase{"ull2double", "u64", "fp64", {16777217, 16777219, 5, 1e15 + 1}}),
        testing::Values("rn", "rz", "rd", "ru")),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).base) + "_" + std::get<1>(info.param);
    });

TEST(Libdevice, IntegersToDouble) {
  covers("libdevice.int2double_rn libdevice.uint2double_rn");
  expectSame(compute("libdevice.py", "unary", call("int2double_rn", {"i32", "fp64"}, 2),
                     {{"x_ptr", {-5, 2147483647}}}, 2),
             {-5, 2147483647});
  expectSame(compute("libdevice.py", "unary", call("uint2double_rn", {"u32", "fp64"}, 2),
                     {{"x_ptr", {5, 4294967295.0}}}, 2),
             {5, 4294967295.0});
}

TEST(Libdevice, QuestionsAreAnsweredWithTruthValues) {
  covers("libdevice.isnan libdevice.isinf libdevice.finitef libdevice.isfinited");
  std::vector<double> x = {0, -1.5, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e30, -0.0, 3},
                      want = {4, 4, 2, 2, 1, 4, 4, 4};
  expectSame(compute("libdevice.py", "answers", "*fp32, *i32, True", {{"x_ptr", x}}, 8), want);
  expectSame(compute("libdevice.py", "answers", "*fp64, *i32, False", {{"x_ptr", x}}, 8), want);
}

} // namespace
