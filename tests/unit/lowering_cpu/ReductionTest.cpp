// Reductions over each axis, with known and unknown combining regions; scans; whole kernels made of them.
#include "KernelRunner.h"

#include <cmath>
#include <numeric>

using namespace nereid::test;

namespace {

// A softmax of one row a program, as Triton prints it.
const char *softmaxKernel = R"(
module {
  tt.func public @softmax_kernel(%output_ptr: !tt.ptr<f32>, %input_ptr: !tt.ptr<f32>, %input_row_stride: i32, %output_row_stride: i32, %n_rows: i32, %n_cols: i32) {
    %cst = arith.constant dense<0xFF800000> : tensor<1024xf32>
    %row_start = tt.get_program_id x : i32
    %row_step = tt.get_num_programs x : i32
    scf.for %row_idx = %row_start to %n_rows step %row_step  : i32 {
      %row_start_ptr = arith.muli %row_idx, %input_row_stride : i32
      %row_start_ptr_0 = tt.addptr %input_ptr, %row_start_ptr : !tt.ptr<f32>, i32
      %col_offsets = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
      %input_ptrs = tt.splat %row_start_ptr_0 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %input_ptrs_1 = tt.addptr %input_ptrs, %col_offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %mask = tt.splat %n_cols : i32 -> tensor<1024xi32>
      %mask_2 = arith.cmpi slt, %col_offsets, %mask : tensor<1024xi32>
      %row = tt.load %input_ptrs_1, %mask_2, %cst : tensor<1024x!tt.ptr<f32>>
      %row_minus_max = "tt.reduce"(%row) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %m = arith.maxnumf %a, %b : f32
        tt.reduce.return %m : f32
      }) : (tensor<1024xf32>) -> f32
      %row_minus_max_3 = tt.splat %row_minus_max : f32 -> tensor<1024xf32>
      %row_minus_max_4 = arith.subf %row, %row_minus_max_3 : tensor<1024xf32>
      %numerator = math.exp %row_minus_max_4 : tensor<1024xf32>
      %denominator = "tt.reduce"(%numerator) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<1024xf32>) -> f32
      %softmax_output = tt.splat %denominator : f32 -> tensor<1024xf32>
      %softmax_output_5 = arith.divf %numerator, %softmax_output : tensor<1024xf32>
      %output_row_start_ptr = arith.muli %row_idx, %output_row_stride : i32
      %output_row_start_ptr_6 = tt.addptr %output_ptr, %output_row_start_ptr : !tt.ptr<f32>, i32
      %output_ptrs = tt.splat %output_row_start_ptr_6 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
      %output_ptrs_7 = tt.addptr %output_ptrs, %col_offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      tt.store %output_ptrs_7, %softmax_output_5, %mask_2 : tensor<1024x!tt.ptr<f32>>
    }
    tt.return
  }
})";

TEST(Reduction, Softmax) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(softmaxKernel, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int columns : {1, 3, 64, 781, 1000, 1024}) {
      int rows = 5;
      GuardedArray<float> x(rows * columns), y(rows * columns);
      for (int i = 0; i < rows * columns; ++i)
        x[i] = std::sin(i * 12.9898f) * 20;
      kernel.run({2}, y.data(), x.data(), int32_t(columns), int32_t(columns), int32_t(rows),
                 int32_t(columns));
      for (int r = 0; r < rows; ++r) {
        double max = -INFINITY, sum = 0;
        for (int c = 0; c < columns; ++c)
          max = std::max(max, double(x[r * columns + c]));
        for (int c = 0; c < columns; ++c)
          sum += std::exp(x[r * columns + c] - max);
        for (int c = 0; c < columns; ++c)
          ASSERT_NEAR(y[r * columns + c], std::exp(x[r * columns + c] - max) / sum, 2e-7) << r << "," << c;
      }
    }
  });
}

