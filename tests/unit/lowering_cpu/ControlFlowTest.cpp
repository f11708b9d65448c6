// Loops that carry tiles, conditions, branches, calls; products inside loops.
#include "KernelRunner.h"

#include <cmath>

using namespace nereid::test;

namespace {

// Two tiles change places in every step, one of them growing: what a loop passes on is assigned all at once.
TEST(ControlFlow, ExchangesCarriedTiles) {
  const char *ir = R"(
module {
  tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1> : tensor<64xi32>
    %a0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %b0 = arith.constant dense<1000> : tensor<64xi32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
      %g = arith.addi %a, %one : tensor<64xi32>
      scf.yield %b, %g : tensor<64xi32>, tensor<64xi32>
    }
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %op = tt.addptr %os, %a0 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %op, %r#0 : tensor<64x!tt.ptr<i32>>
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %op2 = tt.addptr %op, %c64 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %op2, %r#1 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {0, 1, 2, 5, 6}) {
      std::vector<int32_t> out(128);
      kernel.run({1}, out.data(), int32_t(n));
      for (int i = 0; i < 64; ++i) {
        int a = i, b = 1000;
        for (int k = 0; k < n; ++k) {
          int grown = a + 1;
          a = b;
          b = grown;
        }
        ASSERT_EQ(out[i], a) << n;
        ASSERT_EQ(out[64 + i], b) << n;
      }
    }
  });
}

// A carried tile is transposed into itself.
TEST(ControlFlow, TransposesACarriedTile) {
  const char *ir = R"(
module {
  tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %start = tt.reshape %range : tensor<256xi32> -> tensor<16x16xi32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start) -> (tensor<16x16xi32>) : i32 {
      %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x16xi32> -> tensor<16x16xi32>
      scf.yield %t : tensor<16x16xi32>
    }
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
    %op = tt.addptr %os, %start : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
    tt.store %op, %r : tensor<16x16x!tt.ptr<i32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {0, 1, 2, 3}) {
      std::vector<int32_t> out(256);
      kernel.run({1}, out.data(), int32_t(n));
      for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j)
          ASSERT_EQ(out[i * 16 + j], n % 2 ? j * 16 + i : i * 16 + j) << n;
    }
  });
}

// Early return, a while loop over a tile, an if with a tensor result.
TEST(ControlFlow, BranchesAndLoopsWhile) {
  const char *ir = R"(
module {
  tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %neg = arith.cmpi slt, %n, %c0 : i32
    cf.cond_br %neg, ^early, ^go
  ^early:
    tt.return
  ^go:
    %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r:2 = scf.while (%i = %c0, %t = %range) : (i32, tensor<32xi32>) -> (i32, tensor<32xi32>) {
      %cond = arith.cmpi slt, %i, %n : i32
      scf.condition(%cond) %i, %t : i32, tensor<32xi32>
    } do {
    ^bb0(%i: i32, %t: tensor<32xi32>):
      %i1 = arith.addi %i, %c1 : i32
      %t1 = arith.addi %t, %t : tensor<32xi32>
      scf.yield %i1, %t1 : i32, tensor<32xi32>
    }
    %c3 = arith.constant 3 : i32
    %big = arith.cmpi sgt, %n, %c3 : i32
    %res = scf.if %big -> (tensor<32xi32>) {
      %h = arith.constant dense<-1> : tensor<32xi32>
      %x = arith.xori %r#1, %h : tensor<32xi32>
      scf.yield %x : tensor<32xi32>
    } else {
      scf.yield %r#1 : tensor<32xi32>
    }
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %op = tt.addptr %os, %range : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %op, %res : tensor<32x!tt.ptr<i32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {-1, 0, 1, 3, 5}) {
      std::vector<int32_t> out(32, -7);
      kernel.run({1}, out.data(), int32_t(n));
      for (int i = 0; i < 32; ++i)
        ASSERT_EQ(out[i], n < 0 ? -7 : n > 3 ? ~(i << n) : i << n) << n;
    }
  });
}

