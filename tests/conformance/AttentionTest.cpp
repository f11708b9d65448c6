// kernels/attention.py: kernels of the size that real ones have, beside plain loops in double precision.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

struct AttentionCase {
  const char *type;
  size_t n, d;
  bool causal;
  bool byDescriptors = false;
  bool isSpecialized = false; // the copies have a warp of their own
};

class Attention : public testing::TestWithParam<AttentionCase> {};

TEST_P(Attention, Forward) {
  auto [type, n, d, causal, byDescriptors, isSpecialized] = GetParam();
  ScalarKind kind = kindOf(type);
  const size_t heads = 2;
  std::vector<double> q = randomValues(heads * n * d, 1, kind), k = randomValues(heads * n * d, 2, kind),
                      v = randomValues(heads * n * d, 3, kind), want(q.size()), magnitude(q.size()),
                      sums(heads * n);
  double scale = 1 / std::sqrt(double(d)), largestScore = 0;
  for (size_t h = 0; h < heads; ++h)
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      double *out = &want[(h * n + i) * d];
      for (size_t j = 0; j < (causal ? i + 1 : n); ++j) {
        double s = 0, score = 0;
        for (size_t c = 0; c < d; ++c) {
          s += q[(h * n + i) * d + c] * k[(h * n + j) * d + c];
          score += std::fabs(q[(h * n + i) * d + c] * k[(h * n + j) * d + c]);
        }
        largestScore = std::max(largestScore, score * scale);
        double p = std::exp(s * scale);
        sum += p;
        for (size_t c = 0; c < d; ++c) {
          out[c] += p * v[(h * n + j) * d + c];
          magnitude[(h * n + i) * d + c] += p * std::fabs(v[(h * n + j) * d + c]);
        }
      }
      sums[h * n + i] = std::log2(sum);
      for (size_t c = 0; c < d; ++c) {
        out[c] /= sum;
        magnitude[(h * n + i) * d + c] /= sum;
      }
    }
  std::string p = std::string("*") + type + ", ";
  std::string result = byDescriptors ? p : "*fp32, ";
  KernelRun run("attention.py", byDescriptors ? "attention_by_descriptors" : "attention_forward",
                p + p + p + "*fp32, " + result + "i32, fp32, " + std::to_string(d) + ", 32, 16, " +
                    (causal ? "True" : "False") + (isSpecialized ? ", True" : ""),
                "cdiv(n, BM), 2");
  run.input("q_ptr", q)
      .input("k_ptr", k)
      .input("v_ptr", v)
      .output("lse_ptr", heads * n)
      .output("out_ptr", want.size());
  run.scalar("n", double(n)).scalar("scale", scale * 1.4426950408889634);
  ASSERT_TRUE(run.run()) << run.messages();
  // Every power of two is off by what its exponent is off by, in the sums above and below the fraction; each
  // block of 16 columns scales the sums so far.
  double ofFactors = roundingsOfFactors(kind), ofScore = (ofSum(d) + 4 + ofFactors) * largestScore,
         ofWeights = 2 * ofScore + 2 * ofSum(n) + double(n) / 4 + 8 + ofFactors;
  Tolerance tolerance = roundings(ScalarKind::FP32, ofWeights, magnitude);
  if (kind != ScalarKind::FP32)
    tolerance = tolerance + roundings(kind, 1, magnitude);
  if (byDescriptors) // the result is of that type, too
    tolerance = tolerance + ulps(kind, 0.5);
  expectClose(run.result("out_ptr"), want, tolerance);
  // The logarithm of the sum is in base 2, as the exponents are.
  expectClose(run.result("lse_ptr"), sums,
              roundings(ScalarKind::FP32, 1.5 * ofWeights, 1) + ulps(ScalarKind::FP32, 2));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Attention,
    testing::Values(AttentionCase{"fp32", 64, 16, false}, AttentionCase{"fp32", 64, 32, true},
                    AttentionCase{"fp16", 70, 32, false}, AttentionCase{"bf16", 45, 16, true},
                    AttentionCase{"fp16", 128, 64, true}, AttentionCase{"fp16", 128, 64, true, true},
                    AttentionCase{"bf16", 96, 32, false, true}, AttentionCase{"fp32", 64, 16, true, true},
                    AttentionCase{"fp16", 128, 64, true, true, true},
                    AttentionCase{"bf16", 96, 32, false, true, true}),
    [](const auto &info) {
      return std::string(info.param.type) + "_" + std::to_string(info.param.n) + "x" +
             std::to_string(info.param.d) + (info.param.causal ? "_causal" : "") +
             (info.param.byDescriptors ? "_descriptors" : "") +
             (info.param.isSpecialized ? "_specialized" : "");
    });