// A layer norm that carries partial sums through loops over blocks of a row, in f16.
const char *layerNormKernel = R"(
module {
  tt.func public @ln_kernel(%X: !tt.ptr<f16>, %Y: !tt.ptr<f16>, %W: !tt.ptr<f16>, %B: !tt.ptr<f16>, %Mean: !tt.ptr<f32>, %Rstd: !tt.ptr<f32>, %stride: i32, %N: i32, %eps: f32) {
    %cst = arith.constant dense<0.000000e+00> : tensor<256xf16>
    %c256_i32 = arith.constant 256 : i32
    %c0_i32 = arith.constant 0 : i32
    %rstd = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<256xf32>
    %row = tt.get_program_id x : i32
    %Y_1 = arith.muli %row, %stride : i32
    %Y_2 = tt.addptr %Y, %Y_1 : !tt.ptr<f16>, i32
    %X_3 = tt.addptr %X, %Y_1 : !tt.ptr<f16>, i32
    %_mean = scf.for %off = %c0_i32 to %N step %c256_i32 iter_args(%_mean_10 = %cst_0) -> (tensor<256xf32>)  : i32 {
      %cols = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %cols_11 = tt.splat %off : i32 -> tensor<256xi32>
      %cols_12 = arith.addi %cols_11, %cols : tensor<256xi32>
      %a = tt.splat %N : i32 -> tensor<256xi32>
      %a_13 = arith.cmpi slt, %cols_12, %a : tensor<256xi32>
      %a_14 = tt.splat %X_3 : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %a_15 = tt.addptr %a_14, %cols_12 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %a_16 = tt.load %a_15, %a_13, %cst : tensor<256x!tt.ptr<f16>>
      %a_17 = arith.extf %a_16 : tensor<256xf16> to tensor<256xf32>
      %_mean_18 = arith.addf %_mean_10, %a_17 : tensor<256xf32>
      scf.yield %_mean_18 : tensor<256xf32>
    }
    %mean = "tt.reduce"(%_mean) <{axis = 0 : i32}> ({
    ^bb0(%mean_10: f32, %mean_11: f32):
      %mean_12 = arith.addf %mean_10, %mean_11 : f32
      tt.reduce.return %mean_12 : f32
    }) : (tensor<256xf32>) -> f32
    %mean_4 = arith.sitofp %N : i32 to f32
    %mean_5 = arith.divf %mean, %mean_4 : f32
    %_var = scf.for %off = %c0_i32 to %N step %c256_i32 iter_args(%_var_10 = %cst_0) -> (tensor<256xf32>)  : i32 {
      %cols = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %cols_11 = tt.splat %off : i32 -> tensor<256xi32>
      %cols_12 = arith.addi %cols_11, %cols : tensor<256xi32>
      %x = tt.splat %N : i32 -> tensor<256xi32>
      %x_13 = arith.cmpi slt, %cols_12, %x : tensor<256xi32>
      %x_14 = tt.splat %X_3 : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %x_15 = tt.addptr %x_14, %cols_12 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %x_16 = tt.load %x_15, %x_13, %cst : tensor<256x!tt.ptr<f16>>
      %x_17 = arith.extf %x_16 : tensor<256xf16> to tensor<256xf32>
      %x_18 = tt.splat %mean_5 : f32 -> tensor<256xf32>
      %x_19 = arith.subf %x_17, %x_18 : tensor<256xf32>
      %x_20 = arith.select %x_13, %x_19, %cst_0 : tensor<256xi1>, tensor<256xf32>
      %_var_21 = arith.mulf %x_20, %x_20 : tensor<256xf32>
      %_var_22 = arith.addf %_var_10, %_var_21 : tensor<256xf32>
      scf.yield %_var_22 : tensor<256xf32>
    }
    %var = "tt.reduce"(%_var) <{axis = 0 : i32}> ({
    ^bb0(%var_10: f32, %var_11: f32):
      %var_12 = arith.addf %var_10, %var_11 : f32
      tt.reduce.return %var_12 : f32
    }) : (tensor<256xf32>) -> f32
    %var_6 = arith.divf %var, %mean_4 : f32
    %rstd_7 = arith.addf %var_6, %eps : f32
    %rstd_8 = math.sqrt %rstd_7 : f32
    %rstd_9 = arith.divf %rstd, %rstd_8 : f32
    %0 = tt.addptr %Mean, %row : !tt.ptr<f32>, i32
    tt.store %0, %mean_5 : !tt.ptr<f32>
    %1 = tt.addptr %Rstd, %row : !tt.ptr<f32>, i32
    tt.store %1, %rstd_9 : !tt.ptr<f32>
    scf.for %off = %c0_i32 to %N step %c256_i32  : i32 {
      %cols = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %cols_10 = tt.splat %off : i32 -> tensor<256xi32>
      %cols_11 = arith.addi %cols_10, %cols : tensor<256xi32>
      %mask = tt.splat %N : i32 -> tensor<256xi32>
      %mask_12 = arith.cmpi slt, %cols_11, %mask : tensor<256xi32>
      %w = tt.splat %W : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %w_13 = tt.addptr %w, %cols_11 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %w_14 = tt.load %w_13, %mask_12 : tensor<256x!tt.ptr<f16>>
      %b = tt.splat %B : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %b_15 = tt.addptr %b, %cols_11 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %b_16 = tt.load %b_15, %mask_12 : tensor<256x!tt.ptr<f16>>
      %x = tt.splat %X_3 : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %x_17 = tt.addptr %x, %cols_11 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %x_18 = tt.load %x_17, %mask_12, %cst : tensor<256x!tt.ptr<f16>>
      %x_19 = arith.extf %x_18 : tensor<256xf16> to tensor<256xf32>
      %x_hat = tt.splat %mean_5 : f32 -> tensor<256xf32>
      %x_hat_20 = arith.subf %x_19, %x_hat : tensor<256xf32>
      %x_hat_21 = tt.splat %rstd_9 : f32 -> tensor<256xf32>
      %x_hat_22 = arith.mulf %x_hat_20, %x_hat_21 : tensor<256xf32>
      %y = arith.extf %w_14 : tensor<256xf16> to tensor<256xf32>
      %y_23 = arith.mulf %x_hat_22, %y : tensor<256xf32>
      %y_24 = arith.extf %b_16 : tensor<256xf16> to tensor<256xf32>
      %y_25 = arith.addf %y_23, %y_24 : tensor<256xf32>
      %2 = tt.splat %Y_2 : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %3 = tt.addptr %2, %cols_11 : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %4 = arith.truncf %y_25 : tensor<256xf32> to tensor<256xf16>
      tt.store %3, %4, %mask_12 : tensor<256x!tt.ptr<f16>>
    }
    tt.return
  }
})";

