// kernels/triton_c: the forms in which Triton-C's users wrote kernels, beside loops in double precision.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

/// How Triton-C calls a signature's type.
std::string nameOf(const std::string &type) {
  return type == "fp16" ? "half" : type == "bf16" ? "bfloat16" : "float";
}

struct MatmulCase {
  const char *type;
  unsigned M, N, K, splits;
};

class TritonCMatmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(TritonCMatmul, SwizzledPrefetchedAndSplit) {
  auto [type, M, N, K, splits] = GetParam();
  ScalarKind kind = kindOf(type);
  const double alpha = 0.5;
  std::vector<double> a = randomValues(M * K, 1, kind), b = randomValues(K * N, 2, kind), want(M * N),
                      magnitudes(M * N);
  for (unsigned m = 0; m < M; ++m)
    for (unsigned n = 0; n < N; ++n)
      for (unsigned k = 0; k < K; ++k) {
        double product = alpha * a[m * K + k] * b[k * N + n];
        want[m * N + n] += product;
        magnitudes[m * N + n] += std::fabs(product);
      }
  KernelRun run("triton_c/matmul.tc", "matmul", "", "cdiv(M, TM) * cdiv(N, TN), SPLITK");
  run.define("TYPE=" + nameOf(type)).define("TM=32").define("TN=32").define("TK=16");
  run.define("SPLITK=" + std::to_string(splits));
  run.input("A", a).input("B", b).scratch("locks", std::vector<double>(2 * 64, 0));
  run.scalar("alpha", alpha).scalar("M", M).scalar("N", N).scalar("K", K);
  run.scalar("lda", K).scalar("ldb", N).scalar("ldc", N);
  // With splits the first program writes and the others add, so that nothing depends on what was there.
  run.output("C", M * N);
  ASSERT_TRUE(run.run()) << run.messages();
  Tolerance tolerance =
      roundings(ScalarKind::FP32, ofSum(K) + 2 + roundingsOfFactors(kind), magnitudes) + ulps(kind, 1);
  // Each program's part is rounded by itself.
  if (splits != 1)
    tolerance = tolerance + roundings(kind, 2.0 * splits, magnitudes);
  expectClose(run.result("C"), want, tolerance);
}

INSTANTIATE_TEST_SUITE_P(TritonC, TritonCMatmul,
                         testing::Values(MatmulCase{"fp32", 64, 64, 64, 1},
                                         MatmulCase{"fp16", 100, 70, 50, 1},
                                         MatmulCase{"bf16", 33, 65, 17, 1}, MatmulCase{"fp16", 1, 1, 1, 1},
                                         MatmulCase{"fp32", 70, 40, 100, 4},
                                         MatmulCase{"fp16", 64, 96, 128, 3}));

TEST(TritonC, OperandsThatLieTransposed) {
  const unsigned M = 40, N = 30, K = 50;
  std::vector<double> a = randomValues(K * M, 1, ScalarKind::FP16),
                      b = randomValues(N * K, 2, ScalarKind::FP16), want(M * N), magnitudes(M * N);
  for (unsigned m = 0; m < M; ++m)
    for (unsigned n = 0; n < N; ++n)
      for (unsigned k = 0; k < K; ++k) {
        double product = a[k * M + m] * b[n * K + k];
        want[m * N + n] += product;
        magnitudes[m * N + n] += std::fabs(product);
      }
  KernelRun run("triton_c/matmul.tc", "matmul_transposed", "*fp16, *fp16, *fp32, i32, i32, i32",
                "cdiv(M, TM), cdiv(N, TN)");
  run.define("TYPE=half").define("TM=32").define("TN=16").define("TK=16").define("SPLITK=1");
  run.input("A", a).input("B", b).output("C", M * N).scalar("M", M).scalar("N", N).scalar("K", K);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("C"), want, roundings(ScalarKind::FP32, ofSum(K), magnitudes));
}

/// A block-sparse matrix of ROWS x COLUMNS blocks, and its table.
struct Blocks {
  static constexpr unsigned size = 16, rows = 3, columns = 4;
  std::vector<double> table, elements;
  /// The column of each block, row by row, and where it lies.
  std::vector<std::vector<std::pair<unsigned, unsigned>>> of{rows};

