// Element-wise kernels of kernels/elementwise.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

struct AddCase {
  const char *type;
  ScalarKind kind;
  size_t length;
};

class VectorAdd : public testing::TestWithParam<AddCase> {};

TEST_P(VectorAdd, MatchesTheReference) {
  auto [type, kind, length] = GetParam();
  std::string pointer = std::string("*") + type + ", ";
  KernelRun run("elementwise.py", "add_kernel", pointer + pointer + pointer + "i32, 1024", "cdiv(n, BLOCK)");
  std::vector<double> x = randomValues(length, 1, kind);
  std::vector<double> y = randomValues(length, 2, kind);
  run.input("x_ptr", x).input("y_ptr", y).output("out_ptr", length);
  run.scalar("n", static_cast<double>(length));
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(length);
  for (size_t i = 0; i < length; ++i)
    want[i] = roundTo(kind, x[i] + y[i]);
  expectSame(run.result("out_ptr"), want);
}

std::string nameOf(const testing::TestParamInfo<AddCase> &info) {
  return std::string(info.param.type) + "_" + std::to_string(info.param.length);
}

INSTANTIATE_TEST_SUITE_P(
    Lengths, VectorAdd,
    testing::Values(AddCase{"fp32", ScalarKind::FP32, 0}, AddCase{"fp32", ScalarKind::FP32, 1},
                    AddCase{"fp32", ScalarKind::FP32, 1000}, AddCase{"fp32", ScalarKind::FP32, 98432},
                    AddCase{"fp32", ScalarKind::FP32, 1000001}, AddCase{"fp16", ScalarKind::FP16, 1},
                    AddCase{"fp16", ScalarKind::FP16, 98433}, AddCase{"bf16", ScalarKind::BF16, 5000},
                    AddCase{"fp64", ScalarKind::FP64, 1023}),
    nameOf);

