// Functions of device libraries: special functions against C's in higher precision or by their inverses,
// directed rounding against the processor's, integers against their definition.
#include "KernelRunner.h"

#include <cfenv>
#include <cmath>

using namespace nereid::test;

namespace {

/// A kernel over 64 elements with as many inputs as there are types; %r of the last type is what `line` makes
/// of %a0, %a1, ….
std::string kernelOf(const std::vector<std::string> &types, const std::string &line) {
  std::string parameters, body;
  for (size_t k = 0; k < types.size(); ++k) {
    std::string n = std::to_string(k), pointer = "!tt.ptr<" + types[k] + ">";
    parameters += (k ? ", %p" : "%p") + n + ": " + pointer;
    body += "    %s" + n + " = tt.splat %p" + n + " : " + pointer + " -> tensor<64x" + pointer + ">\n    %q" +
            n + " = tt.addptr %s" + n + ", %i : tensor<64x" + pointer + ">, tensor<64xi32>\n";
    if (k + 1 < types.size())
      body += "    %a" + n + " = tt.load %q" + n + " : tensor<64x" + pointer + ">\n";
  }
  return "module {\n  tt.func public @k(" + parameters +
         ") {\n    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n" + body + "    " +
         line + "\n    tt.store %q" + std::to_string(types.size() - 1) + ", %r : tensor<64x!tt.ptr<" +
         types.back() + ">>\n    tt.return\n  }\n}\n";
}

std::string callOf(const std::string &symbol, const std::vector<std::string> &types) {
  std::string operands, list;
  for (size_t k = 0; k + 1 < types.size(); ++k) {
    operands += (k ? ", %a" : "%a") + std::to_string(k);
    list += (k ? ", tensor<64x" : "tensor<64x") + types[k] + ">";
  }
  return kernelOf(types, "%r = tt.extern_elementwise " + operands +
                             " {libname = \"\", libpath = \"\", pure = true, symbol = \"" + symbol +
                             "\"} : (" + list + ") -> tensor<64x" + types.back() + ">");
}

template <typename T> std::vector<T> padded(std::vector<T> values) {
  while (values.size() % 64 != 0)
    values.push_back(values.front());
  return values;
}

template <typename T> struct Range {
  const char *symbol;
  T (*reference)(T);
  T low, high;
  double error;
};

template <typename T> void checkRange(const Range<T> &range, const char *type) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(callOf(range.symbol, {type, type}), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int block = 0; block < 32; ++block) {
      T x[64], y[64];
      for (int i = 0; i < 64; ++i)
        x[i] = range.low + (range.high - range.low) * T((block * 64 + i) * 37 % 2048) / T(2047);
      kernel.run({1}, x, y);
      for (int i = 0; i < 64; ++i) {
        T want = range.reference(x[i]);
        ASSERT_LE(std::fabs(double(y[i]) - double(want)), range.error * std::fabs(double(want)))
            << range.symbol << "(" << x[i] << ") is " << y[i] << ", not " << want;
      }
    }
  });
}

// References in long double.
const long double pi = 3.14159265358979323846264338327950288L;
double sinpi(double x) { return double(sinl(pi * fmodl(x, 2))); }
double cospi(double x) { return double(cosl(pi * fmodl(x, 2))); }
double exp10(double x) { return double(powl(10, x)); }
double rcbrt(double x) { return double(1 / cbrtl(x)); }
double erfcx(double x) { return double(expl((long double)x * x) * erfcl(x)); }
double normcdf(double x) { return double(erfcl(-x / sqrtl(2)) / 2); }
/// By bisection.
long double inverseErfc(long double y) {
  long double low = -7, high = 27;
  for (int i = 0; i < 200; ++i)
    (erfcl((low + high) / 2) > y ? low : high) = (low + high) / 2;
  return low;
}
double erfcinv(double y) { return double(inverseErfc(y)); }
double erfinv(double x) {
  long double low = -7, high = 7;
  for (int i = 0; i < 200; ++i)
    (erfl((low + high) / 2) < x ? low : high) = (low + high) / 2;
  return double(low);
}
double normcdfinv(double p) { return double(-sqrtl(2) * inverseErfc(2 * (long double)p)); }
long double bessel(long double x, int order) {
  long double sum = 0, term = 1;
  for (int k = 1; k < 400; ++k) {
    sum += term;
    term *= x * x / 4 / (k * (k + order));
  }
  return order ? sum * x / 2 : sum;
}
double besselI0(double x) { return double(bessel(x, 0)); }
double besselI1(double x) { return double(bessel(x, 1)); }
template <double (*function)(double)> float single(float x) { return float(function(x)); }

