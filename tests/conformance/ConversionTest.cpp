// kernels/conversion.py. What a float becomes is computed with LLVM's APFloat by KernelRun's encode and
// decode; fp8 values come from all 256 bit patterns, and go to fp8 from values on, between and beside what it
// holds.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::test;

namespace {

const double inf = HUGE_VAL;
const double aNaN = std::nan("");

bool isFloat(const std::string &type) { return type.find('f') != std::string::npos; }

using Pair = std::tuple<const char *, const char *>;
std::string nameOf(const testing::TestParamInfo<Pair> &info) {
  return std::string(std::get<0>(info.param)) + "_to_" + std::get<1>(info.param);
}

class Convert : public testing::TestWithParam<Pair> {};

TEST_P(Convert, EveryKindOfValue) {
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  covers("tensor.to tl.cast");
  ScalarKind source = kindOf(from), target = kindOf(to);
  std::vector<double> x;
  if (isFloat(from) && isFloat(to)) {
    x = {0.0,    -0.0,    1,         -1,       inf,        -inf,        aNaN,         65504,          65520,
         3.5e38, 0x1p-24, 0x1.8p-25, 0x1p-149, 1 + 0x1p-8, 1 + 0x1p-11, 1 + 0x1.8p-8, -(1 + 0x1p-24), 1e300};
    for (double v : randomValues(64 - x.size(), 3))
      x.push_back(v);
    for (double &v : x)
      v = roundTo(source, v);
  } else if (isFloat(from)) {
    for (double v : {0.0, -0.0, 1.0, 0.99, 1.5, 100.75, 127.0, 63.999})
      x.push_back(roundTo(source, v));
    if (to[0] == 'i')
      for (double v : {-1.0, -0.99, -1.5, -100.75, -128.0})
        x.push_back(roundTo(source, v));
    x.resize(64, 3);
  } else {
    bool isUnsigned = from[0] == 'u';
    unsigned bits = getScalarBits(source);
    double top = std::ldexp(1, static_cast<int>(bits) - (isUnsigned ? 0 : 1));
    x = {0, 1, 2, 3, 100, 127, std::ldexp(top, -1), bits == 64 ? top / 2 : top - 1};
    if (!isUnsigned)
      for (double v : {-1.0, -2.0, -100.0, -top})
        x.push_back(v);
    x.resize(64, 5);
  }
  std::vector<double> want;
  for (double v : x) {
    if (isFloat(to)) {
      want.push_back(roundTo(target, v));
    } else {
      auto integer =
          isFloat(from) || v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
      want.push_back(decode(target, integer));
    }
  }
  std::string signature = "*" + from + ", *" + to + ", 64";
  for (const char *kernel : {"convert", "convert_on_store"})
    expectSame(compute("conversion.py", kernel, signature, {{"x_ptr", x}}, 64), want);
}

std::vector<Pair> conversions() {
  const char *const types[] = {"i8",  "i16", "i32",  "i64",  "u8",   "u16",
                               "u32", "u64", "fp16", "bf16", "fp32", "fp64"};
  std::vector<Pair> pairs;
  for (const char *from : types)
    for (const char *to : types)
      if (from != to)
        pairs.push_back({from, to});
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Types, Convert, testing::ValuesIn(conversions()), nameOf);

// fp8. APFloat has all formats but fp8e4b15: a sign, four bits of exponent biased by 15 and three of
// mantissa, without infinities or NaN.
double valueOf(const std::string &type, unsigned bits) {
  if (type != "fp8e4b15")
    return decode(kindOf(type), bits);
  int exponent = static_cast<int>(bits >> 3 & 15), mantissa = static_cast<int>(bits & 7);
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -17) : std::ldexp(8 + mantissa, exponent - 18);
  return bits & 0x80 ? -magnitude : magnitude;
}

class FromFP8 : public testing::TestWithParam<Pair> {};

