// Loads and stores: masks, tails, order, and what must not be touched.
#include "KernelRunner.h"

#include <cmath>

using namespace nereid::test;

namespace {

const char *addKernel = R"(
module {
  tt.func public @add(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %n: i32) {
    %c1024_i32 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %offs = arith.muli %pid, %c1024_i32 : i32
    %offs_0 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %offs_1 = tt.splat %offs : i32 -> tensor<1024xi32>
    %offs_2 = arith.addi %offs_1, %offs_0 : tensor<1024xi32>
    %mask = tt.splat %n : i32 -> tensor<1024xi32>
    %mask_3 = arith.cmpi slt, %offs_2, %mask : tensor<1024xi32>
    %x = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %x_4 = tt.addptr %x, %offs_2 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x_5 = tt.load %x_4, %mask_3 : tensor<1024x!tt.ptr<f32>>
    %y = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %y_6 = tt.addptr %y, %offs_2 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %y_7 = tt.load %y_6, %mask_3 : tensor<1024x!tt.ptr<f32>>
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %1 = tt.addptr %0, %offs_2 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %2 = arith.addf %x_5, %y_7 : tensor<1024xf32>
    tt.store %1, %2, %mask_3 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
})";

TEST(Memory, AddsAnyLengthWithoutTouchingMore) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(addKernel, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {0, 1, 2, 7, 31, 33, 1000, 1023, 1024, 1025, 5000}) {
      for (bool atStart : {false, true}) {
        GuardedArray<float> x(n, atStart), y(n, atStart), out(n, atStart);
        for (int i = 0; i < n; ++i) {
          x[i] = i * 0.5f;
          y[i] = 3 - i;
        }
        kernel.run({uint32_t((n + 1023) / 1024 + 1)}, x.data(), y.data(), out.data(), int32_t(n));
        for (int i = 0; i < n; ++i)
          ASSERT_EQ(out[i], x[i] + y[i]) << "element " << i << " of " << n;
      }
    }
  });
}

TEST(Memory, RunsOnlyTheProgramsOfItsRange) {
  Kernel kernel(addKernel, getTestedLevels().back());
  std::vector<float> x(4096, 1.0f), y(4096, 2.0f), out(4096, 0.0f);
  float *xp = x.data(), *yp = y.data(), *outp = out.data();
  int32_t n = 4096;
  kernel.runPrograms({4}, {&xp, &yp, &outp, &n}, 1, 3);
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(out[i], i >= 1024 && i < 3072 ? 3.0f : 0.0f) << i;
}

TEST(Memory, NumbersProgramsXFastest) {
  const char *ir = R"(
module {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %nx = tt.get_num_programs x : i32
    %ny = tt.get_num_programs y : i32
    %nz = tt.get_num_programs z : i32
    %a = arith.muli %z, %ny : i32
    %b = arith.addi %a, %y : i32
    %c = arith.muli %b, %nx : i32
    %d = arith.addi %c, %x : i32
    %q = tt.addptr %p, %d : !tt.ptr<i32>, i32
    %c100 = arith.constant 100 : i32
    %e = arith.muli %y, %c100 : i32
    %c10000 = arith.constant 10000 : i32
    %f = arith.muli %z, %c10000 : i32
    %g = arith.addi %e, %f : i32
    %h = arith.addi %g, %x : i32
    tt.store %q, %h : !tt.ptr<i32>
    tt.return
  }
})";
  Kernel kernel(ir, getTestedLevels().front());
  std::vector<int32_t> out(3 * 4 * 5, -1);
  int32_t *p = out.data();
  for (uint64_t first : {0, 7, 25, 59}) // in pieces, as threads do
    kernel.runPrograms({3, 4, 5}, {&p}, first, first == 0 ? 7 : first == 7 ? 25 : first == 25 ? 59 : 60);
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x)
        EXPECT_EQ(out[(z * 4 + y) * 3 + x], z * 10000 + y * 100 + x);
}

