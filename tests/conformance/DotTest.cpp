// kernels/dot.py beside products in double precision. Integer-valued inputs make most results exact.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

std::vector<double> product(const std::vector<double> &a, const std::vector<double> &b, size_t m, size_t n,
                            size_t k, double start = 0) {
  std::vector<double> c(m * n, start);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

/// The sums of the products' magnitudes.
std::vector<double> magnitudes(std::vector<double> a, std::vector<double> b, size_t m, size_t n, size_t k,
                               double start = 0) {
  for (std::vector<double> *x : {&a, &b})
    for (double &v : *x)
      v = std::fabs(v);
  return product(a, b, m, n, k, start);
}

std::vector<double> smallIntegers(size_t count, unsigned seed) {
  std::vector<double> x = randomValues(count, seed);
  for (double &v : x)
    v = std::floor(v * 8);
  return x;
}

/// Whether results are exact, rounded as sums in float32 are, or of factors that the matrix unit takes as
/// tf32.
enum Precision { Exact, Rounded, TF32 };

struct DotCase {
  const char *label, *input, *output, *form;
  size_t m, n, k;
  double start;
  Precision precision;
};

class Dot : public testing::TestWithParam<DotCase> {};

TEST_P(Dot, MatchesDoublePrecision) {
  const DotCase &c = GetParam();
  covers("tl.dot");
  bool isExact = c.precision == Exact;
  ScalarKind kind = kindOf(c.input);
  std::vector<double> a = isExact ? smallIntegers(c.m * c.k, 1) : randomValues(c.m * c.k, 1, kind);
  std::vector<double> b = isExact ? smallIntegers(c.k * c.n, 2) : randomValues(c.k * c.n, 2, kind);
  std::vector<double> want = product(a, b, c.m, c.n, c.k, c.start);
  for (double &v : want)
    v = roundTo(kindOf(c.output), v);
  std::string signature = std::string("*") + c.input + ", *" + c.input + ", *" + c.output + ", \"" + c.form +
                          "\", " + std::to_string(c.m) + ", " + std::to_string(c.n) + ", " +
                          std::to_string(c.k);
  std::vector<double> got = compute("dot.py", "dot", signature, {{"a_ptr", a}, {"b_ptr", b}}, c.m * c.n);
  if (isExact)
    return expectSame(got, want);
  std::vector<double> sizes = magnitudes(a, b, c.m, c.n, c.k, c.start);
  double ofFactors = c.precision == TF32 ? roundingsOfFactors(kind) : 0;
  Tolerance tolerance =
      roundings(ScalarKind::FP32, ofSum(c.k) + 1 + ofFactors, sizes) + ulps(kindOf(c.output), 0.5);
  expectClose(got, want, tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Types, Dot,
    testing::Values(DotCase{"fp16", "fp16", "fp32", "plain", 16, 16, 16, 0, Exact},
                    DotCase{"bf16", "bf16", "fp32", "plain", 16, 32, 16, 0, Exact},
                    DotCase{"fp32", "fp32", "fp32", "plain", 32, 16, 16, 0, Exact},
                    DotCase{"fp64", "fp64", "fp64", "double", 16, 16, 16, 0, Exact},
                    DotCase{"fp8e4nv", "fp8e4nv", "fp32", "plain", 16, 16, 32, 0, Exact},
                    DotCase{"fp8e5", "fp8e5", "fp32", "imprecise", 16, 16, 32, 0, Rounded},
                    DotCase{"i8", "i8", "i32", "int32", 16, 16, 32, 0, Exact},
                    DotCase{"ieee", "fp32", "fp32", "ieee", 16, 16, 64, 0, Rounded},
                    DotCase{"tf32", "fp32", "fp32", "tf32", 16, 16, 64, 0, TF32},
                    DotCase{"allow_tf32", "fp32", "fp32", "allow_tf32", 16, 16, 64, 0, Rounded},
                    DotCase{"allowed_tf32", "fp32", "fp32", "allowed_tf32", 16, 16, 64, 0, TF32},
                    DotCase{"acc", "fp16", "fp32", "acc", 16, 16, 16, 2, Exact},
                    DotCase{"acc_keyword", "bf16", "fp32", "acc_keyword", 16, 16, 16, 2, Exact},
                    DotCase{"plus", "fp16", "fp32", "plus", 16, 16, 16, 2, Exact},
                    DotCase{"half_result", "fp16", "fp16", "half", 16, 16, 16, 0, Exact},
                    DotCase{"half_accumulator", "fp16", "fp16", "acc_half", 16, 16, 16, 2, Exact},
                    DotCase{"imprecise_accumulation", "fp16", "fp32", "imprecise", 16, 16, 32, 0, Exact},
                    DotCase{"large", "fp16", "fp32", "plain", 64, 128, 64, 0, Rounded},
                    DotCase{"tall", "fp32", "fp32", "plain", 128, 16, 16, 0, TF32},
                    DotCase{"wide", "bf16", "fp32", "plain", 16, 256, 32, 0, Rounded},
                    DotCase{"deep", "fp16", "fp32", "plain", 16, 16, 256, 0, Rounded},
                    // Narrower or lower than an instruction of matrix units.
                    DotCase{"column", "bf16", "fp32", "plain", 64, 1, 128, 0, Exact},
                    DotCase{"row", "fp16", "fp32", "acc", 1, 64, 32, 2, Exact},
                    DotCase{"number", "fp32", "fp32", "tf32", 1, 1, 64, 0, Exact},
                    DotCase{"low", "fp16", "fp32", "plain", 8, 32, 32, 0, Exact},
                    DotCase{"narrow", "fp16", "fp16", "acc_half", 32, 4, 64, 2, Exact},
                    DotCase{"narrow_int8", "i8", "i32", "int32", 4, 2, 64, 0, Exact},
                    DotCase{"narrow_fp64", "fp64", "fp64", "double", 2, 4, 16, 0, Exact},
                    DotCase{"narrow_fp8", "fp8e4nv", "fp32", "plain", 16, 2, 64, 0, Exact},
                    // More than the scratch memory of a product: it goes in parts.
                    DotCase{"parts", "fp32", "fp32", "ieee", 64, 64, 128, 0, Rounded},
                    DotCase{"parts_int8", "i8", "i32", "int32", 128, 128, 512, 0, Exact}),
    [](const auto &info) { return std::string(info.param.label); });

/// How many roundings to float32 a product of two factors is off by that are split into parts. A factor of
/// 24 bits less two parts leaves 2^-23 of it with tf32's 11 bits and 2^-16 with bf16's 8, and less three
/// parts 2^-24. Of the parts' products the smallest are left out: 2^-22, 2^-16, and two of 2^-24.
double roundingsOfParts(const std::string &precision) {
  constexpr double rounding = 0x1p-24;
  if (precision == "tf32x3")
    return (2 * 0x1p-23 + 0x1p-22) / rounding;
  if (precision == "bf16x3")
    return (2 * 0x1p-16 + 0x1p-16) / rounding;
  if (precision == "bf16x6")
    return (2 * 0x1p-24 + 2 * 0x1p-24) / rounding;
  return 0;
}

struct PrecisionCase {
  size_t m, n, k;
  bool columnsA, columnsB;
};

class DotPrecision : public testing::TestWithParam<std::tuple<const char *, PrecisionCase>> {};

TEST_P(DotPrecision, IsAsExactAsItsParts) {
  covers("tl.dot");
  auto [precision, c] = GetParam();
  std::vector<double> a = randomValues(c.m * c.k, 1, kindOf("fp32")),
                      b = randomValues(c.k * c.n, 2, kindOf("fp32")),
                      start = randomValues(c.m * c.n, 3, kindOf("fp32")), storedA = a, storedB = b;
  for (size_t l = 0; l < c.k; ++l) {
    for (size_t i = 0; i < c.m && c.columnsA; ++i)
      storedA[l * c.m + i] = a[i * c.k + l];
    for (size_t j = 0; j < c.n && c.columnsB; ++j)
      storedB[j * c.k + l] = b[l * c.n + j];
  }
  std::vector<double> want = product(a, b, c.m, c.n, c.k), sizes = magnitudes(a, b, c.m, c.n, c.k);
  for (size_t i = 0; i < want.size(); ++i)
    want[i] += start[i], sizes[i] += std::fabs(start[i]);
  std::string signature = std::string("*fp32:16, *fp32:16, *fp32:16, *fp32:16, \"") + precision + "\"";
  for (size_t value : {size_t(c.columnsA), size_t(c.columnsB), c.m, c.n, c.k})
    signature += ", " + std::to_string(value);
  expectClose(compute("dot.py", "dot_in_precision", signature,
                      {{"a_ptr", storedA}, {"b_ptr", storedB}, {"c_ptr", start}}, c.m * c.n),
              want, roundings(ScalarKind::FP32, ofSum(c.k) + 1 + roundingsOfParts(precision), sizes));
}

INSTANTIATE_TEST_SUITE_P(Dot, DotPrecision,
                         testing::Combine(testing::Values("ieee", "tf32x3", "bf16x3", "bf16x6"),
                                          testing::Values(PrecisionCase{16, 16, 16, false, false},
                                                          PrecisionCase{16, 16, 64, false, true},
                                                          PrecisionCase{32, 64, 16, true, false},
                                                          PrecisionCase{64, 32, 32, true, true},
                                                          PrecisionCase{64, 64, 32, false, false},
                                                          PrecisionCase{128, 16, 32, false, true},
                                                          PrecisionCase{16, 128, 32, true, false})),
                         [](const auto &info) {
                           const PrecisionCase &c = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param)) + "_" + std::to_string(c.m) + "x" +
                                  std::to_string(c.n) + "x" + std::to_string(c.k) +
                                  (c.columnsA ? "_columnsA" : "") + (c.columnsB ? "_columnsB" : "");
                         });