TEST_P(FromFP8, AllBitPatterns) {
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  covers("tensor.to tl." + std::string(getScalarName(kindOf(from))));
  std::vector<uint64_t> bits;
  std::vector<double> want;
  for (unsigned i = 0; i < 256; ++i) {
    bits.push_back(i);
    want.push_back(roundTo(kindOf(to), valueOf(from, i)));
  }
  KernelRun run("conversion.py", "convert", "*" + from + ", *" + to + ", 256", "1");
  run.inputBits("x_ptr", bits).output("out_ptr", 256);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(FP8, FromFP8,
                         testing::Combine(testing::Values("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"),
                                          testing::Values("fp16", "bf16", "fp32", "fp64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(FP8E4B15, FromFP8,
                         testing::Combine(testing::Values("fp8e4b15"), testing::Values("fp16", "fp32")),
                         nameOf);

class ToFP8 : public testing::TestWithParam<Pair> {};

TEST_P(ToFP8, RoundsToNearestEven) {
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  covers("tensor.to tl." + std::string(getScalarName(kindOf(to))));
  // Finite values that the format holds, the middle between neighbours, and both sides of the middle.
  std::vector<double> exact;
  for (unsigned i = 0; i < 128; ++i)
    if (std::isfinite(valueOf(to, i)))
      exact.push_back(valueOf(to, i));
  std::sort(exact.begin(), exact.end());
  std::vector<double> x;
  ScalarKind source = kindOf(from);
  for (size_t i = 0; i + 1 < exact.size(); ++i) {
    double middle = (exact[i] + exact[i + 1]) / 2;
    for (double v : {exact[i], middle, middle * (1 + 0x1p-7), middle * (1 - 0x1p-7)}) {
      x.push_back(roundTo(source, v));
      x.push_back(-roundTo(source, v));
    }
  }
  x.resize(1024, 0.0);
  std::vector<double> want;
  for (double v : x)
    want.push_back(roundTo(kindOf(to), v));
  expectSame(compute("conversion.py", "convert", "*" + from + ", *" + to + ", 1024", {{"x_ptr", x}}, 1024),
             want);
}

INSTANTIATE_TEST_SUITE_P(FP8, ToFP8,
                         testing::Combine(testing::Values("fp16", "bf16", "fp32", "fp64"),
                                          testing::Values("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")),
                         nameOf);

TEST(FP8, OverflowAndNaN) {
  covers("tl.fp8e4nv tl.fp8e5");
  // Upstream's conversions saturate: the largest finite value, not infinity or NaN.
  std::vector<Input> inputs = {{"x_ptr", {1e6, -1e6, aNaN, 448, 464, 465}}};
  inputs[0].values.resize(8);
  std::vector<double> e4 = compute("conversion.py", "convert", "*fp32, *fp8e4nv, 8", inputs, 8);
  ASSERT_EQ(e4.size(), 8u);
  e4.resize(4);
  expectSame(e4, {448, -448, aNaN, 448});
  std::vector<double> e5 = compute("conversion.py", "convert", "*fp32, *fp8e5, 8", inputs, 8);
  ASSERT_EQ(e5.size(), 8u);
  EXPECT_TRUE(std::isnan(e5[2]));
}

/// `value` rounded towards zero.
double truncateTo(ScalarKind kind, double value) {
  double nearest = roundTo(kind, value);
  if (!std::isfinite(value) || std::fabs(nearest) <= std::fabs(value))
    return nearest;
  return decode(kind, encode(kind, nearest) - 1); // the neighbour nearer to zero has the next lower bits
}

class RoundingMode : public testing::TestWithParam<Pair> {};

TEST_P(RoundingMode, TowardsZeroAndToNearest) {
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  covers("fp_downcast_rounding");
  ScalarKind target = kindOf(to);
  std::vector<double> x = {0.0, -0.0, 1, -1, inf, -inf, aNaN, 1 + 0x1p-11, 1 + 0x1.8p-8, -(1 + 0x1.8p-11)};
  if (to == "fp8e5")
    x.resize(4);
  for (double v : randomValues(256 - x.size(), 9))
    x.push_back(v * 3);
  for (double &v : x)
    v = roundTo(kindOf(from), v);
  std::vector<double> towardsZero, nearest;
  for (double v : x) {
    towardsZero.push_back(truncateTo(target, v));
    nearest.push_back(roundTo(target, v));
  }
  std::string types = "*" + from + ", *" + to;
  expectSame(compute("conversion.py", "convert_rounding", types + ", \"rtz\", 256", {{"x_ptr", x}}, 256),
             towardsZero);
  expectSame(compute("conversion.py", "convert_rounding", types + ", \"rtne\", 256", {{"x_ptr", x}}, 256),
             nearest);
}

INSTANTIATE_TEST_SUITE_P(Down, RoundingMode,
                         testing::Values(Pair{"fp32", "fp16"}, Pair{"fp32", "bf16"}, Pair{"fp32", "fp8e5"},
                                         Pair{"fp16", "fp8e5"}),
                         nameOf);

class Bitcast : public testing::TestWithParam<Pair> {};

TEST_P(Bitcast, KeepsTheBits) {
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  covers("tl.cast tensor.to bitcast");
  unsigned width = getScalarBits(kindOf(from));
  std::vector<uint64_t> bits;
  for (uint64_t i = 0; i < 64; ++i)
    bits.push_back((i * 0x9E3779B97F4A7C15ull) >> (64 - width));
  bits[0] = 0;
  for (const char *form : {"to", "cast", "pointer"}) {
    KernelRun run("conversion.py", "bitcast", "*" + from + ", *" + to + ", \"" + form + "\", 64", "1");
    run.inputBits("x_ptr", bits).output("out_ptr", 64);
    ASSERT_TRUE(run.run()) << run.messages();
    EXPECT_EQ(run.resultBits("out_ptr"), bits) << form;
  }
}

INSTANTIATE_TEST_SUITE_P(SameWidth, Bitcast,
                         testing::Values(Pair{"fp32", "i32"}, Pair{"u32", "fp32"}, Pair{"i64", "fp64"},
                                         Pair{"fp16", "i16"}, Pair{"i16", "bf16"}, Pair{"bf16", "fp16"},
                                         Pair{"u8", "i8"}, Pair{"u8", "fp8e4nv"}, Pair{"fp8e5", "i8"},
                                         Pair{"fp8e4nv", "fp8e5"}),
                         nameOf);

TEST(Conversion, ToBool) {
  covers("tl.int1 tensor.to");
  for (const char *type : {"i32", "fp32", "u8", "i64"})
    expectSame(compute("conversion.py", "to_bool", std::string("*") + type + ", *i32, 4",
                       {{"x_ptr", {0, 1, 5, 255}}}, 4),
               {0, 111, 111, 111});
}

TEST(Conversion, FractionsAndNaNAreTrue) {
  covers("tl.int1");
  expectSame(compute("conversion.py", "to_bool", "*fp32, *i32, 4", {{"x_ptr", {0.25, -0.0, aNaN, -inf}}}, 4),
             {111, 0, 111, 111});
}

TEST(Conversion, PointersAreIntegers) {
  covers("tensor.to tl.pointer_type");
  expectSame(compute("conversion.py", "integer_pointers", "*i32, *i32, 4", {{"x_ptr", {5, 6, 7, 8}}}, 4),
             {5, 6, 7, 8});
}

TEST(Conversion, OfScalars) {
  covers("tensor.to tl.cast");
  expectSame(compute("conversion.py", "scalar_conversions", "*fp32, *fp32", {{"x_ptr", {-2.7}}}, 4),
             {-2, 1.5, roundTo(ScalarKind::FP16, static_cast<float>(-2.7)), 7});
}

// LLVM must store as much of a truncated lane as its type holds.
class OneOfABlock : public testing::TestWithParam<std::tuple<const char *, const char *, int>> {};

TEST_P(OneOfABlock, LeavesItsNeighbours) {
  auto [from, to, lane] = GetParam();
  std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8}, want(8, untouched);
  want[lane] = 2 * x[lane];
  KernelRun run("conversion.py", "one_of_a_block",
                std::string(from) + ", " + to + ", " + std::to_string(lane) + ", 8", "1");
  run.input("x_ptr", x).output("out_ptr", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(Conversion, OneOfABlock,
                         testing::Combine(testing::Values("*fp32", "*i64"),
                                          testing::Values("*bf16", "*fp16", "*i32", "*i16", "*i8"),
                                          testing::Values(0, 2)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)).substr(1) + "_" +
                                  std::string(std::get<1>(info.param)).substr(1) + "_" +
                                  std::to_string(std::get<2>(info.param));
                         });

} // namespace