TEST(Elementwise, SpecialValuesAdd) {
  double inf = HUGE_VAL;
  double nan = std::nan("");
  std::vector<double> x = {inf, inf, nan, -0.0, 0.0, 3e38, 1e-45, -inf};
  std::vector<double> y = {1.0, -inf, 1.0, -0.0, -0.0, 3e38, 1e-45, -inf};
  KernelRun run("elementwise.py", "add_kernel", "*fp32, *fp32, *fp32, i32, 16", "1");
  run.input("x_ptr", x).input("y_ptr", y).output("out_ptr", 8).scalar("n", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> out = run.result("out_ptr");
  EXPECT_EQ(out[0], inf);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(std::signbit(out[3]));
  EXPECT_FALSE(std::signbit(out[4]));
  EXPECT_EQ(out[5], inf);
  EXPECT_EQ(out[6], 2 * roundTo(ScalarKind::FP32, 1e-45));
  EXPECT_EQ(out[7], -inf);
}

TEST(Elementwise, SwiGLU) {
  for (auto [type, kind] : {std::pair{"fp32", ScalarKind::FP32}, {"fp16", ScalarKind::FP16}}) {
    const size_t rows = 5;
    const size_t cols = 300;
    std::string pointer = std::string("*") + type + ", ";
    KernelRun run("elementwise.py", "swiglu_forward", pointer + pointer + pointer + "i32, 300, 512", "5");
    std::vector<double> a = randomValues(rows * cols, 3, kind);
    std::vector<double> b = randomValues(rows * cols, 4, kind);
    run.input("a_ptr", a).input("b_ptr", b).output("c_ptr", rows * cols).scalar("stride", cols);
    ASSERT_TRUE(run.run()) << run.messages();
    std::vector<double> want(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      want[i] = a[i] / (1 + std::exp(-a[i])) * b[i];
    // The exponential, a sum, a quotient and two products; in float16, the product is one of rounded factors.
    expectClose(run.result("c_ptr"), want,
                ulps(ScalarKind::FP32, 6) + ulps(kind, kind == ScalarKind::FP16 ? 1.5 : 0));
  }
}

TEST(Elementwise, GELU) {
  const size_t n = 3000;
  KernelRun run("elementwise.py", "gelu_tanh", "*fp32, *fp32, i32, 256", "cdiv(n, BLOCK)");
  std::vector<double> x = randomValues(n, 5);
  for (double &v : x)
    v = roundTo(ScalarKind::FP32, v * 8);
  run.input("x_ptr", x).output("out_ptr", n).scalar("n", n);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(n), magnitude(n);
  for (size_t i = 0; i < n; ++i) {
    want[i] = 0.5 * x[i] * (1 + std::tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
    magnitude[i] = std::fabs(x[i]); // the sum may be of 1 and nearly -1
  }
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, 8, magnitude));
}

TEST(Elementwise, LeakyReLUWithDefaultAndGlobalConstant) {
  for (bool useGlobal : {false, true}) {
    KernelRun run("elementwise.py", "leaky_relu",
                  std::string("x_ptr=*fp32, out_ptr=*fp32, n=i32, slope=fp32, USE_GLOBAL=") +
                      (useGlobal ? "True" : "False"),
                  "cdiv(n, 128)");
    std::vector<double> x = randomValues(500, 6);
    run.input("x_ptr", x).output("out_ptr", 500).scalar("n", 500).scalar("slope", 0.25);
    ASSERT_TRUE(run.run()) << run.messages();
    std::vector<double> want(500);
    for (size_t i = 0; i < 500; ++i)
      want[i] = roundTo(ScalarKind::FP32,
                        x[i] >= 0 ? x[i] : x[i] * roundTo(ScalarKind::FP32, useGlobal ? 0.01 : 0.25));
    expectSame(run.result("out_ptr"), want);
  }
}

TEST(Elementwise, QuotientsWhereDivisorsAreZero) {
  const double infinity = HUGE_VAL, nan = std::nan("");
  std::vector<double> x, y;
  for (double above : {1.0, -1.5, 0.0, -0.0, infinity, -infinity, nan, 0x1p-14})
    for (double below : {0.0, -0.0, 2.0, 0x1p-14, infinity, nan}) {
      x.push_back(above);
      y.push_back(below);
    }
  std::vector<double> want;
  for (size_t i = 0; i < x.size(); ++i)
    want.push_back(y[i] == 0 ? x[i] / y[i] : x[i]);
  for (const char *type : {"fp16", "bf16", "fp32", "fp64"})
    for (const char *form : {"equal", "unequal", "numbers"}) {
      std::string p = std::string("*") + type + ", ";
      KernelRun run("elementwise.py", "quotients_by_zero", p + p + p + "i32, \"" + form + "\", 64", "1");
      run.input("x_ptr", x).input("y_ptr", y).output("out_ptr", x.size()).scalar("n", double(x.size()));
      ASSERT_TRUE(run.run()) << run.messages();
      SCOPED_TRACE(std::string(type) + ", " + form);
      expectSame(run.result("out_ptr"), want);
    }
}

TEST(Elementwise, IntegersDivideAsInC) {
  std::vector<double> x = {7, -7, 7, -7, 0, 2147483647, -2147483647, 1, 100, -100};
  std::vector<double> y = {2, 2, -2, -2, 5, 3, 10, 7, -7, 13};
  size_t n = x.size();
  KernelRun run("elementwise.py", "integer_ops", "*i32, *i32, *i32, *i32, *i32, i32, 16", "1");
  run.input("x_ptr", x).input("y_ptr", y).scalar("n", static_cast<double>(n));
  for (const char *name : {"div_ptr", "mod_ptr", "bits_ptr"})
    run.output(name, n);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> quotient(n);
  std::vector<double> remainder(n);
  std::vector<double> bits(n);
  for (size_t i = 0; i < n; ++i) {
    auto a = static_cast<int32_t>(x[i]);
    auto b = static_cast<int32_t>(y[i]);
    int32_t whole = a / b;
    quotient[i] = whole;
    remainder[i] = a % b;
    bits[i] = static_cast<int32_t>(static_cast<uint32_t>((a & b) | (a ^ 5)) << 1);
  }
  EXPECT_EQ(run.result("div_ptr"), quotient);
  EXPECT_EQ(run.result("mod_ptr"), remainder);
  EXPECT_EQ(run.result("bits_ptr"), bits);
}

TEST(Elementwise, Transpose) {
  const size_t rows = 37;
  const size_t cols = 75;
  KernelRun run("elementwise.py", "transpose_copy", "*fp32, *fp32, i32, i32, 16, 32",
                "cdiv(M, BM), cdiv(N, BN)");
  std::vector<double> x = randomValues(rows * cols, 8);
  run.input("x_ptr", x).output("out_ptr", rows * cols).scalar("M", rows).scalar("N", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(x.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j)
      want[j * rows + i] = x[i * cols + j];
  EXPECT_EQ(run.result("out_ptr"), want);
}

TEST(Elementwise, Casts) {
  struct Case {
    const char *from, *to;
    ScalarKind source, result;
  };
  for (Case c : {Case{"fp32", "fp16", ScalarKind::FP32, ScalarKind::FP16},
                 {"fp32", "bf16", ScalarKind::FP32, ScalarKind::BF16},
                 {"bf16", "fp32", ScalarKind::BF16, ScalarKind::FP32},
                 {"fp16", "bf16", ScalarKind::FP16, ScalarKind::BF16},
                 {"i32", "fp32", ScalarKind::Int32, ScalarKind::FP32},
                 {"fp32", "i32", ScalarKind::FP32, ScalarKind::Int32},
                 {"fp64", "fp32", ScalarKind::FP64, ScalarKind::FP32},
                 {"i8", "i64", ScalarKind::Int8, ScalarKind::Int64},
                 {"u8", "fp16", ScalarKind::UInt8, ScalarKind::FP16}}) {
    std::vector<double> x(333);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] =
          roundTo(c.source, c.source == ScalarKind::UInt8 ? double(i % 250) : (double(i) - 166.0) * 0.7501);
    KernelRun run("elementwise.py", "cast_kernel", std::string("*") + c.from + ", *" + c.to + ", i32, 128",
                  "cdiv(n, BLOCK)");
    run.input("x_ptr", x).output("out_ptr", x.size()).scalar("n", static_cast<double>(x.size()));
    ASSERT_TRUE(run.run()) << c.from << " to " << c.to << ": " << run.messages();
    std::vector<double> want(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      want[i] = roundTo(c.result, c.result == ScalarKind::Int32 ? std::trunc(x[i]) : x[i]);
    EXPECT_EQ(run.result("out_ptr"), want) << c.from << " to " << c.to;
  }
}

} // namespace
