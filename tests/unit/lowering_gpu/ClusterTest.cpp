// Programs of clusters, block by block on the host: what crosses from block to block arrives, and what the
// blocks do without having met is found.
#include "EmulatedBlock.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace nereid::gpu;

namespace {

std::string module(unsigned numBlocks, const std::string &body) {
  return "module attributes {\"ttg.num-ctas\" = " + std::to_string(numBlocks) + " : i32} {" + body + "}";
}

/// Sums a row of 256 numbers, and takes the sum from each.
const char *const centered = R"(
tt.func public @centered(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %c256 = arith.constant 256 : i32
  %begin = arith.muli %pid, %c256 : i32
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %b = tt.splat %begin : i32 -> tensor<256xi32>
  %o = arith.addi %r, %b : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<256xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<256xf32>
  %d = arith.subf %v, %ss : tensor<256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp, %d : tensor<256x!tt.ptr<f32>>
  tt.return
})";

class ClusterTest : public testing::TestWithParam<unsigned> {};

TEST_P(ClusterTest, ReducesWhatBlocksHave) {
  std::vector<float> x(512), y(512, -1);
  std::iota(x.begin(), x.end(), 0);
  float *xp = x.data(), *yp = y.data();
  ASSERT_EQ(runOnHost(module(GetParam(), centered), {&xp, &yp}, {2}), "");
  for (unsigned row = 0; row != 2; ++row) {
    float sum = std::accumulate(x.begin() + 256 * row, x.begin() + 256 * (row + 1), 0.0f);
    for (unsigned i = 256 * row; i != 256 * (row + 1); ++i)
      ASSERT_EQ(y[i], x[i] - sum) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ClusterTest, testing::Values(1u, 2u, 4u, 8u));

/// A number that all blocks load and the first one changes.
TEST(Cluster, LoadsBeforeItStores) {
  std::string text = module(4, R"(
tt.func public @count(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %one = arith.constant 1 : i32
  %n = tt.load %p : !tt.ptr<i32>
  %m = arith.addi %n, %one : i32
  tt.store %p, %m : !tt.ptr<i32>
  %s = tt.splat %m : i32 -> tensor<128xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %op, %s : tensor<128x!tt.ptr<i32>>
  tt.return
})");
  int32_t count = 41;
  std::vector<int32_t> out(128);
  int32_t *p = &count, *o = out.data();
  ASSERT_EQ(runOnHost(text, {&p, &o}), "");
  EXPECT_EQ(count, 42);
  EXPECT_EQ(out, std::vector<int32_t>(128, 42));
}

/// The old value that an atomic access gives is the same for all blocks, and it is made once.
TEST(Cluster, CountsOnce) {
  std::string text = module(2, R"(
tt.func public @count(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %one = arith.constant 1 : i32
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one : (!tt.ptr<i32>, i32) -> i32
  %s = tt.splat %old : i32 -> tensor<64xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %op, %s : tensor<64x!tt.ptr<i32>>
  tt.return
})");
  int32_t count = 7;
  std::vector<int32_t> out(64);
  int32_t *p = &count, *o = out.data();
  ASSERT_EQ(runOnHost(text, {&p, &o}), "");
  EXPECT_EQ(count, 8);
  EXPECT_EQ(out, std::vector<int32_t>(64, 7));
}

} // namespace
