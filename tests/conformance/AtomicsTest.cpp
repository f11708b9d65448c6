// kernels/atomics.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

using Case = std::tuple<const char *, const char *>;
std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
}

double combine(const std::string &op, double a, double b) {
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return op == "add"   ? a + b
         : op == "max" ? std::fmax(a, b)
         : op == "min" ? std::fmin(a, b)
         : op == "and" ? double(x & y)
         : op == "or"  ? double(x | y)
         : op == "xor" ? double(x ^ y)
                       : b;
}

class Atomic : public testing::TestWithParam<Case> {};

TEST_P(Atomic, ReturnsTheOldValueAndWritesTheNew) {
  std::string op = std::get<0>(GetParam()), type = std::get<1>(GetParam());
  covers("tl.atomic_" + op);
  std::vector<double> x = {0, 1, 5, 100, 3, 7, 90, 12}, before = {9, 0, 6, 20, 3, 8, 1, 44}, want;
  if (type[0] != 'u' && op != "and" && op != "or" && op != "xor") {
    x[2] = -5;
    before[6] = -1;
  }
  for (size_t i = 0; i < 8; ++i)
    want.push_back(combine(op, before[i], x[i]));
  std::string p = "*" + type + ", ";
  KernelRun run("atomics.py", "distinct", p + p + p + "\"" + op + "\", 8", "1");
  run.input("x_ptr", x).inOut("mem_ptr", before).output("out_ptr", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("mem_ptr"), want);
  expectSame(run.result("out_ptr"), before);
}

