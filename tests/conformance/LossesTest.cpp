// kernels/losses.py beside loops in double precision; the gradients beside the losses' own formulas.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

/// Rows of log-probabilities, as the element type holds them.
std::vector<double> logProbabilities(size_t rows, size_t cols, unsigned seed, ScalarKind kind) {
  std::vector<double> values = randomValues(rows * cols, seed);
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (size_t c = 0; c < cols; ++c)
      sum += std::exp(3 * values[r * cols + c]);
    for (size_t c = 0; c < cols; ++c)
      values[r * cols + c] = roundTo(kind, 3 * values[r * cols + c] - std::log(sum));
  }
  return values;
}

struct DivergenceCase {
  const char *type, *kind;
  double beta;
  bool labels;
};

class Divergence : public testing::TestWithParam<DivergenceCase> {};

TEST_P(Divergence, WithGradient) {
  auto [type, divergence, beta, labels] = GetParam();
  ScalarKind kind = kindOf(type);
  const size_t rows = 5, V = 203;
  const double scale = 0.25;
  std::vector<double> x = logProbabilities(rows, V, 1, kind), y = logProbabilities(rows, V, 2, kind),
                      label = {3, -100, 7, -100, 0}, loss(rows * V), dx(rows * V), ofLoss(rows * V);
  for (size_t i = 0; i < rows * V; ++i) {
    if (labels && label[i / V] == -100) {
      loss[i] = untouched;
      continue;
    }
    double p = std::exp(x[i]), q = std::exp(y[i]);
    // The logarithm of the mixture is as large as x or y, and off by what it and its argument are rounded by.
    // An exponential is off by what its exponent is.
    ofLoss[i] = scale * (p + q) * (std::fabs(x[i]) + std::fabs(y[i]) + 1);
    if (beta == 0) {
      loss[i] = q * (y[i] - x[i]);
      dx[i] = -q;
    } else if (beta == 1) {
      loss[i] = p * (x[i] - y[i]);
      dx[i] = p * (x[i] - y[i]) + p;
    } else {
      double m = std::log(beta * q + (1 - beta) * p);
      loss[i] = beta * q * (y[i] - m) + (1 - beta) * p * (x[i] - m);
      dx[i] = (1 - beta) * p * (x[i] - m);
    }
    loss[i] *= scale;
    dx[i] *= scale;
  }
  std::string in = std::string("*") + type + ", ";
  KernelRun run("losses.py", "jensen_shannon",
                in + in + (labels ? "*i64" : "None") + ", *fp32, " + in + "i32, fp32, fp32, -100, \"" +
                    divergence + "\", 64",
                std::to_string(rows));
  run.input("x_ptr", x).input("y_ptr", y);
  if (labels)
    run.input("label_ptr", label);
  run.output("loss_ptr", rows * V).output("dx_ptr", rows * V);
  run.scalar("V", double(V)).scalar("beta", beta).scalar("scale", scale);
  ASSERT_TRUE(run.run()) << run.messages();
  Tolerance tolerance = roundings(ScalarKind::FP32, 8, ofLoss);
  expectClose(run.result("loss_ptr"), loss, tolerance);
  expectClose(run.result("dx_ptr"), dx, tolerance + ulps(kind, 0.5));
}

INSTANTIATE_TEST_SUITE_P(
    Losses, Divergence,
    testing::Values(DivergenceCase{"fp32", "mixed", 0.5, false}, DivergenceCase{"fp32", "mixed", 0.125, true},
                    DivergenceCase{"bf16", "mixed", 0.75, true}, DivergenceCase{"fp32", "forward", 0, true},
                    DivergenceCase{"fp16", "reverse", 1, false}),
    [](const auto &info) {
      return std::string(info.param.type) + "_" + info.param.kind + "_" + std::to_string(info.index);
    });

struct FusedCase {
  const char *type, *cap;
};

class FusedLinear : public testing::TestWithParam<FusedCase> {};