TEST(Kernels, LinearAttentionInChunks) {
  const size_t n = 64, d = 16;
  const double decay = 0.9375;
  std::vector<double> q = randomValues(n * d, 1), k = randomValues(n * d, 2), v = randomValues(n * d, 3),
                      want(n * d), state(d * d), magnitude(n * d), size(d * d);
  for (size_t t = 0; t < n; ++t)
    for (size_t a = 0; a < d; ++a)
      for (size_t b = 0; b < d; ++b) {
        double added = k[t * d + a] * v[t * d + b];
        state[a * d + b] = state[a * d + b] * decay + added;
        size[a * d + b] = size[a * d + b] * decay + std::fabs(added);
        want[t * d + b] += q[t * d + a] * state[a * d + b];
        magnitude[t * d + b] += std::fabs(q[t * d + a]) * size[a * d + b];
      }
  KernelRun run("attention.py", "linear_attention", "*fp32, *fp32, *fp32, *fp32, i32, fp32, 16, 16", "1");
  run.input("q_ptr", q)
      .input("k_ptr", k)
      .input("v_ptr", v)
      .output("out_ptr", want.size())
      .scalar("n", double(n))
      .scalar("decay", decay);
  ASSERT_TRUE(run.run()) << run.messages();
  // Two sums of 16 products each in each of four chunks, with powers of the decay between them, whose
  // exponents are up to 1.5.
  expectClose(
      run.result("out_ptr"), want,
      roundings(ScalarKind::FP32, 4 * (2 * ofSum(16) + 8 + roundingsOfFactors(ScalarKind::FP32)), magnitude));
}

TEST(Kernels, MatmulWithFourBitWeights) {
  const size_t m = 20, n = 40, k = 64, group = 32;
  std::vector<double> a = randomValues(m * k, 1, ScalarKind::FP16), packed(k / 2 * n),
                      scales = randomValues(k / group * n, 2), want(m * n), magnitude(m * n);
  for (size_t i = 0; i < packed.size(); ++i)
    packed[i] = double(i * 37 % 256);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l) {
        int code = int(packed[l / 2 * n + j]) >> (l % 2 * 4) & 15;
        double weight =
            roundTo(ScalarKind::FP16, (code - 8) * roundTo(ScalarKind::FP32, scales[l / group * n + j]));
        want[i * n + j] += a[i * k + l] * weight;
        magnitude[i * n + j] += std::fabs(a[i * k + l] * weight);
      }
  KernelRun run("attention.py", "int4_matmul", "*fp16, *u8, *fp32, *fp32, i32, i32, i32, 32, 16, 32, 32",
                "cdiv(M, BM), cdiv(N, BN)");
  run.input("a_ptr", a).input("b_ptr", packed).input("scale_ptr", scales).output("out_ptr", want.size());
  run.scalar("M", double(m)).scalar("N", double(n)).scalar("K", double(k));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(k) + 1, magnitude));
}

TEST(Kernels, MatmulOfInt8WithScales) {
  const size_t m = 16, n = 16, k = 128;
  std::vector<double> a = randomValues(m * k, 1), b = randomValues(k * n, 2), as = randomValues(m, 3),
                      bs = randomValues(n, 4), want(m * n);
  for (std::vector<double> *x : {&a, &b})
    for (double &v : *x)
      v = std::floor(v * 127);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t l = 0; l < k; ++l)
        want[i * n + j] += a[i * k + l] * b[l * n + j];
      // Exact up to here, then two products.
      want[i * n + j] *= as[i] * bs[j];
    }
  KernelRun run("attention.py", "int8_matmul", "*i8, *i8, *fp32, *fp32, *fp32, i32, 16, 16, 32", "1");
  run.input("a_ptr", a)
      .input("b_ptr", b)
      .input("a_scale_ptr", as)
      .input("b_scale_ptr", bs)
      .output("out_ptr", want.size());
  run.scalar("K", double(k));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr"), want, ulps(ScalarKind::FP32, 2));
}