// What is left of an infinite factor beside its first part is no number.
TEST(Dot, InfinitiesInParts) {
  covers("tl.dot");
  constexpr size_t n = 16;
  std::vector<double> a(n * n, 1), b(n * n, 2), c(n * n, 3);
  a[0] = HUGE_VAL;
  a[n] = -HUGE_VAL;
  a[2 * n] = std::nan("");
  a[3 * n] = HUGE_VAL, a[3 * n + 1] = -HUGE_VAL;
  b[5] = 0;
  c[4 * n] = HUGE_VAL;
  std::vector<double> want = product(a, b, n, n, n);
  for (size_t i = 0; i < want.size(); ++i)
    want[i] += c[i];
  for (const char *precision : {"ieee", "tf32x3", "bf16x3", "bf16x6"})
    expectSame(compute("dot.py", "dot_in_precision",
                       std::string("*fp32, *fp32, *fp32, *fp32, \"") + precision + "\", 0, 0, 16, 16, 16",
                       {{"a_ptr", a}, {"b_ptr", b}, {"c_ptr", c}}, n * n),
               want);
}

TEST(Dot, OfTransposedBlocks) {
  covers("tl.dot tl.trans tensor.T");
  std::vector<double> a = smallIntegers(16 * 32, 1), b = smallIntegers(32 * 16, 2), at(a.size()),
                      bt(b.size());
  for (size_t i = 0; i < 16; ++i)
    for (size_t l = 0; l < 32; ++l) {
      at[l * 16 + i] = a[i * 32 + l];
      bt[i * 32 + l] = b[l * 16 + i];
    }
  expectSame(compute("dot.py", "dot_of_transposed", "*fp16, *fp16, *fp32, 16, 16, 32",
                     {{"a_ptr", at}, {"b_ptr", bt}}, 256),
             product(a, b, 16, 16, 32));
}

