// Scans along either axis, from either end, in several layouts, run on the host and compared with a loop. The
// combination is not commutative, so that the order of operands counts: affine maps (a, b) of x -> a * x + b.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <random>

using namespace nereid::gpu;

namespace {

struct Tile {
  const char *layout;
  unsigned rows, columns;
  unsigned numWarps;
};

class Scan : public testing::TestWithParam<std::tuple<Tile, int, bool>> {};

} // namespace

TEST_P(Scan, ComposesAffineMaps) {
  const Tile tile = std::get<0>(GetParam());
  const int axis = std::get<1>(GetParam());
  const bool reverse = std::get<2>(GetParam());
  std::string shape = std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
  std::string body =
      flatIndex("", "#b", tile.rows, tile.columns) +
      substitute(R"(
    %as = tt.splat %a : !tt.ptr<i32> -> tensor<$Sx!tt.ptr<i32>, #b>
    %ap = tt.addptr %as, %flat : tensor<$Sx!tt.ptr<i32>, #b>, tensor<$Sxi32, #b>
    %av = tt.load %ap : tensor<$Sx!tt.ptr<i32>, #b>
    %bs = tt.splat %b : !tt.ptr<i32> -> tensor<$Sx!tt.ptr<i32>, #b>
    %bp = tt.addptr %bs, %flat : tensor<$Sx!tt.ptr<i32>, #b>, tensor<$Sxi32, #b>
    %bv = tt.load %bp : tensor<$Sx!tt.ptr<i32>, #b>
    %scanned:2 = "tt.scan"(%av, %bv) <{axis = $A : i32, reverse = $R}> ({
    ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
      %a2 = arith.muli %a0, %a1 : i32
      %t = arith.muli %b0, %a1 : i32
      %b2 = arith.addi %t, %b1 : i32
      tt.scan.return %a2, %b2 : i32, i32
    }) {allocation.offset = 0 : i32} : (tensor<$Sxi32, #b>, tensor<$Sxi32, #b>) -> (tensor<$Sxi32, #b>, tensor<$Sxi32, #b>)
    tt.store %ap, %scanned#0 : tensor<$Sx!tt.ptr<i32>, #b>
    tt.store %bp, %scanned#1 : tensor<$Sx!tt.ptr<i32>, #b>)",
                 {{"S", shape}, {"A", std::to_string(axis)}, {"R", reverse ? "true" : "false"}});
  std::string ir = kernelModule("#b = " + std::string(tile.layout), "%a: !tt.ptr<i32>, %b: !tt.ptr<i32>",
                                body, tile.numWarps, 65536);
  unsigned count = tile.rows * tile.columns;
  std::vector<uint32_t> a(count), b(count);
  std::mt19937 random(5);
  for (unsigned i = 0; i < count; ++i) {
    a[i] = random();
    b[i] = random();
  }
  std::vector<uint32_t> expectedA = a, expectedB = b;
  unsigned lines = axis == 0 ? tile.columns : tile.rows, length = axis == 0 ? tile.rows : tile.columns;
  for (unsigned line = 0; line < lines; ++line) {
    auto at = [&](unsigned i) {
      unsigned position = reverse ? length - 1 - i : i;
      return axis == 0 ? position * tile.columns + line : line * tile.columns + position;
    };
    for (unsigned i = 1; i < length; ++i) {
      expectedB[at(i)] = expectedB[at(i - 1)] * a[at(i)] + b[at(i)];
      expectedA[at(i)] = expectedA[at(i - 1)] * a[at(i)];
    }
  }
  uint32_t *aPointer = a.data(), *bPointer = b.data();
  RunStatistics statistics;
  ASSERT_EQ(runOnHost(ir, {&aPointer, &bPointer}, {}, &statistics), "");
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_EQ(a[i], expectedA[i]) << "element " << i;
    ASSERT_EQ(b[i], expectedB[i]) << "element " << i;
  }
  EXPECT_LE(statistics.barriers, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Scan,
    testing::Combine(testing::Values(Tile{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], "
                                          "warpsPerCTA = [4, 1], order = [1, 0]}>",
                                          32, 64, 4},
                                     Tile{"#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, 32], "
                                          "warpsPerCTA = [2, 2], order = [0, 1]}>",
                                          16, 256, 4},
                                     // Smaller than the layout's tile: lanes and warps hold copies.
                                     Tile{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], "
                                          "warpsPerCTA = [2, 4], order = [1, 0]}>",
                                          8, 16, 8},
                                     Tile{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], "
                                          "warpsPerCTA = [1, 4], order = [1, 0]}>",
                                          2, 2048, 4}),
                     testing::Values(0, 1), testing::Bool()));