TEST_P(FusedLinear, CrossEntropy) {
  auto [type, capText] = GetParam();
  ScalarKind kind = kindOf(type);
  const size_t R = 37, V = 75, D = 40;
  const double cap = capText == std::string("None") ? 0 : std::stod(capText), scale = 1.0 / R;
  std::vector<double> e = randomValues(R * D, 1, kind), c = randomValues(V * D, 2, kind), label(R), lse(R),
                      hit(R), de(R * D), dc(V * D), ofDE(R * D), ofDC(V * D);
  double largestLogit = cap, largestLSE = 0;
  for (size_t r = 0; r < R; ++r) {
    label[r] = double(r * 31 % V);
    std::vector<double> logit(V);
    for (size_t v = 0; v < V; ++v) {
      double magnitude = 0;
      for (size_t d = 0; d < D; ++d) {
        logit[v] += e[r * D + d] * c[v * D + d];
        magnitude += std::fabs(e[r * D + d] * c[v * D + d]);
      }
      largestLogit = std::max(largestLogit, magnitude);
      if (cap)
        logit[v] = cap * std::tanh(logit[v] / cap);
      lse[r] += std::exp(logit[v]);
    }
    lse[r] = std::log(lse[r]);
    largestLSE = std::max(largestLSE, std::fabs(lse[r]));
    hit[r] = logit[size_t(label[r])];
    for (size_t v = 0; v < V; ++v) {
      double g = std::exp(logit[v] - lse[r]) - (double(v) == label[r]);
      if (cap)
        g *= 1 - logit[v] / cap * (logit[v] / cap);
      g = roundTo(kind, g * scale);
      // In float32 g is off by the roundings of the exponent, and in a shorter type may round the other way.
      double p = std::exp(logit[v] - lse[r]) + (double(v) == label[r]);
      double off = p * scale * (ofSum(D) + 8) * (largestLogit + largestLSE + 1) * 0x1p-24;
      if (kind != ScalarKind::FP32)
        off += spacing(kind, g);
      for (size_t d = 0; d < D; ++d) {
        ofDE[r * D + d] += (off + std::fabs(g) * ofSum(V) * 0x1p-24) * std::fabs(c[v * D + d]);
        ofDC[v * D + d] += (off + std::fabs(g) * ofSum(R) * 0x1p-24) * std::fabs(e[r * D + d]);
        de[r * D + d] += g * c[v * D + d];
        dc[v * D + d] += g * e[r * D + d];
      }
    }
  }
  std::string in = std::string("*") + type + ", ";
  const char *grid = "cdiv(R, BR), cdiv(V, BV)";
  KernelRun run("losses.py", "linear_cross_entropy",
                in + in + "*i64, *fp32, *fp32, *i32, i32, i32, i32, " + capText + ", 16, 32, 16", grid);
  run.input("e_ptr", e).input("c_ptr", c).input("label_ptr", label);
  run.inOut("lse_ptr", std::vector<double>(R, -HUGE_VAL)).output("hit_ptr", R);
  run.scratch("lock_ptr", std::vector<double>((R + 15) / 16));
  run.scalar("R", double(R)).scalar("V", double(V)).scalar("D", double(D));
  ASSERT_TRUE(run.run()) << run.messages();
  Tolerance ofLogits = roundings(ScalarKind::FP32, ofSum(D) + 4, largestLogit);
  expectClose(run.result("lse_ptr"), lse,
              ofLogits + roundings(ScalarKind::FP32, ofSum(V) + 16, largestLSE + 1));
  expectClose(run.result("hit_ptr"), hit, ofLogits);

  KernelRun back("losses.py", "linear_cross_entropy_backward",
                 in + in + "*i64, *fp32, *fp32, *fp32, fp32, i32, i32, i32, " + capText + ", 16, 32, 16",
                 grid);
  back.input("e_ptr", e).input("c_ptr", c).input("label_ptr", label).input("lse_ptr", lse);
  back.inOut("de_ptr", std::vector<double>(R * D)).inOut("dc_ptr", std::vector<double>(V * D));
  back.scalar("scale", scale).scalar("R", double(R)).scalar("V", double(V)).scalar("D", double(D));
  ASSERT_TRUE(back.run()) << back.messages();
  expectClose(back.result("de_ptr"), de, within(ofDE));
  expectClose(back.result("dc_ptr"), dc, within(ofDC));
}

