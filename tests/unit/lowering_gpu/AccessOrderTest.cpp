// Programs that load from memory which they write themselves, run on the host, where a thread runs as far
// ahead of the others as barriers let it.
#include "EmulatedBlock.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace nereid::gpu;

namespace {

/// `body` over `%i`, the numbers below `size`, `%offs`, those below its square as rows, and pointers to as
/// many elements of p and q.
std::string kernel(unsigned size, llvm::StringRef body) {
  std::string n = std::to_string(size), text = R"(
module {
  tt.func public @k(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {start = 0 : i32, end = SIZE : i32} : tensor<SIZExi32>
    %size = arith.constant dense<SIZE> : tensor<SIZEx1xi32>
    %one = arith.constant dense<1> : tensor<SIZExi32>
    %ones = arith.constant dense<1> : tensor<SIZExSIZExi32>
    %column = tt.expand_dims %i {axis = 1 : i32} : tensor<SIZExi32> -> tensor<SIZEx1xi32>
    %row = tt.expand_dims %i {axis = 0 : i32} : tensor<SIZExi32> -> tensor<1xSIZExi32>
    %starts = arith.muli %column, %size : tensor<SIZEx1xi32>
    %a = tt.broadcast %starts : tensor<SIZEx1xi32> -> tensor<SIZExSIZExi32>
    %b = tt.broadcast %row : tensor<1xSIZExi32> -> tensor<SIZExSIZExi32>
    %offs = arith.addi %a, %b : tensor<SIZExSIZExi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<SIZEx!tt.ptr<i32>>
    %pi = tt.addptr %ps, %i : tensor<SIZEx!tt.ptr<i32>>, tensor<SIZExi32>
    %pss = tt.splat %p : !tt.ptr<i32> -> tensor<SIZExSIZEx!tt.ptr<i32>>
    %pij = tt.addptr %pss, %offs : tensor<SIZExSIZEx!tt.ptr<i32>>, tensor<SIZExSIZExi32>
    %qss = tt.splat %q : !tt.ptr<i32> -> tensor<SIZExSIZEx!tt.ptr<i32>>
    %qij = tt.addptr %qss, %offs : tensor<SIZExSIZEx!tt.ptr<i32>>, tensor<SIZExSIZExi32>
BODY
    tt.return
  }
})";
  text.replace(text.find("BODY"), 4, body.str());
  for (size_t at; (at = text.find("SIZE")) != std::string::npos;)
    text.replace(at, 4, n);
  return text;
}

const char *storeOuterSum = R"(
    %left = tt.expand_dims %x {axis = 1 : i32} : tensor<SIZExi32> -> tensor<SIZEx1xi32>
    %right = tt.expand_dims %x {axis = 0 : i32} : tensor<SIZExi32> -> tensor<1xSIZExi32>
    %lefts = tt.broadcast %left : tensor<SIZEx1xi32> -> tensor<SIZExSIZExi32>
    %rights = tt.broadcast %right : tensor<1xSIZExi32> -> tensor<SIZExSIZExi32>
    %sum = arith.addi %lefts, %rights : tensor<SIZExSIZExi32>
    tt.store %qij, %sum : tensor<SIZExSIZEx!tt.ptr<i32>>)";

struct Case {
  unsigned size, numWarps, warpSize;
};

class AccessOrder : public testing::TestWithParam<Case> {
protected:
  unsigned size = GetParam().size;
  std::vector<int32_t> p = std::vector<int32_t>(size * size), q = std::vector<int32_t>(size * size, -1);

  void run(llvm::StringRef body) {
    std::iota(p.begin(), p.end(), 100);
    int32_t *pPointer = p.data(), *qPointer = q.data();
    ASSERT_EQ(runOnHost(kernel(size, body), {&pPointer, &qPointer}, {}, nullptr, GetParam().warpSize,
                        GetParam().numWarps),
              "");
  }
};

} // namespace

TEST_P(AccessOrder, StoresToWhatWasLoadedInAnotherLayout) {
  run(std::string("    %x = tt.load %pi : tensor<SIZEx!tt.ptr<i32>>") + storeOuterSum + R"(
    %y = arith.addi %x, %one : tensor<SIZExi32>
    tt.store %pi, %y : tensor<SIZEx!tt.ptr<i32>>)");
  for (unsigned i = 0; i < size; ++i) {
    EXPECT_EQ(p[i], int32_t(101 + i));
    for (unsigned j = 0; j < size; ++j)
      ASSERT_EQ(q[i * size + j], int32_t(200 + i + j)) << i << ", " << j;
  }
}