class GatheredDots : public testing::TestWithParam<const char *> {};

TEST_P(GatheredDots, InLoopsAndBranches) {
  covers("tl.dot");
  constexpr size_t m = 32, n = 32, k = 16, rounds = 5;
  std::vector<double> a = smallIntegers(m * k, 1), b = smallIntegers(64 * n, 2), rows, want(2 * m * n);
  for (size_t i = 0; i < rounds; ++i) {
    std::vector<double> gathered;
    for (size_t l = 0; l < k; ++l) {
      double row = double((i * 23 + l * 7) % 63 + 1);
      rows.push_back(l == 0 && i % 2 == 1 ? -row : row);
      gathered.insert(gathered.end(), b.begin() + size_t(row) * n, b.begin() + (size_t(row) + 1) * n);
    }
    std::vector<double> sum = product(a, gathered, m, n, k);
    for (size_t j = 0; j < m * n; ++j) {
      want[j] += sum[j];
      want[m * n + j] += i % 2 == 0 ? sum[j] : 0;
    }
  }
  KernelRun run("dot.py", "gathered_dots",
                std::string("*fp16:16, *fp16:16, *i32:16, *fp32:16, i32, 32, 32, 16, ") + GetParam(), "1");
  run.input("a_ptr", a).input("b_ptr", b).input("rows_ptr", rows).scalar("rounds", rounds);
  run.output("out_ptr", 2 * m * n);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(Dot, GatheredDots, testing::Values("False", "True"));

struct DescriptorCase {
  const char *type;
  bool isTransposed;
  size_t blockColumns;
  bool isSpecialized = false; // the copies have a warp of their own
};

class DescriptorMatmul : public testing::TestWithParam<DescriptorCase> {};

TEST_P(DescriptorMatmul, MatchesDoublePrecision) {
  const DescriptorCase &c = GetParam();
  covers("tl.dot tl.make_tensor_descriptor descriptor.load descriptor.store");
  // Tiles stick out on all sides, and there are fewer programs than tiles.
  constexpr size_t m = 70, n = 144, k = 176, blockRows = 64, depth = 32;
  std::vector<double> a = smallIntegers(m * k, 1), b = smallIntegers(k * n, 2), given = b;
  if (c.isTransposed)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j)
        given[j * k + l] = b[l * n + j];
  std::vector<double> want = product(a, b, m, n, k);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < depth; ++l)
        want[i * n + j] += a[i * k + l];
  std::string type = std::string("*") + c.type;
  KernelRun run("dot.py", "descriptor_matmul",
                type + ":16, " + type + ":16, *fp32:16, i32, i32:16, i32:16, " +
                    (c.isTransposed ? "True" : "False") + ", " + std::to_string(blockRows) + ", " +
                    std::to_string(c.blockColumns) + ", " + std::to_string(depth) + ", " +
                    (c.isSpecialized ? "True" : "False"),
                "3");
  run.input("a_ptr", a).input("b_ptr", given).output("c_ptr", m * n);
  run.scalar("M", m).scalar("N", n).scalar("K", k);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("c_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(
    Types, DescriptorMatmul,
    testing::Values(DescriptorCase{"fp16", false, 128}, DescriptorCase{"fp16", true, 64},
                    DescriptorCase{"bf16", false, 64}, DescriptorCase{"fp32", false, 32},
                    DescriptorCase{"fp32", true, 32}, DescriptorCase{"fp8e5", false, 64},
                    DescriptorCase{"fp8e5", true, 32}, DescriptorCase{"fp16", false, 128, true},
                    DescriptorCase{"bf16", true, 64, true}, DescriptorCase{"fp32", true, 32, true}),
    [](const auto &info) {
      return std::string(info.param.type) + (info.param.isSpecialized ? "Specialized" : "") +
             (info.param.isTransposed ? "Transposed" : "") + std::to_string(info.param.blockColumns);
    });