INSTANTIATE_TEST_SUITE_P(Add, Atomic,
                         testing::Combine(testing::Values("add"),
                                          testing::Values("i32", "u32", "i64", "u64", "fp16", "bf16", "fp32",
                                                          "fp64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Extrema, Atomic,
                         testing::Combine(testing::Values("max", "min"),
                                          testing::Values("i32", "u32", "i64", "u64", "fp32", "fp64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Bits, Atomic,
                         testing::Combine(testing::Values("and", "or", "xor"),
                                          testing::Values("i32", "u32", "i64", "u64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Exchange, Atomic,
                         testing::Combine(testing::Values("xchg"),
                                          testing::Values("i32", "u32", "i64", "u64", "fp32", "fp64")),
                         nameOf);

class AtomicMeeting : public testing::TestWithParam<Case> {};

TEST_P(AtomicMeeting, OfAllLanesAndPrograms) {
  std::string op = std::get<0>(GetParam()), type = std::get<1>(GetParam());
  covers("tl.atomic_" + op);
  std::vector<double> x = randomValues(512, 3);
  for (double &v : x)
    v = std::floor(std::fabs(v) * 60) + 64; // a bit that every "and" keeps
  double want = 70;
  for (double v : x)
    want = combine(op, want, v);
  KernelRun run("atomics.py", "to_one_place", "*" + type + ", *" + type + ", \"" + op + "\", 32", "16");
  run.input("x_ptr", x).inOut("out_ptr", {70});
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {want});
}

INSTANTIATE_TEST_SUITE_P(Integers, AtomicMeeting,
                         testing::Combine(testing::Values("add", "max", "min", "and", "or", "xor"),
                                          testing::Values("i32", "i64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Floats, AtomicMeeting,
                         testing::Combine(testing::Values("add", "max", "min"),
                                          testing::Values("fp32", "fp64")),
                         nameOf);

TEST(Atomics, NegativeFloatsInMaxAndMin) {
  covers("tl.atomic_max tl.atomic_min");
  for (const char *op : {"max", "min"}) {
    std::vector<double> x = {-1, -5, 3, -HUGE_VAL}, before = {-2, -4, -3, 1}, want;
    for (size_t i = 0; i < 4; ++i)
      want.push_back(combine(op, before[i], x[i]));
    KernelRun run("atomics.py", "distinct", std::string("*fp32, *fp32, *fp32, \"") + op + "\", 4", "1");
    run.input("x_ptr", x).inOut("mem_ptr", before).output("out_ptr", 4);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("mem_ptr"), want);
  }
}

TEST(Atomics, UnsignedCompareAsUnsigned) {
  covers("tl.atomic_max tl.atomic_min");
  for (const char *op : {"max", "min"}) {
    std::vector<double> x = {4294967295.0, 1, 2147483648.0, 0}, before = {1, 4294967295.0, 2147483647.0, 0},
                        want;
    for (size_t i = 0; i < 4; ++i)
      want.push_back(combine(op, before[i], x[i]));
    KernelRun run("atomics.py", "distinct", std::string("*u32, *u32, *u32, \"") + op + "\", 4", "1");
    run.input("x_ptr", x).inOut("mem_ptr", before).output("out_ptr", 4);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("mem_ptr"), want);
  }
}

TEST(Atomics, MaskedLanesDoNotTouchMemory) {
  covers("tl.atomic_add");
  for (size_t n : {0, 3, 8}) {
    KernelRun run("atomics.py", "masked", "*fp32, *fp32, *fp32, i32, 8", "1");
    run.input("x_ptr", counting(n, 1))
        .inOut("mem_ptr", counting(n, 10))
        .output("out_ptr", n)
        .scalar("n", double(n));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("mem_ptr"), counting(n, 11, 2));
    expectSame(run.result("out_ptr"), counting(n, 10));
  }
}

class AtomicMode : public testing::TestWithParam<Case> {};

TEST_P(AtomicMode, OrderAndScope) {
  covers("sem scope tl.atomic_add tl.atomic_cas");
  auto [sem, scope] = GetParam();
  KernelRun run("atomics.py", "modes", std::string("*i32, \"") + sem + "\", \"" + scope + "\"", "16");
  run.inOut("out_ptr", {0, 0, 0, 0});
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {16, 5, 7, 9});
}

INSTANTIATE_TEST_SUITE_P(Atomics, AtomicMode,
                         testing::Combine(testing::Values("relaxed", "acquire", "release", "acq_rel"),
                                          testing::Values("cta", "gpu", "sys")),
                         nameOf);

TEST(Atomics, Scalars) {
  covers("tl.atomic_add tl.atomic_max tl.atomic_min");
  KernelRun run("atomics.py", "scalar", "*i32, *i32", "20");
  run.inOut("out_ptr", {0, 0, 100}).output("old_ptr", 21);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {20, 19, 4});
  std::vector<double> seen(20, 1); // every old value was seen once
  seen.push_back(untouched);
  expectSame(run.result("old_ptr"), seen);
}

class CompareAndSwap : public testing::TestWithParam<const char *> {};

TEST_P(CompareAndSwap, WritesWhereEqual) {
  covers("tl.atomic_cas");
  std::string p = std::string("*") + GetParam() + ", ";
  KernelRun run("atomics.py", "compare_and_swap", p + p + p + p + "4", "1");
  run.input("cmp_ptr", {1, 2, 3, 0})
      .input("x_ptr", {10, 20, 30, 40})
      .inOut("mem_ptr", {1, 5, 3, 0})
      .output("out_ptr", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("mem_ptr"), {10, 5, 30, 40});
  expectSame(run.result("out_ptr"), {1, 5, 3, 0});
}

INSTANTIATE_TEST_SUITE_P(Atomics, CompareAndSwap, testing::Values("i32", "i64", "u32", "u64", "i16"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Atomics, SpinLock) {
  covers("tl.atomic_cas tl.atomic_xchg tl.debug_barrier while");
  KernelRun run("atomics.py", "spin_lock", "*i32, *i32, i32", "50");
  run.scratch("lock_ptr", {0}).inOut("out_ptr", {0}).scalar("n", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {150});
}

TEST(Atomics, Methods) {
  covers("tl.atomic_add tl.atomic_max tl.atomic_min tl.atomic_or tl.atomic_and tl.atomic_xor");
  std::vector<double> want;
  for (int i = 0; i < 8; ++i)
    want.push_back(((std::max(i, 2) | 8) & 15) ^ 1);
  KernelRun run("atomics.py", "methods", "*i32, 8", "1");
  run.inOut("out_ptr", std::vector<double>(8));
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

} // namespace