TEST(DeviceLibrary, SpecialFunctionsOfDouble) {
  for (const Range<double> &range : {Range<double>{"__nv_sinpi", sinpi, -9.7, 9.7, 1e-15},
                                     Range<double>{"__nv_cospi", cospi, -9.7, 9.7, 1e-15},
                                     Range<double>{"__nv_exp10", exp10, -300, 300, 4e-16},
                                     Range<double>{"__nv_rcbrt", rcbrt, 1e-3, 1e9, 6e-16},
                                     Range<double>{"__nv_erfcx", erfcx, -20, 60, 1e-14},
                                     Range<double>{"__nv_normcdf", normcdf, -37, 8, 1e-14},
                                     Range<double>{"__nv_erfinv", erfinv, -0.99999, 0.99999, 2e-15},
                                     Range<double>{"__nv_erfinv", erfinv, 1e-10, 1e-7, 2e-15},
                                     Range<double>{"__nv_erfcinv", erfcinv, 1e-30, 1.9999, 1e-13},
                                     Range<double>{"__nv_erfcinv", erfcinv, 1e-300, 1e-290, 2e-15},
                                     Range<double>{"__nv_normcdfinv", normcdfinv, 1e-12, 0.4999, 2e-15},
                                     Range<double>{"__nv_cyl_bessel_i0", besselI0, -19, 80, 1e-14},
                                     Range<double>{"__nv_cyl_bessel_i1", besselI1, -19, 80, 1e-14}})
    checkRange(range, "f64");
}

TEST(DeviceLibrary, SpecialFunctionsOfFloat) {
  for (const Range<float> &range :
       {Range<float>{"__nv_sinpif", single<sinpi>, -9.7f, 9.7f, 0x1p-23},
        Range<float>{"__nv_cospif", single<cospi>, -9.7f, 9.7f, 0x1p-23},
        Range<float>{"__nv_exp10f", single<exp10>, -37, 38, 0x1p-22},
        Range<float>{"__nv_fast_exp10f", single<exp10>, -37, 38, 0x1p-22},
        Range<float>{"__nv_erfcxf", single<erfcx>, -9, 60, 0x1p-23},
        Range<float>{"__nv_normcdff", single<normcdf>, -12, 8, 0x1p-23},
        Range<float>{"__nv_erfinvf", single<erfinv>, -0.9999f, 0.9999f, 0x1p-23},
        Range<float>{"__nv_erfcinvf", single<erfcinv>, 1e-30f, 1.999f, 0x1p-22},
        Range<float>{"__nv_normcdfinvf", single<normcdfinv>, 1e-10f, 0.499f, 0x1p-23},
        Range<float>{"__nv_cyl_bessel_i0f", single<besselI0>, -19, 60, 0x1p-23},
        Range<float>{"__nv_cyl_bessel_i1f", single<besselI1>, -19, 60, 0x1p-23}})
    checkRange(range, "f32");
}

TEST(DeviceLibrary, EndsOfDomains) {
  const double inf = HUGE_VAL, nan = std::nan("");
  struct Case {
    const char *symbol;
    std::vector<double> x, want;
  };
  for (const Case &c : {Case{"__nv_erfinv", {0, -0.0, 1, -1, 1.5, nan}, {0, -0.0, inf, -inf, nan, nan}},
                        Case{"__nv_erfcinv", {0, 1, 2, -1, 3, nan}, {inf, 0, -inf, nan, nan, nan}},
                        Case{"__nv_normcdfinv", {0, 0.5, 1, 2, nan}, {-inf, 0, inf, nan, nan}},
                        Case{"__nv_normcdf", {-inf, inf, 0, nan, -50}, {0, 1, 0.5, nan, 0}},
                        Case{"__nv_erfcx", {inf, -inf, 0, nan, -30, 1e300}, {0, inf, 1, nan, inf, 0}},
                        Case{"__nv_sinpi", {0, -0.0, 1, -1, 2, inf, nan}, {0, -0.0, 0, -0.0, 0, nan, nan}},
                        Case{"__nv_cospi", {0, 0.5, 1, -1, 0x1p60, inf}, {1, 0, -1, -1, 1, nan}},
                        Case{"__nv_cyl_bessel_i0", {0, inf, -inf, nan}, {1, inf, inf, nan}},
                        Case{"__nv_cyl_bessel_i1", {0, -0.0, inf, -inf, nan}, {0, -0.0, inf, -inf, nan}}})
    forEachLevel([&](const std::string &level) {
      Kernel kernel(callOf(c.symbol, {"f64", "f64"}), level);
      ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
      std::vector<double> x = padded(c.x), y(64);
      kernel.run({1}, x.data(), y.data());
      for (size_t i = 0; i < c.want.size(); ++i) {
        double want = c.want[i];
        if (std::isnan(want))
          EXPECT_TRUE(std::isnan(y[i])) << c.symbol << "(" << x[i] << ") is " << y[i];
        else if (std::isfinite(want) && want != 0)
          EXPECT_NEAR(y[i], want, std::fabs(want) * 0x1p-51) << c.symbol << "(" << x[i] << ")";
        else
          EXPECT_TRUE(y[i] == want || (want == 0 && std::fabs(y[i]) < 1e-300))
              << c.symbol << "(" << x[i] << ") is " << y[i];
        if (x[i] == 0 && want == 0)
          EXPECT_EQ(std::signbit(y[i]), std::signbit(want)) << c.symbol << "(" << x[i] << ")";
      }
    });
}