TEST(ControlFlow, CallsFunctionsWithTensors) {
  const char *ir = R"(
module {
  tt.func private @inner(%t: tensor<64xf32>, %s: f32) -> (tensor<64xf32>, f32) attributes {noinline = true} {
    %ss = tt.splat %s : f32 -> tensor<64xf32>
    %m = arith.mulf %t, %ss : tensor<64xf32>
    %sum = "tt.reduce"(%m) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tt.reduce.return %q : f32
    }) : (tensor<64xf32>) -> f32
    tt.return %m, %sum : tensor<64xf32>, f32
  }
  tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %s: f32) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
    %c:2 = tt.call @inner(%v, %s) : (tensor<64xf32>, f32) -> (tensor<64xf32>, f32)
    %d:2 = tt.call @inner(%c#0, %s) : (tensor<64xf32>, f32) -> (tensor<64xf32>, f32)
    %ts = tt.splat %c#1 : f32 -> tensor<64xf32>
    %w = arith.addf %d#0, %ts : tensor<64xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %op, %w : tensor<64x!tt.ptr<f32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<float> x(64), out(64);
    for (int i = 0; i < 64; ++i)
      x[i] = i;
    kernel.run({1}, x.data(), out.data(), 2.0f);
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], i * 4.0f + 63 * 64.0f);
  });
}

