// kernels/hints.py: what must not change values, and what must refuse a kernel.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(Hints, DoNotChangeValues) {
  covers("tl.assume tl.multiple_of tl.max_contiguous tl.max_constancy tl.debug_barrier");
  KernelRun run("hints.py", "hints", "*fp32, *fp32, i32, 16", "1");
  run.input("x_ptr", std::vector<double>(12, 1)).output("out_ptr", 12).scalar("n", 12);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
}

TEST(Hints, PromisesAreComputedWith) {
  covers("tl.assume");
  // In the second program's branch nothing is promised of the last number.
  for (auto [n, four] : {std::pair(12, 4), std::pair(8, 7)}) {
    KernelRun run("hints.py", "promises", "*fp32:16, *fp32:16, i32, i32, i32, 16", "2");
    run.input("x_ptr", counting(32)).output("out_ptr", 32);
    run.scalar("stride", 16).scalar("n", n).scalar("four", four);
    ASSERT_TRUE(run.run()) << run.messages();
    std::vector<double> out = run.result("out_ptr");
    for (int row = 0; row < 2; ++row)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(out[16 * row + i], n > 8 ? (16 * row + i) * four : 16 * row + i + four) << n << ", " << i;
  }
}

TEST(Hints, OfTiles) {
  covers("tl.multiple_of tl.max_contiguous tl.max_constancy");
  expectSame(compute("hints.py", "hints_of_tiles", "*fp32, *fp32, 4, 8", {{"x_ptr", counting(32)}}, 32),
             counting(32));
}

TEST(Hints, ThatWrapInTheLastTile) {
  covers("tl.multiple_of tl.max_contiguous");
  const size_t m = 20, n = 48, tilesM = 2, tilesN = 2, bm = 16, bn = 32;
  std::vector<double> want(tilesM * bm * tilesN * bn);
  for (size_t i = 0; i < tilesM * bm; ++i)
    for (size_t j = 0; j < tilesN * bn; ++j)
      want[i * tilesN * bn + j] = double(i % m * n + j % n);
  KernelRun run("hints.py", "wrapped", "*fp32:16, *fp32:16, i32, i32:16, 16, 32", "cdiv(M, BM), cdiv(N, BN)");
  run.input("x_ptr", counting(m * n)).output("out_ptr", want.size());
  run.scalar("M", double(m)).scalar("N", double(n));
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

TEST(Hints, ChecksThatHold) {
  covers("tl.static_assert tl.static_print tl.device_assert assert");
  KernelRun run("hints.py", "checks", "*fp32, *fp32, i32, 16", "1");
  run.input("x_ptr", counting(16)).output("out_ptr", 16).scalar("n", 12);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), counting(16));
}

TEST(Hints, StaticAssertRefusesTheKernel) {
  covers("tl.static_assert");
  expectRefused("hints.py", "static_assert_fails", "*i32, 8", "BLOCK must be seven");
}

TEST(Hints, AssertOfConstantsRefusesTheKernel) {
  covers("assert");
  expectRefused("hints.py", "assert_fails", "*i32, 8", "seven, not 8");
}

TEST(Hints, DevicePrint) {
  covers("tl.device_print print");
  testing::internal::CaptureStdout();
  std::vector<double> got =
      compute("hints.py", "prints", "*fp32, *fp32, 4", {{"x_ptr", {1.5, 2.5, 3.5, 4.5}}}, 4);
  std::string text = testing::internal::GetCapturedStdout();
  expectSame(got, {1.5, 2.5, 3.5, 4.5});
  for (const char *part : {"value", "1.5", "4.5", "pair", "nothing else", "builtin"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in:\n" << text;
}

TEST(Hints, EmptyAssemblyPassesItsOperand) {
  covers("tl.inline_asm_elementwise");
  expectSame(compute("hints.py", "empty_assembly", "*i32, *i32, 4", {{"x_ptr", {1, 2, 3, 4}}}, 4),
             {1, 2, 3, 4});
}

TEST(Hints, AssemblyIsRefusedOnTheCPU) {
  if (isEmulatingGPU())
    GTEST_SKIP() << "the emulated device cannot assemble";
  covers("tl.inline_asm_elementwise");
  expectRefused("hints.py", "assembly", "*i32, 8", "hints.py:");
  expectRefused("hints.py", "assembly", "*i32, 8", "assembly");
}

} // namespace