INSTANTIATE_TEST_SUITE_P(Losses, FusedLinear,
                         testing::Values(FusedCase{"fp32", "None"}, FusedCase{"fp32", "4.0"},
                                         FusedCase{"bf16", "None"}, FusedCase{"fp16", "4.0"}),
                         [](const auto &info) {
                           return std::string(info.param.type) +
                                  (info.param.cap == std::string("None") ? "" : "_capped");
                         });

TEST(Losses, Sparsemax) {
  for (size_t n : {1u, 50u, 128u}) {
    const size_t rows = 4;
    std::vector<double> x = randomValues(rows * n, unsigned(n)), want(rows * n), magnitude(rows * n);
    for (size_t r = 0; r < rows; ++r) {
      std::vector<double> z(x.begin() + long(r * n), x.begin() + long((r + 1) * n));
      std::sort(z.begin(), z.end(), std::greater<>());
      double sum = 0, threshold = 0, size = 0, kept = 0;
      for (size_t k = 0; k < n; ++k) {
        sum += z[k];
        size += std::fabs(z[k]);
        if (1 + double(k + 1) * z[k] > sum) {
          threshold = (sum - 1) / double(k + 1);
          kept = (size + 1) / double(k + 1);
        }
      }
      for (size_t c = 0; c < n; ++c) {
        want[r * n + c] = std::max(x[r * n + c] - threshold, 0.0);
        magnitude[r * n + c] = want[r * n + c] > 0 ? std::fabs(x[r * n + c]) + kept : 0;
      }
    }
    KernelRun run("losses.py", "sparsemax", "*fp32, *fp32, i32, 128", std::to_string(rows));
    run.input("x_ptr", x).output("out_ptr", rows * n).scalar("N", double(n));
    ASSERT_TRUE(run.run()) << run.messages();
    expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(n) + 2, magnitude));
  }
}

TEST(Losses, OptimizerStateInEightBits) {
  const size_t n = 300, group = 64, groups = (n + group - 1) / group;
  std::vector<double> p = randomValues(n, 1, ScalarKind::BF16), g = randomValues(n, 2), state(n), code(256),
                      largest(groups);
  for (size_t i = 0; i < 256; ++i)
    code[i] = roundTo(ScalarKind::FP32, std::copysign(std::pow((double(i) - 128) / 128, 2), double(i) - 128));
  for (size_t i = 0; i < n; ++i)
    state[i] = double(i * 53 % 256);
  for (size_t i = 0; i < groups; ++i)
    largest[i] = 0.25 * double(i + 1);
  const double beta = 0.875, rate = 0.125;
  std::vector<double> wantP(n), moment(n), wantLargest(groups), ofMoment(groups), ofP(n);
  for (size_t i = 0; i < n; ++i) {
    moment[i] = code[size_t(state[i])] * largest[i / group] * beta + g[i];
    double size = std::fabs(moment[i] - g[i]) + std::fabs(g[i]);
    ofMoment[i / group] = std::max(ofMoment[i / group], size);
    ofP[i] = std::fabs(p[i]) + rate * size;
    wantP[i] = p[i] - rate * moment[i];
    wantLargest[i / group] = std::max(wantLargest[i / group], std::fabs(moment[i]));
  }
  KernelRun run("losses.py", "momentum_in_eight_bits",
                "*bf16, *fp32, *u8, *fp32, *fp32, fp32, fp32, i32, 64, 2", "cdiv(n, GROUP * GROUPS)");
  run.inOut("p_ptr", p).input("g_ptr", g).inOut("state_ptr", state).inOut("largest_ptr", largest);
  run.input("code_ptr", code).scalar("beta", beta).scalar("rate", rate).scalar("n", double(n));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("p_ptr"), wantP, roundings(ScalarKind::FP32, 5, ofP) + ulps(ScalarKind::BF16, 0.5));
  expectClose(run.result("largest_ptr"), wantLargest, roundings(ScalarKind::FP32, 3, ofMoment));
  // No other code is nearer than the one that was chosen.
  std::vector<double> got = run.result("state_ptr");
  for (size_t i = 0; i < n; ++i) {
    double part = moment[i] / wantLargest[i / group], nearest = HUGE_VAL;
    for (double c : code)
      nearest = std::min(nearest, std::fabs(c - part));
    EXPECT_LE(std::fabs(code[size_t(got[i])] - part), nearest + 8 * 0x1p-24) << i;
  }
}

} // namespace