TEST(Dot, OfGroups) {
  covers("tl.dot tl.make_tensor_descriptor descriptor.load descriptor.store");
  // Of one group there are no rows, of one no depth, and tiles stick out on all sides.
  const size_t sizes[][3] = {{70, 40, 72}, {0, 64, 32}, {1, 32, 104}, {64, 20, 0}, {130, 36, 40}};
  std::vector<double> a, b, want, table;
  for (const auto &[m, n, k] : sizes) {
    table.insert(table.end(),
                 {double(m), double(n), double(k), double(a.size()), double(b.size()), double(want.size())});
    std::vector<double> left = smallIntegers(m * k, unsigned(a.size())),
                        right = smallIntegers(k * n, unsigned(b.size()));
    std::vector<double> sums = product(left, right, m, n, k);
    a.insert(a.end(), left.begin(), left.end());
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l)
        b.push_back(right[l * n + j]);
    want.insert(want.end(), sums.begin(), sums.end());
  }
  KernelRun run("dot.py", "grouped_matmul", "*fp16:16, *fp16:16, *fp32:16, *i32, i32, 64, 32, 32", "3");
  run.input("a_ptr", a).input("b_ptr", b).output("c_ptr", want.size()).input("table", table);
  run.scalar("groups", std::size(sizes));
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("c_ptr"), want);
}

