// Kernels from tt IR through the layout passes and the lowering, run on the host and compared with double
// precision.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace nereid::gpu;

namespace {

/// Warps, and lanes of a warp.
class WholeKernel : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

std::vector<float> makeRandom(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(random);
  return values;
}

} // namespace

// Of 256 elements in a block the last two fail, in whatever thread they are.
TEST_P(WholeKernel, FailedAssertion) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @checked(%in: !tt.ptr<i32>, %out: !tt.ptr<i32>, %limit: i32) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %limits = tt.splat %limit : i32 -> tensor<256xi32>
    %ps = tt.splat %in : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %pp = tt.addptr %ps, %range : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %x = tt.load %pp : tensor<256x!tt.ptr<i32>>
    %ok = arith.cmpi slt, %x, %limits : tensor<256xi32>
    tt.assert %ok, "below the limit" : tensor<256xi1> loc("kernels/k.py":7:3)
    tt.store %out, %limit : !tt.ptr<i32>
    tt.return
  }
}
)";
  std::vector<int32_t> x(256);
  for (int i = 0; i < 256; ++i)
    x[i] = i;
  int32_t out = -1, limit = 256;
  void *in = x.data(), *result = &out;
  EXPECT_EQ(runOnHost(ir, {&in, &result, &limit}, {}, nullptr, warpSize, numWarps), "");
  EXPECT_EQ(out, 256);
  limit = 254;
  std::string message = runOnHost(ir, {&in, &result, &limit}, {}, nullptr, warpSize, numWarps);
  EXPECT_NE(message.find("kernels/k.py:7: assertion failed in program (0, 0, 0), thread "), std::string::npos)
      << message;
  EXPECT_NE(message.find(": below the limit"), std::string::npos) << message;
}

// Threads meet behind the loop alone, however many rounds it has: for sums of rows that are scaled in each
// round, and begin with something, for two sums that are added up, and for the greatest number of all.
TEST_P(WholeKernel, ReductionsOfRounds) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @rounds(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %scales: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2048 = arith.constant 2048 : i32
    %low = arith.constant 0xFF800000 : f32
    %c64 = arith.constant dense<64> : tensor<32x1xi32>
    %c32 = arith.constant dense<32> : tensor<32xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %ro = arith.muli %r2, %c64 : tensor<32x1xi32>
    %rb = tt.broadcast %ro : tensor<32x1xi32> -> tensor<32x64xi32>
    %cb = tt.broadcast %c2 : tensor<1x64xi32> -> tensor<32x64xi32>
    %o = arith.addi %rb, %cb : tensor<32x64xi32>
    %ss = tt.splat %scales : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %scale = tt.load %sp : tensor<32x!tt.ptr<f32>>
    %sums:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %scale, %both = %scale, %most = %low) -> (tensor<32xf32>, tensor<32xf32>, f32) : i32 {
      %start = arith.muli %i, %c2048 : i32
      %p = tt.addptr %in, %start : !tt.ptr<f32>, i32
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
      %pp = tt.addptr %ps, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
      %x = tt.load %pp : tensor<32x64x!tt.ptr<f32>>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x64xf32>) -> tensor<32xf32>
      %y = arith.mulf %x, %x : tensor<32x64xf32>
      %q = "tt.reduce"(%y) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x64xf32>) -> tensor<32xf32>
      %z = math.absf %x : tensor<32x64xf32>
      %v = "tt.reduce"(%z) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x64xf32>) -> tensor<32xf32>
      %flat = tt.reshape %x allow_reorder : tensor<32x64xf32> -> tensor<2048xf32>
      %m = "tt.reduce"(%flat) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.maxnumf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<2048xf32>) -> f32
      %old = arith.mulf %sum, %scale : tensor<32xf32>
      %next = arith.addf %old, %s : tensor<32xf32>
      %one = arith.addf %both, %q : tensor<32xf32>
      %two = arith.addf %one, %v : tensor<32xf32>
      %more = arith.maxnumf %most, %m : f32
      scf.yield %next, %two, %more : tensor<32xf32>, tensor<32xf32>, f32
    }
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %op = tt.addptr %os, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %op, %sums#0 : tensor<32x!tt.ptr<f32>>
    %r32 = arith.addi %r, %c32 : tensor<32xi32>
    %bp = tt.addptr %os, %r32 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %bp, %sums#1 : tensor<32x!tt.ptr<f32>>
    %c64s = arith.constant 64 : i32
    %mp = tt.addptr %out, %c64s : !tt.ptr<f32>, i32
    tt.store %mp, %sums#2 : !tt.ptr<f32>
    tt.return
  }
})";
  constexpr int rows = 32, columns = 64;
  RunStatistics ofOne, ofMany;
  for (int32_t rounds : {0, 1, 5}) {
    std::vector<float> in = makeRandom(size_t(std::max(rounds, 1)) * rows * columns, 11),
                       scales = makeRandom(rows, 12), out(2 * rows + 1, -5.0f);
    void *inPointer = in.data(), *scalePointer = scales.data(), *outPointer = out.data();
    RunStatistics statistics;
    ASSERT_EQ(
        runOnHost(ir, {&inPointer, &scalePointer, &outPointer, &rounds}, {}, &statistics, warpSize, numWarps),
        "");
    (rounds == 1 ? ofOne : ofMany) = statistics;
    float most = -INFINITY;
    for (int row = 0; row < rows; ++row) {
      double sum = scales[row], both = scales[row], magnitude = std::fabs(sum);
      for (int i = 0; i < rounds; ++i) {
        sum *= scales[row];
        magnitude *= std::fabs(scales[row]);
        for (int column = 0; column < columns; ++column) {
          float x = in[(i * rows + row) * columns + column];
          sum += x;
          magnitude += std::fabs(x);
          both += double(x) * x + std::fabs(x);
          most = std::max(most, x);
        }
      }
      ASSERT_NEAR(out[row], sum, magnitude * 0x1p-20) << rounds << " rounds, row " << row;
      ASSERT_NEAR(out[rows + row], both, (std::fabs(both) + 2) * 0x1p-20) << rounds << " rounds, row " << row;
    }
    EXPECT_EQ(out[2 * rows], most);
  }
  EXPECT_EQ(ofMany.shuffles, ofOne.shuffles);
  EXPECT_EQ(ofMany.barriers, ofOne.barriers);
}

