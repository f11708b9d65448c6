// The functions of double, measured against the C library's of long double.
#include "KernelRunner.h"

#include <cmath>

using namespace nereid::test;

namespace {

struct Function {
  const char *op;
  long double (*reference)(long double);
  int64_t limit;
};

std::string kernelOf(const std::string &op) {
  return R"(
module {
  tt.func public @k(%x: !tt.ptr<f64>, %y: !tt.ptr<f64>) {
    %c = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %first = tt.splat %start : i32 -> tensor<1024xi32>
    %offs = arith.addi %first, %range : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
    %xp = tt.addptr %xs, %offs : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
    %v = tt.load %xp : tensor<1024x!tt.ptr<f64>>
    %r = )" +
         op + R"( %v : tensor<1024xf64>
    %ys = tt.splat %y : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
    %yp = tt.addptr %ys, %offs : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
    tt.store %yp, %r : tensor<1024x!tt.ptr<f64>>
    tt.return
  }
})";
}

/// Numbers of all magnitudes and signs, those around the ends of the functions' ranges, and the special ones.
std::vector<double> samples() {
  std::vector<double> values{0.0,    -0.0,  1.0,     -1.0,    INFINITY, -INFINITY, NAN,     5e-324,  -5e-324,
                             1e-310, 1e300, -1e300,  709.78,  709.79,   -708.4,    -745.13, -745.14, 1024,
                             1023.9, -1074, -1075.5, -1022.5, 22.1,     1.6e6,     1.7e6,   1e15,    1e22};
  for (int i = 1; i <= 400; ++i) // multiples of pi/2, where sine and cosine vanish
    values.push_back(i * 1.5707963267948966 * (i > 200 ? 5000 : 1));
  for (uint64_t i = 0; i < 40000; ++i) {
    uint64_t bits = i * 0x9E3779B97F4A7C15; // all exponents
    double value;
    std::memcpy(&value, &bits, 8);
    values.push_back(value);
  }
  for (int i = -40000; i <= 40000; ++i)
    values.push_back(i * 0.01901);
  for (int i = 1; i < 20000; ++i)
    values.push_back(1.0 + (i - 10000) * 3.1e-5);
  for (int i = -10000; i < 10000; ++i)
    values.push_back(i * 1.00013e-4);
  while (values.size() % 1024 != 0)
    values.push_back(0.25);
  return values;
}

int64_t ulpsBetween(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0 : INT64_MAX;
  auto ordered = [](double value) {
    int64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits < 0 ? INT64_MIN - bits : bits;
  };
  int64_t a = ordered(x), c = ordered(y);
  return a > c ? a - c : c - a;
}

class DoubleMath : public testing::TestWithParam<Function> {};

TEST_P(DoubleMath, IsWithinAFewUnitsInTheLastPlace) {
  const Function &function = GetParam();
  std::vector<double> x = samples();
  forEachLevel([&](const std::string &level) {
    Kernel kernel(kernelOf(function.op), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<double> y(x.size());
    kernel.run({uint32_t(x.size() / 1024)}, x.data(), y.data());
    int64_t worst = 0;
    double worstAt = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      auto expected = double(function.reference(x[i]));
      int64_t distance = ulpsBetween(y[i], expected);
      if (distance > worst) {
        worst = distance;
        worstAt = x[i];
      }
      if (x[i] == 0 && expected == 0)
        EXPECT_EQ(std::signbit(expected), std::signbit(y[i])) << function.op << "(" << x[i] << ")";
    }
    EXPECT_LE(worst, function.limit) << function.op << " at " << worstAt << " for " << level;
  });
}

INSTANTIATE_TEST_SUITE_P(Functions, DoubleMath,
                         testing::Values(Function{"math.exp", expl, 1}, Function{"math.exp2", exp2l, 1},
                                         Function{"math.log", logl, 1}, Function{"math.log2", log2l, 1},
                                         Function{"math.log10", log10l, 1}, Function{"math.sin", sinl, 1},
                                         Function{"math.cos", cosl, 1}, Function{"math.tanh", tanhl, 3},
                                         Function{"math.expm1", expm1l, 2}));

} // namespace