TEST(Dot, OfBatches) {
  covers("tl.dot");
  for (const char *type : {"fp16", "fp32"}) {
    std::vector<double> a = smallIntegers(4 * 16 * 16, 1), b = smallIntegers(4 * 16 * 16, 2), want;
    for (size_t z = 0; z < 4; ++z)
      for (double v : product({a.begin() + long(z * 256), a.begin() + long(z * 256 + 256)},
                              {b.begin() + long(z * 256), b.begin() + long(z * 256 + 256)}, 16, 16, 16))
        want.push_back(v);
    for (const char *kernel : {"batched_dot", "nested_batches"})
      expectSame(compute("dot.py", kernel, std::string("*") + type + ", *" + type + ", *fp32, 4, 16, 16, 16",
                         {{"a_ptr", a}, {"b_ptr", b}}, 1024),
                 want);
  }
}

TEST(Dot, OfBatchesInParts) {
  covers("tl.dot");
  std::vector<double> a = smallIntegers(4 * 32 * 128, 1), b = smallIntegers(4 * 128 * 32, 2), want;
  for (long z = 0; z < 4; ++z)
    for (double v : product({a.begin() + z * 4096, a.begin() + z * 4096 + 4096},
                            {b.begin() + z * 4096, b.begin() + z * 4096 + 4096}, 32, 32, 128))
      want.push_back(v);
  expectSame(compute("dot.py", "batched_dot", "*fp32, *fp32, *fp32, 4, 32, 32, 128",
                     {{"a_ptr", a}, {"b_ptr", b}}, want.size()),
             want);
}

TEST(Dot, SpecialValuesGoThrough) {
  covers("tl.dot");
  std::vector<double> a(256), b(256);
  for (size_t i = 0; i < 16; ++i)
    a[i * 16 + i] = b[i * 16 + i] = 1;
  a[0] = HUGE_VAL;
  a[17] = std::nan("");
  expectSame(compute("dot.py", "dot", "*fp32, *fp32, *fp32, \"ieee\", 16, 16, 16",
                     {{"a_ptr", a}, {"b_ptr", b}}, 256),
             product(a, b, 16, 16, 16));
}

struct MatmulCase {
  const char *type;
  size_t m, n, k;
  bool transposeB;
};

class Matmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, WithEveryEdge) {
  covers("tl.dot tl.swizzle2d");
  auto [type, m, n, k, transposeB] = GetParam();
  ScalarKind kind = kindOf(type);
  std::vector<double> a = randomValues(m * k, 1, kind), b = randomValues(k * n, 2, kind), stored = b;
  if (transposeB)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j)
        stored[j * k + l] = b[l * n + j];
  std::string p = std::string("*") + type + ", ";
  KernelRun run("dot.py", "matmul", p + p + "*fp32, i32, i32, i32, i32, i32, i32, i32, 32, 32, 16, 2",
                "cdiv(M, BM), cdiv(N, BN)");
  run.input("a_ptr", a).input("b_ptr", stored).output("c_ptr", m * n);
  run.scalar("M", double(m)).scalar("N", double(n)).scalar("K", double(k));
  run.scalar("stride_am", double(k)).scalar("stride_ak", 1);
  run.scalar("stride_bk", transposeB ? 1 : double(n)).scalar("stride_bn", transposeB ? double(k) : 1);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(
      run.result("c_ptr"), product(a, b, m, n, k),
      roundings(ScalarKind::FP32, ofSum(k) + 1 + roundingsOfFactors(kind), magnitudes(a, b, m, n, k)));
}

INSTANTIATE_TEST_SUITE_P(Dot, Matmul,
                         testing::Values(MatmulCase{"fp32", 64, 64, 64, false},
                                         MatmulCase{"fp32", 1, 1, 1, false},
                                         MatmulCase{"fp16", 100, 70, 50, false},
                                         MatmulCase{"bf16", 33, 129, 17, false},
                                         MatmulCase{"fp16", 65, 31, 100, true}),
                         [](const auto &info) {
                           const MatmulCase &c = info.param;
                           return std::string(c.type) + "_" + std::to_string(c.m) + "x" +
                                  std::to_string(c.n) + "x" + std::to_string(c.k);
                         });