TEST(Reduction, LayerNormInHalfPrecision) {
  forEachLevel([&](const std::string &level) {
    Kernel kernel(layerNormKernel, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int n : {1, 100, 256, 1000}) {
      int rows = 3;
      GuardedArray<uint16_t> x(rows * n), y(rows * n), w(n), bias(n);
      GuardedArray<float> mean(rows), rstd(rows);
      for (int i = 0; i < rows * n; ++i)
        x[i] = toHalf(std::sin(i * 78.233) * 4 + 1);
      for (int i = 0; i < n; ++i) {
        w[i] = toHalf(0.5 + i % 7);
        bias[i] = toHalf(i % 5 - 2);
      }
      kernel.run({uint32_t(rows)}, x.data(), y.data(), w.data(), bias.data(), mean.data(), rstd.data(),
                 int32_t(n), int32_t(n), 1e-5f);
      for (int r = 0; r < rows; ++r) {
        double m = 0, v = 0, magnitude = 0;
        for (int c = 0; c < n; ++c)
          m += fromHalf(x[r * n + c]), magnitude += std::fabs(fromHalf(x[r * n + c]));
        m /= n;
        for (int c = 0; c < n; ++c)
          v += std::pow(fromHalf(x[r * n + c]) - m, 2);
        double s = 1 / std::sqrt(v / n + 1e-5);
        // Sums of n floats, rounded some sixteen times on the way.
        constexpr double roundings = 0x1p-20;
        EXPECT_NEAR(mean[r], m, magnitude / n * roundings);
        EXPECT_NEAR(rstd[r] / s, 1, roundings);
        for (int c = 0; c < n; ++c) {
          double value = fromHalf(x[r * n + c]), scale = s * fromHalf(w[c]);
          double expected = (value - m) * scale + fromHalf(bias[c]);
          double largest = (std::fabs(value) + magnitude / n) * scale + std::fabs(fromHalf(bias[c]));
          // The result is rounded to 11 bits, or to the smallest half.
          ASSERT_NEAR(fromHalf(y[r * n + c]), expected,
                      largest * roundings + std::max(std::fabs(expected) * 0x1p-11, 0x1p-25))
              << n << " " << r << "," << c;
        }
      }
    }
  });
}

