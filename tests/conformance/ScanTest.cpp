// kernels/reductions.py: what goes along an axis, beside plain loops.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace nereid;
using namespace nereid::test;

namespace {

const double inf = HUGE_VAL;
const double aNaN = std::nan("");

std::string inQuotes(const std::string &text) { return "\"" + text + "\""; }
std::string flag(bool value) { return value ? "True" : "False"; }

/// The values of each line of an m x n tile along `axis`.
std::vector<std::vector<double>> linesOf(const std::vector<double> &x, size_t m, size_t n, int axis) {
  std::vector<std::vector<double>> lines(axis == 0 ? n : m);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      lines[axis == 0 ? j : i].push_back(x[i * n + j]);
  return lines;
}

std::vector<double> fromLines(const std::vector<std::vector<double>> &lines, size_t m, size_t n, int axis) {
  std::vector<double> x;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      x.push_back(axis == 0 ? lines[j][i] : lines[i][j]);
  return x;
}

double reduceLine(const std::string &op, const std::vector<double> &line) {
  if (op == "argmax" || op == "argmax_fast")
    return double(std::max_element(line.begin(), line.end()) - line.begin());
  if (op == "argmin")
    return double(std::min_element(line.begin(), line.end()) - line.begin());
  double r = line[0];
  for (size_t i = 1; i < line.size(); ++i)
    r = op == "sum"         ? r + line[i]
        : op == "max"       ? std::max(r, line[i])
        : op == "min"       ? std::min(r, line[i])
        : op == "reduce_or" ? double(int64_t(r) | int64_t(line[i]))
                            : double(int64_t(r) ^ int64_t(line[i]));
  return r;
}

struct ReduceCase {
  const char *op, *type, *result;
};

class ReduceAxis : public testing::TestWithParam<std::tuple<ReduceCase, int>> {};

TEST_P(ReduceAxis, MatchesALoop) {
  auto [c, axis] = GetParam();
  std::string op = c.op;
  bool isMethod = op.find("_method") != std::string::npos;
  std::string plain = isMethod ? op.substr(0, op.find("_method")) : op;
  covers("tl." + (plain == "argmax_fast" ? "argmax" : plain));
  ScalarKind kind = kindOf(c.type);
  for (auto [m, n] : {std::pair<size_t, size_t>{4, 8}, {1, 16}, {16, 1}, {32, 64}}) {
    std::vector<double> x = randomValues(m * n, 17);
    for (double &v : x)
      v = c.type[0] == 'u' ? std::floor(std::fabs(v) * 100) : std::floor(v * 100); // sums stay exact
    if (kind == ScalarKind::FP16 || kind == ScalarKind::BF16)
      for (double &v : x)
        v = std::floor(v / 32);
    if (plain == "argmax_fast") // no ties, which it may break as it likes
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = double((i * 37) % 2048);
    std::vector<double> want;
    for (const std::vector<double> &line : linesOf(x, m, n, axis))
      want.push_back(roundTo(kindOf(c.result), reduceLine(plain, line)));
    expectSame(compute("reductions.py", "reduce_axis",
                       std::string("*") + c.type + ", *" + c.result + ", " + inQuotes(op) + ", " +
                           std::to_string(axis) + ", " + std::to_string(m) + ", " + std::to_string(n),
                       {{"x_ptr", x}}, want.size()),
               want);
  }
}

std::vector<ReduceCase> reduceCases() {
  std::vector<ReduceCase> cases;
  for (const char *op : {"sum", "max", "min"})
    for (const char *type : {"i8", "i16", "i32", "i64", "u8", "u32", "fp16", "bf16", "fp32", "fp64"})
      cases.push_back({op, type, type});
  for (const char *op : {"argmax", "argmin"})
    for (const char *type : {"i8", "i32", "i64", "u32", "fp16", "bf16", "fp32", "fp64"})
      cases.push_back({op, type, "i32"});
  for (const char *op : {"xor_sum", "reduce_or"})
    for (const char *type : {"i32", "i64", "u8"})
      cases.push_back({op, type, type});
  for (const char *op : {"sum_method", "max_method", "min_method"})
    cases.push_back({op, "fp32", "fp32"});
  for (const char *op : {"argmax_method", "argmin_method", "argmax_fast"})
    cases.push_back({op, "fp32", "i32"});
  cases.push_back({"xor_sum_method", "i32", "i32"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Reduce, ReduceAxis,
                         testing::Combine(testing::ValuesIn(reduceCases()), testing::Values(0, 1)),
                         [](const auto &info) {
                           const ReduceCase &c = std::get<0>(info.param);
                           return std::string(c.op) + "_" + c.type + "_axis" +
                                  std::to_string(std::get<1>(info.param));
                         });

class ReduceAll : public testing::TestWithParam<const char *> {};

TEST_P(ReduceAll, WithoutAnAxis) {
  std::string op = GetParam();
  covers("tl." + (op == "twice" ? "sum" : op));
  std::vector<double> x = randomValues(8 * 16, 3);
  for (double &v : x)
    v = std::floor(v * 1000);
  std::string type = op == "xor_sum" ? "i32" : "fp32";
  expectSame(compute("reductions.py", "reduce_all",
                     "*" + type + ", *" + type + ", " + inQuotes(op) + ", 8, 16", {{"x_ptr", x}}, 1),
             {reduceLine(op == "twice" ? "sum" : op, x)});
}

INSTANTIATE_TEST_SUITE_P(Reduce, ReduceAll, testing::Values("sum", "max", "min", "xor_sum", "twice"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Reduce, KeepDims) {
  covers("tl.max tl.sum keep_dims");
  std::vector<double> x = randomValues(32, 3);
  for (double &v : x)
    v = std::floor(v * 100);
  for (int axis : {0, 1}) {
    auto lines = linesOf(x, 4, 8, axis);
    for (auto &line : lines) {
      double top = *std::max_element(line.begin(), line.end());
      for (double &v : line)
        v -= top;
    }
    expectSame(compute("reductions.py", "keep_dims", "*fp32, *fp32, " + std::to_string(axis) + ", 4, 8",
                       {{"x_ptr", x}}, 32),
               fromLines(lines, 4, 8, axis));
  }
}

TEST(Reduce, KeepAllDims) {
  covers("tl.sum keep_dims");
  expectSame(compute("reductions.py", "keep_all_dims", "*fp32, *fp32, 4, 8", {{"x_ptr", counting(32)}}, 1),
             {496});
}

TEST(Reduce, SumInAnotherType) {
  covers("tl.sum");
  expectSame(
      compute("reductions.py", "sum_as", "*i8, *i64, 32", {{"x_ptr", std::vector<double>(32, 127)}}, 1),
      {4064});
  expectSame(
      compute("reductions.py", "sum_as", "*fp16, *fp32, 32", {{"x_ptr", std::vector<double>(32, 60000)}}, 1),
      {32 * roundTo(ScalarKind::FP16, 60000)});
}

TEST(Reduce, SmallIntegersSumInInt32) {
  covers("tl.sum");
  expectSame(compute("reductions.py", "reduce_all", "*i8, *i32, \"sum\", 4, 8",
                     {{"x_ptr", std::vector<double>(32, -128)}}, 1),
             {-4096});
  expectSame(compute("reductions.py", "reduce_all", "*u8, *u32, \"sum\", 4, 8",
                     {{"x_ptr", std::vector<double>(32, 255)}}, 1),
             {8160});
}

TEST(Reduce, TiesGoToTheLeft) {
  covers("tl.max tl.min return_indices");
  std::vector<double> x = {1, 5, 5, 2, 7, 7, 7, 7, -1, 0, -1, 0, 3, 2, 2, 3};
  for (bool largest : {true, false})
    for (const char *type : {"fp32", "i32", "fp16"}) {
      KernelRun run("reductions.py", "value_and_index",
                    std::string("*") + type + ", *" + type + ", *i32, " + flag(largest) + ", True, 4, 4",
                    "1");
      run.input("x_ptr", x).output("value_ptr", 4).output("out_ptr", 4);
      ASSERT_TRUE(run.run()) << run.messages();
      expectSame(run.result("value_ptr"),
                 largest ? std::vector<double>{5, 7, 0, 3} : std::vector<double>{1, 7, -1, 2});
      expectSame(run.result("out_ptr"),
                 largest ? std::vector<double>{1, 0, 1, 0} : std::vector<double>{0, 0, 0, 1});
    }
}

TEST(Reduce, WithoutTieBreakingAnIndexOfTheValue) {
  covers("tl.max return_indices");
  std::vector<double> x = {1, 5, 5, 2, 7, 7, 7, 7};
  KernelRun run("reductions.py", "value_and_index", "*fp32, *fp32, *i32, True, False, 2, 4", "1");
  run.input("x_ptr", x).output("value_ptr", 2).output("out_ptr", 2);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> at = run.result("out_ptr");
  EXPECT_EQ(x[size_t(at[0])], 5);
  EXPECT_EQ(x[4 + size_t(at[1])], 7);
}

TEST(Reduce, NaNIsLeftOutOfMaxAndMin) {
  covers("tl.max tl.min");
  std::vector<double> x = {1, aNaN, 3, -2, aNaN, aNaN, aNaN, aNaN};
  for (const char *type : {"fp32", "fp64", "fp16"}) {
    std::string types = std::string("*") + type + ", *" + type;
    expectSame(compute("reductions.py", "reduce_axis", types + ", \"max\", 1, 2, 4", {{"x_ptr", x}}, 2),
               {3, aNaN});
    expectSame(compute("reductions.py", "reduce_axis", types + ", \"min\", 1, 2, 4", {{"x_ptr", x}}, 2),
               {-2, aNaN});
  }
}

TEST(Reduce, NaNAndInfinitiesInSums) {
  covers("tl.sum");
  std::vector<double> x = {1, aNaN, 3, -2, inf, 1, 2, 3, inf, -inf, 0, 0, -0.0, -0.0, -0.0, -0.0};
  std::vector<double> got =
      compute("reductions.py", "reduce_axis", "*fp32, *fp32, \"sum\", 1, 4, 4", {{"x_ptr", x}}, 4);
  expectSame(got, {aNaN, inf, aNaN, -0.0});
}

TEST(Reduce, InfinitiesInMaxAndMin) {
  covers("tl.max tl.min tl.argmax");
  std::vector<double> x = {-inf, -inf, -inf, -inf, inf, 1, -inf, 3};
  expectSame(compute("reductions.py", "reduce_axis", "*fp32, *fp32, \"max\", 1, 2, 4", {{"x_ptr", x}}, 2),
             {-inf, inf});
  expectSame(compute("reductions.py", "reduce_axis", "*fp32, *fp32, \"min\", 1, 2, 4", {{"x_ptr", x}}, 2),
             {-inf, -inf});
  expectSame(compute("reductions.py", "reduce_axis", "*fp32, *i32, \"argmax\", 1, 2, 4", {{"x_ptr", x}}, 2),
             {0, 0});
}

TEST(Reduce, LimitsOfIntegers) {
  covers("tl.max tl.min");
  std::vector<double> x = {-2147483648.0, 2147483647, 0, -1};
  expectSame(compute("reductions.py", "reduce_all", "*i32, *i32, \"max\", 1, 4", {{"x_ptr", x}}, 1),
             {2147483647});
  expectSame(compute("reductions.py", "reduce_all", "*i32, *i32, \"min\", 1, 4", {{"x_ptr", x}}, 1),
             {-2147483648.0});
  expectSame(compute("reductions.py", "reduce_all", "*u32, *u32, \"max\", 1, 4",
                     {{"x_ptr", {0, 4294967295.0, 1, 2}}}, 1),
             {4294967295.0});
}

TEST(Reduce, MiddleAxisOfThree) {
  covers("tl.sum");
  std::vector<double> want;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 8; ++k)
      want.push_back(4 * (i * 32 + k) + 8 * 6);
  expectSame(compute("reductions.py", "middle_axis", "*fp32, *fp32, 2, 4, 8", {{"x_ptr", counting(64)}}, 16),
             want);
}

class ReduceWith : public testing::TestWithParam<const char *> {};

TEST_P(ReduceWith, AnyCombination) {
  covers("tl.reduce");
  std::string op = GetParam();
  std::vector<double> x = {1, 2, 3, 4, 0, 0, 5, 6, -1, 1, -1, 1, 0.5, 2, 0.25, 8};
  std::vector<double> want =
      op == "first" ? std::vector<double>{1, 5, -1, 0.5} : std::vector<double>{24, 0, 1, 2};
  expectSame(
      compute("reductions.py", "reduce_with", "*fp32, *fp32, " + inQuotes(op) + ", 4, 4", {{"x_ptr", x}}, 4),
      want);
}

INSTANTIATE_TEST_SUITE_P(Reduce, ReduceWith, testing::Values("product", "method", "first", "keep_dims"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Reduce, WelfordOverThreeBlocks) {
  covers("tl.reduce");
  const size_t m = 4, n = 64;
  std::vector<double> x = randomValues(m * n, 7), mean(m), variance(m);
  for (size_t i = 0; i < m; ++i) { // no x is above 1
    for (size_t j = 0; j < n; ++j)
      mean[i] += x[i * n + j] / n;
    for (size_t j = 0; j < n; ++j)
      variance[i] += (x[i * n + j] - mean[i]) * (x[i * n + j] - mean[i]) / n;
  }
  KernelRun run("reductions.py", "welford", "*fp32, *fp32, *fp32, 4, 64", "1");
  run.input("x_ptr", x).output("mean_ptr", m).output("out_ptr", m);
  ASSERT_TRUE(run.run()) << run.messages();
  // Each combination rounds a few times.
  expectClose(run.result("mean_ptr"), mean, roundings(ScalarKind::FP32, 2 * ofSum(n), 1));
  expectClose(run.result("out_ptr"), variance, roundings(ScalarKind::FP32, 2 * ofSum(n), 1));
}

TEST(Reduce, PairsOfDifferentTypes) {
  covers("tl.reduce");
  std::vector<double> x = randomValues(128, 7);
  x[40] = x[90] = 5;
  KernelRun run("reductions.py", "reduce_pairs", "*fp32, *fp32, *i32, 128", "1");
  run.input("x_ptr", x).output("value_ptr", 1).output("out_ptr", 1);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("value_ptr"), {5});
  expectSame(run.result("out_ptr"), {40});
}

struct ScanCase {
  const char *op, *type;
};

class Scan : public testing::TestWithParam<std::tuple<ScanCase, int, bool>> {};

TEST_P(Scan, MatchesALoop) {
  auto [c, axis, reverse] = GetParam();
  std::string op = c.op;
  covers(op.find("cumsum") == 0    ? "tl.cumsum"
         : op.find("cumprod") == 0 ? "tl.cumprod"
                                   : "tl.associative_scan");
  for (auto [m, n] : {std::pair<size_t, size_t>{4, 8}, {1, 32}, {16, 1}}) {
    std::vector<double> x = randomValues(m * n, 5);
    for (double &v : x)
      v = op.find("cumprod") == 0 ? (v > 0.8                        ? 2
                                     : v < -0.8 && c.type[0] != 'u' ? -1
                                                                    : 1)
          : c.type[0] == 'u'      ? std::floor(std::fabs(v) * 4)
                                  : std::floor(v * 8);
    auto lines = linesOf(x, m, n, axis);
    for (auto &line : lines) {
      if (reverse)
        std::reverse(line.begin(), line.end());
      for (size_t i = 1; i < line.size(); ++i)
        line[i] = op.find("cumsum") == 0    ? line[i - 1] + line[i]
                  : op.find("cumprod") == 0 ? line[i - 1] * line[i]
                                            : std::max(line[i - 1], line[i]);
      if (reverse)
        std::reverse(line.begin(), line.end());
    }
    expectSame(compute("reductions.py", "scan",
                       std::string("*") + c.type + ", *" + c.type + ", " + inQuotes(op) + ", " +
                           std::to_string(axis) + ", " + flag(reverse) + ", " + std::to_string(m) + ", " +
                           std::to_string(n),
                       {{"x_ptr", x}}, m * n),
               fromLines(lines, m, n, axis));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scans, Scan,
    testing::Combine(testing::Values(ScanCase{"cumsum", "i32"}, ScanCase{"cumsum", "fp32"},
                                     ScanCase{"cumsum", "fp16"}, ScanCase{"cumsum", "bf16"},
                                     ScanCase{"cumsum", "i64"}, ScanCase{"cumsum", "u8"},
                                     ScanCase{"cumsum", "fp64"}, ScanCase{"cumprod", "fp32"},
                                     ScanCase{"cumprod", "i32"}, ScanCase{"cumprod", "fp64"},
                                     ScanCase{"cumsum_method", "fp32"}, ScanCase{"cumprod_method", "fp32"},
                                     ScanCase{"max", "fp32"}, ScanCase{"max", "i32"},
                                     ScanCase{"scan_method", "fp32"}),
                     testing::Values(0, 1), testing::Bool()),
    [](const auto &info) {
      const ScanCase &c = std::get<0>(info.param);
      return std::string(c.op) + "_" + c.type + "_axis" + std::to_string(std::get<1>(info.param)) +
             (std::get<2>(info.param) ? "_reverse" : "");
    });

TEST(Scans, RecurrenceOverTwoBlocks) {
  covers("tl.associative_scan");
  for (bool reverse : {false, true}) {
    std::vector<double> a = randomValues(64, 1), b = randomValues(64, 2), want(64), magnitude(64);
    double h = 0, size = 0;
    for (size_t k = 0; k < 64; ++k) {
      size_t i = reverse ? 63 - k : k;
      want[i] = h = h * a[i] + b[i];
      magnitude[i] = size = size * std::fabs(a[i]) + std::fabs(b[i]);
    }
    expectClose(compute("reductions.py", "recurrence", "*fp32, *fp32, *fp32, " + flag(reverse) + ", 64",
                        {{"a_ptr", a}, {"b_ptr", b}}, 64),
                want, roundings(ScalarKind::FP32, 2 * ofSum(64), magnitude));
  }
}

TEST(Scans, CumsumInAnotherType) {
  covers("tl.cumsum");
  expectSame(compute("reductions.py", "cumsum_as", "*i32, *i64, 4",
                     {{"x_ptr", std::vector<double>(4, 2147483647)}}, 4),
             {2147483647.0, 4294967294.0, 6442450941.0, 8589934588.0});
}

struct SortCase {
  const char *form, *type;
  bool descending;
};

class Sort : public testing::TestWithParam<SortCase> {};

TEST_P(Sort, OrdersEachRow) {
  covers("tl.sort");
  auto [form, type, descending] = GetParam();
  for (auto [m, n] : {std::pair<size_t, size_t>{4, 8}, {1, 64}, {8, 2}, {2, 1}}) {
    std::vector<double> x = randomValues(m * n, 5);
    for (double &v : x)
      v = type[0] == 'u' ? std::floor(std::fabs(v) * 100) : std::floor(v * 50); // with equal elements
    auto lines = linesOf(x, m, n, 1);
    for (auto &line : lines) {
      std::sort(line.begin(), line.end());
      if (descending)
        std::reverse(line.begin(), line.end());
    }
    expectSame(compute("reductions.py", "sort",
                       std::string("*") + type + ", *" + type + ", " + inQuotes(form) + ", " +
                           flag(descending) + ", " + std::to_string(m) + ", " + std::to_string(n),
                       {{"x_ptr", x}}, m * n),
               fromLines(lines, m, n, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Sorting, Sort,
                         testing::Values(SortCase{"sort", "fp32", false}, SortCase{"sort", "fp32", true},
                                         SortCase{"sort", "i32", false}, SortCase{"sort", "i32", true},
                                         SortCase{"sort", "fp16", false}, SortCase{"sort", "i64", true},
                                         SortCase{"sort", "u8", false}, SortCase{"sort", "bf16", true},
                                         SortCase{"sort", "fp64", false}, SortCase{"sort", "i8", false},
                                         SortCase{"default", "fp32", true}),
                         [](const auto &info) {
                           return std::string(info.param.form) + "_" + info.param.type +
                                  (info.param.descending ? "_descending" : "");
                         });

TEST(Sorting, OfALine) {
  covers("tl.sort");
  expectSame(compute("reductions.py", "sort_line", "*fp32, *fp32, 8",
                     {{"x_ptr", {3, inf, -1, 0, -inf, 7, 2, 2}}}, 8),
             {-inf, -1, 0, 2, 2, 3, 7, inf});
}

class TopK : public testing::TestWithParam<std::tuple<const char *, int>> {};

TEST_P(TopK, LargestFirst) {
  covers("tl.topk");
  auto [type, k] = GetParam();
  std::vector<double> x = randomValues(4 * 32, 5), want;
  for (double &v : x)
    v = std::floor(v * 100);
  for (auto &line : linesOf(x, 4, 32, 1)) {
    std::sort(line.begin(), line.end(), std::greater<double>());
    want.insert(want.end(), line.begin(), line.begin() + k);
  }
  expectSame(compute("reductions.py", "topk",
                     std::string("*") + type + ", *" + type + ", " + std::to_string(k) + ", 4, 32",
                     {{"x_ptr", x}}, size_t{4} * k),
             want);
}

INSTANTIATE_TEST_SUITE_P(Sorting, TopK,
                         testing::Combine(testing::Values("fp32", "i32", "fp16"), testing::Values(1, 4, 32)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(Sorting, BitonicMerge) {
  covers("tl.bitonic_merge");
  for (bool descending : {false, true})
    expectSame(compute("reductions.py", "bitonic_merge", "*fp32, *fp32, " + flag(descending) + ", 8",
                       {{"x_ptr", {1, 4, 6, 9, 8, 5, 3, 0}}}, 8),
               descending ? std::vector<double>{9, 8, 6, 5, 4, 3, 1, 0}
                          : std::vector<double>{0, 1, 3, 4, 5, 6, 8, 9});
}

class Histogram : public testing::TestWithParam<const char *> {};

TEST_P(Histogram, Counts) {
  covers("tl.histogram");
  std::string form = GetParam();
  for (size_t bins : {8, 2, 256}) {
    std::vector<double> x(128), want(bins);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = double(i * i * 7 % bins);
      if (form != "masked" || i % 2 == 0)
        ++want[size_t(x[i])];
    }
    expectSame(compute("reductions.py", "histogram",
                       "*i32, *i32, " + inQuotes(form) + ", " + std::to_string(bins) + ", 128",
                       {{"x_ptr", x}}, bins),
               want);
  }
}

INSTANTIATE_TEST_SUITE_P(Sorting, Histogram, testing::Values("histogram", "masked", "method"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Reduce, NegativeAxes) {
  covers("tl.max tl.sum");
  std::vector<double> want;
  for (int i = 0; i < 8; ++i)
    want.push_back(i * 8 + 7);
  for (int i = 0; i < 32; ++i)
    want.push_back(2 * i + 32);
  expectSame(compute("reductions.py", "last_axis", "*fp32, *fp32, 2, 4, 8", {{"x_ptr", counting(64)}}, 40),
             want);
}

TEST(Reduce, TwoOfFourAxes) {
  covers("tl.sum");
  std::vector<double> want(16);
  for (int i = 0; i < 256; ++i)
    want[i / 64 * 4 + i / 4 % 4] += i;
  expectSame(compute("reductions.py", "four_axes", "*fp32, *fp32, 4", {{"x_ptr", counting(256)}}, 16), want);
}

TEST(Reduce, CountOfConditions) {
  covers("tl.sum tl.int1");
  expectSame(compute("reductions.py", "count_where", "*fp32, *i32, 64", {{"x_ptr", counting(64, -10)}}, 3),
             {53, 53, 0});
}

TEST(Scans, SumsThatStartAgain) {
  covers("tl.associative_scan");
  expectSame(compute("reductions.py", "segmented", "*fp32, *i32, *fp32, 8",
                     {{"x_ptr", counting(8, 1)}, {"flag_ptr", {0, 0, 1, 0, 0, 1, 1, 0}}}, 8),
             {1, 3, 3, 7, 12, 6, 7, 15});
}

/// Longer than what lanes have: of each a run, or elements that lie apart.
TEST(Scans, SumsOfRunsThatStartAgain) {
  covers("tl.associative_scan");
  for (bool reverse : {false, true})
    for (const char *pointers : {"*fp32:16, *i32:16", "*fp32, *i32"}) {
      constexpr size_t count = 1024;
      std::vector<double> x = counting(count, 1), flags(count), want(count);
      double sum = 0;
      for (size_t k = 0; k < count; ++k) {
        size_t i = reverse ? count - 1 - k : k;
        flags[i] = i % 37 == 5 || i % 211 == 0;
        want[i] = sum = flags[i] ? x[i] : sum + x[i];
      }
      expectSame(
          compute("reductions.py", "segmented",
                  std::string(pointers) + ", *fp32:16, " + std::to_string(count) + ", " + flag(reverse),
                  {{"x_ptr", x}, {"flag_ptr", flags}}, count),
          want);
    }
}

TEST(Scans, GreatestSoFarAndItsPlace) {
  covers("tl.associative_scan");
  for (bool reverse : {false, true})
    for (size_t count : {64, 1024}) {
      std::vector<double> x = randomValues(count, 3), want(count);
      for (double &value : x)
        value = std::floor(value * 100); // with equal elements
      size_t best = reverse ? count - 1 : 0;
      for (size_t k = 0; k < count; ++k) {
        size_t i = reverse ? count - 1 - k : k;
        if (reverse ? x[i] > x[best] : x[i] >= x[best])
          best = i;
        want[i] = best;
      }
      KernelRun run("reductions.py", "greatest_so_far",
                    "*fp32, *i32, i32, " + flag(reverse) + ", " + std::to_string(count), "1");
      run.input("x_ptr", x).output("out_ptr", count).scalar("stride", 1);
      ASSERT_TRUE(run.run()) << run.messages();
      expectSame(run.result("out_ptr"), want);
    }
}

} // namespace
