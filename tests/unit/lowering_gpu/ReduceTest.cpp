// Reductions along either axis of tiles in many layouts, run on the host and compared with a loop.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace nereid::gpu;

namespace {

struct Tile {
  const char *layout;
  unsigned rows, columns;
  unsigned numWarps;
};

class Reduce : public testing::TestWithParam<std::tuple<Tile, int>> {};

std::string vectorText(const char *body, unsigned size, const std::string &reduced) {
  return substitute(body, {{"R", std::to_string(size)}, {"S", reduced}});
}

/// Stores %s, a reduced tensor of $R elements with layout $S, to %out.
const char *storeReduced = R"(
    %range = tt.make_range {start = 0 : i32, end = $R : i32} : tensor<$Rxi32, $S>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<$Rx!tt.ptr<i32>, $S>
    %op = tt.addptr %os, %range : tensor<$Rx!tt.ptr<i32>, $S>, tensor<$Rxi32, $S>
    tt.store %op, %s : tensor<$Rx!tt.ptr<i32>, $S>)";

/// A reduction's region: the smallest f32, and the smallest index where it occurs.
const char *findLeast = R"(
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %lt = arith.cmpf olt, %a, %b : f32
      %eq = arith.cmpf oeq, %a, %b : f32
      %li = arith.cmpi slt, %ai, %bi : i32
      %tie = arith.andi %eq, %li : i1
      %take = arith.ori %lt, %tie : i1
      %rv = arith.select %take, %a, %b : f32
      %ri = arith.select %take, %ai, %bi : i32
      tt.reduce.return %rv, %ri : f32, i32)";

std::string loadTile(unsigned rows, unsigned columns, const char *element, const char *name,
                     const char *pointer) {
  return substitute(R"(
    %$vs = tt.splat %$x : !tt.ptr<$T> -> tensor<$Mx$Nx!tt.ptr<$T>, #b>
    %$vp = tt.addptr %$vs, %flat : tensor<$Mx$Nx!tt.ptr<$T>, #b>, tensor<$Mx$Nxi32, #b>
    %$v = tt.load %$vp : tensor<$Mx$Nx!tt.ptr<$T>, #b>)",
                    {{"v", name},
                     {"x", pointer},
                     {"T", element},
                     {"M", std::to_string(rows)},
                     {"N", std::to_string(columns)}});
}

} // namespace

TEST_P(Reduce, SumsAlongTheAxis) {
  auto [tile, axis] = GetParam();
  unsigned size = axis == 0 ? tile.columns : tile.rows;
  std::string reduced = "#ttg.slice<{dim = " + std::to_string(axis) + ", parent = #b}>";
  std::string body = flatIndex("", "#b", tile.rows, tile.columns) +
                     loadTile(tile.rows, tile.columns, "i32", "v", "x") +
                     substitute(R"(
    %s = "tt.reduce"(%v) <{axis = $A : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      tt.reduce.return %t : i32
    }) {allocation.offset = 32 : i32} : (tensor<$Mx$Nxi32, #b>) -> tensor<$Rxi32, $S>)",
                                {{"A", std::to_string(axis)},
                                 {"M", std::to_string(tile.rows)},
                                 {"N", std::to_string(tile.columns)},
                                 {"R", std::to_string(size)},
                                 {"S", reduced}}) +
                     vectorText(storeReduced, size, reduced);
  std::string ir = kernelModule("#b = " + std::string(tile.layout), "%x: !tt.ptr<i32>, %out: !tt.ptr<i32>",
                                body, tile.numWarps, 65536);
  std::vector<int32_t> x(tile.rows * tile.columns), out(size, -1);
  std::mt19937 random(7);
  for (int32_t &value : x)
    value = random() % 100000;
  int32_t *xPointer = x.data(), *outPointer = out.data();
  RunStatistics statistics;
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}, {}, &statistics), "");
  for (unsigned i = 0; i < size; ++i) {
    int32_t expected = 0;
    for (unsigned j = 0; j < (axis == 0 ? tile.rows : tile.columns); ++j)
      expected += axis == 0 ? x[j * tile.columns + i] : x[i * tile.columns + j];
    ASSERT_EQ(out[i], expected) << "result " << i;
  }
  // A second one where each thread combines its share of the elements for all.
  EXPECT_LE(statistics.barriers, 2u);
}

