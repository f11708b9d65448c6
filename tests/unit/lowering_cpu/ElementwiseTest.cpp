// Operations on single elements, over their types and edge values, as vectors and as scalars.
#include "KernelRunner.h"

#include <cmath>
#include <limits>

using namespace nereid::test;

namespace {

/// A kernel over 64 elements: loads a and b (types A and B), runs the lines, which define %r of type R,
/// stores it. T(x) in the lines stands for a tensor of x.
std::string binaryKernel(std::string a, std::string b, std::string r, std::string lines) {
  for (size_t at; (at = lines.find("T(")) != std::string::npos;) {
    size_t end = lines.find(')', at);
    lines =
        lines.substr(0, at) + "tensor<64x" + lines.substr(at + 2, end - at - 2) + ">" + lines.substr(end + 1);
  }
  std::string s = "module {\n  tt.func public @k(%pa: !tt.ptr<A>, %pb: !tt.ptr<B>, %pr: !tt.ptr<R>) {\n"
                  "    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n";
  for (std::string name : {"a", "b", "r"}) {
    std::string type = name == "a" ? a : name == "b" ? b : r;
    s += "    %s" + name + " = tt.splat %p" + name + " : !tt.ptr<" + type + "> -> tensor<64x!tt.ptr<" + type +
         ">>\n";
    s += "    %q" + name + " = tt.addptr %s" + name + ", %i : tensor<64x!tt.ptr<" + type +
         ">>, tensor<64xi32>\n";
    if (name != "r")
      s += "    %" + name + " = tt.load %q" + name + " : tensor<64x!tt.ptr<" + type + ">>\n";
    if (name == "b")
      s += lines + "\n";
  }
  s += "    tt.store %qr, %r : tensor<64x!tt.ptr<" + r + ">>\n    tt.return\n  }\n}\n";
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
      s.replace(at, from.size(), to);
  };
  replace("ptr<A>", "ptr<" + a + ">");
  replace("ptr<B>", "ptr<" + b + ">");
  replace("ptr<R>", "ptr<" + r + ">");
  return s;
}

template <typename A, typename B, typename R>
void check(const std::string &ir, const std::vector<A> &as, const std::vector<B> &bs,
           const std::function<bool(A, B, R)> &isRight) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors() << ir;
    std::vector<std::pair<A, B>> cases;
    for (A a : as)
      for (B b : bs)
        cases.push_back({a, b});
    while (cases.size() % 64 != 0)
      cases.push_back(cases.front());
    for (size_t start = 0; start < cases.size(); start += 64) {
      std::vector<A> a(64);
      std::vector<B> b(64);
      std::vector<R> r(64);
      for (int i = 0; i < 64; ++i) {
        a[i] = cases[start + i].first;
        b[i] = cases[start + i].second;
      }
      kernel.run({1}, a.data(), b.data(), r.data());
      for (int i = 0; i < 64; ++i)
        ASSERT_TRUE(isRight(a[i], b[i], r[i]))
            << ir << "a = " << +a[i] << ", b = " << +b[i] << ", r = " << +r[i];
    }
  });
}

const std::vector<int32_t> ints{0,      1,         -1,        2,         -2,           3,    7,
                                -7,     31,        32,        33,        100,          -100, 65535,
                                -65536, 123456789, INT32_MAX, INT32_MIN, INT32_MIN + 1};

TEST(Elementwise, IntegerArithmetic) {
  auto binary = [&](const std::string &op, std::function<int32_t(int32_t, int32_t)> reference) {
    check<int32_t, int32_t, int32_t>(binaryKernel("i32", "i32", "i32", "    %r = " + op + " %a, %b : T(i32)"),
                                     ints, ints,
                                     [&](int32_t a, int32_t b, int32_t r) { return r == reference(a, b); });
  };
  using U = uint32_t;
  binary("arith.addi", [](int32_t a, int32_t b) { return int32_t(U(a) + U(b)); });
  binary("arith.subi", [](int32_t a, int32_t b) { return int32_t(U(a) - U(b)); });
  binary("arith.muli", [](int32_t a, int32_t b) { return int32_t(U(a) * U(b)); });
  binary("arith.maxui", [](int32_t a, int32_t b) { return int32_t(std::max(U(a), U(b))); });
  binary("arith.minsi", [](int32_t a, int32_t b) { return std::min(a, b); });
  binary("tt.mulhiui", [](int32_t a, int32_t b) { return int32_t(uint64_t(U(a)) * U(b) >> 32); });
  binary("arith.shli", [](int32_t a, int32_t b) { return U(b) < 32 ? int32_t(U(a) << b) : 0; });
  binary("arith.shrui", [](int32_t a, int32_t b) { return U(b) < 32 ? int32_t(U(a) >> b) : 0; });
  binary("arith.shrsi", [](int32_t a, int32_t b) { return a >> (U(b) < 32 ? b : 31); });
}