TEST_P(WholeKernel, Softmax) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @softmax(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32, %rows: i32, %columns: i32) {
    %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
    %first = tt.get_program_id x : i32
    %step = tt.get_num_programs x : i32
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %n = tt.splat %columns : i32 -> tensor<1024xi32>
    %mask = arith.cmpi slt, %range, %n : tensor<1024xi32>
    scf.for %row = %first to %rows step %step : i32 {
      %start = arith.muli %row, %stride : i32
      %p = tt.addptr %in, %start : !tt.ptr<f32>, i32
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %pp = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %x = tt.load %pp, %mask, %low : tensor<1024x!tt.ptr<f32>>
      %max = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %m = arith.maxnumf %a, %b : f32
        tt.reduce.return %m : f32
      }) : (tensor<1024xf32>) -> f32
      %maxs = tt.splat %max : f32 -> tensor<1024xf32>
      %d = arith.subf %x, %maxs : tensor<1024xf32>
      %e = math.exp %d : tensor<1024xf32>
      %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<1024xf32>) -> f32
      %sums = tt.splat %sum : f32 -> tensor<1024xf32>
      %y = arith.divf %e, %sums : tensor<1024xf32>
      %o = tt.addptr %out, %start : !tt.ptr<f32>, i32
      %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %op = tt.addptr %os, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      tt.store %op, %y, %mask : tensor<1024x!tt.ptr<f32>>
    }
    tt.return
  }
})";
  for (int32_t columns : {1, 1000, 1024}) {
    int32_t rows = 7, stride = 1024;
    std::vector<float> in = makeRandom(rows * stride, 3), out(in.size(), -5.0f);
    float *inPointer = in.data(), *outPointer = out.data();
    ASSERT_EQ(
        runOnHost(ir, {&outPointer, &inPointer, &stride, &rows, &columns}, {3}, nullptr, warpSize, numWarps),
        "");
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = 0; i < columns; ++i)
        sum += std::exp(double(in[row * stride + i]));
      for (int i = 0; i < stride; ++i) {
        double expected = i < columns ? std::exp(double(in[row * stride + i])) / sum : -5.0;
        // An exponential to a few units, and what rounding its argument makes of it.
        double error = i < columns ? expected * (4 + std::fabs(in[row * stride + i])) * 0x1p-22 : 0;
        ASSERT_NEAR(out[row * stride + i], expected, error) << "row " << row << ", column " << i;
      }
    }
  }
}