// Factors in tf32 that were computed from fewer bits, and one that is another product's result.
TEST(Dot, MultipliesWhatWasWidened) {
  covers("tl.dot");
  const size_t m = 32, n = 16, k = 64;
  for (const char *type : {"fp16", "bf16"}) {
    std::vector<double> a = smallIntegers(m * k, 1), b = smallIntegers(m * k, 2), v = smallIntegers(m * n, 3);
    // Sums below 2^11, which tf32 holds.
    for (std::vector<double> *x : {&a, &b, &v})
      for (double &value : *x)
        value = std::fmod(value, 4);
    std::vector<double> columns(b.size());
    for (size_t j = 0; j < m; ++j)
      for (size_t l = 0; l < k; ++l)
        columns[l * m + j] = b[j * k + l];
    std::vector<double> want = product(product(a, columns, m, m, k), v, m, n, m);
    for (double &value : want)
      value *= 2;
    std::string p = std::string("*") + type + ":16, ";
    KernelRun run("dot.py", "dot_of_widened", p + p + p + "*fp32, i32:16, 32, 16, 32", "1");
    run.input("a_ptr", a).input("b_ptr", b).input("v_ptr", v).output("out_ptr", m * n);
    run.scalar("K", double(k));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), want);
  }
}

// Sums that are stored and set to zero where a tile's last round ends, and tiles that a branch finds.
TEST(Dot, OfRoundsOfAllTiles) {
  covers("tl.dot");
  const size_t m = 80, n = 48, k = 80;
  for (const char *programs : {"1", "4"}) {
    std::vector<double> a = smallIntegers(m * k, 1), b = smallIntegers(k * n, 2);
    KernelRun run("dot.py", "rounds_of_tiles",
                  std::string("*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, 32, 32, 16, ") +
                      programs,
                  programs);
    run.input("a_ptr", a).input("b_ptr", b).output("c_ptr", m * n);
    run.scalar("M", double(m)).scalar("N", double(n)).scalar("K", double(k));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("c_ptr"), product(a, b, m, n, k));
  }
}

// Loads that only some rounds of a loop make, from rows that are loaded themselves.
TEST(Dot, TakesTilesThatAreLoadedUnderConditions) {
  covers("tl.dot");
  const size_t m = 32, n = 32, k = 256, step = 32;
  const std::vector<double> rows = {96, -1, 0, 224, 32, -1, -5, 160};
  for (const char *type : {"fp16", "fp32"}) {
    std::vector<double> a = smallIntegers(m * k, 1), b = smallIntegers(k * n, 2), want(m * n);
    auto add = [&](size_t round, size_t row) {
      for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
          for (size_t l = 0; l < step; ++l)
            want[i * n + j] += a[i * k + round * step + l] * b[(row + l) * n + j];
    };
    for (size_t round = 0; round < rows.size(); ++round) {
      if (rows[round] >= 0)
        add(round, size_t(rows[round]));
      if (round % 2 == 1 && round % 3 != 0)
        add(round, round * step);
    }
    std::string p = std::string("*") + type + ":16, ";
    KernelRun run("dot.py", "dot_under_conditions", p + p + "*i32, *fp32, i32:16, 32, 32, 32", "1");
    run.input("a_ptr", a).input("b_ptr", b).input("rows_ptr", rows).output("out_ptr", m * n);
    run.scalar("K", double(k));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), want);
  }
}

// Microscaling: 32 elements along k share a power of two, stored as its exponent plus 127.

struct ScaledCase {
  const char *a, *b;
  bool aScaled, bScaled, accumulates;
  size_t m = 16, n = 32, k = 64;
};

struct Operand {
  std::vector<double> stored, values;
  std::string type;
  unsigned perByte = 1;
};