// C's rounding; where division is undefined nothing is promised but that the process survives.
TEST(Elementwise, DivisionNeverTraps) {
  auto isDefined = [](int32_t a, int32_t b) { return b != 0 && !(a == INT32_MIN && b == -1); };
  auto test = [&](const std::string &op, std::function<int32_t(int32_t, int32_t)> reference) {
    check<int32_t, int32_t, int32_t>(
        binaryKernel("i32", "i32", "i32", "    %r = " + op + " %a, %b : T(i32)"), ints, ints,
        [&](int32_t a, int32_t b, int32_t r) { return !isDefined(a, b) || r == reference(a, b); });
  };
  test("arith.divsi", [](int32_t a, int32_t b) { return a / b; });
  test("arith.remsi", [](int32_t a, int32_t b) { return a % b; });
  test("arith.divui", [](int32_t a, int32_t b) { return int32_t(uint32_t(a) / uint32_t(b)); });
  test("arith.remui", [](int32_t a, int32_t b) { return int32_t(uint32_t(a) % uint32_t(b)); });
  test("arith.floordivsi", [](int32_t a, int32_t b) { return int32_t(std::floor(double(a) / b)); });
  test("arith.ceildivsi", [](int32_t a, int32_t b) { return int32_t(std::ceil(double(a) / b)); });
}

TEST(Elementwise, ComparesWithEveryPredicate) {
  struct Predicate {
    const char *name;
    bool (*holds)(int32_t, int32_t);
  };
  const Predicate integerPredicates[] = {
      {"eq", [](int32_t a, int32_t b) { return a == b; }},
      {"ne", [](int32_t a, int32_t b) { return a != b; }},
      {"slt", [](int32_t a, int32_t b) { return a < b; }},
      {"sge", [](int32_t a, int32_t b) { return a >= b; }},
      {"ult", [](int32_t a, int32_t b) { return uint32_t(a) < uint32_t(b); }},
      {"ugt", [](int32_t a, int32_t b) { return uint32_t(a) > uint32_t(b); }},
  };
  for (const Predicate &predicate : integerPredicates)
    check<int32_t, int32_t, uint8_t>(
        binaryKernel("i32", "i32", "i1",
                     "    %r = arith.cmpi " + std::string(predicate.name) + ", %a, %b : T(i32)"),
        ints, ints, [&](int32_t a, int32_t b, uint8_t r) { return r == uint8_t(predicate.holds(a, b)); });
  struct FloatPredicate {
    const char *name;
    bool (*holds)(float, float);
  };
  const std::vector<float> floats{0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f};
  const FloatPredicate floatPredicates[] = {
      {"oeq", [](float a, float b) { return a == b; }},
      {"une", [](float a, float b) { return a != b; }},
      {"olt", [](float a, float b) { return a < b; }},
      {"oge", [](float a, float b) { return a >= b; }},
      {"ult", [](float a, float b) { return !(a >= b); }},
      {"one", [](float a, float b) { return a < b || a > b; }},
      {"uno", [](float a, float b) { return std::isnan(a) || std::isnan(b); }},
      {"ord", [](float a, float b) { return !std::isnan(a) && !std::isnan(b); }},
  };
  for (const FloatPredicate &predicate : floatPredicates)
    check<float, float, uint8_t>(
        binaryKernel("f32", "f32", "i1",
                     "    %r = arith.cmpf " + std::string(predicate.name) + ", %a, %b : T(f32)"),
        floats, floats, [&](float a, float b, uint8_t r) { return r == uint8_t(predicate.holds(a, b)); });
}

bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Elementwise, MinimumAndMaximumWithNaN) {
  const std::vector<float> floats{0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f};
  auto test = [&](const std::string &op, std::function<float(float, float)> reference) {
    check<float, float, float>(binaryKernel("f32", "f32", "f32", "    %r = " + op + " %a, %b : T(f32)"),
                               floats, floats,
                               [&](float a, float b, float r) { return same(r, reference(a, b)); });
  };
  auto poisoned = [](float a, float b) { return std::isnan(a) || std::isnan(b); };
  test("arith.maxnumf", [](float a, float b) { return std::fmax(a, b); });
  test("arith.minnumf", [](float a, float b) { return std::fmin(a, b); });
  test("arith.maximumf", [&](float a, float b) { return poisoned(a, b) ? NAN : std::fmax(a, b); });
  test("arith.minimumf", [&](float a, float b) { return poisoned(a, b) ? NAN : std::fmin(a, b); });
}

// Every f16 with a few others: one rounding an operation.
TEST(Elementwise, HalfArithmeticRoundsOnce) {
  std::vector<uint16_t> all,
      some{0x0000, 0x8000, 0x3C00, 0xBC00, 0x0001, 0x03FF, 0x7BFF, 0xFC00, 0x7C00, 0x7E00, 0x3555};
  for (uint32_t bits = 0; bits < 0x10000; bits += 13)
    all.push_back(uint16_t(bits));
  auto test = [&](const std::string &op, std::function<double(double, double)> reference) {
    check<uint16_t, uint16_t, uint16_t>(
        binaryKernel("f16", "f16", "f16", "    %r = " + op + " %a, %b : T(f16)"), all, some,
        [&](uint16_t a, uint16_t b, uint16_t r) {
          double expected = reference(fromHalf(a), fromHalf(b));
          return std::isnan(expected) ? std::isnan(fromHalf(r)) : r == toHalf(expected);
        });
  };
  test("arith.addf", [](double a, double b) { return a + b; });
  test("arith.mulf", [](double a, double b) { return a * b; });
  test("arith.subf", [](double a, double b) { return a - b; });
}

