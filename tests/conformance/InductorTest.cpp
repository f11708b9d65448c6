// kernels/inductor.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(Inductor, PointwiseWithLibdevice) {
  covers("triton_helpers.maximum triton_helpers.minimum decorator");
  std::vector<double> x = randomValues(100, 1), y = randomValues(100, 2), want(100), magnitude(100);
  x[3] = std::nan("");
  x[4] = HUGE_VAL;
  for (size_t i = 0; i < 100; ++i) {
    double sum = x[i] + y[i], gelu = sum * 0.5 * (std::erf(sum * std::sqrt(0.5)) + 1);
    // As in torch, NaN comes through both.
    want[i] = std::isnan(gelu) ? gelu : std::max(gelu, 0.0) + std::abs(std::min(gelu, 1.0));
    magnitude[i] = 2 * std::fabs(x[i] + y[i]); // the error function may be nearly -1
  }
  KernelRun run("inductor.py", "triton_poi_fused_add_gelu_0", "*fp32, *fp32, *fp32, i32, 64",
                "cdiv(xnumel, XBLOCK)");
  run.input("in_ptr0", x).input("in_ptr1", y).output("out_ptr0", 100).scalar("xnumel", 100);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr0"), want, roundings(ScalarKind::FP32, 8, magnitude));
}

TEST(Inductor, PersistentReductionWithLibdevice) {
  covers("decorator");
  const size_t rows = 5, columns = 50;
  std::vector<double> x = randomValues(rows * columns, 3), scale(rows), want(rows * columns),
                      magnitude(rows * columns);
  for (size_t row = 0; row < rows; ++row) {
    const double *from = &x[row * columns];
    double mean = std::accumulate(from, from + columns, 0.0) / columns, squares = 0;
    for (size_t i = 0; i < columns; ++i)
      squares += (from[i] - mean) * (from[i] - mean);
    scale[row] = 1 / std::sqrt(squares / columns + 1e-5);
    for (size_t i = 0; i < columns; ++i)
      want[row * columns + i] = (from[i] - mean) * scale[row];
    for (size_t i = 0; i < columns; ++i) // no value is above 1
      magnitude[row * columns + i] = (std::fabs(from[i] - mean) + 1) * scale[row];
  }
  KernelRun run("inductor.py", "triton_per_fused_native_layer_norm_1", "*fp32, *fp32, *fp32, i32, i32, 2",
                "cdiv(xnumel, XBLOCK)");
  run.output("in_out_ptr0", rows).input("in_ptr0", x);
  run.output("out_ptr0", rows * columns).scalar("xnumel", rows).scalar("r0_numel", columns);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("in_out_ptr0"), scale, roundings(ScalarKind::FP32, 2 * ofSum(columns) + 8, scale));
  expectClose(run.result("out_ptr0"), want, roundings(ScalarKind::FP32, 2 * ofSum(columns) + 8, magnitude));
}

TEST(Inductor, LoopedReductionWithLibdevice) {
  covers("triton_helpers.welford_reduce triton_helpers.welford triton_helpers.online_softmax_combine "
         "triton_helpers.online_softmax_reduce triton_helpers.maximum_with_index "
         "triton_helpers.max_with_index triton_helpers.any");
  const size_t rows = 5, columns = 100;
  std::vector<double> x = randomValues(rows * columns, 4);
  x[columns + 7] = x[columns + 70] = 3; // of equal ones, the first
  x[2 * columns + 90] = std::nan("");
  for (size_t i = 0; i < columns; ++i)
    x[3 * columns + i] = -HUGE_VAL;
  std::vector<double> mean(rows), var(rows), largest(rows), sum(rows), index(rows), nan(rows);
  for (size_t row = 0; row < rows; ++row) {
    const double *from = &x[row * columns];
    mean[row] = std::accumulate(from, from + columns, 0.0) / columns;
    for (size_t i = 0; i < columns; ++i) {
      var[row] += (from[i] - mean[row]) * (from[i] - mean[row]) / columns;
      nan[row] += std::isnan(from[i]);
      if (std::isnan(from[i]) || (!nan[row] && from[i] > from[size_t(index[row])]))
        index[row] = double(i);
    }
    largest[row] = from[size_t(index[row])];
    for (size_t i = 0; i < columns; ++i)
      sum[row] += std::isinf(largest[row]) ? 1 : std::exp(from[i] - largest[row]);
  }
  KernelRun run("inductor.py", "triton_red_fused_2",
                "*fp32, *fp32, *fp32, *fp32, *fp32, *i64, *fp32, i32, i32, 4, 32", "cdiv(xnumel, XBLOCK)");
  run.input("in_ptr0", x).scalar("xnumel", rows).scalar("r0_numel", columns);
  for (const char *name : {"out_mean", "out_var", "out_max", "out_sum", "out_index", "out_nan"})
    run.output(name, rows);
  ASSERT_TRUE(run.run()) << run.messages();
  mean[3] = var[3] = std::nan(""); // differences of infinities
  // No value is above 3. Means are combined from means, and sums scaled whenever the maximum rises.
  expectClose(run.result("out_mean"), mean, roundings(ScalarKind::FP32, 2 * ofSum(columns), 1));
  expectClose(run.result("out_var"), var, roundings(ScalarKind::FP32, 2 * ofSum(columns), 1));
  expectSame(run.result("out_max"), largest);
  expectClose(run.result("out_sum"), sum, roundings(ScalarKind::FP32, 4 * ofSum(columns), sum));
  expectSame(run.result("out_index"), index);
  expectSame(run.result("out_nan"), nan);
}

struct SortCase {
  bool isStable, isDescending;
};

class InductorSort : public testing::TestWithParam<SortCase> {};

