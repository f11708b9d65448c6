// kernels/statespace.py: a scan in chunks beside the plain recurrence, which knows no chunks; a convolution
// and an LSTM beside loops in double precision.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<double> scaled(std::vector<double> values, double factor, double offset = 0) {
  for (double &value : values)
    value = roundTo(ScalarKind::FP32, value * factor + offset);
  return values;
}

struct ScanCase {
  const char *type;
  size_t steps, heads, p, n;
  bool gated, initial;
};

class StateSpace : public testing::TestWithParam<ScanCase> {};

// h_t = exp(a step_t) h_{t-1} + step_t x_t b_t^T,  y_t = h_t c_t + d x_t
TEST_P(StateSpace, ScanInChunks) {
  auto [type, S, H, P, N, gated, initial] = GetParam();
  ScalarKind kind = kindOf(type);
  const size_t chunks = (S + 31) / 32;
  std::vector<double> x = randomValues(S * H * P, 1, kind), b = randomValues(S * N, 2, kind),
                      c = randomValues(S * N, 3, kind), dt = randomValues(S * H, 4, kind),
                      a = scaled(randomValues(H, 5), 0.4, -0.5), bias = scaled(randomValues(H, 6), 0.5, -1),
                      d = randomValues(H, 7), z = randomValues(S * H * P, 8, kind),
                      start = randomValues(H * P * N, 9);
  std::vector<double> want(S * H * P), state = initial ? start : std::vector<double>(H * P * N);
  for (size_t t = 0; t < S; ++t)
    for (size_t h = 0; h < H; ++h) {
      double step = std::log1p(std::exp(dt[t * H + h] + bias[h]));
      for (size_t i = 0; i < P; ++i) {
        double in = x[(t * H + h) * P + i], out = d[h] * in;
        for (size_t j = 0; j < N; ++j) {
          double &s = state[(h * P + i) * N + j];
          s = std::exp(a[h] * step) * s + step * in * b[t * N + j];
          out += s * c[t * N + j];
        }
        double gate = z[(t * H + h) * P + i];
        want[(t * H + h) * P + i] = gated ? out * gate * sigmoid(gate) : out;
      }
    }

  std::string in = std::string("*") + type + ", ";
  KernelRun sums("statespace.py", "step_sums", in + "*fp32, *fp32, *fp32, *fp32, i32, i32, 32, 2",
                 "cdiv(S, CHUNK), cdiv(H, BH)");
  sums.array("dt_ptr", dt).array("a_ptr", a).array("bias_ptr", bias);
  sums.array("step_ptr", std::vector<double>(S * H)).array("sum_ptr", std::vector<double>(S * H));
  sums.scalar("S", double(S)).scalar("H", double(H));
  ASSERT_TRUE(sums.run()) << sums.messages();

  KernelRun added("statespace.py", "chunk_states",
                  in + in + "*fp32, *fp32, *fp32, i32, i32, i32, i32, 32, 16, 16, 16",
                  "cdiv(P, BP) * cdiv(N, BN), cdiv(S, CHUNK), H");
  added.array("x_ptr", x).array("b_ptr", b);
  added.array("step_ptr", sums.result("step_ptr")).array("sum_ptr", sums.result("sum_ptr"));
  added.array("state_ptr", std::vector<double>(chunks * H * P * N));
  added.scalar("S", double(S)).scalar("H", double(H)).scalar("P", double(P)).scalar("N", double(N));
  ASSERT_TRUE(added.run()) << added.messages();

  KernelRun passed("statespace.py", "pass_states",
                   std::string("*fp32, *fp32, ") + (initial ? "*fp32" : "None") +
                       ", *fp32, i32, i32, i32, 32, 128",
                   "cdiv(SIZE, BLOCK), H");
  passed.array("state_ptr", added.result("state_ptr")).array("sum_ptr", sums.result("sum_ptr"));
  if (initial)
    passed.array("initial_ptr", start);
  passed.array("last_ptr", std::vector<double>(H * P * N));
  passed.scalar("S", double(S)).scalar("H", double(H)).scalar("SIZE", double(P * N));
  ASSERT_TRUE(passed.run()) << passed.messages();
  double tolerance = kind == ScalarKind::FP32 ? 2e-4 : kind == ScalarKind::FP16 ? 5e-3 : 4e-2;
  expectClose(passed.result("last_ptr"), state, tolerance);

  KernelRun scan("statespace.py", "chunk_scan",
                 in + in + in + "*fp32, *fp32, *fp32, *fp32, " + (gated ? in : "None, ") +
                     "*fp32, i32, i32, i32, i32, 32, 16, 16, 32, 16",
                 "cdiv(CHUNK, BM) * cdiv(P, BP), cdiv(S, CHUNK), H");
  scan.array("x_ptr", x).array("b_ptr", b).array("c_ptr", c).array("d_ptr", d);
  scan.array("step_ptr", sums.result("step_ptr")).array("sum_ptr", sums.result("sum_ptr"));
  scan.array("state_ptr", passed.result("state_ptr")).array("out_ptr", std::vector<double>(S * H * P));
  if (gated)
    scan.array("z_ptr", z);
  scan.scalar("S", double(S)).scalar("H", double(H)).scalar("P", double(P)).scalar("N", double(N));
  ASSERT_TRUE(scan.run()) << scan.messages();
  expectClose(scan.result("out_ptr"), want, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Kernels, StateSpace,
                         testing::Values(ScanCase{"fp32", 75, 3, 20, 18, false, false},
                                         ScanCase{"fp32", 64, 2, 16, 32, true, true},
                                         ScanCase{"fp16", 33, 1, 24, 9, true, false},
                                         ScanCase{"bf16", 70, 2, 17, 16, false, true}),
                         [](const auto &info) {
                           return std::string(info.param.type) + "_" + std::to_string(info.param.steps) +
                                  (info.param.gated ? "_gated" : "") + (info.param.initial ? "_initial" : "");
                         });

TEST(Kernels, DepthwiseConvolution) {
  for (const char *type : {"fp32", "bf16"}) {
    ScalarKind kind = kindOf(type);
    const size_t T = 37, C = 21, W = 4;
    std::vector<double> x = randomValues(T * C, 1, kind), w = randomValues(C * W, 2, kind),
                        bias = randomValues(C, 3, kind), history = randomValues((W - 1) * C, 4, kind),
                        want(T * C);
    for (size_t t = 0; t < T; ++t)
      for (size_t c = 0; c < C; ++c) {
        double sum = bias[c];
        for (size_t i = 0; i < W; ++i)
          sum += w[c * W + i] * (t + i >= W - 1 ? x[(t + i - (W - 1)) * C + c] : history[(t + i) * C + c]);
        want[t * C + c] = sum * sigmoid(sum);
      }
    std::string p = std::string("*") + type + ", ";
    KernelRun run("statespace.py", "depthwise_conv", p + p + p + p + p + "i32, i32, 4, 16, 16",
                  "cdiv(T, BT), cdiv(C, BC)");
    run.array("x_ptr", x).array("w_ptr", w).array("bias_ptr", bias).array("history_ptr", history);
    run.array("out_ptr", std::vector<double>(T * C)).scalar("T", double(T)).scalar("C", double(C));
    ASSERT_TRUE(run.run()) << run.messages();
    expectClose(run.result("out_ptr"), want, kind == ScalarKind::FP32 ? 1e-5 : 2e-2);
  }
}

TEST(Kernels, DepthwiseConvolutionBackward) {
  const size_t T = 37, C = 21, W = 3;
  std::vector<double> x = randomValues(T * C, 1), w = randomValues(C * W, 2), dy = randomValues(T * C, 3),
                      dx(T * C), dw(C * W);
  for (size_t t = 0; t < T; ++t)
    for (size_t c = 0; c < C; ++c)
      for (size_t i = 0; i < W; ++i)
        if (t + i >= W - 1) {
          size_t from = t + i - (W - 1);
          dx[from * C + c] += dy[t * C + c] * w[c * W + i];
          dw[c * W + i] += dy[t * C + c] * x[from * C + c];
        }
  KernelRun run("statespace.py", "depthwise_conv_backward",
                "*fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, 3, 16, 16", "cdiv(T, BT), cdiv(C, BC)");
  run.array("x_ptr", x).array("w_ptr", w).array("dy_ptr", dy);
  run.array("dx_ptr", std::vector<double>(T * C)).array("dw_ptr", std::vector<double>(C * W));
  run.scalar("T", double(T)).scalar("C", double(C));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("dx_ptr"), dx, 1e-5);
  expectClose(run.result("dw_ptr"), dw, 1e-5);
}

