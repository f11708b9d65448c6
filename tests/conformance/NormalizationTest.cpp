// Kernels of kernels/normalization.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

std::vector<double> softmaxRows(const std::vector<double> &x, size_t rows, size_t cols) {
  std::vector<double> out(x.size());
  for (size_t r = 0; r < rows; ++r) {
    double largest = -HUGE_VAL;
    for (size_t c = 0; c < cols; ++c)
      largest = std::max(largest, x[r * cols + c]);
    double sum = 0;
    for (size_t c = 0; c < cols; ++c)
      sum += std::exp(x[r * cols + c] - largest);
    for (size_t c = 0; c < cols; ++c)
      out[r * cols + c] = std::exp(x[r * cols + c] - largest) / sum;
  }
  return out;
}

std::vector<double> scaled(std::vector<double> values, double factor, ScalarKind kind) {
  for (double &value : values)
    value = roundTo(kind, value * factor);
  return values;
}

TEST(Softmax, OneRowAProgram) {
  for (size_t cols : {1u, 7u, 64u, 781u, 1024u}) {
    const size_t rows = 6;
    std::vector<double> x = scaled(randomValues(rows * cols, 11), 20, ScalarKind::FP32);
    KernelRun run("normalization.py", "softmax_row", "*fp32, *fp32, i32, i32, i32, 1024", "6");
    run.array("in_ptr", x).array("out_ptr", std::vector<double>(x.size()));
    run.scalar("in_stride", cols).scalar("out_stride", cols).scalar("n_cols", cols);
    ASSERT_TRUE(run.run()) << run.messages();
    EXPECT_LT(largestError(run.result("out_ptr"), softmaxRows(x, rows, cols)), 1e-6) << cols;
  }
}

TEST(Softmax, HalfPrecisionPersistent) {
  const size_t rows = 23;
  const size_t cols = 500;
  std::vector<double> x = scaled(randomValues(rows * cols, 12), 4, ScalarKind::FP16);
  KernelRun run("normalization.py", "softmax_persistent", "*fp16, *fp16, i32, i32, i32, 512, 2", "4");
  run.array("in_ptr", x).array("out_ptr", std::vector<double>(x.size()));
  run.scalar("stride", cols).scalar("n_rows", rows).scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_LT(largestError(run.result("out_ptr"), softmaxRows(x, rows, cols)), 1e-4);
}

TEST(Softmax, SeveralRowsATile) {
  const size_t rows = 13;
  const size_t cols = 45;
  std::vector<double> x = scaled(randomValues(rows * cols, 13), 10, ScalarKind::FP32);
  KernelRun run("normalization.py", "softmax_tile", "*fp32, *fp32, i32, i32, 4, 64", "cdiv(n_rows, ROWS)");
  run.array("in_ptr", x)
      .array("out_ptr", std::vector<double>(x.size()))
      .scalar("n_rows", rows)
      .scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_LT(largestError(run.result("out_ptr"), softmaxRows(x, rows, cols)), 1e-6);
}

TEST(Softmax, Online) {
  const size_t rows = 3;
  const size_t cols = 1000;
  std::vector<double> x = scaled(randomValues(rows * cols, 14), 10, ScalarKind::FP32);
  KernelRun run("normalization.py", "online_softmax", "*fp32, *fp32, i32, 128", "3");
  run.array("in_ptr", x).array("out_ptr", std::vector<double>(x.size())).scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  EXPECT_LT(largestError(run.result("out_ptr"), softmaxRows(x, rows, cols)), 2e-6);
}

struct LayerNormReference {
  LayerNormReference(const std::vector<double> &x, const std::vector<double> &w, const std::vector<double> &b,
                     size_t rows, size_t cols, double eps)
      : y(x.size()), mean(rows), rstd(rows) {
    for (size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (size_t c = 0; c < cols; ++c)
        sum += x[r * cols + c];
      mean[r] = sum / static_cast<double>(cols);
      double squares = 0;
      for (size_t c = 0; c < cols; ++c)
        squares += (x[r * cols + c] - mean[r]) * (x[r * cols + c] - mean[r]);
      rstd[r] = 1 / std::sqrt(squares / static_cast<double>(cols) + eps);
      for (size_t c = 0; c < cols; ++c)
        y[r * cols + c] = (x[r * cols + c] - mean[r]) * rstd[r] * w[c] + b[c];
    }
  }
  std::vector<double> y, mean, rstd;
};