TEST(DeviceLibrary, NormsDoNotOverflow) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(callOf("__nv_norm3d", {"f64", "f64", "f64", "f64"}), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<double> a = padded<double>({2, 2e300, 2e-300, HUGE_VAL, 0}),
                        b = padded<double>({3, 3e300, 3e-300, std::nan(""), 0}),
                        c = padded<double>({6, 6e300, 6e-300, 1, 0}), r(64);
    kernel.run({1}, a.data(), b.data(), c.data(), r.data());
    EXPECT_EQ(r[0], 7);
    EXPECT_NEAR(r[1] / 7e300, 1, 1e-15);
    EXPECT_NEAR(r[2] / 7e-300, 1, 1e-15);
    EXPECT_EQ(r[3], HUGE_VAL);
    EXPECT_EQ(r[4], 0);
  });
}

/// Under each mode, what the processor gives in that mode; volatile, so that it is computed there.
template <typename T> void checkRounding(const char *type, const char *prefix, const char *suffix) {
  const std::pair<const char *, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};
  std::vector<T> a, b, c;
  for (int i = 0; i < 64; ++i) {
    a.push_back(std::sin(T(i) * T(12.9898)) * T(43.7));
    b.push_back(std::cos(T(i) * T(78.233)) + T(1.0000123));
    c.push_back(std::sin(T(i)));
  }
  a[0] = b[0]; // a difference of zero has the mode's sign
  for (auto [name, mode] : modes)
    forEachLevel([&, name = name, mode = mode](const std::string &level) {
      auto test = [&](const std::string &symbol, size_t count, auto &&reference) {
        Kernel kernel(callOf(symbol, std::vector<std::string>(count + 1, type)), level);
        ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
        std::vector<T> x = a, y = b, z = c, r(64);
        if (count == 1)
          for (T &value : x)
            value = std::fabs(value) + T(0.1);
        if (count == 1)
          kernel.run({1}, x.data(), r.data());
        else if (count == 2)
          kernel.run({1}, x.data(), y.data(), r.data());
        else
          kernel.run({1}, x.data(), y.data(), z.data(), r.data());
        for (int i = 0; i < 64; ++i) {
          volatile T vx = x[i], vy = y[i], vz = z[i];
          std::fesetround(mode);
          volatile T want = reference(vx, vy, vz);
          std::fesetround(FE_TONEAREST);
          T expected = want;
          ASSERT_EQ(std::memcmp(&expected, &r[i], sizeof(T)), 0)
              << symbol << "(" << x[i] << ", " << y[i] << ", " << z[i] << ") is " << r[i] << ", not "
              << expected;
        }
      };
      std::string end = std::string("_") + name;
      using V = volatile T;
      test(std::string("__nv_") + prefix + "add" + end, 2, [](V &x, V &y, V &) { return x + y; });
      test(std::string("__nv_") + prefix + "sub" + end, 2, [](V &x, V &y, V &) { return x - y; });
      test(std::string("__nv_") + prefix + "mul" + end, 2, [](V &x, V &y, V &) { return x * y; });
      test(std::string("__nv_") + prefix + "div" + end, 2, [](V &x, V &y, V &) { return x / y; });
      test(std::string("__nv_") + prefix + "rcp" + end, 1, [](V &x, V &, V &) { return T(1) / x; });
      test(std::string("__nv_") + prefix + "sqrt" + end, 1, [](V &x, V &, V &) { return std::sqrt(T(x)); });
      test(std::string("__nv_fma") + suffix + end, 3,
           [](V &x, V &y, V &z) { return std::fma(T(x), T(y), T(z)); });
    });
}

TEST(DeviceLibrary, RoundsInTheDirectionNamed) {
  checkRounding<float>("f32", "f", "f");
  checkRounding<double>("f64", "d", "");
}

