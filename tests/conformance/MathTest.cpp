// kernels/math.py: functions of one to three numbers, beside the C library in double precision.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace nereid;
using namespace nereid::test;

namespace {

const double inf = HUGE_VAL;
const double aNaN = std::nan("");

struct Function {
  const char *name;
  long double (*reference)(long double);
  double low, high;
  /// The error allowed, in units in the last place: what CUDA's documentation allows its own functions.
  /// Nothing where the result is the nearest number.
  double tolerance;
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

const Function functions[] = {
    // The ends of some ranges give the largest finite results and subnormal ones.
    {"exp", std::exp, -20, 20, 2},     {"exp", std::exp, -103, 88.7, 2}, {"exp2", std::exp2, -149, 127.9, 2},
    {"log", std::log, 1e-6, 100, 1},   {"log", std::log, 0.9, 1.1, 1},   {"log", std::log, 1e-44, 1e-38, 1},
    {"log2", std::log2, 1e-6, 100, 1}, {"log2", std::log2, 0.9, 1.1, 1}, {"sin", std::sin, -100, 100, 2},
    {"cos", std::cos, -100, 100, 2},   {"sqrt", std::sqrt, 0, 1000, 1},  {"sqrt_rn", std::sqrt, 0, 1000, 0},
    {"rsqrt", rsqrt, 1e-4, 100, 2},    {"erf", std::erf, -4, 4, 2},      {"erf", std::erf, -1e-20, 1e-20, 2},
    {"floor", std::floor, -50, 50, 0}, {"ceil", std::ceil, -50, 50, 0},  {"abs", std::fabs, -50, 50, 0},
    {"sigmoid", sigmoid, -20, 20, 4},  {"sigmoid", sigmoid, -87, 0, 4},
};

struct UnaryCase {
  Function function;
  const char *type;
  const char *kernel;
};

std::vector<double> spread(const Function &function, ScalarKind kind, size_t count) {
  std::vector<double> x = randomValues(count, 7);
  for (double &v : x)
    v = roundTo(kind, function.low + (v + 1) / 2 * (function.high - function.low));
  return x;
}

class Unary : public testing::TestWithParam<UnaryCase> {};

TEST_P(Unary, OverItsRange) {
  const UnaryCase &c = GetParam();
  covers(std::string("tl.") + c.function.name);
  ScalarKind kind = kindOf(c.type);
  std::vector<double> x = spread(c.function, kind, 256);
  std::vector<double> want;
  for (double v : x)
    want.push_back(roundTo(kind, static_cast<double>(c.function.reference(v))));
  std::string pointer = std::string("*") + c.type;
  std::vector<double> got =
      compute("math.py", c.kernel, pointer + ", " + pointer + ", \"" + c.function.name + "\", 256",
              {{"x_ptr", x}}, 256);
  if (c.function.tolerance == 0)
    expectSame(got, want);
  else
    expectClose(got, want, ulps(kind, c.function.tolerance));
}

std::vector<UnaryCase> unaryCases() {
  std::vector<UnaryCase> cases;
  for (const Function &function : functions) {
    std::string name = function.name;
    cases.push_back({function, "fp32", "unary"});
    if (name != "sqrt_rn")
      cases.push_back({function, "fp64", "unary"});
    cases.push_back({function, "fp32", "methods"});
    if (name != "sigmoid")
      cases.push_back({function, "fp32", "math_module"});
  }
  for (const char *type : {"fp16", "bf16"})
    cases.push_back({{"abs", std::fabs, -50, 50, 0}, type, "unary"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Math, Unary, testing::ValuesIn(unaryCases()), [](const auto &info) {
  return std::string(info.param.function.name) + "_" + info.param.type + "_" + info.param.kernel + "_" +
         std::to_string(info.index);
});

struct SpecialCase {
  const char *name;
  std::vector<double> x, want;
};

class UnarySpecial : public testing::TestWithParam<SpecialCase> {};

TEST_P(UnarySpecial, Values) {
  const SpecialCase &c = GetParam();
  covers(c.name == std::string("neg") ? "-x" : std::string("tl.") + c.name);
  for (const char *type : {"fp32", "fp64"}) {
    if (std::string(c.name) == "sqrt_rn" && std::string(type) == "fp64")
      continue;
    std::vector<double> x = c.x, want = c.want;
    x.resize(8, 1.0);
    std::string pointer = std::string("*") + type;
    std::vector<double> got =
        compute("math.py", "unary", pointer + ", " + pointer + ", \"" + c.name + "\", 8", {{"x_ptr", x}}, 8);
    got.resize(want.size());
    expectSame(got, want);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Math, UnarySpecial,
    testing::Values(
        SpecialCase{"exp", {inf, -inf, aNaN, 0.0, -0.0, 1e4, -1e4}, {inf, 0, aNaN, 1, 1, inf, 0}},
        SpecialCase{"exp2", {inf, -inf, aNaN, 0.0, 10, -1e4, 1e4}, {inf, 0, aNaN, 1, 1024, 0, inf}},
        SpecialCase{"log", {inf, -1, aNaN, 0.0, -0.0, 1}, {inf, aNaN, aNaN, -inf, -inf, 0}},
        SpecialCase{"log2", {inf, -1, aNaN, 0.0, -0.0, 8, 0.25}, {inf, aNaN, aNaN, -inf, -inf, 3, -2}},
        SpecialCase{"sin", {inf, -inf, aNaN, 0.0, -0.0}, {aNaN, aNaN, aNaN, 0.0, -0.0}},
        SpecialCase{"cos", {inf, -inf, aNaN, 0.0, -0.0}, {aNaN, aNaN, aNaN, 1, 1}},
        SpecialCase{"sqrt", {inf, -1, aNaN, 0.0, -0.0, 4, 1}, {inf, aNaN, aNaN, 0.0, -0.0, 2, 1}},
        SpecialCase{"sqrt_rn", {inf, -1, aNaN, 0.0, -0.0, 4}, {inf, aNaN, aNaN, 0.0, -0.0, 2}},
        SpecialCase{"rsqrt", {inf, -1, aNaN, 0.0, 4}, {0.0, aNaN, aNaN, inf, 0.5}},
        SpecialCase{"erf", {inf, -inf, aNaN, 0.0, -0.0, 10}, {1, -1, aNaN, 0.0, -0.0, 1}},
        SpecialCase{"floor", {inf, -inf, aNaN, -0.5, -0.0, 1e10, 2.5}, {inf, -inf, aNaN, -1, -0.0, 1e10, 2}},
        SpecialCase{"ceil", {inf, -inf, aNaN, -0.5, -0.0, 1e10, 2.5}, {inf, -inf, aNaN, -0.0, -0.0, 1e10, 3}},
        SpecialCase{"abs", {inf, -inf, aNaN, -0.5, -0.0, 1e10}, {inf, inf, aNaN, 0.5, 0.0, 1e10}},
        SpecialCase{"neg", {inf, -inf, aNaN, -0.5, -0.0, 0.0}, {-inf, inf, aNaN, 0.5, 0.0, 0.0}},
        SpecialCase{"sigmoid", {inf, -inf, aNaN, 0.0, 1e4, -1e4}, {1, 0, aNaN, 0.5, 1, 0}}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(MathIntegers, AbsOfEverySignedWidth) {
  covers("tl.abs");
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    std::string pointer = std::string("*") + type;
    expectSame(compute("math.py", "unary", pointer + ", " + pointer + ", \"abs\", 4",
                       {{"x_ptr", {-5, 0, 127, -127}}}, 4),
               {5, 0, 127, 127});
  }
}

TEST(MathIntegers, AbsOfUnsignedIsItself) {
  covers("tl.abs");
  expectSame(compute("math.py", "unary", "*u8, *u8, \"abs\", 4", {{"x_ptr", {0, 200, 255, 1}}}, 4),
             {0, 200, 255, 1});
}

TEST(MathIntegers, UnaryMinus) {
  covers("-x");
  expectSame(compute("math.py", "unary", "*i32, *i32, \"neg\", 4", {{"x_ptr", {-2147483648.0, 0, 7, -7}}}, 4),
             {-2147483648.0, 0, -7, 7});
}

struct BinaryCase {
  const char *name, *builtin, *op, *type;
  std::vector<double> x, y, want;
};

class MathBinary : public testing::TestWithParam<BinaryCase> {};

TEST_P(MathBinary, Values) {
  const BinaryCase &c = GetParam();
  covers(c.builtin);
  std::string pointer = std::string("*") + c.type + ", ";
  std::vector<double> x = c.x, y = c.y;
  x.resize(8, 1);
  y.resize(8, 1);
  std::vector<double> got = compute("math.py", "binary", pointer + pointer + pointer + "\"" + c.op + "\", 8",
                                    {{"x_ptr", x}, {"y_ptr", y}}, 8);
  got.resize(std::min(got.size(), c.want.size()));
  expectSame(got, c.want);
}

const double third = static_cast<float>(1.0f / 3.0f);

INSTANTIATE_TEST_SUITE_P(
    Math, MathBinary,
    testing::Values(
        BinaryCase{"minimum_fp32",
                   "tl.minimum",
                   "minimum",
                   "fp32",
                   {1, -inf, aNaN, 2, aNaN},
                   {2, 5, 3, aNaN, aNaN},
                   {1, -inf, 3, 2, aNaN}},
        BinaryCase{"maximum_fp32",
                   "tl.maximum",
                   "maximum",
                   "fp32",
                   {1, -inf, aNaN, 2, aNaN},
                   {2, 5, 3, aNaN, aNaN},
                   {2, 5, 3, 2, aNaN}},
        BinaryCase{"minimum_fp64",
                   "tl.minimum",
                   "minimum",
                   "fp64",
                   {1, inf, aNaN, 2},
                   {2, 5, 3, aNaN},
                   {1, 5, 3, 2}},
        BinaryCase{"maximum_fp64",
                   "tl.maximum",
                   "maximum",
                   "fp64",
                   {1, inf, aNaN, 2},
                   {2, 5, 3, aNaN},
                   {2, inf, 3, 2}},
        BinaryCase{"minimum_fp16",
                   "tl.minimum",
                   "minimum",
                   "fp16",
                   {1, inf, aNaN, 2},
                   {2, 5, 3, aNaN},
                   {1, 5, 3, 2}},
        BinaryCase{"maximum_bf16",
                   "tl.maximum",
                   "maximum",
                   "bf16",
                   {1, inf, aNaN, 2},
                   {2, 5, 3, aNaN},
                   {2, inf, 3, 2}},
        BinaryCase{"minimum_propagates_fp32",
                   "tl.minimum",
                   "minimum_nan",
                   "fp32",
                   {1, aNaN, 2, -inf},
                   {2, 3, aNaN, 0},
                   {1, aNaN, aNaN, -inf}},
        BinaryCase{"maximum_propagates_fp32",
                   "tl.maximum",
                   "maximum_nan",
                   "fp32",
                   {1, aNaN, 2, inf},
                   {2, 3, aNaN, 0},
                   {2, aNaN, aNaN, inf}},
        BinaryCase{"minimum_propagates_fp16",
                   "tl.minimum",
                   "minimum_nan",
                   "fp16",
                   {1, aNaN, 2, -inf},
                   {2, 3, aNaN, 0},
                   {1, aNaN, aNaN, -inf}},
        BinaryCase{"minimum_i32",
                   "tl.minimum",
                   "minimum",
                   "i32",
                   {1, -2147483648.0, 2147483647},
                   {-1, 0, 3},
                   {-1, -2147483648.0, 3}},
        BinaryCase{"minimum_u32",
                   "tl.minimum",
                   "minimum",
                   "u32",
                   {1, 4294967295.0, 2147483648.0},
                   {3, 0, 5},
                   {1, 0, 5}},
        BinaryCase{"maximum_u8", "tl.maximum", "maximum", "u8", {1, 255, 128}, {3, 0, 127}, {3, 255, 128}},
        BinaryCase{"maximum_i8", "tl.maximum", "maximum", "i8", {1, -128, -1}, {-3, 0, 127}, {1, 0, 127}},
        BinaryCase{"maximum_i64", "tl.maximum", "maximum", "i64", {1, -5e15}, {-3, -4e15}, {1, -4e15}},
        BinaryCase{"fdiv_fp32",
                   "tl.fdiv",
                   "fdiv",
                   "fp32",
                   {1, 6, 0, -4, inf},
                   {0, 2, 0, inf, 2},
                   {inf, 3, aNaN, -0.0, inf}},
        BinaryCase{
            "fdiv_ieee_fp32", "tl.fdiv", "fdiv_ieee", "fp32", {1, 1, 6}, {3, -inf, 2}, {third, -0.0, 3}},
        BinaryCase{"fdiv_fp64", "tl.fdiv", "fdiv", "fp64", {1, 6}, {3, 2}, {1.0 / 3, 3}},
        BinaryCase{"div_rn_fp32",
                   "tl.div_rn",
                   "div_rn",
                   "fp32",
                   {1, -1, 0, inf, 5},
                   {3, 0, 0, inf, 5},
                   {third, -inf, aNaN, aNaN, 1}},
        BinaryCase{
            "umulhi_i32", "tl.umulhi", "umulhi", "i32", {-1, -1, 65536, 1}, {-1, 2, 65536, 1}, {-2, 1, 1, 0}},
        BinaryCase{"umulhi_u32",
                   "tl.umulhi",
                   "umulhi",
                   "u32",
                   {4294967295.0, 4294967295.0, 65536, 1},
                   {4294967295.0, 2, 65536, 1},
                   {4294967294.0, 1, 1, 0}},
        BinaryCase{"umulhi_i64",
                   "tl.umulhi",
                   "umulhi",
                   "i64",
                   {-1, -1, 4294967296.0},
                   {-1, 2, 4294967296.0},
                   {-2, 1, 1}},
        BinaryCase{
            "cdiv_i32", "tl.cdiv", "cdiv", "i32", {0, 1, 15, 16, 17}, {4, 4, 4, 4, 4}, {0, 1, 4, 4, 5}},
        BinaryCase{
            "cdiv_u32", "tl.cdiv", "cdiv", "u32", {0, 1, 3000000001.0}, {4, 4, 2}, {0, 1, 1500000001.0}},
        BinaryCase{"cdiv_method_i32",
                   "tl.cdiv",
                   "cdiv_method",
                   "i32",
                   {0, 1, 15, 16, 17},
                   {4, 4, 4, 4, 4},
                   {0, 1, 4, 4, 5}},
        BinaryCase{"add_i32_wraps", "tl.add", "add", "i32", {2147483647, 1}, {1, -2}, {-2147483648.0, -1}},
        BinaryCase{"sub_u8_wraps", "tl.sub", "sub", "u8", {0, 5}, {1, 3}, {255, 2}},
        BinaryCase{"mul_i32_wraps", "tl.mul", "mul", "i32", {65536, -3}, {65537, 7}, {65536, -21}}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(Fma, RoundsOnce) {
  covers("tl.fma");
  // In float32, (1 + e)^2 rounds to 1 + 2e; only a fused operation keeps the e^2 after the subtraction.
  double e = 0x1p-12;
  for (const char *type : {"fp32", "fp64"}) {
    double step = std::string(type) == "fp32" ? e : 0x1p-27;
    std::string p = std::string("*") + type + ", ";
    expectSame(compute("math.py", "fused_multiply_add", p + p + p + p + "4",
                       {{"x_ptr", {1 + step, 2, inf, 0}},
                        {"y_ptr", {1 + step, 3, 0, -5}},
                        {"z_ptr", {-(1 + 2 * step), 4, 1, -0.0}}},
                       4),
               {step * step, 10, aNaN, -0.0});
  }
}

TEST(Fma, HalfPrecision) {
  covers("tl.fma");
  std::vector<double> x = randomValues(64, 1, ScalarKind::FP16), y = randomValues(64, 2, ScalarKind::FP16),
                      z = randomValues(64, 3, ScalarKind::FP16), want;
  for (size_t i = 0; i < 64; ++i)
    want.push_back(roundTo(ScalarKind::FP16, x[i] * y[i] + z[i]));
  expectSame(compute("math.py", "fused_multiply_add", "*fp16, *fp16, *fp16, *fp16, 64",
                     {{"x_ptr", x}, {"y_ptr", y}, {"z_ptr", z}}, 64),
             want);
}

TEST(Clamp, BetweenBlocks) {
  covers("tl.clamp");
  for (const char *type : {"fp32", "fp16", "bf16", "fp64"}) {
    std::string p = std::string("*") + type + ", ";
    expectSame(compute("math.py", "clamp", p + p + p + p + "False, 4",
                       {{"x_ptr", {-5, 0.5, 5, inf}}, {"lo_ptr", {-1, 0, 1, -2}}, {"hi_ptr", {1, 1, 2, 3}}},
                       4),
               {-1, 0.5, 2, 3});
  }
}

TEST(Clamp, NaNGivesABoundUnlessPropagated) {
  covers("tl.clamp");
  for (const char *type : {"fp32", "fp16"}) {
    std::string p = std::string("*") + type + ", ";
    std::vector<Input> inputs = {{"x_ptr", {aNaN, 0.5}}, {"lo_ptr", {-1, 0}}, {"hi_ptr", {1, 1}}};
    expectSame(compute("math.py", "clamp", p + p + p + p + "False, 2", inputs, 2), {-1, 0.5});
    expectSame(compute("math.py", "clamp", p + p + p + p + "True, 2", inputs, 2), {aNaN, 0.5});
  }
}

TEST(Clamp, BetweenConstants) {
  covers("tl.clamp");
  expectSame(compute("math.py", "clamp_to_constants", "*fp32, *fp32, 4", {{"x_ptr", {-3, 0, 2, 3}}}, 4),
             {-1, 0, 2, 2.5});
}

TEST(Softmax, OfABlock) {
  covers("tl.softmax");
  std::vector<double> x = randomValues(64, 5), want(64);
  double sum = 0;
  for (double v : x)
    sum += std::exp(v);
  for (size_t i = 0; i < 64; ++i)
    want[i] = std::exp(x[i]) / sum;
  for (const char *kernel : {"unary", "methods"})
    expectClose(compute("math.py", kernel, "*fp32, *fp32, \"softmax\", 64", {{"x_ptr", x}}, 64), want,
                roundings(ScalarKind::FP32, ofSum(64) + 12, want));
}

TEST(Softmax, AlongEitherDimension) {
  covers("tl.softmax");
  const size_t m = 4, n = 16;
  std::vector<double> x = randomValues(m * n, 5);
  for (int dim : {0, 1}) {
    std::vector<double> want(m * n);
    for (size_t i = 0; i < m * n; ++i) {
      double sum = 0;
      for (size_t k = 0; k < (dim == 0 ? m : n); ++k)
        sum += std::exp(x[dim == 0 ? k * n + i % n : i / n * n + k]);
      want[i] = std::exp(x[i]) / sum;
    }
    expectClose(compute("math.py", "softmax_of_tile",
                        "*fp32, *fp32, " + std::to_string(dim) + ", True, 4, 16", {{"x_ptr", x}}, m * n),
                want, roundings(ScalarKind::FP32, ofSum(n) + 12, want));
  }
}

TEST(Cdiv, OfConstantsAndScalars) {
  covers("tl.cdiv triton.cdiv triton.next_power_of_2");
  KernelRun run("math.py", "cdiv_of_constants", "*i32, i32", "1");
  run.output("out_ptr", 4).scalar("n", 33);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {4, 4, 128, 5});
}

} // namespace