TEST_P(WholeKernel, ColumnSumsOfATile) {
  // A tile is loaded along its rows, reduced down its columns, and the sums go where a 1-D store wants them:
  // a layout conversion from the reduction's result.
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @columns(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    %c = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %w = arith.constant dense<128> : tensor<32x1xi32>
    %r2 = arith.muli %r1, %w : tensor<32x1xi32>
    %r3 = tt.broadcast %r2 : tensor<32x1xi32> -> tensor<32x128xi32>
    %c3 = tt.broadcast %c1 : tensor<1x128xi32> -> tensor<32x128xi32>
    %flat = arith.addi %r3, %c3 : tensor<32x128xi32>
    %ps = tt.splat %in : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
    %p = tt.addptr %ps, %flat : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
    %x = tt.load %p : tensor<32x128x!tt.ptr<f32>>
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<32x128xf32>) -> tensor<128xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %op = tt.addptr %os, %c : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %op, %sum : tensor<128x!tt.ptr<f32>>
    tt.return
  }
})";
  std::vector<float> in = makeRandom(32 * 128, 5), out(128);
  float *inPointer = in.data(), *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&inPointer, &outPointer}, {}, nullptr, warpSize, numWarps), "");
  for (int column = 0; column < 128; ++column) {
    double expected = 0, magnitude = 0;
    for (int row = 0; row < 32; ++row) {
      expected += in[row * 128 + column];
      magnitude += std::fabs(in[row * 128 + column]);
    }
    // Five roundings, one a level of the tree, or at most 31.
    ASSERT_NEAR(out[column], expected, magnitude * 0x1p-21) << "column " << column;
  }
}

// Weights of four bits, two to a byte and 16 to a scale, looked up in a table and summed by rows. What leaves
// out the last of them cuts through a block.
TEST_P(WholeKernel, SumsOfPackedRows) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @sums(%w: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %scale: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %table: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %columns: i32 {tt.divisibility = 8 : i32}) {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0> : tensor<1x64xi32>
    %one = arith.constant dense<1> : tensor<1x64xi32>
    %two = arith.constant dense<2> : tensor<1x64xi32>
    %sixteen = arith.constant dense<16> : tensor<1x64xi32>
    %wideRow = arith.constant dense<96> : tensor<128x1xi32>
    %scaleRow = arith.constant dense<12> : tensor<128x1xi32>
    %none = arith.constant dense<0> : tensor<128x64xi8>
    %nothing = arith.constant dense<0.0> : tensor<128x64xf32>
    %four = arith.constant dense<4> : tensor<128x64xi8>
    %low = arith.constant dense<15> : tensor<128x64xi8>
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rr = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %limits = tt.splat %columns : i32 -> tensor<1x64xi32>
    %sums = scf.for %k0 = %c0 to %columns step %c64 iter_args(%before = %zero) -> (tensor<128xf32>) : i32 {
      %k0s = tt.splat %k0 : i32 -> tensor<64xi32>
      %k = arith.addi %k0s, %range : tensor<64xi32>
      %kk = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %inside = arith.cmpi slt, %kk, %limits : tensor<1x64xi32>
      %mask = tt.broadcast %inside : tensor<1x64xi1> -> tensor<128x64xi1>
      %row = arith.muli %rr, %wideRow : tensor<128x1xi32>
      %rowb = tt.broadcast %row : tensor<128x1xi32> -> tensor<128x64xi32>
      %byte = arith.divsi %kk, %two : tensor<1x64xi32>
      %byteb = tt.broadcast %byte : tensor<1x64xi32> -> tensor<128x64xi32>
      %o = arith.addi %rowb, %byteb : tensor<128x64xi32>
      %ws = tt.splat %w : !tt.ptr<i8> -> tensor<128x64x!tt.ptr<i8>>
      %wp = tt.addptr %ws, %o : tensor<128x64x!tt.ptr<i8>>, tensor<128x64xi32>
      %x = tt.load %wp, %mask, %none : tensor<128x64x!tt.ptr<i8>>
      %srow = arith.muli %rr, %scaleRow : tensor<128x1xi32>
      %srowb = tt.broadcast %srow : tensor<128x1xi32> -> tensor<128x64xi32>
      %group = arith.divsi %kk, %sixteen : tensor<1x64xi32>
      %groupb = tt.broadcast %group : tensor<1x64xi32> -> tensor<128x64xi32>
      %so = arith.addi %srowb, %groupb : tensor<128x64xi32>
      %ss = tt.splat %scale : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
      %sp = tt.addptr %ss, %so : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
      %s = tt.load %sp, %mask, %nothing : tensor<128x64x!tt.ptr<f32>>
      %odd = arith.andi %kk, %one : tensor<1x64xi32>
      %isEven = arith.cmpi eq, %odd, %zeros : tensor<1x64xi32>
      %even = tt.broadcast %isEven : tensor<1x64xi1> -> tensor<128x64xi1>
      %high = arith.shrui %x, %four : tensor<128x64xi8>
      %lower = arith.andi %x, %low : tensor<128x64xi8>
      %code = arith.select %even, %lower, %high : tensor<128x64xi1>, tensor<128x64xi8>
      %codes = arith.extui %code : tensor<128x64xi8> to tensor<128x64xi32>
      %ts = tt.splat %table : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
      %tp = tt.addptr %ts, %codes : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
      %value = tt.load %tp : tensor<128x64x!tt.ptr<f32>>
      %scaled = arith.mulf %value, %s : tensor<128x64xf32>
      %sum = "tt.reduce"(%scaled) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %next = arith.addf %before, %sum : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %op = tt.addptr %os, %rows : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %op, %sums : tensor<128x!tt.ptr<f32>>
    tt.return
  }
})";
  constexpr int rows = 128, rowBytes = 96, rowScales = 12;
  int32_t columns = 168; // and 24 more in memory
  std::mt19937 random(11);
  // Vectors are read: their memory is aligned as the arguments say.
  alignas(16) static uint8_t w[rows * rowBytes];
  for (uint8_t &byte : w)
    byte = random();
  std::vector<float> scale = makeRandom(rows * rowScales, 4), table = makeRandom(16, 5), out(rows, -5.0f);
  uint8_t *wPointer = w;
  float *scalePointer = scale.data(), *tablePointer = table.data(), *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&wPointer, &scalePointer, &tablePointer, &outPointer, &columns}, {}, nullptr,
                      warpSize, numWarps),
            "");
  for (int row = 0; row < rows; ++row) {
    double sum = 0, magnitude = 0;
    for (int k = 0; k < columns; ++k) {
      uint8_t byte = w[row * rowBytes + k / 2];
      double value = double(table[k % 2 ? byte >> 4 : byte & 15]) * scale[row * rowScales + k / 16];
      sum += value;
      magnitude += std::fabs(value);
    }
    ASSERT_NEAR(out[row], sum, magnitude * columns * 0x1p-24) << "row " << row;
  }
}

