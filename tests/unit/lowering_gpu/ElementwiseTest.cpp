// Conversions between floating-point types, compared with LLVM's own for every code or many values; and
// regions with control flow.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace nereid::gpu;
using llvm::APFloat;

namespace {

struct Format {
  const char *name;
  const llvm::fltSemantics &(*semantics)();
};

class SmallFloats : public testing::TestWithParam<Format> {};

const char *blocked =
    "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";

/// Loads $N elements of $A from %x, converts, and stores them as $B to %out.
std::string convertKernel(const std::string &from, const std::string &to, unsigned count,
                          const std::string &rounding = "") {
  return kernelModule(blocked, "%x: !tt.ptr<" + from + ">, %out: !tt.ptr<" + to + ">",
                      substitute(R"(
    %range = tt.make_range {start = 0 : i32, end = $N : i32} : tensor<$Nxi32, #b>
    %xs = tt.splat %x : !tt.ptr<$A> -> tensor<$Nx!tt.ptr<$A>, #b>
    %xp = tt.addptr %xs, %range : tensor<$Nx!tt.ptr<$A>, #b>, tensor<$Nxi32, #b>
    %v = tt.load %xp : tensor<$Nx!tt.ptr<$A>, #b>
    %w = tt.fp_to_fp %v $R : tensor<$Nx$A, #b> -> tensor<$Nx$B, #b>
    %os = tt.splat %out : !tt.ptr<$B> -> tensor<$Nx!tt.ptr<$B>, #b>
    %op = tt.addptr %os, %range : tensor<$Nx!tt.ptr<$B>, #b>, tensor<$Nxi32, #b>
    tt.store %op, %w : tensor<$Nx!tt.ptr<$B>, #b>)",
                                 {{"N", std::to_string(count)}, {"A", from}, {"B", to}, {"R", rounding}}));
}

/// The conversion that kernels promise: LLVM's, except that what is too large becomes the largest finite
/// number where the format has no infinity.
uint8_t narrow(float value, const llvm::fltSemantics &semantics, APFloat::roundingMode mode) {
  APFloat number(value);
  bool losesInfo, hasInfinity = APFloat::semanticsHasInf(semantics);
  if (number.isNaN()) // the one that stands for all: without a sign, where that is no number
    return APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue() == 0x80 ? 0x80 : 0x7F;
  APFloat largest = APFloat::getLargest(semantics, number.isNegative());
  // Too large numbers become the largest; infinity stays if it is cut off toward zero.
  bool keepsInfinity = hasInfinity && number.isInfinity() && mode == APFloat::rmTowardZero;
  if (number.isInfinity() && !keepsInfinity)
    return largest.bitcastToAPInt().getZExtValue();
  number.convert(semantics, mode, &losesInfo);
  if (number.isNaN() || (number.isInfinity() && !keepsInfinity))
    number = largest;
  return number.bitcastToAPInt().getZExtValue();
}

} // namespace

TEST_P(SmallFloats, WidenExactly) {
  std::vector<uint8_t> codes(256);
  for (unsigned i = 0; i < 256; ++i)
    codes[i] = i;
  std::vector<float> out(256);
  uint8_t *codesPointer = codes.data();
  float *outPointer = out.data();
  ASSERT_EQ(runOnHost(convertKernel(GetParam().name, "f32", 256), {&codesPointer, &outPointer}), "");
  for (unsigned i = 0; i < 256; ++i) {
    APFloat number(GetParam().semantics(), llvm::APInt(8, i));
    if (number.isNaN()) {
      ASSERT_TRUE(std::isnan(out[i])) << "code " << i;
      continue;
    }
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    ASSERT_EQ(llvm::bit_cast<uint32_t>(out[i]), number.bitcastToAPInt().getZExtValue()) << "code " << i;
  }
}