// C = A * B over blocks of K, with pointer tiles that the loop advances, and edges masked.
std::string matmulKernel(const std::string &type, int block) {
  std::string m = std::to_string(block), mm = m + "x" + m + "x";
  std::string s = R"(
module {
  tt.func public @k(%a: !tt.ptr<T>, %b: !tt.ptr<T>, %c: !tt.ptr<T>, %M: i32, %N: i32, %K: i32) {
    %c0 = arith.constant 0 : i32
    %cB = arith.constant BLK : i32
    %zero = arith.constant dense<0.0> : tensor<SHf32>
    %zt = arith.constant dense<0.0> : tensor<SHT>
    %pm = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %r = tt.make_range {end = BLK : i32, start = 0 : i32} : tensor<BLKxi32>
    %m0 = arith.muli %pm, %cB : i32
    %n0 = arith.muli %pn, %cB : i32
    %m0s = tt.splat %m0 : i32 -> tensor<BLKxi32>
    %n0s = tt.splat %n0 : i32 -> tensor<BLKxi32>
    %om = arith.addi %m0s, %r : tensor<BLKxi32>
    %on = arith.addi %n0s, %r : tensor<BLKxi32>
    %om2 = tt.expand_dims %om {axis = 1 : i32} : tensor<BLKxi32> -> tensor<BLKx1xi32>
    %on2 = tt.expand_dims %on {axis = 0 : i32} : tensor<BLKxi32> -> tensor<1xBLKxi32>
    %k2 = tt.expand_dims %r {axis = 0 : i32} : tensor<BLKxi32> -> tensor<1xBLKxi32>
    %k1 = tt.expand_dims %r {axis = 1 : i32} : tensor<BLKxi32> -> tensor<BLKx1xi32>
    %Ks = tt.splat %K : i32 -> tensor<BLKx1xi32>
    %Ns = tt.splat %N : i32 -> tensor<BLKx1xi32>
    %ar = arith.muli %om2, %Ks : tensor<BLKx1xi32>
    %arb = tt.broadcast %ar : tensor<BLKx1xi32> -> tensor<SHi32>
    %k2b = tt.broadcast %k2 : tensor<1xBLKxi32> -> tensor<SHi32>
    %ao = arith.addi %arb, %k2b : tensor<SHi32>
    %as = tt.splat %a : !tt.ptr<T> -> tensor<SH!tt.ptr<T>>
    %ap0 = tt.addptr %as, %ao : tensor<SH!tt.ptr<T>>, tensor<SHi32>
    %br = arith.muli %k1, %Ns : tensor<BLKx1xi32>
    %brb = tt.broadcast %br : tensor<BLKx1xi32> -> tensor<SHi32>
    %on2b = tt.broadcast %on2 : tensor<1xBLKxi32> -> tensor<SHi32>
    %bo = arith.addi %brb, %on2b : tensor<SHi32>
    %bs = tt.splat %b : !tt.ptr<T> -> tensor<SH!tt.ptr<T>>
    %bp0 = tt.addptr %bs, %bo : tensor<SH!tt.ptr<T>>, tensor<SHi32>
    %Ms = tt.splat %M : i32 -> tensor<BLKx1xi32>
    %Nr = tt.splat %N : i32 -> tensor<1xBLKxi32>
    %mm = arith.cmpi slt, %om2, %Ms : tensor<BLKx1xi32>
    %nm = arith.cmpi slt, %on2, %Nr : tensor<1xBLKxi32>
    %mmb = tt.broadcast %mm : tensor<BLKx1xi1> -> tensor<SHi1>
    %nmb = tt.broadcast %nm : tensor<1xBLKxi1> -> tensor<SHi1>
    %step = arith.constant dense<BLK> : tensor<SHi32>
    %bstep = arith.muli %N, %cB : i32
    %bsteps = tt.splat %bstep : i32 -> tensor<SHi32>
    %loop:3 = scf.for %k = %c0 to %K step %cB iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0) -> (tensor<SHf32>, tensor<SH!tt.ptr<T>>, tensor<SH!tt.ptr<T>>) : i32 {
      %left = arith.subi %K, %k : i32
      %lefts = tt.splat %left : i32 -> tensor<1xBLKxi32>
      %kml = arith.cmpi slt, %k2, %lefts : tensor<1xBLKxi32>
      %leftc = tt.splat %left : i32 -> tensor<BLKx1xi32>
      %kmr = arith.cmpi slt, %k1, %leftc : tensor<BLKx1xi32>
      %kmlb = tt.broadcast %kml : tensor<1xBLKxi1> -> tensor<SHi1>
      %kmrb = tt.broadcast %kmr : tensor<BLKx1xi1> -> tensor<SHi1>
      %am = arith.andi %mmb, %kmlb : tensor<SHi1>
      %bm = arith.andi %kmrb, %nmb : tensor<SHi1>
      %av = tt.load %ap, %am, %zt : tensor<SH!tt.ptr<T>>
      %bv = tt.load %bp, %bm, %zt : tensor<SH!tt.ptr<T>>
      %d = tt.dot %av, %bv, %acc, inputPrecision = tf32 : tensor<SHT> * tensor<SHT> -> tensor<SHf32>
      %apn = tt.addptr %ap, %step : tensor<SH!tt.ptr<T>>, tensor<SHi32>
      %bpn = tt.addptr %bp, %bsteps : tensor<SH!tt.ptr<T>>, tensor<SHi32>
      scf.yield %d, %apn, %bpn : tensor<SHf32>, tensor<SH!tt.ptr<T>>, tensor<SH!tt.ptr<T>>
    }
CONVERT
    %mask = arith.andi %mmb, %nmb : tensor<SHi1>
    %cr = arith.muli %om2, %Ns : tensor<BLKx1xi32>
    %crb = tt.broadcast %cr : tensor<BLKx1xi32> -> tensor<SHi32>
    %co = arith.addi %crb, %on2b : tensor<SHi32>
    %cs = tt.splat %c : !tt.ptr<T> -> tensor<SH!tt.ptr<T>>
    %cp = tt.addptr %cs, %co : tensor<SH!tt.ptr<T>>, tensor<SHi32>
    tt.store %cp, RESULT, %mask : tensor<SH!tt.ptr<T>>
    tt.return
  }
})";
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
      s.replace(at, from.size(), to);
  };
  replace("CONVERT", type == "f32" ? "" : "    %cc = arith.truncf %loop#0 : tensor<SHf32> to tensor<SHT>");
  replace("RESULT", type == "f32" ? "%loop#0" : "%cc");
  replace("SHT", "SH" + type);
  replace("ptr<T>", "ptr<" + type + ">");
  replace("SH", mm);
  replace("BLK", m);
  return s;
}