/// A kernel that reduces an MxN tile (M, N and the axis as given) with the region's lines, to a vector.
std::string reduceKernel(int rows, int columns, int axis, const std::string &type, const std::string &body) {
  std::string shape = std::to_string(rows) + "x" + std::to_string(columns) + "x";
  std::string m = std::to_string(rows), n = std::to_string(columns), kept = axis == 0 ? n : m;
  return R"(
module {
  tt.func public @k(%x: !tt.ptr<)" +
         type + R"(>, %out: !tt.ptr<)" + type + R"(>) {
    %r = tt.make_range {end = )" +
         m + R"( : i32, start = 0 : i32} : tensor<)" + m + R"(xi32>
    %c = tt.make_range {end = )" +
         n + R"( : i32, start = 0 : i32} : tensor<)" + n + R"(xi32>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<)" +
         m + "xi32> -> tensor<" + m + R"(x1xi32>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<)" +
         n + "xi32> -> tensor<1x" + n + R"(xi32>
    %ns = arith.constant dense<)" +
         n + "> : tensor<" + m + R"(x1xi32>
    %ro = arith.muli %r2, %ns : tensor<)" +
         m + R"(x1xi32>
    %rob = tt.broadcast %ro : tensor<)" +
         m + "x1xi32> -> tensor<" + shape + R"(i32>
    %cb = tt.broadcast %c2 : tensor<1x)" +
         n + "xi32> -> tensor<" + shape + R"(i32>
    %o = arith.addi %rob, %cb : tensor<)" +
         shape + R"(i32>
    %xs = tt.splat %x : !tt.ptr<)" +
         type + "> -> tensor<" + shape + "!tt.ptr<" + type + R"(>>
    %xp = tt.addptr %xs, %o : tensor<)" +
         shape + "!tt.ptr<" + type + ">>, tensor<" + shape + R"(i32>
    %v = tt.load %xp : tensor<)" +
         shape + "!tt.ptr<" + type + R"(>>
    %red = "tt.reduce"(%v) <{axis = )" +
         std::to_string(axis) + R"( : i32}> ({
    ^bb0(%a: )" +
         type + ", %b: " + type + R"():
)" + body +
         R"(
      tt.reduce.return %q : )" +
         type + R"(
    }) : (tensor<)" +
         shape + type + ">) -> tensor<" + kept + "x" + type + R"(>
    %k = tt.make_range {end = )" +
         kept + R"( : i32, start = 0 : i32} : tensor<)" + kept + R"(xi32>
    %os = tt.splat %out : !tt.ptr<)" +
         type + "> -> tensor<" + kept + "x!tt.ptr<" + type + R"(>>
    %op = tt.addptr %os, %k : tensor<)" +
         kept + "x!tt.ptr<" + type + ">>, tensor<" + kept + R"(xi32>
    tt.store %op, %red : tensor<)" +
         kept + "x!tt.ptr<" + type + R"(>>
    tt.return
  }
})";
}