  Blocks() {
    const bool present[rows][columns] = {
        {true, false, true, true}, {false, true, false, false}, {true, true, true, true}};
    unsigned count = 0;
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c)
        if (present[r][c])
          of[r].push_back({c, count++});
    table.resize(2 * rows);
    for (unsigned r = 0; r < rows; ++r) {
      table[2 * r] = table.size();
      table[2 * r + 1] = of[r].size();
      for (auto [column, block] : of[r]) {
        table.push_back(column);
        table.push_back(block);
      }
    }
    elements = randomValues(count * size * size, 3, ScalarKind::FP16);
  }
};

TEST(TritonC, BlockSparseProduct) {
  Blocks blocks;
  constexpr unsigned size = Blocks::size, N = 50, K = Blocks::columns * size, M = Blocks::rows * size;
  std::vector<double> b = randomValues(K * N, 4, ScalarKind::FP16), want(M * N), magnitudes(M * N);
  for (unsigned r = 0; r < Blocks::rows; ++r)
    for (auto [column, block] : blocks.of[r])
      for (unsigned i = 0; i < size; ++i)
        for (unsigned n = 0; n < N; ++n)
          for (unsigned k = 0; k < size; ++k) {
            double product = blocks.elements[(block * size + i) * size + k] * b[(column * size + k) * N + n];
            want[(r * size + i) * N + n] += product;
            magnitudes[(r * size + i) * N + n] += std::fabs(product);
          }
  KernelRun run("triton_c/blocksparse.tc", "multiply", "N=i32", "3, cdiv(N, TN)");
  run.define("TYPE=half").define("BLOCK=16").define("TN=32").define("WIDTH=64");
  run.input("A", blocks.elements).input("B", b).output("C", M * N).input("lut", blocks.table);
  run.scalar("N", N).scalar("ldb", N).scalar("ldc", N);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("C"), want,
              roundings(ScalarKind::FP32, ofSum(K), magnitudes) + ulps(ScalarKind::FP16, 1));
}

TEST(TritonC, BlockSparseSoftmax) {
  Blocks blocks;
  constexpr unsigned size = Blocks::size;
  const double scale = 1.5;
  std::vector<double> want = blocks.elements;
  for (unsigned r = 0; r < Blocks::rows; ++r)
    for (unsigned i = 0; i < size; ++i) {
      double sum = 0;
      for (auto [column, block] : blocks.of[r])
        for (unsigned k = 0; k < size; ++k)
          sum += std::exp(scale * blocks.elements[(block * size + i) * size + k]);
      for (auto [column, block] : blocks.of[r])
        for (unsigned k = 0; k < size; ++k) {
          double &value = want[(block * size + i) * size + k];
          value = std::exp(scale * value) / sum;
        }
    }
  KernelRun run("triton_c/blocksparse.tc", "softmax", "", "3 * BLOCK");
  run.define("TYPE=half").define("BLOCK=16").define("TN=32").define("WIDTH=64");
  run.inOut("X", blocks.elements).input("lut", blocks.table).scalar("scale", scale);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("X"), want, ulps(ScalarKind::FP16, 1));
}

TEST(TritonC, ConvolutionByIncrements) {
  const unsigned B = 2, C = 3, H = 7, W = 6, K = 5, R = 3, S = 2, P = H - R + 1, Q = W - S + 1;
  const unsigned depth = C * R * S, TK = 16, M = B * P * Q;
  std::vector<double> x = randomValues(B * C * H * W, 1), f = randomValues(depth * K, 2), want(B * K * P * Q),
                      magnitudes(B * K * P * Q), table(2 * depth);
  auto offsetOf = [&](unsigned k) { return double((k / (R * S)) * H * W + (k / S % R) * W + k % S); };
  for (unsigned k = 0; k < depth; ++k) {
    table[k] = offsetOf(k);
    table[depth + k] = k + TK < depth ? offsetOf(k + TK) - offsetOf(k) : 0;
  }
  for (unsigned b = 0; b < B; ++b)
    for (unsigned n = 0; n < K; ++n)
      for (unsigned p = 0; p < P; ++p)
        for (unsigned q = 0; q < Q; ++q)
          for (unsigned k = 0; k < depth; ++k) {
            double product = x[b * C * H * W + p * W + q + unsigned(offsetOf(k))] * f[k * K + n];
            want[((b * K + n) * P + p) * Q + q] += product;
            magnitudes[((b * K + n) * P + p) * Q + q] += std::fabs(product);
          }
  KernelRun run("triton_c/convolution.tc", "conv", "", "cdiv(M, TM), cdiv(K, TN)");
  run.define("TM=32").define("TN=16").define("TK=16");
  run.input("X", x).input("F", f).output("Y", want.size()).input("ADELTA", table);
  run.scalar("C", C).scalar("H", H).scalar("W", W).scalar("K", K).scalar("P", P).scalar("Q", Q);
  run.scalar("M", M).scalar("depth", depth);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("Y"), want,
              roundings(ScalarKind::FP32, ofSum(depth) + roundingsOfFactors(ScalarKind::FP32), magnitudes));
}