TEST_P(SmallFloats, NarrowAsRounded) {
  // Every code's value, both neighbours, midpoints between codes and their neighbours, and random numbers.
  const llvm::fltSemantics &semantics = GetParam().semantics();
  std::vector<float> values = {0.0f,   -0.0f,  INFINITY, -INFINITY, NAN,     1e30f,
                               -1e30f, 1e-30f, 1e-44f,   70000.0f,  65536.0f};
  float previous = 0;
  for (unsigned i = 0; i < 256; ++i) {
    APFloat number(semantics, llvm::APInt(8, i));
    if (!number.isFinite())
      continue;
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    float value = number.convertToFloat();
    for (float base : {value, (value + previous) / 2})
      for (float near : {base, std::nextafter(base, INFINITY), std::nextafter(base, -INFINITY)})
        values.push_back(near);
    previous = value;
  }
  std::mt19937 random(1);
  while (values.size() < 4096)
    values.push_back(llvm::bit_cast<float>(uint32_t(random())));
  for (bool towardZero : {false, true}) {
    std::vector<uint8_t> out(4096);
    float *valuesPointer = values.data();
    uint8_t *outPointer = out.data();
    ASSERT_EQ(runOnHost(convertKernel("f32", GetParam().name, 4096,
                                      towardZero ? ", rounding = rtz" : ", rounding = rtne"),
                        {&valuesPointer, &outPointer}),
              "");
    for (unsigned i = 0; i < 4096; ++i) {
      uint8_t expected =
          narrow(values[i], semantics, towardZero ? APFloat::rmTowardZero : APFloat::rmNearestTiesToEven);
      if (APFloat(semantics, llvm::APInt(8, expected)).isNaN())
        ASSERT_TRUE(APFloat(semantics, llvm::APInt(8, out[i])).isNaN()) << values[i];
      else
        ASSERT_EQ(out[i], expected) << values[i] << (towardZero ? ", toward zero" : "");
    }
  }
}

TEST(FpToFp, DoublesAreRoundedOnce) {
  // Just above and below the middle between two bf16, closer to it than f32 can tell.
  std::vector<double> values = {1 + 0x1p-8,
                                1 + 0x1p-8 + 0x1p-40,
                                1 + 0x1p-8 - 0x1p-40,
                                -1 - 0x1p-8 - 0x1p-40,
                                1 + 3 * 0x1p-8,
                                1e300,
                                0x1p-140,
                                INFINITY,
                                -0.0,
                                0x1.FEFFFFFFFFFFFp+127,
                                0.1,
                                -3.7};
  std::mt19937_64 random(2);
  while (values.size() < 256)
    values.push_back(std::ldexp(double(int64_t(random())), int(random() % 40) - 80));
  values.back() = NAN;
  std::vector<uint16_t> out(values.size());
  double *valuesPointer = values.data();
  uint16_t *outPointer = out.data();
  ASSERT_EQ(runOnHost(convertKernel("f64", "bf16", 256, ", rounding = rtne"), {&valuesPointer, &outPointer}),
            "");
  for (unsigned i = 0; i < values.size(); ++i) {
    APFloat number(values[i]), actual(APFloat::BFloat(), llvm::APInt(16, out[i]));
    bool losesInfo;
    number.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &losesInfo);
    if (number.isNaN())
      ASSERT_TRUE(actual.isNaN());
    else
      ASSERT_EQ(out[i], number.bitcastToAPInt().getZExtValue()) << values[i];
  }
}

