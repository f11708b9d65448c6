// Matrix products, run on the host and compared with sums in double precision.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include "llvm/ADT/APFloat.h"
#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace nereid::gpu;

namespace {

/// Warps, and lanes of a warp.
class Product : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

/// out = x * y + c for row-major matrices [M, K] and [K, N] of $A, and [M, N] of $C.
/// `options` follow the operands of tt.dot.
std::string productKernel(const std::string &a, const std::string &c, unsigned m, unsigned n, unsigned k,
                          const std::string &options = "") {
  auto tile = [](const std::string &name, const std::string &rows, const std::string &columns,
                 const std::string &type) {
    return substitute(R"(
    %$Pr = tt.make_range {start = 0 : i32, end = $R : i32} : tensor<$Rxi32>
    %$Pc = tt.make_range {start = 0 : i32, end = $C : i32} : tensor<$Cxi32>
    %$Pre = tt.expand_dims %$Pr {axis = 1 : i32} : tensor<$Rxi32> -> tensor<$Rx1xi32>
    %$Pce = tt.expand_dims %$Pc {axis = 0 : i32} : tensor<$Cxi32> -> tensor<1x$Cxi32>
    %$Pw = arith.constant dense<$C> : tensor<$Rx1xi32>
    %$Prw = arith.muli %$Pre, %$Pw : tensor<$Rx1xi32>
    %$Prb = tt.broadcast %$Prw : tensor<$Rx1xi32> -> tensor<$Rx$Cxi32>
    %$Pcb = tt.broadcast %$Pce : tensor<1x$Cxi32> -> tensor<$Rx$Cxi32>
    %$Po = arith.addi %$Prb, %$Pcb : tensor<$Rx$Cxi32>
    %$Ps = tt.splat %$P : !tt.ptr<$T> -> tensor<$Rx$Cx!tt.ptr<$T>>
    %$Pp = tt.addptr %$Ps, %$Po : tensor<$Rx$Cx!tt.ptr<$T>>, tensor<$Rx$Cxi32>
    %$Pv = tt.load %$Pp : tensor<$Rx$Cx!tt.ptr<$T>>)",
                      {{"P", name}, {"R", rows}, {"C", columns}, {"T", type}});
  };
  std::string rows = std::to_string(m), columns = std::to_string(n), depth = std::to_string(k);
  return substitute("module {\n  tt.func public @kernel(%x: !tt.ptr<$A> {tt.divisibility = 16 : i32}, "
                    "%y: !tt.ptr<$A> {tt.divisibility = 16 : i32}, %c: !tt.ptr<$C>) {",
                    {{"A", a}, {"C", c}}) +
         tile("x", rows, depth, a) + tile("y", depth, columns, a) + tile("c", rows, columns, c) +
         substitute(R"(
    %d = tt.dot %xv, %yv, %cv$O : tensor<$Mx$Kx$A> * tensor<$Kx$Nx$A> -> tensor<$Mx$Nx$C>
    tt.store %cp, %d : tensor<$Mx$Nx!tt.ptr<$C>>
    tt.return
  }
})",
                    {{"M", rows}, {"N", columns}, {"K", depth}, {"A", a}, {"C", c}, {"O", options}});
}

/// Small whole numbers, whose sums are exact in every type.
template <typename T> std::vector<T> makeNumbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(int(random() % 9) - 4);
  return values;
}

template <typename A, typename C> struct Case {
  std::vector<A> x, y;
  std::vector<C> c, expected;
  unsigned m, n, k;
  Case(unsigned m, unsigned n, unsigned k)
      : x(makeNumbers<A>(m * k, 1)), y(makeNumbers<A>(k * n, 2)), c(makeNumbers<C>(m * n, 3)), expected(c),
        m(m), n(n), k(k) {
    for (unsigned row = 0; row < m; ++row)
      for (unsigned column = 0; column < n; ++column)
        for (unsigned step = 0; step < k; ++step)
          expected[row * n + column] += C(x[row * k + step]) * C(y[step * n + column]);
  }
  void check(const std::string &a, const std::string &cType, std::pair<unsigned, unsigned> shape,
             const std::string &options = "") {
    void *xPointer = x.data(), *yPointer = y.data(), *cPointer = c.data();
    ASSERT_EQ(runOnHost(productKernel(a, cType, m, n, k, options), {&xPointer, &yPointer, &cPointer}, {},
                        nullptr, shape.second, shape.first),
              "");
    EXPECT_EQ(c, expected);
  }
};

} // namespace