TEST(LayerNorm, LoopOverBlocks) {
  for (auto [type, kind, tolerance] : {std::tuple{"fp32", ScalarKind::FP32, 2e-6},
                                       {"fp16", ScalarKind::FP16, 2e-3},
                                       {"bf16", ScalarKind::BF16, 2e-2}}) {
    const size_t rows = 4;
    const size_t cols = 1151;
    std::vector<double> x = randomValues(rows * cols, 15, kind);
    std::vector<double> w = randomValues(cols, 16, kind);
    std::vector<double> b = randomValues(cols, 17, kind);
    std::string p = std::string("*") + type + ", ";
    KernelRun run("normalization.py", "layer_norm_fused", p + p + p + p + "*fp32, *fp32, i32, i32, fp32, 256",
                  "4");
    run.array("X", x).array("Y", std::vector<double>(x.size())).array("W", w).array("B", b);
    run.array("Mean", std::vector<double>(rows)).array("Rstd", std::vector<double>(rows));
    run.scalar("stride", cols).scalar("N", cols).scalar("eps", 1e-5);
    ASSERT_TRUE(run.run()) << run.messages();
    LayerNormReference want(x, w, b, rows, cols, 1e-5);
    EXPECT_LT(largestError(run.result("Y"), want.y), tolerance) << type;
    EXPECT_LT(largestError(run.result("Mean"), want.mean), 1e-6);
    EXPECT_LT(largestError(run.result("Rstd"), want.rstd), 1e-5);
  }
}

TEST(LayerNorm, RowInOneBlock) {
  const size_t rows = 5;
  const size_t cols = 200;
  std::vector<double> x = randomValues(rows * cols, 18);
  std::vector<double> w = randomValues(cols, 19);
  std::vector<double> b = randomValues(cols, 20);
  KernelRun run("normalization.py", "layer_norm_block",
                "*fp32, i32, *fp32, i32, *fp32, *fp32, *fp32, *fp32, i32, fp32, 256", "5");
  run.array("X_ptr", x).array("Y_ptr", std::vector<double>(x.size())).array("W_ptr", w).array("B_ptr", b);
  run.array("Mean_ptr", std::vector<double>(rows)).array("RSTD_ptr", std::vector<double>(rows));
  run.scalar("X_row_stride", cols).scalar("Y_row_stride", cols).scalar("n_cols", cols).scalar("eps", 1e-6);
  ASSERT_TRUE(run.run()) << run.messages();
  LayerNormReference want(x, w, b, rows, cols, 1e-6);
  EXPECT_LT(largestError(run.result("Y_ptr"), want.y), 3e-6);
  EXPECT_LT(largestError(run.result("Mean_ptr"), want.mean), 1e-6);
  EXPECT_LT(largestError(run.result("RSTD_ptr"), want.rstd), 1e-5);
}

TEST(RMSNorm, OptionalWeightAndResidual) {
  const size_t rows = 3;
  const size_t cols = 100;
  std::vector<double> x = randomValues(rows * cols, 21);
  std::vector<double> w = randomValues(cols, 22);
  std::vector<double> res = randomValues(rows * cols, 23);
  for (bool weight : {false, true}) {
    for (bool residual : {false, true}) {
      // Pointers that are not used may be None.
      std::string signature = std::string("*fp32, ") + (weight ? "*fp32" : "None") + ", *fp32, " +
                              (residual ? "*fp32" : "None") + ", i32, fp32, " + (weight ? "True" : "False") +
                              ", " + (residual ? "True" : "False") + ", 128";
      KernelRun run("normalization.py", "rms_norm", signature, "3");
      run.array("x_ptr", x)
          .array("w_ptr", w)
          .array("y_ptr", std::vector<double>(x.size()))
          .array("residual_ptr", res);
      run.scalar("n_cols", cols).scalar("eps", 1e-6);
      ASSERT_TRUE(run.run()) << run.messages();
      std::vector<double> want(x.size());
      for (size_t r = 0; r < rows; ++r) {
        double squares = 0;
        auto at = [&](size_t c) { return x[r * cols + c] + (residual ? res[r * cols + c] : 0); };
        for (size_t c = 0; c < cols; ++c)
          squares += at(c) * at(c);
        for (size_t c = 0; c < cols; ++c)
          want[r * cols + c] = at(c) / std::sqrt(squares / cols + 1e-6) * (weight ? w[c] : 1);
      }
      EXPECT_LT(largestError(run.result("y_ptr"), want), 3e-6);
    }
  }
}

TEST(CrossEntropy, IgnoresALabel) {
  const size_t rows = 4;
  const size_t vocabulary = 777;
  std::vector<double> logits = scaled(randomValues(rows * vocabulary, 24), 5, ScalarKind::FP32);
  std::vector<double> labels = {3, 776, -100, 0};
  KernelRun run("normalization.py", "cross_entropy", "*fp32, *i64, *fp32, i32, 1024", "4");
  run.array("logits_ptr", logits)
      .array("labels_ptr", labels)
      .array("loss_ptr", std::vector<double>(rows, 9.0));
  run.scalar("V", vocabulary);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> p = softmaxRows(logits, rows, vocabulary);
  std::vector<double> want(rows);
  for (size_t r = 0; r < rows; ++r)
    want[r] = labels[r] < 0 ? 0 : -std::log(p[r * vocabulary + static_cast<size_t>(labels[r])]);
  EXPECT_LT(largestError(run.result("loss_ptr"), want), 1e-6);
}

} // namespace
