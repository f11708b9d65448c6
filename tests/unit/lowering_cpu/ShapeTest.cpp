// Operations that rearrange tiles, gathers, block pointers, descriptors, atomics, histograms.
#include "KernelRunner.h"

#include <cmath>

using namespace nereid::test;

namespace {

// Each line of `body` computes from %x (0 … 255 as tensor<256xi32>) a tensor %r of 256 numbers of type i32.
std::string shapeKernel(const std::string &body) {
  return R"(
module {
  tt.func public @k(%in: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %is = tt.splat %in : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %ip = tt.addptr %is, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %x = tt.load %ip : tensor<256x!tt.ptr<i32>>
)" + body +
         R"(
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %op = tt.addptr %os, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    tt.store %op, %r : tensor<256x!tt.ptr<i32>>
    tt.return
  }
})";
}

void checkShape(const std::string &body, const std::function<int(int)> &from) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(shapeKernel(body), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    GuardedArray<int32_t> in(256), out(256);
    for (int i = 0; i < 256; ++i)
      in[i] = i * 3 + 1;
    kernel.run({1}, in.data(), out.data());
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(out[i], from(i) * 3 + 1) << body << " at " << i;
  });
}

TEST(Shape, ReshapesAndTransposes) {
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<8x32xi32>
    %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<8x32xi32> -> tensor<32x8xi32>
    %r = tt.reshape %b : tensor<32x8xi32> -> tensor<256xi32>)",
             [](int i) { return i % 8 * 32 + i / 8; });
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<4x2x32xi32>
    %b = tt.trans %a {order = array<i32: 2, 0, 1>} : tensor<4x2x32xi32> -> tensor<32x4x2xi32>
    %r = tt.reshape %b : tensor<32x4x2xi32> -> tensor<256xi32>)",
             [](int i) { return i / 2 % 4 * 64 + i % 2 * 32 + i / 8; });
  // Lanes that straddle dimensions.
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<2x2x2x2x2x2x2x2xi32>
    %b = tt.trans %a {order = array<i32: 0, 1, 2, 3, 4, 7, 6, 5>} : tensor<2x2x2x2x2x2x2x2xi32> -> tensor<2x2x2x2x2x2x2x2xi32>
    %r = tt.reshape %b : tensor<2x2x2x2x2x2x2x2xi32> -> tensor<256xi32>)",
             [](int i) { return (i & ~7) | (i & 1) << 2 | (i & 2) | (i & 4) >> 2; });
}

TEST(Shape, JoinsSplitsAndConcatenates) {
  // Interleaves the halves.
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<2x128xi32>
    %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<2x128xi32> -> tensor<128x2xi32>
    %l, %h = tt.split %b : tensor<128x2xi32> -> tensor<128xi32>
    %j = tt.join %l, %h : tensor<128xi32> -> tensor<128x2xi32>
    %r = tt.reshape %j : tensor<128x2xi32> -> tensor<256xi32>)",
             [](int i) { return i % 2 * 128 + i / 2; });
  // Odd elements, then even ones.
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<128x2xi32>
    %l, %h = tt.split %a : tensor<128x2xi32> -> tensor<128xi32>
    %r = tt.cat %h, %l : tensor<128xi32> -> tensor<256xi32>)",
             [](int i) { return i < 128 ? 2 * i + 1 : 2 * (i - 128); });
}

TEST(Shape, Gathers) {
  checkShape(R"(
    %c = arith.constant dense<255> : tensor<256xi32>
    %k = arith.subi %c, %i : tensor<256xi32>
    %r = tt.gather %x[%k] {axis = 0 : i32} : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>)",
             [](int i) { return 255 - i; });
  checkShape(R"(
    %a = tt.reshape %x : tensor<256xi32> -> tensor<16x16xi32>
    %ii = tt.reshape %i : tensor<256xi32> -> tensor<16x16xi32>
    %c = arith.constant dense<7> : tensor<16x16xi32>
    %m = arith.muli %ii, %c : tensor<16x16xi32>
    %f = arith.constant dense<15> : tensor<16x16xi32>
    %k = arith.andi %m, %f : tensor<16x16xi32>
    %g = tt.gather %a[%k] {axis = 0 : i32} : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    %r = tt.reshape %g : tensor<16x16xi32> -> tensor<256xi32>)",
             [](int i) { return (i * 7 & 15) * 16 + i % 16; });
}

TEST(Shape, ReadsTablesOfConstants) {
  std::string table;
  for (int i = 0; i < 256; ++i)
    table += (i ? ", " : "") + std::to_string((i * 5 % 256) * 3 + 1);
  checkShape("    %r = arith.constant dense<[" + table + "]> : tensor<256xi32>",
             [](int i) { return i * 5 % 256; });
}

