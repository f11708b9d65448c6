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
  // The same of magnitudes; how far the decay's exponent goes within a chunk.
  std::vector<double> ofOut(S * H * P), ofState = state, reach(H);
  for (double &value : ofState)
    value = std::fabs(value);
  double largestReach = 0;
  for (size_t t = 0; t < S; ++t)
    for (size_t h = 0; h < H; ++h) {
      double step = std::log1p(std::exp(dt[t * H + h] + bias[h]));
      reach[h] = (t % 32 ? reach[h] : 0) + std::fabs(a[h]) * step;
      largestReach = std::max(largestReach, reach[h]);
      for (size_t i = 0; i < P; ++i) {
        double in = x[(t * H + h) * P + i], out = d[h] * in, size = std::fabs(out);
        for (size_t j = 0; j < N; ++j) {
          double &s = state[(h * P + i) * N + j];
          s = std::exp(a[h] * step) * s + step * in * b[t * N + j];
          out += s * c[t * N + j];
          double &ofS = ofState[(h * P + i) * N + j];
          ofS = std::exp(a[h] * step) * ofS + step * std::fabs(in * b[t * N + j]);
          size += ofS * std::fabs(c[t * N + j]);
        }
        double gate = z[(t * H + h) * P + i];
        want[(t * H + h) * P + i] = gated ? out * gate * sigmoid(gate) : out;
        ofOut[(t * H + h) * P + i] = gated ? size * std::fabs(gate) * sigmoid(gate) : size;
      }
    }

  std::string in = std::string("*") + type + ", ";
  KernelRun sums("statespace.py", "step_sums", in + "*fp32, *fp32, *fp32, *fp32, i32, i32, 32, 2",
                 "cdiv(S, CHUNK), cdiv(H, BH)");
  sums.input("dt_ptr", dt).input("a_ptr", a).input("bias_ptr", bias);
  sums.output("step_ptr", S * H).output("sum_ptr", S * H);
  sums.scalar("S", double(S)).scalar("H", double(H));
  ASSERT_TRUE(sums.run()) << sums.messages();

  KernelRun added("statespace.py", "chunk_states",
                  in + in + "*fp32, *fp32, *fp32, i32, i32, i32, i32, 32, 16, 16, 16",
                  "cdiv(P, BP) * cdiv(N, BN), cdiv(S, CHUNK), H");
  added.input("x_ptr", x).input("b_ptr", b);
  added.input("step_ptr", sums.result("step_ptr")).input("sum_ptr", sums.result("sum_ptr"));
  added.output("state_ptr", chunks * H * P * N);
  added.scalar("S", double(S)).scalar("H", double(H)).scalar("P", double(P)).scalar("N", double(N));
  ASSERT_TRUE(added.run()) << added.messages();

  KernelRun passed("statespace.py", "pass_states",
                   std::string("*fp32, *fp32, ") + (initial ? "*fp32" : "None") +
                       ", *fp32, i32, i32, i32, 32, 128",
                   "cdiv(SIZE, BLOCK), H");
  passed.inOut("state_ptr", added.result("state_ptr")).input("sum_ptr", sums.result("sum_ptr"));
  if (initial)
    passed.input("initial_ptr", start);
  passed.output("last_ptr", H * P * N);
  passed.scalar("S", double(S)).scalar("H", double(H)).scalar("SIZE", double(P * N));
  ASSERT_TRUE(passed.run()) << passed.messages();
  // A decay is off by what its exponent is, a sum over the chunk. Factors of the products are rounded to the
  // type: b or the state, and the products of c and b.
  double count =
      (ofSum(32) + 4) * largestReach + 2 * ofSum(32) + ofSum(N) + 16 + 3 * roundingsOfFactors(kind);
  auto ofMagnitude = [&, kind = kind](const std::vector<double> &magnitude) {
    Tolerance tolerance = roundings(ScalarKind::FP32, count, magnitude);
    return kind == ScalarKind::FP32 ? tolerance : tolerance + roundings(kind, 2, magnitude);
  };
  expectClose(passed.result("last_ptr"), state, ofMagnitude(ofState));

  KernelRun scan("statespace.py", "chunk_scan",
                 in + in + in + "*fp32, *fp32, *fp32, *fp32, " + (gated ? in : "None, ") +
                     "*fp32, i32, i32, i32, i32, 32, 16, 16, 32, 16",
                 "cdiv(CHUNK, BM) * cdiv(P, BP), cdiv(S, CHUNK), H");
  scan.input("x_ptr", x).input("b_ptr", b).input("c_ptr", c).input("d_ptr", d);
  scan.input("step_ptr", sums.result("step_ptr")).input("sum_ptr", sums.result("sum_ptr"));
  scan.input("state_ptr", passed.result("state_ptr")).output("out_ptr", S * H * P);
  if (gated)
    scan.input("z_ptr", z);
  scan.scalar("S", double(S)).scalar("H", double(H)).scalar("P", double(P)).scalar("N", double(N));
  ASSERT_TRUE(scan.run()) << scan.messages();
  expectClose(scan.result("out_ptr"), want, ofMagnitude(ofOut));
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
                        want(T * C), magnitude(T * C);
    for (size_t t = 0; t < T; ++t)
      for (size_t c = 0; c < C; ++c) {
        double sum = bias[c], size = std::fabs(sum);
        for (size_t i = 0; i < W; ++i) {
          double term =
              w[c * W + i] * (t + i >= W - 1 ? x[(t + i - (W - 1)) * C + c] : history[(t + i) * C + c]);
          sum += term;
          size += std::fabs(term);
        }
        want[t * C + c] = sum * sigmoid(sum);
        magnitude[t * C + c] = size;
      }
    std::string p = std::string("*") + type + ", ";
    KernelRun run("statespace.py", "depthwise_conv", p + p + p + p + p + "i32, i32, 4, 16, 16",
                  "cdiv(T, BT), cdiv(C, BC)");
    run.input("x_ptr", x).input("w_ptr", w).input("bias_ptr", bias).input("history_ptr", history);
    run.output("out_ptr", T * C).scalar("T", double(T)).scalar("C", double(C));
    ASSERT_TRUE(run.run()) << run.messages();
    // The derivative of the activation is at most 1.1.
    expectClose(run.result("out_ptr"), want,
                roundings(ScalarKind::FP32, 1.1 * (W + 1) + 4, magnitude) +
                    ulps(kind, kind == ScalarKind::FP32 ? 0 : 0.5));
  }
}