TEST_P(InductorSort, WithIndices) {
  covers("triton_helpers.sort_with_index");
  const size_t rows = 3, columns = 27;
  std::vector<double> x(rows * columns), values(x.size()), indices(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i * 7 % 10) - 5;
  x[5] = x[8] = std::nan("");
  x[20] = HUGE_VAL;
  const auto [isStable, isDescending] = GetParam();
  for (size_t row = 0; row < rows; ++row) {
    const double *from = &x[row * columns];
    std::vector<size_t> order(columns);
    std::iota(order.begin(), order.end(), 0);
    bool down = isDescending;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      double first = from[down ? b : a], second = from[down ? a : b];
      if (first == second || (std::isnan(first) && std::isnan(second)))
        return a < b;
      return std::isnan(second) ? !std::isnan(first) : first < second;
    });
    for (size_t i = 0; i < columns; ++i) {
      values[row * columns + i] = from[order[i]];
      indices[row * columns + i] = double(order[i]);
    }
  }
  std::string signature = "*fp32, *fp32, *i64, i32, i32, 2, 32, ";
  signature += isStable ? "True, " : "False, ";
  signature += isDescending ? "True" : "False";
  KernelRun run("inductor.py", "triton_per_fused_sort_3", signature, "cdiv(xnumel, XBLOCK)");
  run.input("in_ptr0", x).output("out_ptr0", x.size());
  run.output("out_ptr1", x.size()).scalar("xnumel", rows).scalar("r0_numel", columns);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr0"), values);
  expectSame(run.result("out_ptr1"), indices);
}

INSTANTIATE_TEST_SUITE_P(Inductor, InductorSort,
                         testing::Values(SortCase{true, false}, SortCase{true, true}, SortCase{false, false},
                                         SortCase{false, true}));

TEST(Inductor, Buckets) {
  covers("triton_helpers.bucketize_binary_search");
  std::vector<double> boundaries = {-0.5, 0, 0.25, 0.25, 0.75}, x = randomValues(60, 5), want(60);
  x[0] = 0.25;
  x[1] = -0.5;
  x[2] = 2;
  for (bool right : {false, true}) {
    for (size_t i = 0; i < x.size(); ++i)
      want[i] = double((right ? std::upper_bound(boundaries.begin(), boundaries.end(), x[i])
                              : std::lower_bound(boundaries.begin(), boundaries.end(), x[i])) -
                       boundaries.begin());
    KernelRun run("inductor.py", "triton_poi_fused_bucketize_4",
                  std::string("*fp32, *fp32, *i64, i32, i32, ") + (right ? "True" : "False") + ", 32",
                  "cdiv(xnumel, XBLOCK)");
    run.input("in_ptr0", x).input("in_ptr1", boundaries).output("out_ptr0", x.size());
    run.scalar("xnumel", 60).scalar("ks0", double(boundaries.size()));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr0"), want);
  }
}

TEST(Inductor, ScanOverPrograms) {
  covers("triton_helpers.exclusive_scan_decoupled_lookback "
         "triton_helpers.exclusive_scan_decoupled_lookback_64");
  const size_t n = 1000;
  std::vector<double> x(n), want(n);
  for (size_t i = 0; i < n; ++i)
    x[i] = double(i * 37 % 19) - 9;
  std::partial_sum(x.begin(), x.end(), want.begin());
  for (const char *type : {"fp32", "i32", "i64"}) {
    bool isWide = type == std::string("i64");
    KernelRun run("inductor.py", "triton_spl_fused_cumsum_5",
                  std::string("*") + type + ", *" + type + ", *u64, i32, 32, " + (isWide ? "True" : "False"),
                  "cdiv(xnumel, R0_BLOCK)");
    run.input("in_ptr0", x).output("out_ptr0", n).scratch("ws_ptr", std::vector<double>(100));
    run.scalar("xnumel", n);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr0"), want);
  }
}

TEST(Inductor, SmallHelpersWithLibdevice) {
  covers("triton_helpers.div_floor_integer triton_helpers.remainder_integer triton_helpers.prod "
         "triton_helpers.promote_to_tensor triton_helpers.select_one triton_helpers.x_grid_barrier "
         "triton_helpers.device_assert_then triton_helpers.frexp triton_helpers.randint64 "
         "triton_helpers.constexpr_next_power_of_2 triton_helpers.if_mask");
  std::vector<double> a = {7, -7, 7, -7, 0, 6, -6, 12}, b = {2, 2, -2, -2, 3, 3, 3, -1}, want(32), parts(16);
  for (size_t i = 0; i < 8; ++i) {
    want[i] = std::floor(a[i] / b[i]);
    want[8 + i] = a[i] - want[i] * b[i];
    want[16 + i] = std::accumulate(b.begin(), b.end(), 1.0, std::multiplies<>());
    want[24 + i] = a[3];
    int exponent = 0;
    parts[i] = std::frexp(a[i], &exponent);
    parts[8 + i] = exponent;
  }
  KernelRun run("inductor.py", "triton_per_fused_6", "*i32, *i32, *i32, *fp32, *u32, 8, i64", "1");
  run.input("in_ptr0", a).input("in_ptr1", b).output("out_ptr0", 32);
  run.output("out_ptr1", 24).scratch("ws_ptr", {0}).scalar("seed", 42);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr0"), want);
  std::vector<double> got = run.result("out_ptr1");
  expectSame({got.begin(), got.begin() + 16}, parts);
  // randint64 draws from [-5, 5).
  EXPECT_TRUE(std::all_of(got.begin() + 16, got.end(), [](double v) { return v >= -5 && v < 5; }));
  EXPECT_GT(std::set<double>(got.begin() + 16, got.end()).size(), 2u);
}

} // namespace