TEST_P(SmallFloats, AddRoundingOnce) {
  // All pairs of codes: 256 x 256.
  std::string ir =
      kernelModule(blocked, substitute("%x: !tt.ptr<$A>, %out: !tt.ptr<$A>", {{"A", GetParam().name}}),
                   substitute(R"(
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %row = tt.get_program_id x : i32
    %xr = tt.addptr %x, %row : !tt.ptr<$A>, i32
    %a = tt.load %xr : !tt.ptr<$A>
    %as = tt.splat %a : $A -> tensor<256x$A, #b>
    %xs = tt.splat %x : !tt.ptr<$A> -> tensor<256x!tt.ptr<$A>, #b>
    %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<$A>, #b>, tensor<256xi32, #b>
    %v = tt.load %xp : tensor<256x!tt.ptr<$A>, #b>
    %sum = arith.addf %as, %v : tensor<256x$A, #b>
    %width = arith.constant 256 : i32
    %first = arith.muli %row, %width : i32
    %outr = tt.addptr %out, %first : !tt.ptr<$A>, i32
    %os = tt.splat %outr : !tt.ptr<$A> -> tensor<256x!tt.ptr<$A>, #b>
    %op = tt.addptr %os, %range : tensor<256x!tt.ptr<$A>, #b>, tensor<256xi32, #b>
    tt.store %op, %sum : tensor<256x!tt.ptr<$A>, #b>)",
                              {{"A", GetParam().name}}));
  std::vector<uint8_t> codes(256), out(256 * 256);
  for (unsigned i = 0; i < 256; ++i)
    codes[i] = i;
  uint8_t *codesPointer = codes.data(), *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&codesPointer, &outPointer}, {256}), "");
  const llvm::fltSemantics &semantics = GetParam().semantics();
  for (unsigned i = 0; i < 256; ++i) {
    for (unsigned j = 0; j < 256; ++j) {
      APFloat sum(semantics, llvm::APInt(8, i));
      bool losesInfo;
      sum.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo); // in which sums are exact
      APFloat other(semantics, llvm::APInt(8, j));
      other.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      sum.add(other, APFloat::rmNearestTiesToEven);
      APFloat actual(semantics, llvm::APInt(8, out[i * 256 + j]));
      if (sum.isNaN()) {
        ASSERT_TRUE(actual.isNaN()) << i << " + " << j;
        continue;
      }
      float expected = sum.convertToDouble();
      ASSERT_EQ(out[i * 256 + j], narrow(expected, semantics, APFloat::rmNearestTiesToEven))
          << i << " + " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloats,
                         testing::Values(Format{"f8E5M2", APFloat::Float8E5M2},
                                         Format{"f8E4M3FN", APFloat::Float8E4M3FN},
                                         Format{"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ},
                                         Format{"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ}));

TEST(FpToFp, HalfTowardZero) {
  std::vector<float> values;
  std::mt19937 random(2);
  for (unsigned i = 0; i < 4096; ++i)
    values.push_back(llvm::bit_cast<float>(uint32_t(random() % 0x10000000 + 0x38000000)) *
                     (i % 2 ? -1.0f : 1.0f));
  std::vector<uint16_t> out(4096);
  float *valuesPointer = values.data();
  uint16_t *outPointer = out.data();
  ASSERT_EQ(runOnHost(convertKernel("f32", "f16", 4096, ", rounding = rtz"), {&valuesPointer, &outPointer}),
            "");
  for (unsigned i = 0; i < 4096; ++i) {
    APFloat number(values[i]);
    bool losesInfo;
    number.convert(APFloat::IEEEhalf(), APFloat::rmTowardZero, &losesInfo);
    ASSERT_EQ(out[i], number.bitcastToAPInt().getZExtValue()) << values[i];
  }
}

// What is known to be small is converted by its bits, two numbers at a time: here what becomes of each byte
// b.
TEST(IntToFloat, SmallIntegersAreExact) {
  struct Case {
    const char *integer; // from %v, %w its zero extension and %c15 to i32
    const char *type, *conversion;
    int (*expected)(unsigned code);
  };
  auto byte = [](unsigned code) { return int(int8_t(code)); };
  auto same = [](unsigned code) { return int(code); };
  auto lowDigit = [](unsigned code) { return int(code & 15); };
  auto lessFifteen = [](unsigned code) { return int(code & 15) - 15; };
  auto fourTimes = [](unsigned code) { return int(4 * code); };
  auto lessByte = [](unsigned code) { return int(code & 15) - int(code); };
  const Case cases[] = {
      {"arith.addi %v, %zero : tensor<256xi8, #b>", "i8", "sitofp", byte},
      {"arith.addi %v, %zero : tensor<256xi8, #b>", "i8", "uitofp", same},
      {"arith.andi %w, %c15 : tensor<256xi32, #b>", "i32", "sitofp", lowDigit},
      {"arith.subi %low, %c15 : tensor<256xi32, #b>", "i32", "sitofp", lessFifteen},
      {"arith.muli %w, %c4 : tensor<256xi32, #b>", "i32", "sitofp", fourTimes},
      {"arith.subi %low, %w : tensor<256xi32, #b>", "i32", "sitofp", lessByte}, // not known to be a byte
  };
  std::vector<uint8_t> codes(256);
  for (unsigned i = 0; i < 256; ++i)
    codes[i] = i;
  for (bool isHalf : {true, false})
    for (const Case &one : cases) {
      std::string kernel = kernelModule(
          blocked, std::string("%x: !tt.ptr<i8>, %out: !tt.ptr<") + (isHalf ? "f16" : "bf16") + ">",
          substitute(
              R"(
    %zero = arith.constant dense<0> : tensor<256xi8, #b>
    %c4 = arith.constant dense<4> : tensor<256xi32, #b>
    %c15 = arith.constant dense<15> : tensor<256xi32, #b>
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>, #b>
    %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<i8>, #b>, tensor<256xi32, #b>
    %v = tt.load %xp : tensor<256x!tt.ptr<i8>, #b>
    %w = arith.extui %v : tensor<256xi8, #b> to tensor<256xi32, #b>
    %low = arith.andi %w, %c15 : tensor<256xi32, #b>
    %integer = $E
    %f = arith.$C %integer : tensor<256x$I, #b> to tensor<256x$T, #b>
    %os = tt.splat %out : !tt.ptr<$T> -> tensor<256x!tt.ptr<$T>, #b>
    %op = tt.addptr %os, %range : tensor<256x!tt.ptr<$T>, #b>, tensor<256xi32, #b>
    tt.store %op, %f : tensor<256x!tt.ptr<$T>, #b>)",
              {{"E", one.integer}, {"C", one.conversion}, {"I", one.type}, {"T", isHalf ? "f16" : "bf16"}}));
      std::vector<uint16_t> out(256, 0xFFFF);
      uint8_t *codesPointer = codes.data();
      uint16_t *outPointer = out.data();
      ASSERT_EQ(runOnHost(kernel, {&codesPointer, &outPointer}), "");
      for (unsigned code = 0; code < 256; ++code) {
        APFloat number(float(one.expected(code)));
        bool losesInfo;
        number.convert(isHalf ? APFloat::IEEEhalf() : APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
        ASSERT_EQ(out[code], number.bitcastToAPInt().getZExtValue())
            << one.integer << ", " << one.conversion << " of code " << code << (isHalf ? ", f16" : ", bf16");
      }
    }
}

TEST(MapElementwise, RegionsMayBranch) {
  std::string ir = kernelModule(blocked, "%out: !tt.ptr<i32>", R"(
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %r = "tt.map_elementwise"(%range) <{pack = 1 : i32}> ({
    ^bb0(%a: i32):
      %limit = arith.constant 100 : i32
      %small = arith.cmpi slt, %a, %limit : i32
      cf.cond_br %small, ^bb1, ^bb2(%limit : i32)
    ^bb1:
      %twice = arith.addi %a, %a : i32
      cf.br ^bb2(%twice : i32)
    ^bb2(%v: i32):
      tt.map_elementwise.return %v : i32
    }) : (tensor<256xi32, #b>) -> tensor<256xi32, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %range : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %op, %r : tensor<256x!tt.ptr<i32>, #b>)");
  std::vector<int32_t> out(256);
  int32_t *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&outPointer}), "");
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i < 100 ? 2 * i : 100);
}
