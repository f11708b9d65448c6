// What KernelRun and the comparisons must notice, for else every other test here could pass without reason.
// The kernels are those of kernels/misbehaving.py.
#include "tests/conformance/KernelRun.h"
#include "tests/conformance/ArgumentArray.h"
#include "tests/conformance/RecordedLaunch.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace nereid;
using namespace nereid::test;

namespace {

class AnyType : public testing::TestWithParam<const char *> {};

TEST_P(AnyType, ElementsThatAreNotWrittenAreUntouched) {
  std::string type = std::string("*") + GetParam();
  KernelRun run("misbehaving.py", "copy", type + ", " + type + ", i32, 8", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 8).scalar("n", 5);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = counting(5);
  want.resize(8, untouched);
  EXPECT_EQ(findDifference(run.result("out_ptr"), want), "");
  for (size_t i = 5; i < 8; ++i) {
    want[i] = 0;
    EXPECT_NE(findDifference(run.result("out_ptr"), want), "");
    want[i] = std::nan("");
    EXPECT_NE(findDifference(run.result("out_ptr"), want), "");
    want[i] = untouched;
  }
}

TEST_P(AnyType, ThePoisonItselfCanBeWritten) {
  std::string type = std::string("*") + GetParam();
  ScalarKind kind = kindOf(GetParam());
  std::vector<uint64_t> poison(8, getPoison(kind, 0));
  KernelRun run("misbehaving.py", "copy", type + ", " + type + ", i32, 8", "1");
  run.inputBits("x_ptr", poison).output("out_ptr", 8).scalar("n", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_EQ(run.resultBits("out_ptr"), poison);
}

INSTANTIATE_TEST_SUITE_P(KernelRun, AnyType,
                         testing::Values("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "fp8e4nv",
                                         "fp8e5", "fp16", "bf16", "fp32", "fp64"),
                         [](const auto &info) { return std::string(info.param); });

void expectProblem(KernelRun &run, const std::string &problem) {
  EXPECT_FALSE(run.run());
  EXPECT_NE(run.messages().find(problem), std::string::npos) << run.messages();
}

TEST(KernelRun, WritesInFrontOfAnArray) {
  KernelRun run("misbehaving.py", "writes_in_front", "*fp32, *fp32, 8", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 8);
  expectProblem(run, "the kernel wrote in front of 'out_ptr'");
}

TEST(KernelRun, AnInputThatChanges) {
  KernelRun run("misbehaving.py", "changes_its_input", "*fp32, *fp32, 8", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 8);
  expectProblem(run, "the kernel changed 'x_ptr', which is an input");
}

TEST(KernelRun, AnAnswerThatIsHandedIn) {
  KernelRun run("misbehaving.py", "copy", "*fp32, *fp32, i32, 8", "1");
  run.input("x_ptr", counting(8)).inOut("out_ptr", counting(8)).scalar("n", 8);
  expectProblem(run, "nothing depends on what 'out_ptr' holds before the kernel runs: it is an output");
}

TEST(KernelRun, AnOutputThatIsRead) {
  KernelRun run("misbehaving.py", "reads_its_output", "*fp32, *fp32, 8", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_NE(findDifference(run.result("out_ptr"), counting(8)), "");
}

TEST(KernelRun, AnInputIsNoResult) {
  if (isEmulatingGPU())
    return; // what is written is not known there
  KernelRun run("misbehaving.py", "copy", "*fp32, *fp32, i32, 8", "1");
  run.output("x_ptr", 8).output("out_ptr", 8).scalar("n", 8);
  EXPECT_FALSE(run.run());
}

TEST(KernelRun, ARecordThatCannotBeWritten) {
  if (getRecordingFolder() || isEmulatingGPU() || getenv("NEREID_SHIPPED"))
    return; // What runs there is not what is recorded.
  setenv("NEREID_RECORD_CUDA", "/no/such/folder", 1);
  KernelRun run("misbehaving.py", "copy", "*fp32, *fp32, i32, 8", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 8).scalar("n", 8);
  expectProblem(run, "NEREID_RECORD_CUDA: '/no/such/folder/KernelRun.ARecordThatCannotBeWritten-0.bin' "
                     "cannot be written");
  unsetenv("NEREID_RECORD_CUDA");
}

bool isClose(double got, double want, const Tolerance &tolerance) {
  return findDifference({got}, {want}, &tolerance).empty();
}

TEST(Closeness, SmallResultsAreNotZero) {
  Tolerance tolerance = ulps(ScalarKind::FP32, 2);
  EXPECT_FALSE(isClose(0, 1e-20, tolerance));
  EXPECT_FALSE(isClose(0, 0x1p-126, tolerance));
  EXPECT_TRUE(isClose(0, 0x1p-148, tolerance));
  EXPECT_FALSE(isClose(0, 3 * 0x1p-149, tolerance));
  EXPECT_TRUE(isClose(0x1p-126, 0x1p-126 + 0x1p-148, tolerance));
}

TEST(Closeness, UnitsAreThoseOfTheType) {
  for (auto [kind, unit] : {std::pair{ScalarKind::FP16, 0x1p-10},
                            {ScalarKind::BF16, 0x1p-7},
                            {ScalarKind::FP32, 0x1p-23},
                            {ScalarKind::FP64, 0x1p-52}}) {
    EXPECT_EQ(spacing(kind, 1), unit);
    EXPECT_EQ(spacing(kind, -1.5), unit);
    EXPECT_EQ(spacing(kind, 0x1p-3), unit / 8);
    EXPECT_TRUE(isClose(1 + unit, 1, ulps(kind, 1)));
    EXPECT_FALSE(isClose(1 + 2 * unit, 1, ulps(kind, 1)));
  }
  EXPECT_EQ(spacing(ScalarKind::FP16, 1e-7), 0x1p-24);
  EXPECT_EQ(spacing(ScalarKind::FP32, 0), 0x1p-149);
}

TEST(Closeness, RoundingsAreThoseOfTheMagnitude) {
  EXPECT_TRUE(isClose(0x1p-20, 0, roundings(ScalarKind::FP32, 2, 8)));
  EXPECT_FALSE(isClose(0x1.1p-20, 0, roundings(ScalarKind::FP32, 2, 8)));
  EXPECT_EQ(ofSum(1), 1);
  EXPECT_EQ(ofSum(10000), 200);
}

TEST(Closeness, SpecialValuesMeetThemselves) {
  double inf = HUGE_VAL, nan = std::nan("");
  Tolerance wide = roundings(ScalarKind::FP32, 1e30, 1e30);
  for (double special : {inf, -inf, nan, untouched}) {
    EXPECT_EQ(findDifference({special}, {special}), "");
    EXPECT_TRUE(isClose(special, special, wide));
    EXPECT_FALSE(isClose(special, 1, wide));
    EXPECT_FALSE(isClose(1, special, wide));
  }
  EXPECT_FALSE(isClose(inf, -inf, wide));
  EXPECT_FALSE(isClose(nan, untouched, wide));
  EXPECT_NE(findDifference({untouched}, {nan}), "");
  EXPECT_NE(findDifference({0.0}, {-0.0}), "");
  EXPECT_NE(findDifference({}, {1}), "");
}

} // namespace
