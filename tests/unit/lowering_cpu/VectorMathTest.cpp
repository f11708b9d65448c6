// The elementary functions, measured against the C library in double precision.
#include "KernelRunner.h"

#include <cmath>

using namespace nereid::test;

namespace {

std::string unaryKernel(const std::string &op, const std::string &type = "f32") {
  return R"(
module {
  tt.func public @k(%x: !tt.ptr<)" +
         type + R"(>, %y: !tt.ptr<)" + type + R"(>) {
    %c = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %first = tt.splat %start : i32 -> tensor<1024xi32>
    %offs = arith.addi %first, %range : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<)" +
         type + "> -> tensor<1024x!tt.ptr<" + type + R"(>>
    %xp = tt.addptr %xs, %offs : tensor<1024x!tt.ptr<)" +
         type + R"(>>, tensor<1024xi32>
    %v = tt.load %xp : tensor<1024x!tt.ptr<)" +
         type + R"(>>
    %r = )" +
         op + " %v : tensor<1024x" + type + R"(>
    %ys = tt.splat %y : !tt.ptr<)" +
         type + "> -> tensor<1024x!tt.ptr<" + type + R"(>>
    %yp = tt.addptr %ys, %offs : tensor<1024x!tt.ptr<)" +
         type + R"(>>, tensor<1024xi32>
    tt.store %yp, %r : tensor<1024x!tt.ptr<)" +
         type + R"(>>
    tt.return
  }
})";
}

/// Floats of all magnitudes and signs, and the special ones.
std::vector<float> samples() {
  std::vector<float> values{0.0f,   -0.0f,  1.0f,    -1.0f,           INFINITY,      -INFINITY,
                            NAN,    1e-45f, -1e-45f, 1.17549435e-38f, 3.4028235e38f, -3.4028235e38f,
                            0.5f,   88.72f, 88.73f,  -87.3f,          -103.9f,       -104.1f,
                            127.9f, 128.0f, -149.0f, -150.5f,         0.625f,        3.9f,
                            4.0f,   1e6f,   1.6e6f,  1.7e6f,          1e10f,         1e30f};
  for (uint32_t i = 0; i < 60000; ++i) {
    uint32_t bits = i * 2654435761u; // all exponents
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  for (int i = -40000; i <= 40000; ++i)
    values.push_back(float(i) * 0.0026f);
  for (int i = 1; i < 20000; ++i)
    values.push_back(1.0f + (i - 10000) * 3e-5f);
  while (values.size() % 1024 != 0)
    values.push_back(0.25f);
  return values;
}

struct Function {
  const char *op;
  double (*reference)(double);
  int64_t limit;
};

class VectorMath : public testing::TestWithParam<Function> {};

TEST_P(VectorMath, IsWithinTwoUnitsInTheLastPlace) {
  const Function &function = GetParam();
  std::vector<float> x = samples();
  forEachLevel([&](const std::string &level) {
    Kernel kernel(unaryKernel(function.op), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<float> y(x.size());
    kernel.run({uint32_t(x.size() / 1024)}, x.data(), y.data());
    int64_t worst = 0;
    float worstAt = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = float(function.reference(double(x[i])));
      int64_t distance = ulpDistance(y[i], expected);
      if (distance > worst) {
        worst = distance;
        worstAt = x[i];
      }
      if (expected == 0 && y[i] == 0 && x[i] == 0)
        EXPECT_EQ(std::signbit(expected), std::signbit(y[i])) << function.op << "(" << x[i] << ")";
    }
    EXPECT_LE(worst, function.limit) << function.op << " at " << worstAt;
  });
}

double rsqrt(double x) { return 1 / std::sqrt(x); }

INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMath,
    testing::Values(Function{"math.exp", std::exp, 2}, Function{"math.exp2", std::exp2, 2},
                    Function{"math.log", std::log, 2}, Function{"math.log2", std::log2, 2},
                    Function{"math.sin", std::sin, 2}, Function{"math.cos", std::cos, 2},
                    Function{"math.tanh", std::tanh, 2}, Function{"math.erf", std::erf, 2},
                    Function{"math.rsqrt", rsqrt, 1}, Function{"math.sqrt", std::sqrt, 0},
                    Function{"math.floor", std::floor, 0}, Function{"math.ceil", std::ceil, 0},
                    Function{"math.trunc", std::trunc, 0}, Function{"math.absf", std::fabs, 0},
                    Function{"math.atan", std::atan, 2}, Function{"math.log1p", std::log1p, 2},
                    Function{"math.roundeven", std::nearbyint, 0}));

} // namespace