std::vector<float> conversionFloats() {
  std::vector<float> values{0.0f,          -0.0f,          1.0f,          65504.0f,  65519.9f, 65520.0f,
                            -65520.0f,     1e9f,           INFINITY,      -INFINITY, NAN,      5.9604645e-8f,
                            2.9802322e-8f, 2.98023259e-8f, 6.1e-5f,       6.097e-5f, 3.4e38f,  1e-40f,
                            448.0f,        464.0f,         465.0f,        480.0f,    57344.0f, 61440.0f,
                            0.001953125f,  0.0009765625f,  0.00097656256f};
  for (uint32_t i = 0; i < 20000; ++i) {
    uint32_t bits = i * 2654435761u;
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  for (int i = -3000; i < 3000; ++i)
    values.push_back(std::ldexp(float(i) + 0.5f, -20));
  return values;
}

TEST(Elementwise, ConvertsFloatToNarrowAndBack) {
  std::vector<float> floats = conversionFloats();
  check<float, float, uint16_t>(
      binaryKernel("f32", "f32", "f16", "    %r = arith.truncf %a : T(f32) to T(f16)"), floats, {0.0f},
      [](float a, float, uint16_t r) { return std::isnan(a) ? std::isnan(fromHalf(r)) : r == toHalf(a); });
  check<float, float, uint16_t>(
      binaryKernel("f32", "f32", "bf16", "    %r = arith.truncf %a : T(f32) to T(bf16)"), floats, {0.0f},
      [](float a, float, uint16_t r) {
        return std::isnan(a) ? std::isnan(fromBFloat(r)) : r == toBFloat(a);
      });
  std::vector<uint16_t> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    all.push_back(uint16_t(bits));
  check<uint16_t, float, float>(
      binaryKernel("f16", "f32", "f32", "    %r = arith.extf %a : T(f16) to T(f32)"), all, {0.0f},
      [](uint16_t a, float, float r) { return same(r, fromHalf(a)); });
  check<uint16_t, float, float>(
      binaryKernel("bf16", "f32", "f32", "    %r = arith.extf %a : T(bf16) to T(f32)"), all, {0.0f},
      [](uint16_t a, float, float r) { return same(r, fromBFloat(a)); });
}

// A double between two halves must not be rounded to float first.
TEST(Elementwise, ConvertsDoubleToHalfWithOneRounding) {
  std::vector<double> doubles{1.0 + 0x1p-11,
                              1.0 + 0x1p-11 + 0x1p-40,
                              1.0 + 0x1p-11 - 0x1p-40,
                              -1.0 - 0x1p-11 - 0x1p-50,
                              1e300,
                              -1e-300,
                              0.0,
                              INFINITY,
                              NAN,
                              65519.999999999,
                              65520.0};
  check<double, float, uint16_t>(
      binaryKernel("f64", "f32", "f16", "    %r = arith.truncf %a : T(f64) to T(f16)"), doubles, {0.0f},
      [](double a, float, uint16_t r) { return std::isnan(a) ? std::isnan(fromHalf(r)) : r == toHalf(a); });
}

double fromE4M3(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  if (exponent == 15 && fraction == 7)
    return NAN;
  double value = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
  return bits & 0x80 ? -value : value;
}

double fromE5M2(uint8_t bits) { return fromHalf(uint16_t(bits << 8)); }

// The nearest of all numbers of the format, ties to the even one; beyond the largest, the largest.
TEST(Elementwise, ConvertsToFloat8) {
  struct Format {
    const char *type;
    double (*decode)(uint8_t);
    uint8_t largest;
  };
  for (Format format : {Format{"f8E4M3FN", fromE4M3, 0x7E}, Format{"f8E5M2", fromE5M2, 0x7B}}) {
    std::string type = format.type;
    check<float, float, uint8_t>(
        binaryKernel("f32", "f32", type,
                     "    %r = tt.fp_to_fp %a, rounding = rtne : T(f32) -> T(" + type + ")"),
        conversionFloats(), {0.0f}, [&](float a, float, uint8_t r) {
          if (std::isnan(a))
            return std::isnan(format.decode(r));
          double magnitude = std::min(double(std::fabs(a)), format.decode(format.largest));
          uint8_t best = 0;
          for (unsigned candidate = 0; candidate <= format.largest; ++candidate) {
            double distance = std::fabs(format.decode(uint8_t(candidate)) - magnitude);
            double known = std::fabs(format.decode(best) - magnitude);
            if (distance < known || (distance == known && candidate % 2 == 0))
              best = uint8_t(candidate);
          }
          return r == (best | (std::signbit(a) ? 0x80 : 0));
        });
    std::vector<uint8_t> all;
    for (unsigned bits = 0; bits < 256; ++bits)
      all.push_back(uint8_t(bits));
    check<uint8_t, float, float>(
        binaryKernel(type, "f32", "f32", "    %r = tt.fp_to_fp %a : T(" + type + ") -> T(f32)"), all, {0.0f},
        [&](uint8_t a, float, float r) { return same(r, float(format.decode(a))); });
  }
}

TEST(Elementwise, ConvertsIntegers) {
  check<int32_t, int32_t, float>(
      binaryKernel("i32", "i32", "f32", "    %r = arith.sitofp %a : T(i32) to T(f32)"), ints, {0},
      [](int32_t a, int32_t, float r) { return r == float(a); });
  check<int32_t, int32_t, float>(
      binaryKernel("i32", "i32", "f32", "    %r = arith.uitofp %a : T(i32) to T(f32)"), ints, {0},
      [](int32_t a, int32_t, float r) { return r == float(uint32_t(a)); });
  check<int32_t, int32_t, uint16_t>(
      binaryKernel("i32", "i32", "bf16", "    %r = arith.sitofp %a : T(i32) to T(bf16)"),
      {0, 1, -1, 257, 16777217, 8421377, INT32_MAX, INT32_MIN}, {0}, [](int32_t a, int32_t, uint16_t r) {
        // The nearest of the three numbers around: no rounding to float in between.
        double best = 1e300;
        uint16_t near = toBFloat(float(a)), expected = near;
        for (int d : {-1, 0, 1}) {
          double distance = std::fabs(double(fromBFloat(uint16_t(near + d))) - a);
          if (distance < best || (distance == best && (near + d) % 2 == 0)) {
            best = distance;
            expected = uint16_t(near + d);
          }
        }
        return a == 0 ? r == 0 : r == expected;
      });
  check<float, float, int32_t>(
      binaryKernel("f32", "f32", "i32", "    %r = arith.fptosi %a : T(f32) to T(i32)"),
      {0.0f, 1.9f, -1.9f, 2147483520.0f, -2147483648.0f, 0.5f}, {0.0f},
      [](float a, float, int32_t r) { return r == int32_t(a); });
  check<int32_t, int32_t, int64_t>(
      binaryKernel("i32", "i32", "i64",
                   "    %x = arith.extsi %a : T(i32) to T(i64)\n    %y = arith.extui %b : T(i32) to T(i64)\n"
                   "    %r = arith.muli %x, %y : T(i64)"),
      ints, ints,
      [](int32_t a, int32_t b, int64_t r) { return r == int64_t(uint64_t(int64_t(a)) * uint32_t(b)); });
}

TEST(Elementwise, ClampsAndSelects) {
  const std::vector<float> floats{0.0f, 1.5f, -1.5f, INFINITY, -INFINITY, NAN, 0.25f};
  check<float, float, float>(
      binaryKernel(
          "f32", "f32", "f32",
          "    %lo = arith.constant dense<-1.0> : T(f32)\n    %hi = arith.constant dense<1.0> : T(f32)\n"
          "    %r = tt.clampf %a, %lo, %hi, propagateNan = none : T(f32)"),
      floats, {0.0f}, [](float a, float, float r) { return r == std::fmin(std::fmax(a, -1.0f), 1.0f); });
  check<float, float, float>(
      binaryKernel(
          "f32", "f32", "f32",
          "    %c = arith.cmpf olt, %a, %b : T(f32)\n    %r = arith.select %c, %a, %b : T(i1), T(f32)"),
      floats, floats, [](float a, float b, float r) { return same(r, a < b ? a : b); });
}

// An offset that wraps around is exact as a number, even though addresses are taken not to wrap.
TEST(Elementwise, IntegersWrapAround) {
  check<int32_t, int32_t, int64_t>(
      binaryKernel(
          "i32", "i32", "i64",
          "    %m = arith.constant dense<-1640531527> : T(i32)\n    %h = arith.muli %i, %m : T(i32)\n"
          "    %k = arith.constant dense<1013904223> : T(i32)\n    %g = arith.addi %h, %k : T(i32)\n"
          "    %r = arith.extsi %g : T(i32) to T(i64)"),
      {0}, {0}, [position = 0](int32_t, int32_t, int64_t r) mutable {
        int32_t expected = int32_t(uint32_t(position++ % 64) * 2654435769u + 1013904223u);
        return r == expected;
      });
}

TEST(Elementwise, RefusesWhatItDoesNotKnow) {
  Kernel kernel(
      binaryKernel("i32", "i32", "i32",
                   "    %r = tt.elementwise_inline_asm \"mov\" {constraints = \"=r,r\", packed_element = 1 : "
                   "i32, pure = true} %a : T(i32) -> T(i32)"),
      getTestedLevels().front());
  EXPECT_FALSE(kernel.isValid());
  EXPECT_NE(kernel.getErrors().find("inline assembly"), std::string::npos) << kernel.getErrors();
}

TEST(Elementwise, KeepsUnusedVolatileLoads) {
  Kernel kernel(binaryKernel("i32", "i32", "i32",
                             "    %unused = tt.load %qa {isVolatile = true} : tensor<64x!tt.ptr<i32>>\n"
                             "    %r = arith.addi %a, %b : T(i32)"),
                getTestedLevels().front());
  ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
  EXPECT_NE(kernel.getLLVMIR().find("load volatile"), std::string::npos) << kernel.getLLVMIR();
}

// What has effects is no less refused because nobody reads its result.
TEST(Elementwise, RefusesUnusedCodeWithEffects) {
  for (auto [operation, message] :
       {std::pair{"tt.elementwise_inline_asm \"mov\" {constraints = \"=r,r\", packed_element = 1 : i32, "
                  "pure = false} %a : T(i32) -> T(i32)",
                  "inline assembly"},
        std::pair{"tt.extern_elementwise %a {libname = \"\", libpath = \"\", pure = false, symbol = "
                  "\"nobody_has_this\"} : (T(i32)) -> T(i32)",
                  "nobody_has_this"}}) {
    Kernel kernel(
        binaryKernel("i32", "i32", "i32",
                     std::string("    %unused = ") + operation + "\n    %r = arith.addi %a, %b : T(i32)"),
        getTestedLevels().front());
    EXPECT_FALSE(kernel.isValid()) << operation;
    EXPECT_NE(kernel.getErrors().find(message), std::string::npos) << kernel.getErrors();
  }
}

} // namespace
