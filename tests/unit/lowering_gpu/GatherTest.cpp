// Gather and histogram, run on the host.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <random>

using namespace nereid::gpu;

/// Elements of type `T` and indices, of 16 rows and 32 columns: %v and %i, which is from %ip.
static std::string loadTiles(const std::string &type) {
  return flatIndex("", "#b", 16, 32) + substitute(R"(
    %xs = tt.splat %x : !tt.ptr<$T> -> tensor<16x32x!tt.ptr<$T>, #b>
    %xp = tt.addptr %xs, %flat : tensor<16x32x!tt.ptr<$T>, #b>, tensor<16x32xi32, #b>
    %v = tt.load %xp : tensor<16x32x!tt.ptr<$T>, #b>
    %is = tt.splat %index : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #b>
    %ip = tt.addptr %is, %flat : tensor<16x32x!tt.ptr<i32>, #b>, tensor<16x32xi32, #b>
    %i = tt.load %ip : tensor<16x32x!tt.ptr<i32>, #b>
)",
                                                  {{"T", type}});
}

TEST(Gather, AlongEitherAxis) {
  for (int axis : {0, 1}) {
    unsigned limit = axis == 0 ? 16 : 32;
    std::string body = loadTiles("i32") + substitute(R"(
    %g = tt.gather %v[%i] {axis = $A : i32, allocation.offset = 0 : i32} : (tensor<16x32xi32, #b>, tensor<16x32xi32, #b>) -> tensor<16x32xi32, #b>
    tt.store %ip, %g : tensor<16x32x!tt.ptr<i32>, #b>)",
                                                     {{"A", std::to_string(axis)}});
    std::string ir = kernelModule("#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], "
                                  "warpsPerCTA = [2, 2], order = [1, 0]}>",
                                  "%x: !tt.ptr<i32>, %index: !tt.ptr<i32>", body, 4, 4096);
    std::vector<int32_t> x(16 * 32), index(16 * 32);
    std::mt19937 random(3);
    for (unsigned i = 0; i < x.size(); ++i) {
      x[i] = random();
      index[i] = random() % limit;
    }
    std::vector<int32_t> out = index;
    int32_t *xPointer = x.data(), *outPointer = out.data();
    ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}), "");
    for (unsigned row = 0; row < 16; ++row) {
      for (unsigned column = 0; column < 32; ++column) {
        int32_t at = index[row * 32 + column];
        ASSERT_EQ(out[row * 32 + column], axis == 0 ? x[at * 32 + column] : x[row * 32 + at]);
      }
    }
  }
}

TEST(Gather, TwiceFromMemoryWrittenOnce) {
  for (int axis : {0, 1}) {
    unsigned limit = axis == 0 ? 16 : 32;
    std::string body = loadTiles("i16") + substitute(R"(
    %m = ttg.local_alloc %v {alignment = 16 : i32, allocation.offset = 1024 : i32} : (tensor<16x32xi16, #b>) -> !ttg.memdesc<16x32xi16, #plain, #ttg.shared_memory>
    ttg.local_barrier
    %g = ttg.local_gather %m[%i] {axis = $A : i32} : !ttg.memdesc<16x32xi16, #plain, #ttg.shared_memory>, tensor<16x32xi32, #b> -> tensor<16x32xi16, #b>
    %w = arith.extui %g : tensor<16x32xi16, #b> to tensor<16x32xi32, #b>
    %h = ttg.local_gather %m[%w] {axis = $A : i32} : !ttg.memdesc<16x32xi16, #plain, #ttg.shared_memory>, tensor<16x32xi32, #b> -> tensor<16x32xi16, #b>
    %o = arith.extui %h : tensor<16x32xi16, #b> to tensor<16x32xi32, #b>
    tt.store %ip, %o : tensor<16x32x!tt.ptr<i32>, #b>)",
                                                     {{"A", std::to_string(axis)}});
    std::string ir = kernelModule("#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], "
                                  "warpsPerCTA = [2, 2], order = [1, 0]}>\n"
                                  "#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, "
                                  "order = [1, 0]}>",
                                  "%x: !tt.ptr<i16>, %index: !tt.ptr<i32>", body, 4, 4096);
    std::vector<int16_t> x(16 * 32);
    std::vector<int32_t> index(16 * 32);
    std::mt19937 random(7);
    for (unsigned i = 0; i < x.size(); ++i) {
      x[i] = random() % limit;
      index[i] = random() % limit;
    }
    std::vector<int32_t> out = index;
    int16_t *xPointer = x.data();
    int32_t *outPointer = out.data();
    ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}), "");
    for (unsigned row = 0; row < 16; ++row) {
      for (unsigned column = 0; column < 32; ++column) {
        auto look = [&](int32_t at) { return axis == 0 ? x[at * 32 + column] : x[row * 32 + at]; };
        ASSERT_EQ(out[row * 32 + column], look(look(index[row * 32 + column])));
      }
    }
  }
}

TEST(Histogram, CountsWhatTheMaskLeaves) {
  std::string body = loadVector(1024, "i32") + R"(
    %limit = arith.constant dense<900> : tensor<1024xi32, #b>
    %mask = arith.cmpi slt, %range, %limit : tensor<1024xi32, #b>
    %h = tt.histogram %v, %mask {allocation.offset = 0 : i32} : tensor<1024xi32, #b> -> tensor<64xi32, #c>
    %bins = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #c>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #c>
    %op = tt.addptr %os, %bins : tensor<64x!tt.ptr<i32>, #c>, tensor<64xi32, #c>
    tt.store %op, %h : tensor<64x!tt.ptr<i32>, #c>)";
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
      "#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
      "%x: !tt.ptr<i32>, %out: !tt.ptr<i32>", body, 4, 256);
  std::vector<int32_t> x(1024), out(64, -1), expected(64);
  std::mt19937 random(9);
  for (unsigned i = 0; i < x.size(); ++i) {
    x[i] = random() % 64;
    expected[x[i]] += i < 900;
  }
  int32_t *xPointer = x.data(), *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer}), "");
  EXPECT_EQ(out, expected);
}