// A tile of rows and columns, both masked, transposed on the way.
TEST(Memory, TransposesMaskedTiles) {
  const char *ir = R"(
module {
  tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %ms = tt.splat %m : i32 -> tensor<16x1xi32>
    %ns = tt.splat %n : i32 -> tensor<1x32xi32>
    %rm = arith.cmpi slt, %r2, %ms : tensor<16x1xi32>
    %cm = arith.cmpi slt, %c2, %ns : tensor<1x32xi32>
    %rmb = tt.broadcast %rm : tensor<16x1xi1> -> tensor<16x32xi1>
    %cmb = tt.broadcast %cm : tensor<1x32xi1> -> tensor<16x32xi1>
    %mask = arith.andi %rmb, %cmb : tensor<16x32xi1>
    %nr = tt.splat %n : i32 -> tensor<16x1xi32>
    %ro = arith.muli %r2, %nr : tensor<16x1xi32>
    %rob = tt.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
    %cb = tt.broadcast %c2 : tensor<1x32xi32> -> tensor<16x32xi32>
    %o = arith.addi %rob, %cb : tensor<16x32xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %o : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %v = tt.load %xp, %mask : tensor<16x32x!tt.ptr<f32>>
    %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
    %tmask = tt.trans %mask {order = array<i32: 1, 0>} : tensor<16x32xi1> -> tensor<32x16xi1>
    %c3 = tt.expand_dims %c {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %mr = tt.splat %m : i32 -> tensor<32x1xi32>
    %co = arith.muli %c3, %mr : tensor<32x1xi32>
    %r3 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %cob = tt.broadcast %co : tensor<32x1xi32> -> tensor<32x16xi32>
    %r3b = tt.broadcast %r3 : tensor<1x16xi32> -> tensor<32x16xi32>
    %to = arith.addi %cob, %r3b : tensor<32x16xi32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
    %op = tt.addptr %os, %to : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
    tt.store %op, %t, %tmask : tensor<32x16x!tt.ptr<f32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (auto [m, n] : {std::pair(16, 32), {1, 1}, {5, 31}, {15, 9}, {16, 3}, {0, 7}, {3, 0}}) {
      GuardedArray<float> x(m * n), out(m * n);
      for (int i = 0; i < m * n; ++i)
        x[i] = i + 1;
      kernel.run({1}, x.data(), out.data(), int32_t(m), int32_t(n));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          ASSERT_EQ(out[j * m + i], x[i * n + j]) << m << "x" << n << " at " << i << "," << j;
    }
  });
}

// A load before a store that changes what was loaded; the value is used after the store.
TEST(Memory, KeepsLoadsBeforeStores) {
  const char *ir = R"(
module {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %qp = tt.addptr %qs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %old = tt.load %pp : tensor<64x!tt.ptr<f32>>
    %c = arith.constant dense<7.0> : tensor<64xf32>
    tt.store %pp, %c : tensor<64x!tt.ptr<f32>>
    %new = tt.load %pp : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %old, %new : tensor<64xf32>
    tt.store %qp, %sum : tensor<64x!tt.ptr<f32>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    std::vector<float> p(64), q(64);
    for (int i = 0; i < 64; ++i)
      p[i] = i;
    kernel.run({1}, p.data(), q.data());
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(p[i], 7.0f);
      ASSERT_EQ(q[i], i + 7.0f);
    }
  });
}

// Offsets from memory: a gather and a scatter, with a mask that is no prefix.
TEST(Memory, GathersAndScatters) {
  const char *ir = R"(
module {
  tt.func public @k(%x: !tt.ptr<f16>, %idx: !tt.ptr<i32>, %out: !tt.ptr<f16>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %is = tt.splat %idx : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %ip = tt.addptr %is, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %i = tt.load %ip : tensor<128x!tt.ptr<i32>>
    %zero = arith.constant dense<0> : tensor<128xi32>
    %mask = arith.cmpi sge, %i, %zero : tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %other = arith.constant dense<-1.0> : tensor<128xf16>
    %v = tt.load %xp, %mask, %other : tensor<128x!tt.ptr<f16>>
    %os = tt.splat %out : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %op = tt.addptr %os, %i : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %d = arith.addf %v, %v : tensor<128xf16>
    tt.store %op, %d, %mask : tensor<128x!tt.ptr<f16>>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    GuardedArray<uint16_t> x(64), out(64);
    std::vector<int32_t> index(128, -1000000);
    for (int i = 0; i < 64; ++i)
      x[i] = toHalf(i * 0.25);
    for (int i = 0; i < 32; ++i)
      index[i * 3] = 63 - 2 * i;
    kernel.run({1}, x.data(), index.data(), out.data());
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(fromHalf(out[i]), i % 2 ? i * 0.5f : 0.0f) << i;
  });
}