TEST(ControlFlow, MultipliesMatricesInBlocks) {
  for (int block : {16, 32})
    for (bool half : {false, true})
      forEachLevel([&](const std::string &level) {
        Kernel kernel(matmulKernel(half ? "f16" : "f32", block), level);
        ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
        for (auto size : {std::tuple(16, 16, 16), {33, 47, 70}, {1, 64, 5}, {64, 1, 32}}) {
          int m = std::get<0>(size), n = std::get<1>(size), k = std::get<2>(size);
          // Multiples of 1/8 whose sums a float holds: what is rounded is the result alone.
          auto run = [&](auto &a, auto &b, auto &c, auto to, auto from) {
            for (int i = 0; i < m * k; ++i)
              a[i] = to(float((i * 7) % 11 - 5) * 0.25f);
            for (int i = 0; i < k * n; ++i)
              b[i] = to(float((i * 5) % 13 - 6) * 0.5f);
            kernel.run({uint32_t((m + block - 1) / block), uint32_t((n + block - 1) / block)}, a.data(),
                       b.data(), c.data(), int32_t(m), int32_t(n), int32_t(k));
            for (int i = 0; i < m; ++i)
              for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int l = 0; l < k; ++l)
                  sum += double(from(a[i * k + l])) * from(b[l * n + j]);
                ASSERT_EQ(from(c[i * n + j]), from(to(float(sum)))) << i << "," << j;
              }
          };
          if (half) {
            GuardedArray<uint16_t> a(m * k), b(k * n), c(m * n);
            run(a, b, c, [](float x) { return toHalf(x); }, [](uint16_t x) { return fromHalf(x); });
          } else {
            GuardedArray<float> a(m * k), b(k * n), c(m * n);
            run(a, b, c, [](float x) { return x; }, [](float x) { return x; });
          }
        }
      });
}

// Scalar code that branches, run for each element.
TEST(ControlFlow, MapsScalarCode) {
  const char *ir = R"(
module {
  tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %a = tt.load %xp : tensor<64x!tt.ptr<i32>>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %b = tt.load %yp : tensor<64x!tt.ptr<i32>>
    %r = "tt.map_elementwise"(%a, %b) <{pack = 1 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %less = arith.cmpi slt, %p, %q : i32
      cf.cond_br %less, ^bb1, ^bb2
    ^bb1:
      %d = arith.muli %p, %c2 : i32
      cf.br ^bb3(%d : i32)
    ^bb2:
      %e = arith.addi %q, %c1 : i32
      cf.br ^bb3(%e : i32)
    ^bb3(%f: i32):
      tt.map_elementwise.return %f : i32
    }) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %op = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %op, %r : tensor<64x!tt.ptr<i32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<int32_t> x(64), y(64), out(64);
    for (int i = 0; i < 64; ++i) {
      x[i] = i * 7 % 64;
      y[i] = i;
    }
    kernel.run({1}, x.data(), y.data(), out.data());
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], x[i] < y[i] ? x[i] * 2 : y[i] + 1);
  });
}

