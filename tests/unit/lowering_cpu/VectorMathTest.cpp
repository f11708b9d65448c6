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
                    Function{"math.atan", std::atan, 1}, Function{"math.log1p", std::log1p, 1},
                    Function{"math.asin", std::asin, 1}, Function{"math.acos", std::acos, 1},
                    Function{"math.sinh", std::sinh, 1}, Function{"math.cosh", std::cosh, 1},
                    Function{"math.asinh", std::asinh, 1}, Function{"math.acosh", std::acosh, 1},
                    Function{"math.atanh", std::atanh, 1}, Function{"math.cbrt", std::cbrt, 1},
                    Function{"math.expm1", std::expm1, 1}, Function{"math.log10", std::log10, 1},
                    Function{"math.roundeven", std::nearbyint, 0}));

// Every pair of edge values, and pairs over the range of results.
TEST(VectorMath, PowersAndAngles) {
  const std::vector<float> edges{0.0f,        -0.0f,        1.0f,  -1.0f,    2.0f,      -2.0f,
                                 3.0f,        -3.0f,        0.5f,  -0.5f,    1e-45f,    3e38f,
                                 16777216.0f, -16777215.0f, 1e30f, INFINITY, -INFINITY, NAN};
  std::vector<float> x, y;
  for (float a : edges)
    for (float c : edges) {
      x.push_back(a);
      y.push_back(c);
    }
  for (int i = 0; x.size() % 1024 != 0; ++i) {
    x.push_back(std::exp2(float(i % 61 - 30) + 0.37f * float(i % 7)) * (i % 11 == 0 ? -1 : 1));
    y.push_back(i % 11 == 0 ? float(i % 9 - 4) : float(i % 37 - 18) * 0.241f);
  }
  auto test = [&](const std::string &op, double (*reference)(double, double)) {
    std::string ir = unaryKernel(op);
    // A second input, as far behind the first as there are elements.
    std::string load = "%w = tt.load %xp2 : tensor<1024x!tt.ptr<f32>>\n    %r = " + op + " %v, %w";
    std::string shift = "%n = arith.constant dense<" + std::to_string(x.size()) +
                        "> : tensor<1024xi32>\n    %xp2 = tt.addptr %xp, %n : tensor<1024x!tt.ptr<f32>>, "
                        "tensor<1024xi32>\n    ";
    size_t at = ir.find("%r = " + op + " %v");
    ir.replace(at, ("%r = " + op + " %v").size(), shift + load);
    std::vector<float> both(x);
    both.insert(both.end(), y.begin(), y.end());
    forEachLevel([&](const std::string &level) {
      Kernel kernel(ir, level);
      ASSERT_TRUE(kernel.isValid()) << kernel.getErrors() << ir;
      std::vector<float> r(x.size());
      kernel.run({uint32_t(x.size() / 1024)}, both.data(), r.data());
      for (size_t i = 0; i < x.size(); ++i) {
        float want = float(reference(double(x[i]), double(y[i])));
        ASSERT_LE(ulpDistance(r[i], want), 1)
            << op << "(" << x[i] << ", " << y[i] << ") is " << r[i] << ", not " << want;
        if (!std::isnan(want))
          ASSERT_EQ(std::signbit(r[i]), std::signbit(want)) << op << "(" << x[i] << ", " << y[i] << ")";
      }
    });
  };
  test("math.powf", std::pow);
  test("math.atan2", std::atan2);
}

} // namespace
