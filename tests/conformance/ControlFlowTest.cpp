// Kernels of kernels/control_flow.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(ControlFlow, HelpersWithDefaultsKeywordsAndTuples) {
  std::vector<double> x = randomValues(200, 41);
  for (int mode : {0, 1, 2}) {
    KernelRun run("control_flow.py", "helpers", "*fp32, *fp32, i32, " + std::to_string(mode) + ", 64",
                  "cdiv(n, BLOCK)");
    run.input("x_ptr", x).output("out_ptr", 200).scalar("n", 200);
    ASSERT_TRUE(run.run()) << run.messages();
    SCOPED_TRACE(mode);
    std::vector<double> want(200), magnitude(200);
    for (size_t i = 0; i < 200; ++i) {
      want[i] = mode == 0 ? x[i] * 3 + 1 : mode == 1 ? x[i] * 2 + 0.5 : (x[i] + 1) - x[i] * 2;
      magnitude[i] = 3 * std::fabs(x[i]) + 1;
    }
    expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, 2, magnitude));
  }
}

TEST(ControlFlow, StaticRangeIsUnrolled) {
  std::vector<double> x = randomValues(100, 42);
  KernelRun run("control_flow.py", "unrolled_powers", "*fp32, *fp32, i32, 5, 128", "1");
  run.input("x_ptr", x).output("out_ptr", 100).scalar("n", 100);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(100), magnitude(100);
  for (size_t i = 0; i < 100; ++i) {
    want[i] = x[i];
    magnitude[i] = std::fabs(x[i]);
    for (int k = 1; k < 5; ++k) {
      want[i] = k % 2 == 1 ? want[i] * x[i] : want[i] + k;
      magnitude[i] = k % 2 == 1 ? magnitude[i] * std::fabs(x[i]) : magnitude[i] + k;
    }
  }
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, 4, magnitude));
}

/// A loop that runs once at most is a branch (BranchForOneRound), and one that may run twice is not.
TEST(ControlFlow, RoundsAtMost) {
  constexpr int block = 16, rows = 4;
  std::vector<double> x = randomValues(rows * block, 46);
  for (int most : {1, 2})
    for (int n : {-2, 0, 1, 2, 9}) {
      KernelRun run("control_flow.py", "rounds_at_most",
                    "*fp32, *fp32, i32, " + std::to_string(most) + ", 16", "1");
      run.input("x_ptr", x).output("out_ptr", 2 * block).scalar("n", n);
      ASSERT_TRUE(run.run()) << run.messages();
      SCOPED_TRACE(most);
      SCOPED_TRACE(n);
      int rounds = std::max(0, std::min(n, most));
      std::vector<double> want(2 * block, rounds ? rounds : 100), magnitude(2 * block, 100);
      for (int j = 0; j < block; ++j) {
        want[j] = -1;
        magnitude[j] = 1;
        for (int i = 1; i <= rounds; ++i) {
          want[j] += x[i * block + j];
          magnitude[j] += std::fabs(x[i * block + j]);
        }
      }
      expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, 2, magnitude));
    }
}

TEST(ControlFlow, BranchAtRunTime) {
  std::vector<double> x = randomValues(100, 43);
  KernelRun run("control_flow.py", "run_time_branch", "*fp32, *fp32, i32, i32, 16", "cdiv(n, BLOCK)");
  run.input("x_ptr", x).output("out_ptr", 100).scalar("n", 100).scalar("threshold", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(100);
  for (size_t i = 0; i < 100; ++i)
    want[i] = i / 16 >= 3 ? roundTo(ScalarKind::FP32, x[i] + 10) * 2 : -x[i];
  expectSame(run.result("out_ptr"), want);
}

TEST(ControlFlow, While) {
  KernelRun run("control_flow.py", "while_collatz", "*i32, *i32", "4");
  run.input("x_ptr", {1, 2, 7, 27}).output("out_ptr", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr"), (std::vector<double>{0, 1, 16, 111}));
}

TEST(ControlFlow, EarlyReturn) {
  KernelRun run("control_flow.py", "early_return", "*i32, *i32, i32", "4");
  run.input("x_ptr", {1, 2, 3, 4}).output("out_ptr", 4).scalar("n", 2);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {2, 3, untouched, untouched});
}

TEST(ControlFlow, NestedAndDescendingLoops) {
  KernelRun run("control_flow.py", "nested_loops", "*i32, i32, i32", "1");
  run.output("out_ptr", 1).scalar("rows", 5).scalar("cols", 7);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr")[0], 210);
}

} // namespace
