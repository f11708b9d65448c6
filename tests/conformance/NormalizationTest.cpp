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

/// An exponential of x less the maximum is off by what the difference is rounded by, the sum of them by that
/// and by its own roundings; a sum that is taken in parts is scaled whenever the maximum rises.
Tolerance ofSoftmax(const std::vector<double> &want, size_t cols, double largest) {
  return roundings(ScalarKind::FP32, 4 * largest + ofSum(cols) + 8, want);
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
    run.input("in_ptr", x).output("out_ptr", x.size());
    run.scalar("in_stride", cols).scalar("out_stride", cols).scalar("n_cols", cols);
    ASSERT_TRUE(run.run()) << run.messages();
    SCOPED_TRACE(cols);
    std::vector<double> want = softmaxRows(x, rows, cols);
    expectClose(run.result("out_ptr"), want, ofSoftmax(want, cols, 20));
  }
}

TEST(Softmax, HalfPrecisionPersistent) {
  const size_t rows = 23;
  const size_t cols = 500;
  std::vector<double> x = scaled(randomValues(rows * cols, 12), 4, ScalarKind::FP16);
  KernelRun run("normalization.py", "softmax_persistent", "*fp16, *fp16, i32, i32, i32, 512, 2", "4");
  run.input("in_ptr", x).output("out_ptr", x.size());
  run.scalar("stride", cols).scalar("n_rows", rows).scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = softmaxRows(x, rows, cols);
  expectClose(run.result("out_ptr"), want, ofSoftmax(want, cols, 4) + ulps(ScalarKind::FP16, 0.5));
}

TEST(Softmax, SeveralRowsATile) {
  const size_t rows = 13;
  const size_t cols = 45;
  std::vector<double> x = scaled(randomValues(rows * cols, 13), 10, ScalarKind::FP32);
  KernelRun run("normalization.py", "softmax_tile", "*fp32, *fp32, i32, i32, 4, 64", "cdiv(n_rows, ROWS)");
  run.input("in_ptr", x).output("out_ptr", x.size()).scalar("n_rows", rows).scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = softmaxRows(x, rows, cols);
  expectClose(run.result("out_ptr"), want, ofSoftmax(want, cols, 10));
}

TEST(Softmax, Online) {
  const size_t rows = 3;
  const size_t cols = 1000;
  std::vector<double> x = scaled(randomValues(rows * cols, 14), 10, ScalarKind::FP32);
  KernelRun run("normalization.py", "online_softmax", "*fp32, *fp32, i32, 128", "3");
  run.input("in_ptr", x).output("out_ptr", x.size()).scalar("n_cols", cols);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = softmaxRows(x, rows, cols);
  expectClose(run.result("out_ptr"), want, ofSoftmax(want, cols, 10));
}

struct LayerNormReference {
  LayerNormReference(const std::vector<double> &x, const std::vector<double> &w, const std::vector<double> &b,
                     size_t rows, size_t cols, double eps)
      : y(x.size()), ofY(x.size()), mean(rows), rstd(rows) {
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
      for (size_t c = 0; c < cols; ++c) // no x is above 1
        ofY[r * cols + c] = (std::fabs(x[r * cols + c]) + 1) * rstd[r] * std::fabs(w[c]) + std::fabs(b[c]);
    }
  }
  /// Compares with a mean and a variance that are sums of a row.
  void check(const std::vector<double> &gotY, const std::vector<double> &gotMean,
             const std::vector<double> &gotRstd, ScalarKind kind) const {
    double count = ofSum(y.size() / mean.size()) + 8;
    expectClose(gotY, y, roundings(ScalarKind::FP32, count, ofY) + ulps(kind, 0.5));
    expectClose(gotMean, mean, roundings(ScalarKind::FP32, count, 1));
    expectClose(gotRstd, rstd, roundings(ScalarKind::FP32, count, rstd));
  }

  std::vector<double> y, ofY, mean, rstd;
};