struct Combiner {
  const char *body;
  int32_t (*combine)(int32_t, int32_t);
};

TEST(Reduction, CombinesIntegersAlongEachAxis) {
  const Combiner combiners[] = {
      {"%q = arith.addi %a, %b : i32",
       [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }},
      {"%q = arith.maxsi %a, %b : i32", [](int32_t a, int32_t b) { return std::max(a, b); }},
      {"%q = arith.minsi %a, %b : i32", [](int32_t a, int32_t b) { return std::min(a, b); }},
      {"%q = arith.xori %a, %b : i32", [](int32_t a, int32_t b) { return a ^ b; }},
      {"%q = arith.andi %a, %b : i32", [](int32_t a, int32_t b) { return a & b; }},
      {"%q = arith.muli %a, %b : i32",
       [](int32_t a, int32_t b) { return int32_t(uint32_t(a) * uint32_t(b)); }},
      {"%q = arith.maxui %a, %b : i32",
       [](int32_t a, int32_t b) { return int32_t(std::max(uint32_t(a), uint32_t(b))); }},
      // No neutral element is known for this one: max of a and b, in two operations.
      {"%c0 = arith.cmpi sgt, %a, %b : i32\n %q = arith.select %c0, %a, %b : i32",
       [](int32_t a, int32_t b) { return std::max(a, b); }},
  };
  for (auto [m, n] : {std::pair(1, 64), {64, 1}, {8, 16}, {2, 2}, {32, 4}, {4, 128}, {128, 64}})
    for (int axis : {0, 1})
      for (const Combiner &combiner : combiners) {
        std::string level = getTestedLevels()[(m + n + axis) % getTestedLevels().size()];
        Kernel kernel(reduceKernel(m, n, axis, "i32", combiner.body), level);
        ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
        GuardedArray<int32_t> x(m * n), out(axis == 0 ? n : m);
        for (int i = 0; i < m * n; ++i)
          x[i] = int32_t(uint32_t(i + 3) * 2654435761u);
        kernel.run({1}, x.data(), out.data());
        for (size_t k = 0; k < out.size(); ++k) {
          int32_t expected = axis == 0 ? x[k] : x[k * n];
          for (int i = 1; i < (axis == 0 ? m : n); ++i)
            expected = combiner.combine(expected, axis == 0 ? x[i * n + k] : x[k * n + i]);
          ASSERT_EQ(out[k], expected)
              << combiner.body << " " << m << "x" << n << " axis " << axis << " at " << k;
        }
      }
}

TEST(Reduction, MaximumKeepsOrDropsNaN) {
  for (bool propagates : {false, true}) {
    std::string body = propagates ? "%q = arith.maximumf %a, %b : f32" : "%q = arith.maxnumf %a, %b : f32";
    forEachLevel([&](const std::string &level) {
      Kernel kernel(reduceKernel(4, 64, 1, "f32", body), level);
      ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
      std::vector<float> x(256, -INFINITY), out(4);
      x[5] = 3;        // row 0: a number among -inf
      x[64 + 7] = NAN; // row 1: one NaN
      x[64 + 8] = -2;
      for (int i = 0; i < 64; ++i)
        x[128 + i] = NAN; // row 2: only NaN
      kernel.run({1}, x.data(), out.data());
      EXPECT_EQ(out[0], 3.0f);
      if (propagates)
        EXPECT_TRUE(std::isnan(out[1]));
      else
        EXPECT_EQ(out[1], -2.0f);
      EXPECT_TRUE(std::isnan(out[2]));
      EXPECT_EQ(out[3], -INFINITY);
    });
  }
}