TEST_P(Product, OfFloats) {
  Case<float, float>(16, 16, 16).check("f32", "f32", GetParam());
  Case<float, float>(64, 32, 8).check("f32", "f32", GetParam());
  Case<float, float>(128, 64, 32).check("f32", "f32", GetParam());
}

TEST_P(Product, OfFloatsAsTF32) {
  Case<float, float>(16, 8, 8).check("f32", "f32", GetParam(), ", inputPrecision = tf32");
  Case<float, float>(128, 64, 32).check("f32", "f32", GetParam(), ", inputPrecision = tf32");
}

TEST_P(Product, OfDoubles) { Case<double, double>(32, 16, 64).check("f64", "f64", GetParam()); }

TEST_P(Product, OfBytes) {
  Case<int8_t, int32_t>(32, 64, 32).check("i8", "i32", GetParam());
  Case<int8_t, int32_t>(16, 128, 64).check("i8", "i32", GetParam());
}

// A chain as in attention: what one product gives is another's left operand, with element-wise work between
// them.
TEST_P(Product, OfAProduct) {
  constexpr unsigned n = 64;
  std::string load = R"(
    %$Ps = tt.splat %$P : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %$Pp = tt.addptr %$Ps, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %$Pv = tt.load %$Pp : tensor<64x64x!tt.ptr<f32>>
    %$Ph = arith.truncf %$Pv : tensor<64x64xf32> to tensor<64x64xf16>)";
  std::string ir = R"(
module {
  tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %rc = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %rr = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %w = arith.constant dense<64> : tensor<64x1xi32>
    %row = arith.muli %rc, %w : tensor<64x1xi32>
    %rowb = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
    %colb = tt.broadcast %rr : tensor<1x64xi32> -> tensor<64x64xi32>
    %o = arith.addi %rowb, %colb : tensor<64x64xi32>)" +
                   substitute(load, {{"P", "x"}}) + substitute(load, {{"P", "y"}}) +
                   substitute(load, {{"P", "z"}}) + R"(
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tt.dot %xh, %yh, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    %e = arith.addf %d, %one : tensor<64x64xf32>
    %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %f = tt.dot %h, %zh, %d : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %cp, %f : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
})";
  // Sums stay below 2048, so that f16 holds them exactly.
  std::vector<float> x = makeNumbers<float>(n * n, 1), y = makeNumbers<float>(n * n, 2),
                     z = makeNumbers<float>(n * n, 3), c(n * n, NAN), first(n * n), expected(n * n);
  for (unsigned row = 0; row < n; ++row)
    for (unsigned column = 0; column < n; ++column)
      for (unsigned k = 0; k < n; ++k)
        first[row * n + column] += x[row * n + k] * y[k * n + column];
  for (unsigned row = 0; row < n; ++row)
    for (unsigned column = 0; column < n; ++column) {
      expected[row * n + column] = first[row * n + column];
      for (unsigned k = 0; k < n; ++k)
        expected[row * n + column] += (first[row * n + k] + 1) * z[k * n + column];
    }
  void *xPointer = x.data(), *yPointer = y.data(), *zPointer = z.data(), *cPointer = c.data();
  auto [numWarps, warpSize] = GetParam();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &yPointer, &zPointer, &cPointer}, {}, nullptr, warpSize, numWarps), "");
  EXPECT_EQ(c, expected);
}