// The rows of pages whose numbers are looked up a round before, two at a time: where the first ones come
// from, and how far back.
TEST_P(WholeKernel, RowsOfPages) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @pages(%pages: !tt.ptr<i32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %first: i32, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<16x128xf32>
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    %width = arith.constant dense<128> : tensor<16x1xi32>
    %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %columnb = tt.broadcast %column : tensor<1x128xi32> -> tensor<16x128xi32>
    %ps = tt.splat %pages : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
    %sums = scf.for %i = %first to %n step %c2 iter_args(%before = %zero) -> (tensor<16x128xf32>) : i32 {
      %start = arith.muli %i, %c16 : i32
      %starts = tt.splat %start : i32 -> tensor<16xi32>
      %at = arith.addi %starts, %range : tensor<16xi32>
      %p = tt.addptr %ps, %at : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
      %page = tt.load %p : tensor<16x!tt.ptr<i32>>
      %row = tt.expand_dims %page {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %rows = arith.muli %row, %width : tensor<16x1xi32>
      %rowb = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x128xi32>
      %o = arith.addi %rowb, %columnb : tensor<16x128xi32>
      %xp = tt.addptr %xs, %o : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>
      %value = tt.load %xp : tensor<16x128x!tt.ptr<f32>>
      %next = arith.addf %before, %value : tensor<16x128xf32>
      scf.yield %next : tensor<16x128xf32>
    }
    %line = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %lines = arith.muli %line, %width : tensor<16x1xi32>
    %lineb = tt.broadcast %lines : tensor<16x1xi32> -> tensor<16x128xi32>
    %oo = arith.addi %lineb, %columnb : tensor<16x128xi32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
    %op = tt.addptr %os, %oo : tensor<16x128x!tt.ptr<f32>>, tensor<16x128xi32>
    tt.store %op, %sums : tensor<16x128x!tt.ptr<f32>>
    tt.return
  }
})";
  constexpr int rows = 16, columns = 128, numPages = 40;
  std::vector<float> x = makeRandom(numPages * columns, 6);
  std::mt19937 random(8);
  for (auto [first, n] : {std::pair(0, 6), std::pair(1, 6), std::pair(3, 4), std::pair(2, 2)}) {
    // What lies behind the pages' numbers is no page.
    std::vector<int32_t> pages(n * rows + 64, 1 << 28);
    for (int i = 0; i < n * rows; ++i)
      pages[i] = int(random() % numPages);
    std::vector<float> out(rows * columns, -5.0f);
    int32_t *pagesPointer = pages.data(), begin = first, end = n;
    float *xPointer = x.data(), *outPointer = out.data();
    ASSERT_EQ(
        runOnHost(ir, {&pagesPointer, &xPointer, &outPointer, &begin, &end}, {}, nullptr, warpSize, numWarps),
        "");
    for (int i = 0; i < rows * columns; ++i) {
      float sum = 0;
      for (int round = first; round < n; round += 2)
        sum += x[pages[round * rows + i / columns] * columns + i % columns];
      ASSERT_EQ(out[i], sum) << first << " to " << n << ", element " << i;
    }
  }
}