/// Elements at (outer, l), with the two elements of a byte of e2m1 next to each other along k.
Operand makeOperand(const std::string &format, size_t outer, size_t k, bool kIsFirst, unsigned seed) {
  static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Operand operand;
  operand.values.resize(outer * k);
  operand.type = format == "bf16" || format == "fp16" ? format : "u8";
  operand.perByte = format == "e2m1" ? 2 : 1;
  std::vector<double> x = randomValues(outer * k, seed);
  operand.stored.resize(outer * k / operand.perByte);
  for (size_t i = 0; i < outer; ++i)
    for (size_t l = 0; l < k; ++l) {
      double v = x[i * k + l];
      size_t packed = l / operand.perByte, length = k / operand.perByte;
      double &place = operand.stored[kIsFirst ? packed * outer + i : i * length + packed];
      if (format == "e2m1") {
        unsigned code = static_cast<unsigned>(std::fabs(v) * 8) | (v < 0 ? 8 : 0);
        v = (code & 8 ? -1 : 1) * e2m1[code & 7];
        place += code << (l % 2 * 4);
      } else if (operand.type != "u8") {
        place = v = std::floor(v * 8);
      } else {
        ScalarKind kind = format == "e4m3" ? ScalarKind::FP8E4NV : ScalarKind::FP8E5;
        v = roundTo(kind, std::floor(v * 8));
        place = static_cast<double>(encode(kind, v));
      }
      operand.values[kIsFirst ? l * outer + i : i * k + l] = v;
    }
  return operand;
}

class DotScaled : public testing::TestWithParam<ScaledCase> {};

TEST_P(DotScaled, AppliesTheScales) {
  covers("tl.dot_scaled");
  auto [aFormat, bFormat, aScaled, bScaled, accumulates, m, n, k] = GetParam();
  const size_t runs = k / 32;
  Operand a = makeOperand(aFormat, m, k, false, 1), b = makeOperand(bFormat, n, k, true, 2);
  std::vector<double> aScale(m * runs), bScale(n * runs);
  for (size_t i = 0; i < aScale.size(); ++i)
    aScale[i] = double(127 + i % 5) - 2;
  for (size_t i = 0; i < bScale.size(); ++i)
    bScale[i] = double(127 + i % 3) - 1;
  for (size_t i = 0; i < m; ++i)
    for (size_t l = 0; l < k && aScaled; ++l)
      a.values[i * k + l] *= std::ldexp(1, int(aScale[i * runs + l / 32]) - 127);
  for (size_t j = 0; j < n; ++j)
    for (size_t l = 0; l < k && bScaled; ++l)
      b.values[l * n + j] *= std::ldexp(1, int(bScale[j * runs + l / 32]) - 127);
  auto flag = [](bool value) { return std::string(value ? "True" : "False"); };
  std::string signature = "*" + a.type + ", *u8, *" + b.type + ", *u8, *fp32, \"" + aFormat + "\", \"" +
                          bFormat + "\", " + std::to_string(m) + ", " + std::to_string(n) + ", " +
                          std::to_string(k) + ", " + std::to_string(a.perByte) + ", " +
                          std::to_string(b.perByte) + ", " + flag(aScaled) + ", " + flag(bScaled) + ", " +
                          flag(accumulates);
  expectSame(
      compute("dot.py", "dot_scaled", signature,
              {{"a_ptr", a.stored}, {"a_scale_ptr", aScale}, {"b_ptr", b.stored}, {"b_scale_ptr", bScale}},
              m * n),
      product(a.values, b.values, m, n, k, accumulates ? 3 : 0));
}

INSTANTIATE_TEST_SUITE_P(Dot, DotScaled,
                         testing::Values(ScaledCase{"e4m3", "e4m3", true, true, false},
                                         ScaledCase{"e5m2", "e4m3", true, true, true},
                                         ScaledCase{"e2m1", "e2m1", true, true, false},
                                         ScaledCase{"e2m1", "bf16", true, false, false},
                                         ScaledCase{"bf16", "e2m1", false, true, false},
                                         ScaledCase{"fp16", "e4m3", false, true, false},
                                         ScaledCase{"e4m3", "e2m1", true, true, true},
                                         ScaledCase{"fp16", "e2m1", false, true, false},
                                         ScaledCase{"e5m2", "e5m2", true, true, true, 64, 64, 128},
                                         ScaledCase{"e2m1", "e4m3", true, true, true, 128, 32, 128},
                                         ScaledCase{"bf16", "e2m1", false, true, true, 64, 32, 64},
                                         ScaledCase{"e5m2", "fp16", true, false, true, 32, 64, 32}),
                         [](const auto &info) {
                           std::string name = std::string(info.param.a) + "_" + info.param.b;
                           return info.param.m == 16 ? name : name + "_" + std::to_string(info.param.m);
                         });