TEST(Kernels, DepthwiseConvolutionBackward) {
  const size_t T = 37, C = 21, W = 3;
  std::vector<double> x = randomValues(T * C, 1), w = randomValues(C * W, 2), dy = randomValues(T * C, 3),
                      dx(T * C), dw(C * W), ofX(T * C), ofW(C * W);
  for (size_t t = 0; t < T; ++t)
    for (size_t c = 0; c < C; ++c)
      for (size_t i = 0; i < W; ++i)
        if (t + i >= W - 1) {
          size_t from = t + i - (W - 1);
          dx[from * C + c] += dy[t * C + c] * w[c * W + i];
          dw[c * W + i] += dy[t * C + c] * x[from * C + c];
          ofX[from * C + c] += std::fabs(dy[t * C + c] * w[c * W + i]);
          ofW[c * W + i] += std::fabs(dy[t * C + c] * x[from * C + c]);
        }
  KernelRun run("statespace.py", "depthwise_conv_backward",
                "*fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, 3, 16, 16", "cdiv(T, BT), cdiv(C, BC)");
  run.input("x_ptr", x).input("w_ptr", w).input("dy_ptr", dy);
  run.output("dx_ptr", T * C).inOut("dw_ptr", std::vector<double>(C * W));
  run.scalar("T", double(T)).scalar("C", double(C));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("dx_ptr"), dx, roundings(ScalarKind::FP32, W + 1, ofX));
  expectClose(run.result("dw_ptr"), dw, roundings(ScalarKind::FP32, ofSum(T) + 1, ofW));
}