TEST(LayerNorm, LoopOverBlocks) {
  for (const char *type : {"fp32", "fp16", "bf16"}) {
    SCOPED_TRACE(type);
    ScalarKind kind = kindOf(type);
    const size_t rows = 4;
    const size_t cols = 1151;
    std::vector<double> x = randomValues(rows * cols, 15, kind);
    std::vector<double> w = randomValues(cols, 16, kind);
    std::vector<double> b = randomValues(cols, 17, kind);
    std::string p = std::string("*") + type + ", ";
    KernelRun run("normalization.py", "layer_norm_fused", p + p + p + p + "*fp32, *fp32, i32, i32, fp32, 256",
                  "4");
    run.input("X", x).output("Y", x.size()).input("W", w).input("B", b);
    run.output("Mean", rows).output("Rstd", rows);
    run.scalar("stride", cols).scalar("N", cols).scalar("eps", 1e-5);
    ASSERT_TRUE(run.run()) << run.messages();
    LayerNormReference want(x, w, b, rows, cols, 1e-5);
    want.check(run.result("Y"), run.result("Mean"), run.result("Rstd"), kind);
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
  run.input("X_ptr", x).output("Y_ptr", x.size()).input("W_ptr", w).input("B_ptr", b);
  run.output("Mean_ptr", rows).output("RSTD_ptr", rows);
  run.scalar("X_row_stride", cols).scalar("Y_row_stride", cols).scalar("n_cols", cols).scalar("eps", 1e-6);
  ASSERT_TRUE(run.run()) << run.messages();
  LayerNormReference want(x, w, b, rows, cols, 1e-6);
  want.check(run.result("Y_ptr"), run.result("Mean_ptr"), run.result("RSTD_ptr"), ScalarKind::FP32);
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
      run.input("x_ptr", x).input("w_ptr", w).output("y_ptr", x.size()).input("residual_ptr", res);
      run.scalar("n_cols", cols).scalar("eps", 1e-6);
      ASSERT_TRUE(run.run()) << run.messages();
      std::vector<double> want(x.size()), magnitude(x.size());
      for (size_t r = 0; r < rows; ++r) {
        double squares = 0;
        auto at = [&](size_t c) { return x[r * cols + c] + (residual ? res[r * cols + c] : 0); };
        for (size_t c = 0; c < cols; ++c)
          squares += at(c) * at(c);
        for (size_t c = 0; c < cols; ++c)
          want[r * cols + c] = at(c) / std::sqrt(squares / cols + 1e-6) * (weight ? w[c] : 1);
        for (size_t c = 0; c < cols; ++c)
          magnitude[r * cols + c] = std::fabs(want[r * cols + c]);
      }
      expectClose(run.result("y_ptr"), want, roundings(ScalarKind::FP32, ofSum(cols) + 8, magnitude));
    }
  }
}

TEST(CrossEntropy, IgnoresALabel) {
  const size_t rows = 4;
  const size_t vocabulary = 777;
  std::vector<double> logits = scaled(randomValues(rows * vocabulary, 24), 5, ScalarKind::FP32);
  std::vector<double> labels = {3, 776, -100, 0};
  KernelRun run("normalization.py", "cross_entropy", "*fp32, *i64, *fp32, i32, 1024", "4");
  run.input("logits_ptr", logits).input("labels_ptr", labels).output("loss_ptr", rows);
  run.scalar("V", vocabulary);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> p = softmaxRows(logits, rows, vocabulary);
  std::vector<double> want(rows);
  for (size_t r = 0; r < rows; ++r)
    want[r] = labels[r] < 0 ? 0 : -std::log(p[r * vocabulary + static_cast<size_t>(labels[r])]);
  // The logarithm of a sum, less a logit of up to 5.
  expectClose(run.result("loss_ptr"), want, roundings(ScalarKind::FP32, ofSum(vocabulary) + 16, 5));
}

} // namespace