// A loop of numbers at the end, which one warp runs, behind a tile that all of them store.
TEST_P(WholeKernel, NumbersAtTheEnd) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @numbers(%x: !tt.ptr<i32>, %tile: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %ts = tt.splat %tile : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %tp = tt.addptr %ts, %range : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    tt.store %tp, %range : tensor<256x!tt.ptr<i32>>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32) : i32 {
      %xp = tt.addptr %x, %i : !tt.ptr<i32>, i32
      %number = tt.load %xp : !tt.ptr<i32>
      %sum = arith.addi %before, %number : i32
      %isOdd = arith.trunci %number : i32 to i1
      scf.if %isOdd {
        %op = tt.addptr %out, %i : !tt.ptr<i32>, i32
        tt.store %op, %sum : !tt.ptr<i32>
      }
      scf.yield %sum : i32
    }
    tt.return
  }
})";
  std::vector<int32_t> x(50), tile(256, -5), out(50, -5);
  for (int i = 0; i < 50; ++i)
    x[i] = i * 37 % 11;
  int32_t *xPointer = x.data(), *tilePointer = tile.data(), *outPointer = out.data(), n = 47;
  ASSERT_EQ(runOnHost(ir, {&xPointer, &tilePointer, &outPointer, &n}, {}, nullptr, warpSize, numWarps), "");
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(tile[i], i);
  int32_t sum = 0;
  for (int i = 0; i < 50; ++i) {
    sum += x[i];
    ASSERT_EQ(out[i], i < n && x[i] % 2 ? sum : -5) << i;
  }
}

// Four numbers of 16 bits side by side for each element, which are loaded and stored at once, in another
// order.
TEST_P(WholeKernel, NeighboursChangePlaces) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @turned(%x: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %n: i32) {
    %one = arith.constant dense<1> : tensor<512xi32>
    %two = arith.constant dense<2> : tensor<512xi32>
    %three = arith.constant dense<3> : tensor<512xi32>
    %four = arith.constant dense<4> : tensor<512xi32>
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %ns = tt.splat %n : i32 -> tensor<512xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
    %at = arith.muli %i, %four : tensor<512xi32>
    %xs = tt.splat %x : !tt.ptr<i16> -> tensor<512x!tt.ptr<i16>>
    %p = tt.addptr %xs, %at : tensor<512x!tt.ptr<i16>>, tensor<512xi32>
    %at1 = arith.addi %at, %one : tensor<512xi32>
    %p1 = tt.addptr %xs, %at1 : tensor<512x!tt.ptr<i16>>, tensor<512xi32>
    %p2 = tt.addptr %p, %two : tensor<512x!tt.ptr<i16>>, tensor<512xi32>
    %at3 = arith.addi %at, %three : tensor<512xi32>
    %p3 = tt.addptr %xs, %at3 : tensor<512x!tt.ptr<i16>>, tensor<512xi32>
    %a = tt.load %p, %m : tensor<512x!tt.ptr<i16>>
    %d = tt.load %p3, %m : tensor<512x!tt.ptr<i16>>
    %c = tt.load %p2, %m : tensor<512x!tt.ptr<i16>>
    %b = tt.load %p1, %m : tensor<512x!tt.ptr<i16>>
    tt.store %p3, %a, %m : tensor<512x!tt.ptr<i16>>
    tt.store %p2, %d, %m : tensor<512x!tt.ptr<i16>>
    tt.store %p, %b, %m : tensor<512x!tt.ptr<i16>>
    tt.store %p1, %c, %m : tensor<512x!tt.ptr<i16>>
    tt.return
  }
})";
  constexpr int count = 512;
  int32_t n = 301;
  alignas(16) static int16_t x[4 * count];
  std::mt19937 random(3);
  for (int16_t &value : x)
    value = random();
  std::vector<int16_t> before(x, x + 4 * count);
  int16_t *pointer = x;
  ASSERT_EQ(runOnHost(ir, {&pointer, &n}, {}, nullptr, warpSize, numWarps), "");
  for (int i = 0; i < 4 * count; ++i) {
    constexpr int from[] = {1, 2, 3, 0};
    ASSERT_EQ(x[i], i < 4 * n ? before[i / 4 * 4 + from[i % 4]] : before[i]) << i;
  }
}

