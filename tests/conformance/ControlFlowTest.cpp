// Kernels of kernels/control_flow.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(ControlFlow, HelpersWithDefaultsKeywordsAndTuples) {
  std::vector<double> x = randomValues(200, 41);
  for (int mode : {0, 1, 2}) {
    KernelRun run("control_flow.py", "helpers", "*fp32, *fp32, i32, " + std::to_string(mode) + ", 64",
                  "cdiv(n, BLOCK)");
    run.array("x_ptr", x).array("out_ptr", std::vector<double>(200)).scalar("n", 200);
    ASSERT_TRUE(run.run()) << run.messages();
    std::vector<double> want(200);
    for (size_t i = 0; i < 200; ++i)
      want[i] = mode == 0 ? x[i] * 3 + 1 : mode == 1 ? x[i] * 2 + 0.5 : (x[i] + 1) - x[i] * 2;
    EXPECT_LT(largestError(run.result("out_ptr"), want), 1e-6) << mode;
  }
}

TEST(ControlFlow, StaticRangeIsUnrolled) {
  std::vector<double> x = randomValues(100, 42);
  KernelRun run("control_flow.py", "unrolled_powers", "*fp32, *fp32, i32, 5, 128", "1");
  run.array("x_ptr", x).array("out_ptr", std::vector<double>(100)).scalar("n", 100);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(100);
  for (size_t i = 0; i < 100; ++i) {
    want[i] = x[i];
    for (int k = 1; k < 5; ++k)
      want[i] = k % 2 == 1 ? want[i] * x[i] : want[i] + k;
  }
  EXPECT_LT(largestError(run.result("out_ptr"), want), 1e-6);
}

TEST(ControlFlow, BranchAtRunTime) {
  std::vector<double> x = randomValues(100, 43);
  KernelRun run("control_flow.py", "run_time_branch", "*fp32, *fp32, i32, i32, 16", "cdiv(n, BLOCK)");
  run.array("x_ptr", x).array("out_ptr", std::vector<double>(100)).scalar("n", 100).scalar("threshold", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(100);
  for (size_t i = 0; i < 100; ++i)
    want[i] = i / 16 >= 3 ? (x[i] + 10) * 2 : -x[i];
  EXPECT_LT(largestError(run.result("out_ptr"), want), 1e-6);
}

TEST(ControlFlow, While) {
  KernelRun run("control_flow.py", "while_collatz", "*i32, *i32", "4");
  run.array("x_ptr", {1, 2, 7, 27}).array("out_ptr", std::vector<double>(4));
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr"), (std::vector<double>{0, 1, 16, 111}));
}

TEST(ControlFlow, EarlyReturn) {
  KernelRun run("control_flow.py", "early_return", "*i32, *i32, i32", "4");
  run.array("x_ptr", {1, 2, 3, 4}).array("out_ptr", {0, 0, 0, 0}).scalar("n", 2);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr"), (std::vector<double>{2, 3, 0, 0}));
}

TEST(ControlFlow, NestedAndDescendingLoops) {
  KernelRun run("control_flow.py", "nested_loops", "*i32, i32, i32", "1");
  run.array("out_ptr", {0}).scalar("rows", 5).scalar("cols", 7);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.result("out_ptr")[0], 210);
}

} // namespace
