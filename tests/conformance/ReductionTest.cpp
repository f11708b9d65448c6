// Kernels of kernels/reduction.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(Reduction, RowsOfATile) {
  const size_t rows = 21;
  const size_t cols = 50;
  std::vector<double> x = randomValues(rows * cols, 31);
  for (const char *op : {"sum", "max", "min"}) {
    KernelRun run("reduction.py", "reduce_rows", std::string("*fp32, *fp32, i32, i32, \"") + op + "\", 8, 64",
                  "cdiv(M, BM)");
    run.input("x_ptr", x).output("out_ptr", rows).scalar("M", rows).scalar("N", cols);
    ASSERT_TRUE(run.run()) << run.messages();
    SCOPED_TRACE(op);
    std::vector<double> want(rows), magnitude(rows);
    for (size_t r = 0; r < rows; ++r) {
      double value = op == std::string("sum") ? 0 : x[r * cols];
      for (size_t c = 0; c < cols; ++c) {
        double v = x[r * cols + c];
        magnitude[r] += std::fabs(v);
        value = op == std::string("sum")   ? value + v
                : op == std::string("max") ? std::max(value, v)
                                           : std::min(value, v);
      }
      want[r] = value;
    }
    if (op == std::string("sum"))
      expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(cols), magnitude));
    else
      expectSame(run.result("out_ptr"), want);
  }
}

TEST(Reduction, ColumnsOverALoop) {
  const size_t rows = 70;
  const size_t cols = 45;
  std::vector<double> x = randomValues(rows * cols, 32);
  KernelRun run("reduction.py", "sum_columns", "*fp32, *fp32, i32, i32, 16, 32", "cdiv(N, BN)");
  run.input("x_ptr", x).output("out_ptr", cols).scalar("M", rows).scalar("N", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(cols), magnitude(cols);
  for (size_t i = 0; i < x.size(); ++i) {
    want[i % cols] += x[i];
    magnitude[i % cols] += std::fabs(x[i]);
  }
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(rows), magnitude));
}

// Of 128 registers a thread and more, means reach the lanes without a barrier.
TEST(Reduction, ColumnsOfCenteredRows) {
  const size_t rows = 16;
  const size_t cols = 2048, stride = 3;
  std::vector<double> x = randomValues(rows * cols, 33), mean = randomValues(rows * stride, 34);
  KernelRun run("reduction.py", "sum_columns_of_centered", "*fp32:16, *fp32:16, *fp32:16, i32, 16, 2048",
                "1");
  run.input("x_ptr", x).input("mean_ptr", mean).output("out_ptr", cols).scalar("stride", stride);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(cols), magnitude(cols);
  for (size_t i = 0; i < x.size(); ++i) {
    want[i % cols] += x[i] - mean[i / cols * stride];
    magnitude[i % cols] += std::fabs(x[i]) + std::fabs(mean[i / cols * stride]);
  }
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(rows), magnitude));
}

TEST(Reduction, IntegersOfEveryWidth) {
  struct Case {
    const char *type;
    ScalarKind kind;
  };
  for (Case c : {Case{"i32", ScalarKind::Int32},
                 {"i64", ScalarKind::Int64},
                 {"u32", ScalarKind::UInt32},
                 {"i16", ScalarKind::Int16},
                 {"i8", ScalarKind::Int8}}) {
    std::vector<double> x(300);
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] = static_cast<double>(i % 100);
    KernelRun run("reduction.py", "sum_all", std::string("*") + c.type + ", *i64, i32, 512", "1");
    run.input("x_ptr", x).output("out_ptr", 1).scalar("n", 300);
    ASSERT_TRUE(run.run()) << c.type << ": " << run.messages();
    // Sums of narrow integers are taken in 32 bits.
    EXPECT_EQ(run.result("out_ptr")[0], sum) << c.type;
  }
}

TEST(Reduction, OwnCombineFunction) {
  const size_t rows = 4;
  const size_t cols = 100;
  std::vector<double> x = randomValues(rows * cols, 33);
  KernelRun run("reduction.py", "custom_reduce", "*fp32, *fp32, i32, 128", "4");
  run.input("x_ptr", x).output("out_ptr", rows).scalar("N", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(rows);
  for (size_t i = 0; i < x.size(); ++i)
    if (std::fabs(x[i]) > std::fabs(want[i / cols]))
      want[i / cols] = x[i];
  EXPECT_EQ(run.result("out_ptr"), want);
}

TEST(Reduction, ArgmaxTakesTheFirst) {
  std::vector<double> x = {1, 5, 5, 2, 0, -1, -1, -3, 7, 7, 7, 7};
  KernelRun run("reduction.py", "argmax_rows", "*fp32, *i32, i32, 8", "3");
  run.input("x_ptr", x).output("out_ptr", 3).scalar("N", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr"), (std::vector<double>{1, 0, 0}));
}

} // namespace