TEST_P(AccessOrder, LoadsInAnotherLayoutWhatWasStored) {
  run(std::string(R"(
    tt.store %pi, %i : tensor<SIZEx!tt.ptr<i32>>
    %x = tt.load %pi : tensor<SIZEx!tt.ptr<i32>>)") +
      storeOuterSum);
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j)
      ASSERT_EQ(q[i * size + j], int32_t(i + j)) << i << ", " << j;
}

TEST_P(AccessOrder, Transposed) {
  run(R"(
    %x = tt.load %pij : tensor<SIZExSIZEx!tt.ptr<i32>>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<SIZExSIZExi32> -> tensor<SIZExSIZExi32>
    tt.store %qij, %t : tensor<SIZExSIZEx!tt.ptr<i32>>
    %y = arith.addi %x, %ones : tensor<SIZExSIZExi32>
    tt.store %pij, %y : tensor<SIZExSIZEx!tt.ptr<i32>>)");
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j) {
      ASSERT_EQ(q[i * size + j], int32_t(100 + j * size + i)) << i << ", " << j;
      ASSERT_EQ(p[i * size + j], int32_t(101 + i * size + j)) << i << ", " << j;
    }
}

TEST_P(AccessOrder, AroundALoop) {
  run(std::string(R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    scf.for %k = %c0 to %c3 step %c1 : i32 {
    %x = tt.load %pi : tensor<SIZEx!tt.ptr<i32>>)") +
      storeOuterSum + R"(
    %y = arith.addi %x, %one : tensor<SIZExi32>
    tt.store %pi, %y : tensor<SIZEx!tt.ptr<i32>>
    })");
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j)
      ASSERT_EQ(q[i * size + j], int32_t(204 + i + j)) << i << ", " << j;
}

TEST_P(AccessOrder, AScalarThatEachWarpReads) {
  if (GetParam().numWarps == 1)
    GTEST_SKIP() << "the lanes of a warp go together, which fibers do not";
  run(R"(
    %c1 = arith.constant 1 : i32
    %n = tt.load %p : !tt.ptr<i32>
    %m = arith.addi %n, %c1 : i32
    tt.store %p, %m : !tt.ptr<i32>
    %all = tt.splat %n : i32 -> tensor<SIZExSIZExi32>
    tt.store %qij, %all : tensor<SIZExSIZEx!tt.ptr<i32>>)");
  EXPECT_EQ(p[0], 101);
  for (int32_t value : q)
    ASSERT_EQ(value, 100);
}

INSTANTIATE_TEST_SUITE_P(Sizes, AccessOrder,
                         testing::Values(Case{8, 4, 32}, Case{16, 4, 32}, Case{32, 8, 32}, Case{64, 4, 32},
                                         Case{16, 8, 32}, Case{8, 1, 32}, Case{16, 4, 64}, Case{32, 2, 64}),
                         [](const auto &info) {
                           return std::to_string(info.param.size) + "_" +
                                  std::to_string(info.param.numWarps) + "x" +
                                  std::to_string(info.param.warpSize);
                         });

// The emulation itself: without the barrier, this would be a race even where the result is right.
TEST(EmulatedBlock, FindsRacesInSharedMemory) {
  auto run = [](llvm::StringRef attribute) {
    // Two conversions in the same bytes, as if the passes had left out the barrier between.
    std::string text = R"(
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 16384 : i32} {
  tt.func public @k(%n: i32) {
    %x = tt.splat %n : i32 -> tensor<64x64xi32, #r>
    %y = ttg.convert_layout %x {allocation.offset = 0 : i32} : tensor<64x64xi32, #r> -> tensor<64x64xi32, #c>
    BARRIER
    %z = ttg.convert_layout %x {allocation.offset = 0 : i32} : tensor<64x64xi32, #r> -> tensor<64x64xi32, #c>
    tt.return
  }
})";
    text.replace(text.find("BARRIER"), 7, attribute.str());
    int32_t n = 7;
    return runOnHost(text, {&n});
  };
  EXPECT_EQ(run("ttg.local_barrier"), "");
  EXPECT_NE(run("").find("meet in shared memory without a barrier between"), std::string::npos) << run("");
}