TEST(Kernels, ConvolutionWithPadding) {
  const int c = 3, h = 9, w = 7, f = 2;
  std::vector<double> x = randomValues(size_t(c * h * w), 1), weights = randomValues(size_t(f * c * 9), 2),
                      want(size_t(f * h * w)), magnitude(want.size());
  for (int o = 0; o < f; ++o)
    for (int y = 0; y < h; ++y)
      for (int z = 0; z < w; ++z)
        for (int ch = 0; ch < c; ++ch)
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              int yy = y + i - 1, zz = z + j - 1;
              if (yy < 0 || yy >= h || zz < 0 || zz >= w)
                continue;
              double product =
                  x[size_t((ch * h + yy) * w + zz)] * weights[size_t(((o * c + ch) * 3 + i) * 3 + j)];
              want[size_t((o * h + y) * w + z)] += product;
              magnitude[size_t((o * h + y) * w + z)] += std::fabs(product);
            }
  KernelRun run("attention.py", "convolution", "*fp32, *fp32, *fp32, i32, i32, i32, 3, 3, 1, 32",
                "2, cdiv(H * W, BLOCK)");
  run.input("x_ptr", x)
      .input("w_ptr", weights)
      .output("out_ptr", want.size())
      .scalar("C", c)
      .scalar("H", h)
      .scalar("W", w);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(27) + 1, magnitude));
}

TEST(Kernels, LayerNormBackwardUnderLocks) {
  const size_t rows = 24, n = 50, groups = 4;
  std::vector<double> x = randomValues(rows * n, 1), w = randomValues(n, 2), dy = randomValues(rows * n, 3),
                      dx(rows * n), dw(groups * n), ofX(rows * n), ofW(groups * n);
  for (size_t r = 0; r < rows; ++r) {
    double mean = 0, variance = 0, c1 = 0, c2 = 0, size1 = 0, size2 = 0;
    for (size_t i = 0; i < n; ++i)
      mean += x[r * n + i] / n;
    for (size_t i = 0; i < n; ++i)
      variance += (x[r * n + i] - mean) * (x[r * n + i] - mean) / n;
    double rstd = 1 / std::sqrt(variance + 1e-5);
    for (size_t i = 0; i < n; ++i) {
      double xhat = (x[r * n + i] - mean) * rstd, wdy = w[i] * dy[r * n + i];
      c1 += xhat * wdy / n;
      c2 += wdy / n;
      size1 += std::fabs(xhat * wdy) / n;
      size2 += std::fabs(wdy) / n;
      dw[r % groups * n + i] += dy[r * n + i] * xhat;
      ofW[r % groups * n + i] += std::fabs(dy[r * n + i]) * (std::fabs(xhat) + 1);
    }
    for (size_t i = 0; i < n; ++i)
      dx[r * n + i] = (w[i] * dy[r * n + i] - ((x[r * n + i] - mean) * rstd * c1 + c2)) * rstd;
    for (size_t i = 0; i < n; ++i)
      ofX[r * n + i] =
          (std::fabs(w[i] * dy[r * n + i]) + (std::fabs(x[r * n + i] - mean) * rstd + 1) * size1 + size2) *
          rstd;
  }
  KernelRun run("attention.py", "layer_norm_backward",
                "*fp32, *fp32, *fp32, *fp32, *i32, *fp32, i32, fp32, 4, 64", "24");
  run.input("x_ptr", x)
      .input("w_ptr", w)
      .input("dy_ptr", dy)
      .inOut("dw_ptr", std::vector<double>(groups * n))
      .scratch("lock_ptr", std::vector<double>(groups))
      .output("out_ptr", dx.size());
  run.scalar("n", double(n)).scalar("eps", 1e-5);
  ASSERT_TRUE(run.run()) << run.messages();
  // The mean and the variance are sums, and what is summed of them is summed again.
  expectClose(run.result("out_ptr"), dx, roundings(ScalarKind::FP32, 3 * ofSum(n) + 8, ofX));
  expectClose(run.result("dw_ptr"), dw, roundings(ScalarKind::FP32, 2 * ofSum(n) + rows / groups + 4, ofW));
}

} // namespace