TEST_P(WholeKernel, TransposedCopy) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @transpose(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %c1 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %w = arith.constant dense<64> : tensor<64x1xi32>
    %r2 = arith.muli %r1, %w : tensor<64x1xi32>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
    %c3 = tt.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
    %flat = arith.addi %r3, %c3 : tensor<64x64xi32>
    %ps = tt.splat %in : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %p = tt.addptr %ps, %flat : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    %x = tt.load %p : tensor<64x64x!tt.ptr<i32>>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xi32> -> tensor<64x64xi32>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %op = tt.addptr %os, %flat : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    tt.store %op, %t : tensor<64x64x!tt.ptr<i32>>
    tt.return
  }
})";
  std::vector<int32_t> in(64 * 64), out(64 * 64);
  for (int i = 0; i < 64 * 64; ++i)
    in[i] = i;
  int32_t *inPointer = in.data(), *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&inPointer, &outPointer}, {}, nullptr, warpSize, numWarps), "");
  for (int i = 0; i < 64 * 64; ++i)
    ASSERT_EQ(out[i], in[i % 64 * 64 + i / 64]) << "element " << i;
}

// Bytes that are loaded by rows and stored by columns, once beside a copy by rows, and then in their own
// place, in each round: no thread may store what another has not loaded yet, or load what is not stored.
TEST_P(WholeKernel, TransposedBytes) {
  auto [numWarps, warpSize] = GetParam();
  const char *ir = R"(
module {
  tt.func public @transpose(%in: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %rows: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %columns: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %k1 = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %w = arith.constant dense<128> : tensor<128x1xi32>
    %v = arith.constant dense<128> : tensor<1x128xi32>
    %r2 = arith.muli %r1, %w : tensor<128x1xi32>
    %r3 = tt.broadcast %r2 : tensor<128x1xi32> -> tensor<128x128xi32>
    %k3 = tt.broadcast %k1 : tensor<1x128xi32> -> tensor<128x128xi32>
    %by_rows = arith.addi %r3, %k3 : tensor<128x128xi32>
    %k2 = arith.muli %k1, %v : tensor<1x128xi32>
    %k4 = tt.broadcast %k2 : tensor<1x128xi32> -> tensor<128x128xi32>
    %r4 = tt.broadcast %r1 : tensor<128x1xi32> -> tensor<128x128xi32>
    %by_columns = arith.addi %k4, %r4 : tensor<128x128xi32>
    %is = tt.splat %in : !tt.ptr<i16> -> tensor<128x128x!tt.ptr<i16>>
    %ip = tt.addptr %is, %by_rows : tensor<128x128x!tt.ptr<i16>>, tensor<128x128xi32>
    %x = tt.load %ip : tensor<128x128x!tt.ptr<i16>>
    %b = arith.trunci %x : tensor<128x128xi16> to tensor<128x128xi8>
    %rs = tt.splat %rows : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>>
    %rp = tt.addptr %rs, %by_rows : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
    tt.store %rp, %b : tensor<128x128x!tt.ptr<i8>>
    %cs = tt.splat %columns : !tt.ptr<i8> -> tensor<128x128x!tt.ptr<i8>>
    %cp = tt.addptr %cs, %by_columns : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
    tt.store %cp, %b : tensor<128x128x!tt.ptr<i8>>
    %one = arith.constant dense<1> : tensor<128x128xi8>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %p = tt.addptr %rs, %by_rows : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
      %y = tt.load %p : tensor<128x128x!tt.ptr<i8>>
      %z = arith.addi %y, %one : tensor<128x128xi8>
      %q = tt.addptr %rs, %by_columns : tensor<128x128x!tt.ptr<i8>>, tensor<128x128xi32>
      tt.store %q, %z : tensor<128x128x!tt.ptr<i8>>
    }
    tt.return
  }
})";
  constexpr int size = 128;
  std::vector<int16_t> in(size * size);
  std::vector<int8_t> rows(size * size, 99), columns(size * size, 99);
  for (int i = 0; i < size * size; ++i)
    in[i] = int16_t(40503u * i >> 3);
  int16_t *inPointer = in.data();
  int8_t *rowsPointer = rows.data(), *columnsPointer = columns.data();
  int32_t n = 3;
  ASSERT_EQ(runOnHost(ir, {&inPointer, &rowsPointer, &columnsPointer, &n}, {}, nullptr, warpSize, numWarps),
            "");
  for (int i = 0; i < size * size; ++i) {
    int turned = i % size * size + i / size;
    ASSERT_EQ(columns[i], int8_t(in[turned])) << i;
    ASSERT_EQ(rows[i], int8_t(in[turned] + n)) << i;
  }
}