TEST(TritonC, CrossEntropyForwardAndBackward) {
  const unsigned rows = 5, cols = 203;
  std::vector<double> logits = randomValues(rows * cols, 1), which = {3, 0, 202, 17, 100},
                      losses(rows * cols), picked(rows), gradients(rows * cols), d = {1, -0.5, 2, 0.25, 1};
  for (unsigned r = 0; r < rows; ++r) {
    double sum = 0;
    for (unsigned c = 0; c < cols; ++c)
      sum += std::exp(logits[r * cols + c]);
    for (unsigned c = 0; c < cols; ++c) {
      double loss = std::log(sum) - logits[r * cols + c];
      losses[r * cols + c] = loss;
      gradients[r * cols + c] = (std::exp(-loss) - (c == which[r])) * d[r];
    }
    picked[r] = losses[r * cols + unsigned(which[r])];
  }
  KernelRun forward("triton_c/losses.tc", "forward", "", "5");
  forward.define("TYPE=float").define("TILE=256");
  forward.input("logit", logits).output("neg_logprob", rows * cols).input("idx", which).output("out", rows);
  forward.scalar("n_cols", cols);
  ASSERT_TRUE(forward.run()) << forward.messages();
  Tolerance tolerance = roundings(ScalarKind::FP32, 8, 8);
  expectClose(forward.result("neg_logprob"), losses, tolerance);
  expectClose(forward.result("out"), picked, tolerance);

  std::vector<double> rounded;
  for (double loss : losses)
    rounded.push_back(roundTo(ScalarKind::FP32, loss));
  KernelRun backward("triton_c/losses.tc", "backward", "", "5");
  backward.define("TYPE=float").define("TILE=256");
  backward.inOut("neg_logprob", rounded).input("idx", which).input("dneg_logprob", d).scalar("n_cols", cols);
  ASSERT_TRUE(backward.run()) << backward.messages();
  expectClose(backward.result("neg_logprob"), gradients, roundings(ScalarKind::FP32, 16, 2));
}

TEST(TritonC, LayerNormOfRowsOfAnyLength) {
  const unsigned rows = 4, N = 300, stride = 310;
  const double eps = 1e-5;
  std::vector<double> x = randomValues(rows * stride, 1, ScalarKind::FP16), weight = randomValues(N, 2),
                      bias = randomValues(N, 3), y(rows * stride, untouched), means(rows), inverses(rows);
  for (unsigned r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (unsigned c = 0; c < N; ++c)
      sum += x[r * stride + c];
    means[r] = sum / N;
    for (unsigned c = 0; c < N; ++c)
      squares += std::pow(x[r * stride + c] - means[r], 2);
    inverses[r] = 1 / std::sqrt(squares / N + eps);
    for (unsigned c = 0; c < N; ++c)
      y[r * stride + c] = (x[r * stride + c] - means[r]) * inverses[r] * weight[c] + bias[c];
  }
  KernelRun run("triton_c/normalization.tc", "layer_norm", "", "4");
  run.define("TYPE=half").define("TILE=128");
  run.input("X", x).output("Y", rows * stride).input("weight", weight).input("bias", bias);
  run.output("mean", rows).output("inverse", rows).scalar("stride", stride).scalar("N", N).scalar("eps", eps);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("mean"), means, roundings(ScalarKind::FP32, ofSum(N), 1));
  expectClose(run.result("inverse"), inverses, roundings(ScalarKind::FP32, ofSum(N), 4));
  expectClose(run.result("Y"), y, ulps(ScalarKind::FP16, 1) + roundings(ScalarKind::FP32, ofSum(N), 4));
}

} // namespace