// The index of the largest element, the first of equals: two tensors reduced together.
TEST(Reduction, FindsTheFirstMaximum) {
  const char *ir = R"(
module {
  tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<i32>, %best: !tt.ptr<f32>) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
    %m:2 = "tt.reduce"(%v, %r) <{axis = 0 : i32}> ({
    ^bb0(%av: f32, %ai: i32, %bv: f32, %bi: i32):
      %eq = arith.cmpf oeq, %av, %bv : f32
      %lt = arith.cmpi slt, %ai, %bi : i32
      %tie = arith.andi %eq, %lt : i1
      %gt = arith.cmpf ogt, %av, %bv : f32
      %take = arith.ori %gt, %tie : i1
      %rv = arith.select %take, %av, %bv : f32
      %ri = arith.select %take, %ai, %bi : i32
      tt.reduce.return %rv, %ri : f32, i32
    }) : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32)
    tt.store %best, %m#0 : !tt.ptr<f32>
    tt.store %out, %m#1 : !tt.ptr<i32>
    tt.return
  }
})";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(ir, level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    for (int at : {0, 1, 77, 128, 255}) {
      std::vector<float> x(256);
      for (int i = 0; i < 256; ++i)
        x[i] = float((i * 37) % 101);
      x[at] = 500;
      if (at + 3 < 256)
        x[at + 3] = 500;
      int32_t index = -1;
      float best = 0;
      kernel.run({1}, x.data(), &index, &best);
      EXPECT_EQ(index, at);
      EXPECT_EQ(best, 500.0f);
    }
  });
}

std::string scanKernel(int rows, int columns, int axis, bool reverse) {
  std::string shape = std::to_string(rows) + "x" + std::to_string(columns) + "x";
  std::string m = std::to_string(rows), n = std::to_string(columns);
  return R"(
module {
  tt.func public @k(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %r = tt.make_range {end = )" +
         m + R"( : i32, start = 0 : i32} : tensor<)" + m + R"(xi32>
    %c = tt.make_range {end = )" +
         n + R"( : i32, start = 0 : i32} : tensor<)" + n + R"(xi32>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<)" +
         m + "xi32> -> tensor<" + m + R"(x1xi32>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<)" +
         n + "xi32> -> tensor<1x" + n + R"(xi32>
    %ns = arith.constant dense<)" +
         n + "> : tensor<" + m + R"(x1xi32>
    %ro = arith.muli %r2, %ns : tensor<)" +
         m + R"(x1xi32>
    %rob = tt.broadcast %ro : tensor<)" +
         m + "x1xi32> -> tensor<" + shape + R"(i32>
    %cb = tt.broadcast %c2 : tensor<1x)" +
         n + "xi32> -> tensor<" + shape + R"(i32>
    %o = arith.addi %rob, %cb : tensor<)" +
         shape + R"(i32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<)" +
         shape + R"(!tt.ptr<i32>>
    %xp = tt.addptr %xs, %o : tensor<)" +
         shape + "!tt.ptr<i32>>, tensor<" + shape + R"(i32>
    %v = tt.load %xp : tensor<)" +
         shape + R"(!tt.ptr<i32>>
    %s = "tt.scan"(%v) <{axis = )" +
         std::to_string(axis) + " : i32, reverse = " + (reverse ? "true" : "false") + R"(}> ({
    ^bb0(%a: i32, %b: i32):
      %two = arith.constant 1 : i32
      %t = arith.addi %a, %b : i32
      tt.scan.return %t : i32
    }) : (tensor<)" +
         shape + "i32>) -> tensor<" + shape + R"(i32>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<)" +
         shape + R"(!tt.ptr<i32>>
    %op = tt.addptr %os, %o : tensor<)" +
         shape + "!tt.ptr<i32>>, tensor<" + shape + R"(i32>
    tt.store %op, %s : tensor<)" +
         shape + R"(!tt.ptr<i32>>
    tt.return
  }
})";
}