TEST_P(Product, OfHalvesIsRoundedBehindEachStep) {
  constexpr unsigned m = 32, n = 32, k = 64, depthOfStep = 16;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  using llvm::APFloat;
  auto toHalf = [](double value) {
    APFloat number(value);
    bool losesInfo;
    number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
    return uint16_t(number.bitcastToAPInt().getZExtValue());
  };
  auto toDouble = [](uint16_t bits) {
    APFloat number(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  };
  std::vector<uint16_t> x(m * k), y(k * n), c(m * n);
  for (auto *list : {&x, &y, &c})
    for (uint16_t &value : *list)
      value = toHalf(normal(random));
  // What is rounded to an f16 is off by at most half a unit in its last place, of 11 bits.
  std::vector<double> exact(m * n), allowed(m * n, 1e-5);
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      double &sum = exact[row * n + column] = toDouble(c[row * n + column]);
      for (unsigned step = 0; step < k; ++step) {
        sum += toDouble(x[row * k + step]) * toDouble(y[step * n + column]);
        if (step % depthOfStep == depthOfStep - 1)
          allowed[row * n + column] += std::fabs(sum) * 0x1p-11 * 1.01;
      }
    }
  void *xPointer = x.data(), *yPointer = y.data(), *cPointer = c.data();
  auto [numWarps, warpSize] = GetParam();
  ASSERT_EQ(runOnHost(productKernel("f16", "f16", m, n, k), {&xPointer, &yPointer, &cPointer}, {}, nullptr,
                      warpSize, numWarps),
            "");
  for (unsigned i = 0; i < c.size(); ++i)
    EXPECT_NEAR(toDouble(c[i]), exact[i], allowed[i]);
}

// Programs that take tile after tile: the first copies for the next one start before this one is stored, into
// buffers that its last product has just read.
TEST_P(Product, OfTileAfterTile) {
  const char *ir = R"(
module {
  tt.func public @kernel(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                         %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32, %depth: i32 {tt.divisibility = 16 : i32}) {
    %zero = arith.constant 0 : i32
    %size = arith.constant 32 : i32
    %none = arith.constant dense<0.0> : tensor<32x32xf32>
    %sizes = arith.constant dense<32> : tensor<32x1xi32>
    %first = tt.get_program_id x : i32
    %programs = tt.get_num_programs x : i32
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    %down = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %across = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %columns = tt.broadcast %across : tensor<1x32xi32> -> tensor<32x32xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %depths = tt.splat %depth : i32 -> tensor<32x1xi32>
    scf.for %tile = %first to %tiles step %programs : i32 {
      %top = arith.muli %tile, %size : i32
      %tops = tt.splat %top : i32 -> tensor<32x1xi32>
      %rows = arith.addi %tops, %down : tensor<32x1xi32>
      %begins = arith.muli %rows, %depths : tensor<32x1xi32>
      %of_rows = tt.broadcast %begins : tensor<32x1xi32> -> tensor<32x32xi32>
      %at = arith.addi %of_rows, %columns : tensor<32x32xi32>
      %pa = tt.addptr %as, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %sum = scf.for %k = %zero to %depth step %size iter_args(%s = %none) -> (tensor<32x32xf32>) : i32 {
        %ks = tt.splat %k : i32 -> tensor<32x32xi32>
        %pk = tt.addptr %pa, %ks : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
        %x = tt.load %pk : tensor<32x32x!tt.ptr<f16>>
        %kd = tt.splat %k : i32 -> tensor<32x1xi32>
        %steps = arith.addi %kd, %down : tensor<32x1xi32>
        %of_steps = arith.muli %steps, %sizes : tensor<32x1xi32>
        %of_b = tt.broadcast %of_steps : tensor<32x1xi32> -> tensor<32x32xi32>
        %in_b = arith.addi %of_b, %columns : tensor<32x32xi32>
        %pb = tt.addptr %bs, %in_b : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
        %y = tt.load %pb : tensor<32x32x!tt.ptr<f16>>
        %d = tt.dot %x, %y, %s : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
        scf.yield %d : tensor<32x32xf32>
      }
      %to = arith.muli %rows, %sizes : tensor<32x1xi32>
      %to_rows = tt.broadcast %to : tensor<32x1xi32> -> tensor<32x32xi32>
      %in_c = arith.addi %to_rows, %columns : tensor<32x32xi32>
      %pc = tt.addptr %cs, %in_c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      tt.store %pc, %sum : tensor<32x32x!tt.ptr<f32>>
    }
    tt.return
  }
}
)";
  constexpr unsigned size = 32;
  auto [numWarps, warpSize] = GetParam();
  // A loop of fewer rounds than are under way, and one of more.
  for (int32_t depth : {32, 160}) {
    int32_t tiles = 5;
    std::vector<uint16_t> x(tiles * size * depth), y(depth * size);
    // The halves 0 to 3.
    constexpr uint16_t halves[] = {0, 0x3C00, 0x4000, 0x4200};
    std::mt19937 random(3);
    std::vector<unsigned> xs(x.size()), ys(y.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = halves[xs[i] = random() % 4];
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = halves[ys[i] = random() % 4];
    std::vector<float> c(tiles * size * size, -1);
    void *xPointer = x.data(), *yPointer = y.data(), *cPointer = c.data();
    ASSERT_EQ(
        runOnHost(ir, {&xPointer, &yPointer, &cPointer, &tiles, &depth}, {2}, nullptr, warpSize, numWarps),
        "");
    for (unsigned row = 0; row < tiles * size; ++row)
      for (unsigned column = 0; column < size; ++column) {
        unsigned sum = 0;
        for (int32_t step = 0; step < depth; ++step)
          sum += xs[row * depth + step] * ys[step * size + column];
        ASSERT_EQ(c[row * size + column], float(sum)) << depth << ": " << row << ", " << column;
      }
  }
}