TEST(DeviceLibrary, ConvertsInTheDirectionNamed) {
  forEachLevel([&](const std::string &level) {
    auto convert = [&](const char *symbol, int64_t value) {
      Kernel kernel(callOf(symbol, {"i64", "f32"}), level);
      EXPECT_TRUE(kernel.isValid()) << kernel.getErrors();
      std::vector<int64_t> x(64, value);
      std::vector<float> y(64);
      kernel.run({1}, x.data(), y.data());
      return y[5];
    };
    // Above 2^60 floats are 2^37 apart.
    int64_t number = (int64_t(1) << 60) + 1;
    EXPECT_EQ(convert("__nv_ll2float_rd", number), 0x1p60f);
    EXPECT_EQ(convert("__nv_ll2float_rz", -number), -0x1p60f);
    EXPECT_EQ(convert("__nv_ll2float_ru", number), 0x1.000002p60f);
    EXPECT_EQ(convert("__nv_ll2float_rd", -number), -0x1.000002p60f);
    EXPECT_EQ(convert("__nv_ll2float_rn", number), 0x1p60f);
    EXPECT_EQ(convert("__nv_ull2float_ru", -1), 0x1p64f);
    EXPECT_EQ(convert("__nv_ull2float_rd", -1), 0x1.fffffep63f);
  });
}

TEST(DeviceLibrary, Integers) {
  forEachLevel([&](const std::string &level) {
    auto binary = [&](const char *symbol, int32_t x, int32_t y) {
      Kernel kernel(callOf(symbol, {"i32", "i32", "i32"}), level);
      EXPECT_TRUE(kernel.isValid()) << kernel.getErrors();
      std::vector<int32_t> a(64, x), c(64, y), r(64);
      kernel.run({1}, a.data(), c.data(), r.data());
      return r[7];
    };
    EXPECT_EQ(binary("__nv_mulhi", -1, 2), -1);
    EXPECT_EQ(binary("__nv_umulhi", -1, 2), 1);
    EXPECT_EQ(binary("__nv_hadd", INT32_MAX, INT32_MAX), INT32_MAX);
    EXPECT_EQ(binary("__nv_hadd", -3, 0), -2);
    EXPECT_EQ(binary("__nv_rhadd", -3, 0), -1);
    EXPECT_EQ(binary("__nv_uhadd", -1, 0), INT32_MAX);
    EXPECT_EQ(binary("__nv_mul24", 0x01000003, 5), 15);
  });
}

TEST(DeviceLibrary, MathOperations) {
  forEachLevel([&](const std::string &level) {
    Kernel power(kernelOf({"i32", "i32", "i32"}, "%r = math.ipowi %a0, %a1 : tensor<64xi32>"), level);
    ASSERT_TRUE(power.isValid()) << power.getErrors();
    std::vector<int32_t> x = padded<int32_t>({3, -2, 2, 1, -1, -1, 7, 0}),
                         n = padded<int32_t>({5, 3, -1, -9, -3, -4, 0, 0}), r(64);
    power.run({1}, x.data(), n.data(), r.data());
    std::vector<int32_t> want{243, -8, 0, 1, -1, 1, 1, 1};
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(r[i], want[i]) << x[i] << " to the " << n[i];

    Kernel sincos(kernelOf({"f32", "f32"}, "%s, %c = math.sincos %a0 : tensor<64xf32>\n"
                                           "    %d = arith.mulf %s, %c : tensor<64xf32>\n"
                                           "    %r = arith.addf %d, %s : tensor<64xf32>"),
                  level);
    ASSERT_TRUE(sincos.isValid()) << sincos.getErrors();
    std::vector<float> v(64), y(64);
    for (int i = 0; i < 64; ++i)
      v[i] = float(i) * 0.37f;
    sincos.run({1}, v.data(), y.data());
    for (int i = 0; i < 64; ++i) {
      // Both functions to two units, the product and the sum to half of one.
      double sine = std::sin(double(v[i])), product = sine * std::cos(double(v[i]));
      EXPECT_NEAR(y[i], product + sine, (2 * std::fabs(product) + std::fabs(sine)) * 0x1p-22) << v[i];
    }

    Kernel normal(kernelOf({"f16", "i32"}, "%n = math.isnormal %a0 : tensor<64xf16>\n"
                                           "    %r = arith.extui %n : tensor<64xi1> to tensor<64xi32>"),
                  level);
    ASSERT_TRUE(normal.isValid()) << normal.getErrors();
    std::vector<uint16_t> halves = padded<uint16_t>({0, 0x0400, 0x03FF, 0x7C00, 0x7E00, 0xBC00});
    std::vector<int32_t> is(64);
    normal.run({1}, halves.data(), is.data());
    EXPECT_EQ(std::vector<int32_t>(is.begin(), is.begin() + 6), (std::vector<int32_t>{0, 1, 0, 0, 0, 1}));
  });
}

} // namespace