TEST(Reduction, ScansAlongEachAxisInBothDirections) {
  for (auto [m, n] : {std::pair(1, 128), {128, 1}, {16, 32}, {4, 4}, {64, 2}})
    for (int axis : {0, 1})
      for (bool reverse : {false, true}) {
        std::string level = getTestedLevels()[(m + axis) % getTestedLevels().size()];
        Kernel kernel(scanKernel(m, n, axis, reverse), level);
        ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
        GuardedArray<int32_t> x(m * n), out(m * n);
        for (int i = 0; i < m * n; ++i)
          x[i] = i * i % 97 - 30;
        kernel.run({1}, x.data(), out.data());
        int length = axis == 0 ? m : n, stride = axis == 0 ? n : 1;
        for (int k = 0; k < (axis == 0 ? n : m); ++k) {
          int start = axis == 0 ? k : k * n, sum = 0;
          for (int i = 0; i < length; ++i) {
            int at = start + (reverse ? length - 1 - i : i) * stride;
            sum += x[at];
            ASSERT_EQ(out[at], sum) << m << "x" << n << " axis " << axis << (reverse ? " reverse" : "")
                                    << " at " << at;
          }
        }
      }
}

// Combining functions with branches and loops run for each lane by itself; with conditions only, on vectors.
std::string reduceWith(const std::string &body) {
  return R"(
module {
  tt.func public @k(%p: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %q = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %x = tt.load %q : tensor<256x!tt.ptr<i32>>
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
)" + body +
         R"(
    }) : (tensor<256xi32>) -> i32
    tt.store %o, %r : !tt.ptr<i32>
    tt.return
  }
})";
}

const char *gcdLoop = R"(
      %zero = arith.constant 0 : i32
      %g:2 = scf.while (%u = %a, %v = %b) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %v, %zero : i32
        scf.condition(%more) %u, %v : i32, i32
      } do {
      ^bb0(%u: i32, %v: i32):
        %w = arith.remui %u, %v : i32
        scf.yield %v, %w : i32, i32
      }
      tt.reduce.return %g#0 : i32)";

const char *largerByIf = R"(
      %c = arith.cmpi sgt, %a, %b : i32
      %m = scf.if %c -> (i32) {
        scf.yield %a : i32
      } else {
        scf.yield %b : i32
      }
      tt.reduce.return %m : i32)";

TEST(Reduction, CombiningFunctionsWithBranches) {
  std::vector<int32_t> x(256);
  int32_t largest = 0, divisor = 0;
  for (int i = 0; i < 256; ++i) {
    x[i] = (i * 7919 % 1009 + 1) * 12;
    largest = std::max(largest, x[i]);
    divisor = std::gcd(divisor, x[i]);
  }
  for (auto [body, want] : {std::pair{gcdLoop, divisor}, {largerByIf, largest}})
    forEachLevel([&, body = body, want = want](const std::string &level) {
      Kernel kernel(reduceWith(body), level);
      ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
      int32_t result = -1;
      kernel.run({1}, x.data(), &result);
      EXPECT_EQ(result, want);
    });
}

// The last two lanes are combined as scalars, which constants of the region must go with.
TEST(Reduction, CombiningFunctionWithAConstant) {
  std::vector<int32_t> x(256, 0);
  x[201] = 5;
  x[230] = 6;
  const char *body = R"(
      %zero = arith.constant 0 : i32
      %c = arith.cmpi ne, %a, %zero : i32
      %m = arith.select %c, %a, %b : i32
      tt.reduce.return %m : i32)";
  forEachLevel([&](const std::string &level) {
    Kernel kernel(reduceWith(body), level);
    ASSERT_TRUE(kernel.isValid()) << kernel.getErrors();
    int32_t result = -1;
    kernel.run({1}, x.data(), &result);
    EXPECT_TRUE(result == 5 || result == 6) << result;
  });
}

} // namespace