// Copies a tile of a matrix through block pointers, with every edge overlapping.
TEST(Shape, CopiesThroughBlockPointers) {
  const char *ir = R"(
module {
  tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32, %row: i32, %steps: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %one = arith.constant 1 : i64
    %m64 = arith.extsi %m : i32 to i64
    %n64 = arith.extsi %n : i32 to i64
    %start = arith.constant -16 : i32
    %p0 = tt.make_tensor_ptr %in, [%m64, %n64], [%n64, %one], [%row, %start] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
    %q0 = tt.make_tensor_ptr %out, [%m64, %n64], [%n64, %one], [%row, %start] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
    %r:2 = scf.for %s = %c0 to %steps step %c1 iter_args(%p = %p0, %q = %q0) -> (!tt.ptr<tensor<8x16xf32>>, !tt.ptr<tensor<8x16xf32>>) : i32 {
      %v = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
      %w = arith.addf %v, %v : tensor<8x16xf32>
      tt.store %q, %w {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8x16xf32>>
      %pn = tt.advance %p, [%c0, %c16] : <tensor<8x16xf32>>
      %qn = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
      scf.yield %pn, %qn : !tt.ptr<tensor<8x16xf32>>, !tt.ptr<tensor<8x16xf32>>
    }
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (auto [m, n, row] : {std::tuple(8, 16, 0), {5, 37, -3}, {20, 9, 14}, {1, 1, 0}}) {
      GuardedArray<float> in(m * n), out(m * n);
      for (int i = 0; i < m * n; ++i)
        in[i] = i + 1;
      kernel.run({1}, in.data(), out.data(), int32_t(m), int32_t(n), int32_t(row), int32_t(5));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          ASSERT_EQ(out[i * n + j], i >= row && i < row + 8 ? 2 * in[i * n + j] : 0.0f)
              << m << "x" << n << ": " << i << "," << j;
    }
  });
}

TEST(Shape, LoadsAndStoresThroughDescriptors) {
  const char *ir = R"(
module {
  tt.func public @k(%in: !tt.ptr<f16>, %out: !tt.ptr<f16>, %m: i32, %n: i32) {
    %one = arith.constant 1 : i64
    %n64 = arith.extsi %n : i32 to i64
    %c8 = arith.constant 8 : i32
    %pid = tt.get_program_id x : i32
    %y = arith.muli %pid, %c8 : i32
    %c0 = arith.constant 0 : i32
    %d = tt.make_tensor_descriptor %in, [%m, %n], [%n64, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x32xf16>>
    %e = tt.make_tensor_descriptor %out, [%m, %n], [%n64, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x32xf16>>
    %v = tt.descriptor_load %d[%y, %c0] : !tt.tensordesc<tensor<8x32xf16>> -> tensor<8x32xf16>
    %w = arith.addf %v, %v : tensor<8x32xf16>
    tt.descriptor_store %e[%y, %c0], %w : !tt.tensordesc<tensor<8x32xf16>>, tensor<8x32xf16>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (auto [m, n] : {std::pair(16, 32), {11, 19}}) {
      GuardedArray<uint16_t> in(m * n), out(m * n);
      for (int i = 0; i < m * n; ++i)
        in[i] = toHalf(i % 97);
      kernel.run({uint32_t((m + 7) / 8)}, in.data(), out.data(), int32_t(m), int32_t(n));
      for (int i = 0; i < m * n; ++i)
        ASSERT_EQ(fromHalf(out[i]), 2.0f * (i % 97)) << i;
    }
  });
}

TEST(Shape, CountsAndAddsAtomically) {
  const char *ir = R"(
module {
  tt.func public @k(%in: !tt.ptr<i32>, %sum: !tt.ptr<f32>, %half: !tt.ptr<f16>, %hist: !tt.ptr<i32>, %old: !tt.ptr<i32>, %n: i32) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %ns = tt.splat %n : i32 -> tensor<128xi32>
    %mask = arith.cmpi slt, %i, %ns : tensor<128xi32>
    %is = tt.splat %in : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %ip = tt.addptr %is, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %zero = arith.constant dense<0> : tensor<128xi32>
    %v = tt.load %ip, %mask, %zero : tensor<128x!tt.ptr<i32>>
    %one = arith.constant dense<1.0> : tensor<128xf32>
    %ss = tt.splat %sum : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %v : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %o = tt.atomic_rmw fadd, acq_rel, gpu, %sp, %one, %mask : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
    %h1 = arith.constant dense<0.5> : tensor<128xf16>
    %hs = tt.splat %half : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %hp = tt.addptr %hs, %v : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %ho = tt.atomic_rmw fadd, relaxed, gpu, %hp, %h1, %mask : (tensor<128x!tt.ptr<f16>>, tensor<128xf16>, tensor<128xi1>) -> tensor<128xf16>
    %hist8 = tt.histogram %v, %mask : tensor<128xi32> -> tensor<8xi32>
    %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %qs = tt.splat %hist : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %qp = tt.addptr %qs, %r8 : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    tt.store %qp, %hist8 : tensor<8x!tt.ptr<i32>>
    %five = arith.constant 5 : i32
    %nine = arith.constant 9 : i32
    %was = tt.atomic_cas acq_rel, gpu, %old, %five, %nine : (!tt.ptr<i32>, i32, i32) -> i32
    %next = tt.addptr %old, %five : !tt.ptr<i32>, i32
    %max = tt.atomic_rmw max, relaxed, gpu, %next, %was : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {0, 1, 100, 128}) {
      GuardedArray<int32_t> in(n), old(6);
      GuardedArray<float> sum(8);
      GuardedArray<uint16_t> half(8);
      std::vector<int32_t> histogram(8, -1), expected(8);
      for (int i = 0; i < n; ++i)
        expected[in[i] = i * i % 8]++;
      old[0] = 5;
      old[5] = 3;
      kernel.run({1}, in.data(), sum.data(), half.data(), histogram.data(), old.data(), int32_t(n));
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(sum[i], float(expected[i]));
        EXPECT_EQ(fromHalf(half[i]), 0.5f * expected[i]);
        EXPECT_EQ(histogram[i], expected[i]);
      }
      EXPECT_EQ(old[0], 9);
      EXPECT_EQ(old[5], 5);
    }
  });
}

} // namespace
