// Assertions end a call with a record of what failed, and leave nothing running.
#include "KernelRunner.h"

#include <thread>

using namespace nereid::test;

namespace {

const std::string header = "#at = loc(\"kernels/k.py\":7:4)\nmodule {\n";

TEST(Assertions, OfBlocksLeaveARecordAndStopTheProgram) {
  forEachLevel([](const std::string &level) {
    // Program i asserts that its 64 elements are above 0, and then stores.
    Kernel kernel(header + "  tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {\n"
                           "    %zero = arith.constant dense<0> : tensor<64xi32>\n"
                           "    %c64 = arith.constant 64 : i32\n"
                           "    %pid = tt.get_program_id x : i32\n"
                           "    %start = arith.muli %pid, %c64 : i32\n"
                           "    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
                           "    %starts = tt.splat %start : i32 -> tensor<64xi32>\n"
                           "    %i = arith.addi %starts, %range : tensor<64xi32>\n"
                           "    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                           "    %pi = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
                           "    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                           "    %qi = tt.addptr %qs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
                           "    %x = tt.load %pi : tensor<64x!tt.ptr<i32>>\n"
                           "    %positive = arith.cmpi sgt, %x, %zero : tensor<64xi32>\n"
                           "    tt.assert %positive, \"100% positive\" : tensor<64xi1> loc(#at)\n"
                           "    tt.store %qi, %x : tensor<64x!tt.ptr<i32>>\n"
                           "    tt.return\n  }\n}\n",
                  level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<int32_t> x(256, 3), y(256, -1);
    kernel.run({4}, x.data(), y.data());
    EXPECT_EQ(kernel.getFailure().failed, 0u);
    EXPECT_EQ(y, x);

    x[2 * 64 + 63] = 0;
    std::fill(y.begin(), y.end(), -1);
    kernel.run({4}, x.data(), y.data());
    const nereid::KernelFailure &failure = kernel.getFailure();
    ASSERT_EQ(failure.failed, 1u);
    EXPECT_EQ(failure.program[0], 2u);
    EXPECT_STREQ(failure.file, "kernels/k.py");
    EXPECT_EQ(failure.line, 7u);
    EXPECT_STREQ(failure.message, "100% positive");
    for (unsigned i = 0; i < 256; ++i)
      EXPECT_EQ(y[i], i < 128 ? 3 : -1) << i; // neither that program nor the one after it stored
  });
}

// Where a sum is combined, for each pair of elements.
TEST(Assertions, InCombiningFunctions) {
  forEachLevel([](const std::string &level) {
    Kernel kernel(header + "  tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {\n"
                           "    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
                           "    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                           "    %pi = tt.addptr %ps, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
                           "    %x = tt.load %pi : tensor<64x!tt.ptr<i32>>\n"
                           "    %limit = arith.constant 100 : i32\n"
                           "    %sum = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n"
                           "    ^bb0(%a: i32, %b: i32):\n"
                           "      %s = arith.addi %a, %b : i32\n"
                           "      %fits = arith.cmpi sle, %s, %limit : i32\n"
                           "      tt.assert %fits, \"fits\" : i1 loc(#at)\n"
                           "      tt.reduce.return %s : i32\n"
                           "    }) : (tensor<64xi32>) -> i32\n"
                           "    tt.store %q, %sum : !tt.ptr<i32>\n"
                           "    tt.return\n  }\n}\n",
                  level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<int32_t> x(64, 1);
    int32_t sum = -1;
    kernel.run({1}, x.data(), &sum);
    EXPECT_EQ(kernel.getFailure().failed, 0u);
    EXPECT_EQ(sum, 64);
    x[40] = 50;
    sum = -1;
    kernel.run({1}, x.data(), &sum);
    EXPECT_EQ(kernel.getFailure().failed, 1u);
    EXPECT_EQ(sum, -1);
  });
}

// A function that is called apart fails, and its caller does not go on with what it returned.
TEST(Assertions, InCalledFunctionsStopTheCaller) {
  forEachLevel([](const std::string &level) {
    Kernel kernel(header + "  tt.func private @checked(%x: i32) -> i32 attributes {noinline = true} {\n"
                           "    %c9 = arith.constant 9 : i32\n"
                           "    %small = arith.cmpi slt, %x, %c9 : i32\n"
                           "    tt.assert %small, \"small\" : i1 loc(#at)\n"
                           "    tt.return %x : i32\n  }\n"
                           "  tt.func public @k(%q: !tt.ptr<i32>, %n: i32) {\n"
                           "    %r = tt.call @checked(%n) : (i32) -> i32\n"
                           "    tt.store %q, %r : !tt.ptr<i32>\n"
                           "    tt.return\n  }\n}\n",
                  level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    int32_t out = -1;
    kernel.run({1}, &out, int32_t(8));
    EXPECT_EQ(out, 8);
    out = -1;
    kernel.run({1}, &out, int32_t(9));
    EXPECT_EQ(kernel.getFailure().failed, 1u);
    EXPECT_EQ(out, -1);
  });
}

// A program that waits for what a failed one would have done is woken.
TEST(Assertions, EndLoopsThatWait) {
  Kernel kernel(header + "  tt.func public @k(%flag: !tt.ptr<i32>) {\n"
                         "    %zero = arith.constant 0 : i32\n"
                         "    %true = arith.constant true\n"
                         "    %pid = tt.get_program_id x : i32\n"
                         "    %isFirst = arith.cmpi eq, %pid, %zero : i32\n"
                         "    scf.if %isFirst {\n"
                         "      scf.while : () -> () {\n"
                         "        %seen = tt.atomic_rmw add, acq_rel, gpu, %flag, %zero, %true : "
                         "(!tt.ptr<i32>, i32, i1) -> i32\n"
                         "        %waits = arith.cmpi eq, %seen, %zero : i32\n"
                         "        scf.condition(%waits)\n"
                         "      } do {\n"
                         "        scf.yield\n"
                         "      }\n"
                         "    } else {\n"
                         "      tt.assert %isFirst, \"no second program\" : i1 loc(#at)\n"
                         "    }\n"
                         "    tt.return\n  }\n}\n",
                getTestedLevels().front());
  ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
  int32_t flag = 0;
  int32_t *pointer = &flag;
  nereid::KernelFailure failure;
  std::thread waiting([&] { kernel.runShared({2}, {&pointer}, 0, 1, failure); });
  kernel.runShared({2}, {&pointer}, 1, 2, failure);
  waiting.join(); // hangs if it does not end
  EXPECT_EQ(failure.failed, 1u);
  EXPECT_EQ(failure.program[0], 1u);
}

} // namespace