TEST_P(WholeKernel, FunctionsThatAreNotInlined) {
  // The function's scratch memory and the caller's are used in turns, in a loop.
  const char *ir = R"(
module {
  tt.func private @total(%x: tensor<1024xi32>) -> i32 attributes {noinline = true} {
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<1024xi32>) -> i32
    tt.return %sum : i32
  }
  tt.func public @kernel(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
    scf.for %i = %zero to %four step %one : i32 {
      %is = tt.splat %i : i32 -> tensor<1024xi32>
      %w = arith.addi %v, %is : tensor<1024xi32>
      %t = tt.call @total(%w) : (tensor<1024xi32>) -> i32
      %max = "tt.reduce"(%w) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %m = arith.maxsi %a, %b : i32
        tt.reduce.return %m : i32
      }) : (tensor<1024xi32>) -> i32
      %u = tt.call @total(%is) : (tensor<1024xi32>) -> i32
      %tm = arith.addi %t, %max : i32
      %all = arith.addi %tm, %u : i32
      %p = tt.addptr %out, %i : !tt.ptr<i32>, i32
      tt.store %p, %all : !tt.ptr<i32>
    }
    tt.return
  }
})";
  std::vector<int32_t> x(1024), out(4, -1);
  std::mt19937 random(11);
  int32_t sum = 0, largest = -1000;
  for (int32_t &value : x) {
    value = int32_t(random() % 1000);
    sum += value;
    largest = std::max(largest, value);
  }
  int32_t *xPointer = x.data(), *outPointer = out.data();
  auto [numWarps, warpSize] = GetParam();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}, {}, nullptr, warpSize, numWarps), "");
  for (int32_t i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], sum + 1024 * i + largest + i + 1024 * i);
}

TEST_P(WholeKernel, ConcatenationOfFewElements) {
  const char *ir = R"(
module {
  tt.func public @kernel(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %xv = tt.load %xp : tensor<64x!tt.ptr<i32>>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %yv = tt.load %yp : tensor<64x!tt.ptr<i32>>
    %both = tt.cat %xv, %yv : tensor<64xi32> -> tensor<128xi32>
    %all = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %op = tt.addptr %os, %all : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %op, %both : tensor<128x!tt.ptr<i32>>
    tt.return
  }
})";
  std::vector<int32_t> x(64), y(64), out(128, -1);
  for (int32_t i = 0; i < 64; ++i)
    x[i] = i, y[i] = 64 + i;
  int32_t *xPointer = x.data(), *yPointer = y.data(), *outPointer = out.data();
  auto [numWarps, warpSize] = GetParam();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &yPointer, &outPointer}, {}, nullptr, warpSize, numWarps), "");
  for (int32_t i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i);
}

INSTANTIATE_TEST_SUITE_P(WarpsAndLanes, WholeKernel,
                         testing::Values(std::pair(1u, 32u), std::pair(4u, 32u), std::pair(8u, 32u),
                                         std::pair(4u, 64u)));