TEST(Kernels, RecurrenceOfProducts) {
  for (const char *type : {"fp32", "fp16"}) {
    ScalarKind kind = kindOf(type);
    const size_t T = 7, B = 19, D = 16;
    std::vector<double> wx = randomValues(T * B * 4 * D, 1, kind), r = randomValues(4 * D * D, 2, kind),
                        h = randomValues(B * D, 3, kind), c = randomValues(B * D, 4), want;
    std::vector<double> hidden = h, cell = c;
    for (size_t t = 0; t < T; ++t) {
      std::vector<double> next(B * D);
      for (size_t b = 0; b < B; ++b)
        for (size_t e = 0; e < D; ++e) {
          double gates[4];
          for (size_t g = 0; g < 4; ++g) {
            gates[g] = wx[((t * B + b) * 4 + g) * D + e];
            for (size_t k = 0; k < D; ++k)
              gates[g] += hidden[b * D + k] * r[(g * D + k) * D + e];
          }
          double &s = cell[b * D + e];
          s = sigmoid(gates[1]) * s + sigmoid(gates[0]) * std::tanh(gates[2]);
          next[b * D + e] = roundTo(kind, sigmoid(gates[3]) * std::tanh(s));
        }
      hidden = next;
      want.insert(want.end(), next.begin(), next.end());
    }
    std::string p = std::string("*") + type + ", ";
    KernelRun run("statespace.py", "lstm", p + p + p + "*fp32, " + p + "i32, i32, 16, 16", "cdiv(B, BB)");
    run.array("wx_ptr", wx).array("r_ptr", r).array("h_ptr", h).array("c_ptr", c).array("out_ptr", want);
    run.scalar("T", double(T)).scalar("B", double(B));
    ASSERT_TRUE(run.run()) << run.messages();
    double tolerance = kind == ScalarKind::FP32 ? 1e-4 : 5e-3;
    expectClose(run.result("out_ptr"), want, tolerance);
    expectClose(run.result("c_ptr"), cell, tolerance);
  }
}

} // namespace