// Elements of 4 bits on the left, of 8 on the right, a scale for each run of 32.
TEST(ControlFlow, MultipliesScaledOperands) {
  const char *ir = R"(
module {
  tt.func public @dots(%a_ptr: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %as_ptr: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %bs_ptr: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c = arith.constant dense<0.000000e+00> : tensor<128x32xf32>
    %sb = arith.constant dense<4> : tensor<32x1xi32>
    %sa = arith.constant dense<4> : tensor<128x1xi32>
    %cst = arith.constant dense<32> : tensor<128x1xi32>
    %a = arith.constant dense<64> : tensor<128x1xi32>
    %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %kp = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ks = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %a_0 = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %a_1 = arith.muli %a_0, %a : tensor<128x1xi32>
    %a_2 = tt.splat %a_ptr : !tt.ptr<i8> -> tensor<128x1x!tt.ptr<i8>>
    %a_3 = tt.addptr %a_2, %a_1 : tensor<128x1x!tt.ptr<i8>>, tensor<128x1xi32>
    %a_4 = tt.expand_dims %kp {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %a_5 = tt.broadcast %a_3 : tensor<128x1x!tt.ptr<i8>> -> tensor<128x64x!tt.ptr<i8>>
    %a_6 = tt.broadcast %a_4 : tensor<1x64xi32> -> tensor<128x64xi32>
    %a_7 = tt.addptr %a_5, %a_6 : tensor<128x64x!tt.ptr<i8>>, tensor<128x64xi32>
    %a_8 = tt.load %a_7 : tensor<128x64x!tt.ptr<i8>>
    %b = arith.muli %a_0, %cst : tensor<128x1xi32>
    %b_9 = tt.splat %b_ptr : !tt.ptr<f8E4M3FN> -> tensor<128x1x!tt.ptr<f8E4M3FN>>
    %b_10 = tt.addptr %b_9, %b : tensor<128x1x!tt.ptr<f8E4M3FN>>, tensor<128x1xi32>
    %b_11 = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %b_12 = tt.broadcast %b_10 : tensor<128x1x!tt.ptr<f8E4M3FN>> -> tensor<128x32x!tt.ptr<f8E4M3FN>>
    %b_13 = tt.broadcast %b_11 : tensor<1x32xi32> -> tensor<128x32xi32>
    %b_14 = tt.addptr %b_12, %b_13 : tensor<128x32x!tt.ptr<f8E4M3FN>>, tensor<128x32xi32>
    %b_15 = tt.load %b_14 : tensor<128x32x!tt.ptr<f8E4M3FN>>
    %sa_16 = arith.muli %a_0, %sa : tensor<128x1xi32>
    %sa_17 = tt.splat %as_ptr : !tt.ptr<i8> -> tensor<128x1x!tt.ptr<i8>>
    %sa_18 = tt.addptr %sa_17, %sa_16 : tensor<128x1x!tt.ptr<i8>>, tensor<128x1xi32>
    %sa_19 = tt.expand_dims %ks {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %sa_20 = tt.broadcast %sa_18 : tensor<128x1x!tt.ptr<i8>> -> tensor<128x4x!tt.ptr<i8>>
    %sa_21 = tt.broadcast %sa_19 : tensor<1x4xi32> -> tensor<128x4xi32>
    %sa_22 = tt.addptr %sa_20, %sa_21 : tensor<128x4x!tt.ptr<i8>>, tensor<128x4xi32>
    %sa_23 = tt.load %sa_22 : tensor<128x4x!tt.ptr<i8>>
    %sb_24 = tt.expand_dims %n {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %sb_25 = arith.muli %sb_24, %sb : tensor<32x1xi32>
    %sb_26 = tt.splat %bs_ptr : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %sb_27 = tt.addptr %sb_26, %sb_25 : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %sb_28 = tt.broadcast %sb_27 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x4x!tt.ptr<i8>>
    %sb_29 = tt.broadcast %sa_19 : tensor<1x4xi32> -> tensor<32x4xi32>
    %sb_30 = tt.addptr %sb_28, %sb_29 : tensor<32x4x!tt.ptr<i8>>, tensor<32x4xi32>
    %sb_31 = tt.load %sb_30 : tensor<32x4x!tt.ptr<i8>>
    %c_32 = tt.dot_scaled %a_8 scale %sa_23, %b_15 scale %sb_31, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<128x64xi8>, tensor<128x4xi8> * tensor<128x32xf8E4M3FN>, tensor<32x4xi8> -> tensor<128x32xf32>
    %0 = tt.splat %o_ptr : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %b : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
    %2 = tt.broadcast %1 : tensor<128x1x!tt.ptr<f32>> -> tensor<128x32x!tt.ptr<f32>>
    %3 = tt.addptr %2, %b_13 : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
    tt.store %3, %c_32 : tensor<128x32x!tt.ptr<f32>>
    tt.return
  }
}
)";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    const int m = 128, n = 32, k = 128;
    std::vector<uint8_t> a(m * k / 2), as(m * k / 32), b(k * n), bs(n * k / 32);
    std::vector<float> out(m * n);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = uint8_t(i * 37 + i / 64);
    for (size_t i = 0; i < as.size(); ++i)
      as[i] = uint8_t(120 + i % 13);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = uint8_t(i * 11 % 0x7F | (i % 3 ? 0 : 0x80));
    for (size_t i = 0; i < bs.size(); ++i)
      bs[i] = uint8_t(130 - i % 7);
    kernel.run({1}, a.data(), as.data(), b.data(), bs.data(), out.data());
    const double halves[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    auto float8 = [](uint8_t bits) {
      int exponent = bits >> 3 & 15, fraction = bits & 7;
      double value = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
      return bits & 0x80 ? -value : value;
    };
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0, magnitude = 0;
        for (int l = 0; l < k; ++l) {
          int bits = a[i * (k / 2) + l / 2] >> (l % 2 * 4) & 15;
          double x = (bits & 8 ? -1 : 1) * halves[bits & 7] * std::ldexp(1, as[i * (k / 32) + l / 32] - 127);
          double y = float8(b[l * n + j]) * std::ldexp(1, bs[j * (k / 32) + l / 32] - 127);
          sum += x * y;
          magnitude += std::fabs(x * y);
        }
        ASSERT_NEAR(out[i * n + j], sum, magnitude * 1e-6) << i << "," << j;
      }
  });
}

} // namespace
