// kernels/waiting.py. Blocks that are emulated run one after the other, so that these cases are for machines
// on which programs run at once.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(Waiting, ForAllOthers) {
  covers("tl.atomic_add while tl.debug_barrier");
  const size_t programs = 40, block = 16;
  // Small integers, whose sums are exact in any order.
  std::vector<double> x(programs * block), want;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i % 3);
  want = x;
  for (int round = 0; round < 2; ++round) {
    double sum = std::accumulate(want.begin(), want.end(), 0.0);
    for (double &value : want)
      value += sum;
  }
  KernelRun run("waiting.py", "exchange", "*fp32, *fp32, *fp32, *i32, 16, 2", "40");
  run.input("x_ptr", x).output("out_ptr", x.size());
  run.scratch("sums_ptr", {0, 0}).scratch("arrived_ptr", {0});
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

TEST(Waiting, ForTheNext) {
  covers("tl.atomic_xchg while volatile");
  const size_t programs = 40, block = 16;
  std::vector<double> x(programs * block), want(programs);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i % 7) - 3;
  double sum = 0;
  for (size_t program = programs; program-- > 0;)
    want[program] = sum = std::accumulate(&x[program * block], &x[program * block] + block, sum);
  KernelRun run("waiting.py", "from_the_last", "*fp32, *fp32, *i32, 16", "40");
  run.input("x_ptr", x).output("out_ptr", programs);
  run.scratch("flags_ptr", std::vector<double>(programs));
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

} // namespace