TEST_P(Reduce, ArgMinTakesSeveralOperands) {
  auto [tile, axis] = GetParam();
  unsigned size = axis == 0 ? tile.columns : tile.rows;
  std::string reduced = "#ttg.slice<{dim = " + std::to_string(axis) + ", parent = #b}>";
  std::string body = flatIndex("", "#b", tile.rows, tile.columns) +
                     loadTile(tile.rows, tile.columns, "f32", "v", "x") +
                     substitute(R"(
    %m, %s = "tt.reduce"(%v, %flat) <{axis = $A : i32}> ({$least
    }) {allocation.offset = 0 : i32} : (tensor<$Mx$Nxf32, #b>, tensor<$Mx$Nxi32, #b>) -> (tensor<$Rxf32, $S>, tensor<$Rxi32, $S>))",
                                {{"least", findLeast},
                                 {"A", std::to_string(axis)},
                                 {"M", std::to_string(tile.rows)},
                                 {"N", std::to_string(tile.columns)},
                                 {"R", std::to_string(size)},
                                 {"S", reduced}}) +
                     vectorText(storeReduced, size, reduced);
  std::string ir = kernelModule("#b = " + std::string(tile.layout), "%x: !tt.ptr<f32>, %out: !tt.ptr<i32>",
                                body, tile.numWarps, 65536);
  std::vector<float> x(tile.rows * tile.columns);
  std::vector<int32_t> out(size, -1);
  std::mt19937 random(11);
  for (float &value : x)
    value = random() % 20; // ties are frequent
  float *xPointer = x.data();
  int32_t *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}), "");
  for (unsigned i = 0; i < size; ++i) {
    unsigned best = axis == 0 ? i : i * tile.columns;
    for (unsigned j = 0; j < (axis == 0 ? tile.rows : tile.columns); ++j) {
      unsigned at = axis == 0 ? j * tile.columns + i : i * tile.columns + j;
      if (x[at] < x[best])
        best = at;
    }
    ASSERT_EQ(out[i], int32_t(best)) << "result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Reduce,
    testing::Combine(
        testing::Values(Tile{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = "
                             "[4, 1], order = [1, 0]}>",
                             32, 64, 4},
                        Tile{"#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[2, 2], order = [0, 1]}>",
                             16, 256, 4},
                        // Smaller than the layout's tile in both dimensions: lanes and warps hold copies.
                        Tile{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = "
                             "[2, 4], order = [1, 0]}>",
                             8, 16, 8},
                        // The reduced rows are spread over all warps.
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[1, 8], order = [1, 0]}>",
                             2, 1024, 8},
                        // Lanes share many rows between them, as many as they can, or more.
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[1, 4], order = [1, 0]}>",
                             16, 256, 4},
                        Tile{"#ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [2, 16], warpsPerCTA = "
                             "[2, 2], order = [0, 1]}>",
                             64, 128, 4},
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = "
                             "[1, 2], order = [0, 1]}>",
                             64, 64, 2},
                        // So where lanes hold several rows, whose sums lie row by row,
                        Tile{"#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = "
                             "[1, 4], order = [0, 1]}>",
                             64, 64, 4},
                        // and where each is combined by one thread alone.
                        Tile{"#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = "
                             "[1, 16], order = [0, 1]}>",
                             64, 128, 16},
                        // So many warps that their results are read by one lane each,
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[1, 16], order = [1, 0]}>",
                             2, 1024, 16},
                        Tile{"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = "
                             "[1, 16], order = [1, 0]}>",
                             4, 512, 16},
                        // or, of more, four by each,
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[1, 32], order = [1, 0]}>",
                             2, 1024, 32},
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = "
                             "[1, 32], order = [1, 0]}>",
                             4, 512, 32},
                        // and where too few lanes share a row for that.
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = "
                             "[1, 32], order = [1, 0]}>",
                             8, 256, 32},
                        // Of two rows' warps, one each combines what is long to combine, and of those that
                        // hold copies.
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[2, 16], order = [1, 0]}>",
                             4, 512, 32},
                        Tile{"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                             "[2, 16], order = [1, 0]}>",
                             1, 1024, 32}),
        testing::Values(0, 1)));

TEST(ReduceToScalar, MaximumPropagatesNaNOrNot) {
  for (bool propagate : {false, true}) {
    std::string body = loadVector(1024, "f32") + substitute(R"(
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.$max %a, %b : f32
      tt.reduce.return %t : f32
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>) -> f32
    tt.store %out, %s : !tt.ptr<f32>)",
                                                            {{"max", propagate ? "maximumf" : "maxnumf"}});
    std::string ir = kernelModule(
        "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        "%x: !tt.ptr<f32>, %out: !tt.ptr<f32>", body, 4, 64);
    std::vector<float> x(1024);
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] = float((i * 37) % 1024) - 2000.0f;
    float out = 0, *xPointer = x.data(), *outPointer = &out;
    RunStatistics statistics;
    ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}, {}, &statistics), "");
    EXPECT_EQ(out, -977.0f);
    // Five lane bits, one value; warps meet once.
    EXPECT_EQ(statistics.shuffles, 5u);
    EXPECT_EQ(statistics.barriers, 1u);
    x[777] = NAN;
    ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}), "");
    if (propagate)
      EXPECT_TRUE(std::isnan(out));
    else
      EXPECT_EQ(out, -977.0f);
  }
}

TEST(ReduceToScalar, WavesOf64Lanes) {
  std::string body = R"(
    %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    %s = "tt.reduce"(%range) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      tt.reduce.return %t : i32
    }) {allocation.offset = 0 : i32} : (tensor<512xi32, #b>) -> i32
    tt.store %out, %s : !tt.ptr<i32>)";
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>",
      "%out: !tt.ptr<i32>", body, 4, 64, /*warpSize=*/64);
  int32_t out = 0, *outPointer = &out;
  ASSERT_EQ(runOnHost(ir, {&outPointer}, {}, nullptr, 64), "");
  EXPECT_EQ(out, 511 * 512 / 2);
}

// One of 16 waves finds the place for all.
TEST(ReduceToScalar, PlaceInWavesOf64Lanes) {
  std::string body = loadVector(1024, "f32") + substitute(R"(
    %m, %s = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({$least
    }) {allocation.offset = 0 : i32} : (tensor<1024xf32, #b>, tensor<1024xi32, #b>) -> (f32, i32)
    tt.store %out, %s : !tt.ptr<i32>)",
                                                          {{"least", findLeast}});
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [16], order = [0]}>",
      "%x: !tt.ptr<f32>, %out: !tt.ptr<i32>", body, 16, 256, /*warpSize=*/64);
  std::vector<float> x(1024);
  std::mt19937 random(13);
  for (float &value : x)
    value = random() % 100; // ties are frequent
  int32_t out = -1, *outPointer = &out;
  float *xPointer = x.data();
  RunStatistics statistics;
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}, {}, &statistics, 64), "");
  EXPECT_EQ(out, std::min_element(x.begin(), x.end()) - x.begin());
  EXPECT_EQ(statistics.barriers, 2u);
}