TEST(Kernels, RecurrenceOfProducts) {
  for (const char *type : {"fp32", "fp16"}) {
    ScalarKind kind = kindOf(type);
    const size_t T = 7, B = 19, D = 16;
    std::vector<double> wx = randomValues(T * B * 4 * D, 1, kind), r = randomValues(4 * D * D, 2, kind),
                        h = randomValues(B * D, 3, kind), c = randomValues(B * D, 4), want;
    std::vector<double> hidden = h, cell = c;
    // How far each of them may be off by then, and each element of the output.
    std::vector<double> offHidden(B * D), offCell(B * D), off;
    const double u = 0x1p-24;
    for (size_t t = 0; t < T; ++t) {
      std::vector<double> next(B * D), offNext(B * D);
      for (size_t b = 0; b < B; ++b)
        for (size_t e = 0; e < D; ++e) {
          double gates[4], offGates[4];
          for (size_t g = 0; g < 4; ++g) {
            gates[g] = wx[((t * B + b) * 4 + g) * D + e];
            double size = std::fabs(gates[g]);
            offGates[g] = 0;
            for (size_t k = 0; k < D; ++k) {
              double weight = r[(g * D + k) * D + e];
              gates[g] += hidden[b * D + k] * weight;
              size += std::fabs(hidden[b * D + k] * weight);
              offGates[g] += offHidden[b * D + k] * std::fabs(weight);
            }
            offGates[g] += (ofSum(D) + 1 + roundingsOfFactors(kind)) * u * size;
          }
          double &s = cell[b * D + e];
          // The logistic function's derivative is at most 1/4, the hyperbolic tangent's 1; each is a quotient
          // of exponentials here, whose magnitude is 1.
          double &offS = offCell[b * D + e];
          offS = sigmoid(gates[1]) * offS + std::fabs(s) * (offGates[1] / 4 + 4 * u) + offGates[0] / 4 +
                 offGates[2] + 12 * u;
          s = sigmoid(gates[1]) * s + sigmoid(gates[0]) * std::tanh(gates[2]);
          next[b * D + e] = roundTo(kind, sigmoid(gates[3]) * std::tanh(s));
          offNext[b * D + e] = offS + offGates[3] / 4 + 12 * u;
          if (kind != ScalarKind::FP32)
            offNext[b * D + e] += spacing(kind, next[b * D + e]);
        }
      hidden = next;
      offHidden = offNext;
      off.insert(off.end(), offNext.begin(), offNext.end());
      want.insert(want.end(), next.begin(), next.end());
    }
    std::string p = std::string("*") + type + ", ";
    KernelRun run("statespace.py", "lstm", p + p + p + "*fp32, " + p + "i32, i32, 16, 16", "cdiv(B, BB)");
    run.input("wx_ptr", wx)
        .input("r_ptr", r)
        .input("h_ptr", h)
        .inOut("c_ptr", c)
        .output("out_ptr", want.size());
    run.scalar("T", double(T)).scalar("B", double(B));
    ASSERT_TRUE(run.run()) << run.messages();
    expectClose(run.result("out_ptr"), want, within(off));
    expectClose(run.result("c_ptr"), cell, within(offCell));
  }
}

struct ChunkCase {
  const char *type;
  size_t chunk, bk, bv;
};

void PrintTo(const ChunkCase &c, std::ostream *out) {
  *out << c.type << ' ' << c.chunk << ' ' << c.bk << ' ' << c.bv;
}

class GatedChunk : public testing::TestWithParam<ChunkCase> {};

// Small integers and gates that are open or shut, so that results are exact. Layouts of the two sums and of
// what they have in common were once mixed up in kernels of this form.
TEST_P(GatedChunk, TwoSumsOfOneFactor) {
  auto [type, chunk, bk, bv] = GetParam();
  const size_t S = 100, K = 80, V = 72, chunks = (S + chunk - 1) / chunk;
  ScalarKind kind = kindOf(type);
  auto integers = [&](size_t count, unsigned seed) {
    std::vector<double> values = randomValues(count, seed, kind);
    for (double &value : values)
      value = std::round(value * 3);
    return values;
  };
  std::vector<double> q = integers(S * K, 31), k = integers(S * K, 32), state = integers(chunks * K * V, 33),
                      gate(S * V), out, scores;
  for (size_t i = 0; i < gate.size(); ++i)
    gate[i] = i % 3 ? 0 : -std::numeric_limits<double>::infinity();
  for (size_t t = 0; t < S; ++t) {
    for (size_t v = 0; v < V; ++v) {
      double sum = 0;
      for (size_t i = 0; i < K; ++i)
        sum += q[t * K + i] / 2 * state[(t / chunk * K + i) * V + v];
      out.push_back(sum * std::exp(gate[t * V + v]));
    }
    for (size_t j = 0; j < chunk; ++j) {
      double sum = 0;
      for (size_t i = 0; j <= t % chunk && i < K; ++i)
        sum += q[t * K + i] / 2 * k[(t / chunk * chunk + j) * K + i];
      scores.push_back(sum);
    }
  }
  std::string pointer = std::string("*") + type + ":16, ";
  KernelRun run("statespace.py", "gated_chunk",
                pointer + pointer + pointer + "*fp32:16, *fp32:16, *fp32:16, fp32, i32, i32:16, i32, " +
                    std::to_string(chunk) + ", " + std::to_string(bk) + ", " + std::to_string(bv),
                "cdiv(V, BV), cdiv(S, CHUNK)");
  run.input("q_ptr", q).input("k_ptr", k).input("state_ptr", state).input("gate_ptr", gate);
  run.output("out_ptr", out.size()).output("scores_ptr", scores.size());
  run.scalar("scale", 0.5).scalar("S", double(S)).scalar("K", double(K)).scalar("V", double(V));
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), out);
  expectSame(run.result("scores_ptr"), scores);
}
INSTANTIATE_TEST_SUITE_P(Sizes, GatedChunk,
                         testing::Values(ChunkCase{"fp16", 64, 32, 64}, ChunkCase{"bf16", 64, 64, 32},
                                         ChunkCase{"fp16", 32, 32, 32}, ChunkCase{"fp16", 16, 64, 32},
                                         ChunkCase{"fp32", 64, 32, 32}, ChunkCase{"bf16", 16, 16, 16}));

} // namespace