struct ScaledBatchesCase {
  const char *scaleType;
  size_t run;
};

class DotScaledBatches : public testing::TestWithParam<ScaledBatchesCase> {};

// Pairs of numbers along the axes that remain, scales of both kinds, and 255, which makes a whole run NaN.
TEST_P(DotScaledBatches, TakesPairsAlongTheOtherAxis) {
  covers("tl.dot_scaled");
  static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
  auto [scaleType, run] = GetParam();
  const size_t batches = 2, m = 32, n = 16, k = 64, runs = k / run;
  bool isExponent = std::string(scaleType) == "u8";
  std::vector<double> a(batches * m * k), b(batches * k * n), aStored(a.size() / 2), bStored(b.size() / 2);
  for (size_t z = 0; z < batches; ++z)
    for (size_t l = 0; l < k; ++l) {
      for (size_t i = 0; i < m; ++i) {
        unsigned code = (3 * i + 5 * l + 7 * z) % 16;
        a[(z * m + i) * k + l] = e2m1[code];
        aStored[(z * m / 2 + i / 2) * k + l] += code << (i % 2 * 4);
      }
      for (size_t j = 0; j < n; ++j) {
        unsigned code = (7 * j + 3 * l + z) % 16;
        b[(z * k + l) * n + j] = e2m1[code];
        bStored[((z * k + l) * n + j) / 2] += code << (j % 2 * 4);
      }
    }
  std::vector<double> aScale(batches * m * runs), bScale(batches * n * runs);
  auto fill = [&](std::vector<double> &scales, unsigned period) {
    for (size_t i = 0; i < scales.size(); ++i) {
      int exponent = int(i % period) - 1;
      // Numbers of 8 bits for runs of 16 need not be powers of two.
      double value = isExponent ? std::ldexp(1, exponent) : std::ldexp(1.25, exponent);
      scales[i] = isExponent ? exponent + 127 : value;
    }
  };
  fill(aScale, 4);
  fill(bScale, 3);
  if (isExponent)
    aScale[5] = 255;
  auto valueOf = [&](double code, unsigned period, size_t i) {
    int exponent = int(i % period) - 1;
    if (isExponent)
      return code == 255 ? std::nan("") : std::ldexp(1, exponent);
    return std::ldexp(1.25, exponent);
  };
  std::vector<double> want;
  for (size_t z = 0; z < batches; ++z) {
    std::vector<double> left(m * k), right(k * n);
    for (size_t l = 0; l < k; ++l) {
      for (size_t i = 0; i < m; ++i) {
        size_t at = (z * m + i) * runs + l / run;
        left[i * k + l] = a[(z * m + i) * k + l] * valueOf(aScale[at], 4, at);
      }
      for (size_t j = 0; j < n; ++j) {
        size_t at = (z * n + j) * runs + l / run;
        right[l * n + j] = b[(z * k + l) * n + j] * valueOf(bScale[at], 3, at);
      }
    }
    std::vector<double> part = product(left, right, m, n, k);
    want.insert(want.end(), part.begin(), part.end());
  }
  std::string scale = std::string("*") + (isExponent ? "u8" : "fp8e4nv") + ", ";
  expectSame(
      compute("dot.py", "dot_scaled_batches",
              "*u8, " + scale + "*u8, " + scale + "*fp32, 2, 32, 16, 64, " + std::to_string(run),
              {{"a_ptr", aStored}, {"a_scale_ptr", aScale}, {"b_ptr", bStored}, {"b_scale_ptr", bScale}},
              want.size()),
      want);
}

INSTANTIATE_TEST_SUITE_P(Dot, DotScaledBatches,
                         testing::Values(ScaledBatchesCase{"u8", 32}, ScaledBatchesCase{"fp8e4nv", 16}),
                         [](const auto &info) { return std::string(info.param.scaleType); });

} // namespace
