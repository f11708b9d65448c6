// kernels/routing.py: a mixture of experts kernel by kernel, each beside the same step in plain loops.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nereid;
using namespace nereid::test;

namespace {

struct MixtureCase {
  const char *type;
  size_t tokens, experts, chosen, n, d;
};

class Mixture : public testing::TestWithParam<MixtureCase> {};

TEST_P(Mixture, OfExperts) {
  const auto [type, T, E, K, N, D] = GetParam();
  ScalarKind kind = kindOf(type);
  const size_t entries = T * K;
  std::vector<double> logits = randomValues(T * E, 1), x = randomValues(T * D, 2, kind),
                      w = randomValues(E * N * D, 3, kind), dy = randomValues(entries * N, 4, kind);
  for (size_t t = 0; t < T; ++t)
    logits[t * E + 1] = -2; // expert 1 is never chosen

  std::vector<double> weight(entries), expert(entries), counts(8), starts(E + 1), order;
  for (size_t t = 0; t < T; ++t) {
    std::vector<size_t> by(E);
    std::iota(by.begin(), by.end(), 0);
    std::sort(by.begin(), by.end(),
              [&, row = t * E](size_t a, size_t b) { return logits[row + a] > logits[row + b]; });
    double total = 0;
    for (size_t k = 0; k < K; ++k)
      total += std::exp(logits[t * E + by[k]]);
    for (size_t k = 0; k < K; ++k) {
      weight[t * K + k] = std::exp(logits[t * E + by[k]]) / total;
      expert[t * K + k] = double(by[k]);
      ++counts[by[k]];
    }
  }
  for (size_t e = 0; e < E; ++e) {
    for (size_t i = 0; i < entries; ++i)
      if (expert[i] == double(e))
        order.push_back(double(i));
    starts[e + 1] = double(order.size());
  }

  KernelRun choose("routing.py", "choose", "*fp32, *fp32, *i32, i32, i32, " + std::to_string(K) + ", 16, 8",
                   "cdiv(T, BT)");
  choose.input("logits_ptr", logits).output("weight_ptr", entries).output("expert_ptr", entries);
  choose.scalar("T", double(T)).scalar("E", double(E));
  ASSERT_TRUE(choose.run()) << choose.messages();
  expectSame(choose.result("expert_ptr"), expert);
  // A softmax of logits between -2 and 1.
  expectClose(choose.result("weight_ptr"), weight,
              roundings(ScalarKind::FP32, 2 * 3 + double(K) + 8, weight));

  KernelRun count("routing.py", "count", "*i32, *i32, i32, 32, 8", "cdiv(N, BLOCK)");
  count.input("expert_ptr", expert).inOut("count_ptr", std::vector<double>(8)).scalar("N", double(entries));
  ASSERT_TRUE(count.run()) << count.messages();
  expectSame(count.result("count_ptr"), counts);

  KernelRun place("routing.py", "place", "*i32, *i32, *i32, *i32, i32, 16, 8", std::to_string(E));
  place.input("expert_ptr", expert).input("count_ptr", counts);
  place.output("start_ptr", E + 1).output("order_ptr", entries);
  place.scalar("N", double(entries));
  ASSERT_TRUE(place.run()) << place.messages();
  expectSame(place.result("start_ptr"), starts);
  expectSame(place.result("order_ptr"), order);

  KernelRun one("routing.py", "place_one_by_one", "*i32, *i32, *i32, i32, i32", "1");
  one.input("expert_ptr", expert).output("next_ptr", E).output("order_ptr", entries);
  one.scalar("N", double(entries)).scalar("E", double(E));
  ASSERT_TRUE(one.run()) << one.messages();
  expectSame(one.result("order_ptr"), order);
  expectSame(one.result("next_ptr"), std::vector<double>(starts.begin() + 1, starts.end()));

  std::vector<double> y(entries * N), out(T * N), dw(E * N * D), ofY(entries * N), ofOut(T * N),
      ofDW(E * N * D);
  for (size_t r = 0; r < entries; ++r) {
    size_t token = size_t(order[r]) / K, e = size_t(expert[size_t(order[r])]);
    for (size_t j = 0; j < N; ++j) {
      for (size_t i = 0; i < D; ++i) {
        y[r * N + j] += x[token * D + i] * w[(e * N + j) * D + i];
        dw[(e * N + j) * D + i] += dy[r * N + j] * x[token * D + i];
        ofY[r * N + j] += std::fabs(x[token * D + i] * w[(e * N + j) * D + i]);
        ofDW[(e * N + j) * D + i] += std::fabs(dy[r * N + j] * x[token * D + i]);
      }
      y[r * N + j] = roundTo(kind, y[r * N + j]);
      out[token * N + j] += weight[size_t(order[r])] * y[r * N + j];
      ofOut[token * N + j] += std::fabs(weight[size_t(order[r])] * y[r * N + j]);
    }
  }
  std::string in = std::string("*") + type + ", ";
  std::string chosen = std::to_string(K) + ", ";
  KernelRun product("routing.py", "grouped_product",
                    in + in + "*i32, *i32, " + in + "i32, i32, i32, " + chosen + "True, 16, 16, 16, 3", "3");
  product.input("x_ptr", x).input("w_ptr", w).input("start_ptr", starts).input("order_ptr", order);
  product.output("out_ptr", entries * N);
  product.scalar("E", double(E)).scalar("N", double(N)).scalar("D", double(D));
  ASSERT_TRUE(product.run()) << product.messages();
  expectClose(product.result("out_ptr"), y, roundings(ScalarKind::FP32, ofSum(D) + 1, ofY) + ulps(kind, 1));

  KernelRun combine("routing.py", "combine", in + "*fp32, *i32, *fp32, i32, i32, " + chosen + "16",
                    "R, cdiv(N, BLOCK)");
  combine.input("y_ptr", y).input("weight_ptr", weight).input("order_ptr", order);
  combine.inOut("out_ptr", std::vector<double>(T * N)).scalar("R", double(entries)).scalar("N", double(N));
  ASSERT_TRUE(combine.run()) << combine.messages();
  expectClose(combine.result("out_ptr"), out, roundings(ScalarKind::FP32, double(K) + 2, ofOut));

  KernelRun gradient("routing.py", "weight_gradient",
                     in + in + "*i32, *i32, *fp32, i32, i32, " + chosen + "16, 16, 16",
                     "cdiv(N, BN), cdiv(D, BD), " + std::to_string(E));
  gradient.input("x_ptr", x).input("dy_ptr", dy).input("start_ptr", starts).input("order_ptr", order);
  gradient.output("dw_ptr", E * N * D);
  gradient.scalar("N", double(N)).scalar("D", double(D));
  ASSERT_TRUE(gradient.run()) << gradient.messages();
  expectClose(gradient.result("dw_ptr"), dw, roundings(ScalarKind::FP32, ofSum(entries) + 1, ofDW));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Mixture,
                         testing::Values(MixtureCase{"fp32", 23, 5, 2, 20, 24},
                                         MixtureCase{"fp16", 40, 8, 3, 33, 48},
                                         MixtureCase{"bf16", 5, 3, 1, 16, 17}),
                         [](const auto &info) {
                           return std::string(info.param.type) + "_" + std::to_string(info.param.tokens) +
                                  "_tokens";
                         });

} // namespace