// The sum of a whole tile runs over it as one row, of which neither mask covers a first part.
TEST(Memory, SumOfAMaskedTileSeenAsOneRow) {
  const char *ir = R"(
module {
  tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %ns = tt.splat %n : i32 -> tensor<32xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<32xi32>
    %mr = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %mc = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %mrb = tt.broadcast %mr : tensor<32x1xi1> -> tensor<32x32xi1>
    %mcb = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %mask = arith.andi %mrb, %mcb : tensor<32x32xi1>
    %r = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %c = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %nr = tt.splat %n : i32 -> tensor<32x1xi32>
    %ro = arith.muli %r, %nr : tensor<32x1xi32>
    %rb = tt.broadcast %ro : tensor<32x1xi32> -> tensor<32x32xi32>
    %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<32x32xi32>
    %o = arith.addi %rb, %cb : tensor<32x32xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %o : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %v = tt.load %xp, %mask, %zero : tensor<32x32x!tt.ptr<f32>>
    %flat = tt.reshape %v : tensor<32x32xf32> -> tensor<1024xf32>
    %s = "tt.reduce"(%flat) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {0, 1, 7, 31, 32}) {
      GuardedArray<float> x(n * n);
      float sum = 0, result = -1;
      for (int i = 0; i < n * n; ++i)
        sum += x[i] = float(i % 11 - 3);
      kernel.run({1}, x.data(), &result, n);
      EXPECT_EQ(result, sum) << n;
    }
  });
}

// Columns counted modulo n, as matrix products do at the edge: rows that wrap around and rows that do not, of
// a tile whose remainders have a buffer (the loop) and of one whose have none.
TEST(Memory, ColumnsThatWrapAround) {
  auto text = [](const std::string &remainder) {
    return R"(
module {
  tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %start: i32, %n: i32, %stride: i32, %steps: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<4x128xf32>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %s = tt.splat %start : i32 -> tensor<128xi32>
    %at = arith.addi %s, %i : tensor<128xi32>
    %ns = tt.splat %n : i32 -> tensor<128xi32>
    %c = )" +
           remainder + R"( %at, %ns : tensor<128xi32>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %cb = tt.broadcast %c2 : tensor<1x128xi32> -> tensor<4x128xi32>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %ss = tt.splat %stride : i32 -> tensor<4x1xi32>
    %ro = arith.muli %r2, %ss : tensor<4x1xi32>
    %rb = tt.broadcast %ro : tensor<4x1xi32> -> tensor<4x128xi32>
    %o = arith.addi %rb, %cb : tensor<4x128xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x128x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %o : tensor<4x128x!tt.ptr<f32>>, tensor<4x128xi32>
    %first = tt.load %xp : tensor<4x128x!tt.ptr<f32>>
    %sum = scf.for %k = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<4x128xf32>) : i32 {
      %v = tt.load %xp : tensor<4x128x!tt.ptr<f32>>
      %next = arith.addf %acc, %v : tensor<4x128xf32>
      scf.yield %next : tensor<4x128xf32>
    }
    %all = arith.addf %sum, %first : tensor<4x128xf32>
    %width = arith.constant dense<128> : tensor<4x1xi32>
    %oo = arith.muli %r2, %width : tensor<4x1xi32>
    %i2 = tt.expand_dims %i {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %ob = tt.broadcast %oo : tensor<4x1xi32> -> tensor<4x128xi32>
    %ib = tt.broadcast %i2 : tensor<1x128xi32> -> tensor<4x128xi32>
    %oi = arith.addi %ob, %ib : tensor<4x128xi32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<4x128x!tt.ptr<f32>>
    %op = tt.addptr %os, %oi : tensor<4x128x!tt.ptr<f32>>, tensor<4x128xi32>
    tt.store %op, %all : tensor<4x128x!tt.ptr<f32>>
    tt.return
  }
})";
  };
  for (const char *remainder : {"arith.remsi", "arith.remui"})
    forEachLevel([&](const std::string &level) {
      Kernel kernel(text(remainder), level);
      ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
      EXPECT_NE(kernel.getLLVMIR().find("wrapped:"), std::string::npos) << "no contiguous rows";
      for (int n : {1, 100, 128, 200, 1000})
        for (int start : {0, 1, 72, 73, 872, 873, 999, 2500, -50}) {
          if (start < 0 && remainder == std::string("arith.remui"))
            continue;
          // Remainders of negative numbers are negative, so the row begins in the middle.
          GuardedArray<float> x(8 * n), out(4 * 128);
          for (int i = 0; i < 8 * n; ++i)
            x[i] = float(i);
          kernel.run({1}, x.data() + n - 1, out.data(), start, n, 2 * n, 2);
          for (int row = 0; row < 4; ++row)
            for (int i = 0; i < 128; ++i)
              ASSERT_EQ(out[row * 128 + i], 3 * x[n - 1 + row * 2 * n + (start + i) % n])
                  << "n = " << n << ", start = " << start << ", row " << row << ", column " << i;
        }
    });
}

} // namespace