TEST_P(Product, OfSmallFloatsInABatch) {
  // [2, 16, 32] x [2, 32, 16]: the codes of small whole numbers in e4m3 are 0, 0x38 (1) and 0xB8 (-1).
  std::string ir = R"(
module {
  tt.func public @kernel(%x: !tt.ptr<f8E4M3FN>, %y: !tt.ptr<f8E4M3FN>, %c: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
    %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
    %xv = tt.load %xp : tensor<1024x!tt.ptr<f8E4M3FN>>
    %xr = tt.reshape %xv : tensor<1024xf8E4M3FN> -> tensor<2x16x32xf8E4M3FN>
    %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
    %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
    %yv = tt.load %yp : tensor<1024x!tt.ptr<f8E4M3FN>>
    %yr = tt.reshape %yv : tensor<1024xf8E4M3FN> -> tensor<2x32x16xf8E4M3FN>
    %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
    %d = tt.dot %xr, %yr, %zero : tensor<2x16x32xf8E4M3FN> * tensor<2x32x16xf8E4M3FN> -> tensor<2x16x16xf32>
    %flat = tt.reshape %d : tensor<2x16x16xf32> -> tensor<512xf32>
    %cr = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
    %cs = tt.splat %c : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %cp = tt.addptr %cs, %cr : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    tt.store %cp, %flat : tensor<512x!tt.ptr<f32>>
    tt.return
  }
})";
  constexpr uint8_t codes[] = {0, 0x38, 0xB8};
  constexpr float numbers[] = {0, 1, -1};
  std::mt19937 random(5);
  std::vector<uint8_t> x(1024), y(1024);
  std::vector<float> xNumbers(1024), yNumbers(1024), c(512), expected(512);
  for (unsigned i = 0; i < 1024; ++i) {
    unsigned left = random() % 3, right = random() % 3;
    x[i] = codes[left], xNumbers[i] = numbers[left];
    y[i] = codes[right], yNumbers[i] = numbers[right];
  }
  for (unsigned batch = 0; batch < 2; ++batch)
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 16; ++column)
        for (unsigned step = 0; step < 32; ++step)
          expected[(batch * 16 + row) * 16 + column] +=
              xNumbers[(batch * 16 + row) * 32 + step] * yNumbers[(batch * 32 + step) * 16 + column];
  void *xPointer = x.data(), *yPointer = y.data(), *cPointer = c.data();
  auto [numWarps, warpSize] = GetParam();
  ASSERT_EQ(runOnHost(ir, {&xPointer, &yPointer, &cPointer}, {}, nullptr, warpSize, numWarps), "");
  EXPECT_EQ(c, expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Product,
                         testing::Values(std::pair(1u, 32u), std::pair(4u, 32u), std::pair(8u, 32u),
                                         std::pair(2u, 64u)));
