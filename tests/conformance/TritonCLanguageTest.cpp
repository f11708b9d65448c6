// kernels/triton_c/language.tc: what the page on Triton-C says, and C where it says nothing, beside the same
// in C++.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr unsigned N = 16, M = 4;
const char *const file = "triton_c/language.tc";

class TritonCLanguage : public testing::Test {
protected:
  static std::vector<double> run(KernelRun &kernel, size_t count) {
    kernel.output("out_ptr", count);
    if (kernel.run())
      return kernel.result("out_ptr");
    ADD_FAILURE() << kernel.messages();
    return {};
  }
};

TEST_F(TritonCLanguage, BlocksAreDeclaredWithTheirShape) {
  KernelRun kernel(file, "declarations", "", "1");
  std::vector<double> want;
  for (unsigned i = 0; i < M * N; ++i)
    want.push_back(7 + i % N + 15);
  expectSame(run(kernel, M * N), want);
}

TEST_F(TritonCLanguage, OperatorsWorkElementByElement) {
  std::vector<double> x = randomValues(N, 1), i = counting(N, 3), want;
  for (unsigned k = 0; k < N; ++k) {
    auto f = static_cast<float>(x[k]);
    int n = static_cast<int>(i[k]);
    float a = f * 2 + 1;
    int b = (n << 2 | 1) ^ (n & 6);
    bool c = (f > 0 && n % 3 != 0) || !(n < 8);
    float d = -f / 4;
    int e = ~n >> 1;
    a += static_cast<float>(b);
    a -= static_cast<float>(c);
    a *= 2;
    want.push_back(a + d + static_cast<float>(e));
  }
  KernelRun kernel(file, "operators", "", "1");
  kernel.input("x_ptr", x).input("i_ptr", i);
  expectClose(run(kernel, N), want, ulps(ScalarKind::FP32, 4));
}

TEST_F(TritonCLanguage, PrecedenceIsThatOfC) {
  for (auto [first, second, third] : {std::tuple(5, 3, 2), std::tuple(0, 7, 7), std::tuple(12, 5, 1)}) {
    int a = first, b = second, c = third;
    std::vector<double> want;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wparentheses"
#pragma clang diagnostic ignored "-Wbool-operation"
    for (int value : {a + b * c, a - b - c, a << 1 + b, int(a & b == c), a | b ^ c & a, int(a < b == b < c),
                      int(a || b && false),
                      a   ? b
                      : c ? 1
                          : 2,
                      -a * -b, !a + ~b, b, a % b * c, -7 / 2, -7 % 3})
      want.push_back(value);
#pragma clang diagnostic pop
    b += c;
    a = b;
    want.push_back(a + b + b);
    want.push_back(4 * (a * 2) + 6);
    KernelRun kernel(file, "precedence", "", "1");
    kernel.scalar("a", first).scalar("b", second).scalar("c", third);
    expectSame(run(kernel, 16), want);
  }
}

TEST_F(TritonCLanguage, PromotionsAndLiteralsAreThoseOfC) {
  KernelRun kernel(file, "promotions", "", "1");
  kernel.input("small", {100}).input("unsigned_ptr", {5}).input("h", {1.5});
  expectSame(run(kernel, 16), {200, -56, 0, 0, 0.5, 97, 16 + 8 + 3, 4000000000.0, 8000000000.0 - 4294967296.0,
                               2.5, 4.875, 3 + 1, 2 + 80 + 6400 + 80000, 1, 1065353216, 2});
}

TEST_F(TritonCLanguage, ProgramsKnowTheirPlace) {
  KernelRun kernel(file, "programs", "", "3, 2, 2");
  std::vector<double> want;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        want.push_back(x + 10 * y + 100 * z);
  expectSame(run(kernel, 12), want);
}

TEST_F(TritonCLanguage, AtomicsCountAcrossPrograms) {
  KernelRun kernel(file, "count", "", "10");
  std::vector<double> sums(N);
  for (unsigned i = 0; i < N; i += 2)
    sums[i] = 45;
  kernel.inOut("out_ptr", {0, 0}).inOut("sum", std::vector<double>(N, 0)).inOut("high", {0});
  ASSERT_TRUE(kernel.run()) << kernel.messages();
  expectSame(kernel.result("out_ptr"), {10, 45});
  expectSame(kernel.result("sum"), sums);
  expectSame(kernel.result("high"), {6});
}

TEST_F(TritonCLanguage, LocksAreLoopsOverCompareAndSwap) {
  KernelRun kernel(file, "spin", "", "20");
  kernel.inOut("out_ptr", {0}).scratch("lock", {0});
  ASSERT_TRUE(kernel.run()) << kernel.messages();
  expectSame(kernel.result("out_ptr"), {190});
}

TEST_F(TritonCLanguage, ANewAxisStacksColumns) {
  KernelRun kernel(file, "stacking", "", "1");
  std::vector<double> want;
  for (unsigned i = 0; i < 64; ++i)
    want.push_back(i / 8 * 100 + i % 8);
  expectSame(run(kernel, 64), want);
}

TEST_F(TritonCLanguage, ReductionsAreWrittenLikeSlices) {
  std::vector<double> x = randomValues(M * N, 1), want(2 * M + N + 3);
  for (double &value : x)
    value = std::fabs(value);
  double total = 0;
  for (unsigned n = 0; n < N; ++n) {
    double least = x[n];
    for (unsigned m = 0; m < M; ++m) {
      least = std::min(least, x[m * N + n]);
      total += x[m * N + n];
    }
    want[M + n] = least;
  }
  for (unsigned m = 0; m < M; ++m) {
    double most = 0, sum = 0;
    for (unsigned n = 0; n < N; ++n) {
      most = std::max(most, x[m * N + n]);
      sum += x[m * N + n];
    }
    want[m] = most;
    want[M + N + 3 + m] = sum;
  }
  want[M + N] = total;
  // `[max, min]` reduces the last axis first.
  double most = 0;
  for (unsigned m = 0; m < M; ++m) {
    double least = x[m * N];
    for (unsigned n = 0; n < N; ++n)
      least = std::min(least, x[m * N + n]);
    most = std::max(most, least);
  }
  want[M + N + 1] = most;
  want[M + N + 2] = M;
  KernelRun kernel(file, "reductions", "", "1");
  kernel.input("x_ptr", x);
  expectClose(run(kernel, 2 * M + N + 3), want, roundings(ScalarKind::FP32, M * N, 4));
}

TEST_F(TritonCLanguage, ShapesArePaddedWithOnesOnTheLeft) {
  std::vector<double> x = counting(N), want;
  for (unsigned i = 0; i < M * N; ++i)
    want.push_back(i / N + i % N);
  KernelRun kernel(file, "left_padding", "", "1");
  kernel.input("x_ptr", x);
  expectSame(run(kernel, M * N), want);
}

TEST_F(TritonCLanguage, MaskedOffElementsAreNotDereferenced) {
  const unsigned n = 5;
  std::vector<double> x = {1, 2, 3, 4, 5}, want;
  for (unsigned i = 0; i < N; ++i)
    want.push_back(i < n ? x[i] + (x[i] * 2 + 1) * 10 + x[i] * 100 : -1 + 0 + 500);
  for (unsigned i = 0; i < N; ++i)
    want.push_back(i < n ? x[i] : untouched);
  KernelRun kernel(file, "masked", "", "1");
  kernel.input("x_ptr", x).scalar("n", n);
  expectSame(run(kernel, 2 * N), want);
}

TEST_F(TritonCLanguage, MasksReachIntoWhatTheyChoose) {
  const unsigned n = 5;
  std::vector<double> x = {1, -2, 3, -4, 5}, next = {4, 3, 2, 1, 0}, want;
  for (unsigned i = 0; i < N; ++i) {
    double first = i < n ? x[unsigned(next[i])] : i < n + 2 ? -2 : -3;
    double rows = i < n ? 2 * 1 + 2 * x[i] * 3 : 4;
    want.push_back(first + rows + (i < n ? x[0] : 0));
  }
  for (unsigned i = 0; i < N; ++i)
    want.push_back(i < n && x[i] > 0);
  KernelRun kernel(file, "masked_chains", "", "1");
  kernel.input("x_ptr", x).input("next", next).scalar("n", n);
  expectSame(run(kernel, 2 * N), want);
}

TEST_F(TritonCLanguage, MatricesAreMultipliedAndTransposed) {
  std::vector<double> a = randomValues(256, 1, ScalarKind::FP16), b = randomValues(256, 2, ScalarKind::FP16),
                      want;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      double sum = 0;
      for (unsigned k = 0; k < 16; ++k)
        sum += a[i * 16 + k] * b[k * 16 + j] + a[k * 16 + i] * b[j * 16 + k] - a[i * 16 + k] * b[j * 16 + k];
      want.push_back(sum);
    }
  KernelRun kernel(file, "products", "", "1");
  kernel.input("a_ptr", a).input("b_ptr", b);
  expectClose(run(kernel, 256), want, roundings(ScalarKind::FP32, 48, 16));
}

std::vector<double> loopsInCpp(int n) {
  std::vector<double> out(16);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i;
  out[0] = sum;
  sum = 0;
  for (int i = n; i > 0; i -= 3)
    sum += i;
  out[1] = sum;
  sum = 0;
  for (int i = 0; i <= n; i = i + 2) {
    if (i % 4 == 2)
      continue;
    sum += i;
  }
  out[2] = sum;
  int i;
  for (i = 1; i < n; i *= 2)
    ;
  out[3] = i;
  for (i = 0; i < n; i += 4)
    ;
  out[4] = i;
  sum = 0;
  while (true) {
    if (++sum > n)
      break;
  }
  out[5] = sum;
  do
    sum -= 2;
  while (sum > 0);
  out[6] = sum;
  sum = 0;
  for (int k = 0; k != n; k++)
    for (int j = 0;; j++) {
      if (j == k)
        break;
      if ((k + j) % 2)
        continue;
      sum += j;
    }
  out[7] = sum;
  out[8] = n + 1;
  for (i = n; i >= 2; i--) {
  }
  out[9] = i;
  for (int k = 3; k > n; --k)
    out[10] += k;
  for (long k = 0; k < n; k += n / 4 + 1)
    out[11] += static_cast<double>(k);
  for (uint32_t k = n; k < 2147483640u + n; k += 100000000u)
    ++out[12];
  for (uint32_t k = 4 * n; k >= 4u; k -= 4)
    out[13] += k;
  for (uint64_t k = 0xFFFFFFFFFFFFFF00u + n; 0xFFFFFFFFFFFFFFE0u > k; k += 16)
    ++out[14];
  uint32_t u;
  for (u = 3000000000u; u <= 4000000000u; u += 100000007u)
    ;
  out[15] = static_cast<int32_t>(u / 16 - n);
  return out;
}

TEST_F(TritonCLanguage, LoopsRunAsInC) {
  for (int n : {0, 1, 2, 7, 13}) {
    KernelRun kernel(file, "loops", "", "1");
    kernel.scalar("n", n);
    expectSame(run(kernel, 16), loopsInCpp(n));
  }
}

TEST_F(TritonCLanguage, LoopsRunAsInCWhereTheirBoundsAreConstants) {
  KernelRun kernel(file, "loops", "n=7", "1");
  expectSame(run(kernel, 16), loopsInCpp(7));
}

TEST_F(TritonCLanguage, FunctionsMayReturnEarly) {
  KernelRun kernel(file, "early", "", "16");
  kernel.scalar("n", 14);
  expectSame(run(kernel, 16), {0, -1, -102, 33, 44, 55, 66, 77, 88, 99, 5, 5, 5, 5, untouched, untouched});
}

TEST_F(TritonCLanguage, NamesAreShadowedAndParametersAssigned) {
  KernelRun kernel(file, "shadowing", "", "1");
  kernel.scalar("n", 9);
  expectSame(run(kernel, 4), {7, 2, 9, 4});
}

TEST_F(TritonCLanguage, WhatIsNotEvaluatedHasNoEffect) {
  KernelRun kernel(file, "effects", "", "1");
  std::vector<double> in = {3, 4, 1, 5, 9, 2, 6};
  kernel.input("in_ptr", in).scalar("n", 3);
  expectSame(run(kernel, 8), {0, 1, 3, 5 * 2 + 6, 5 + 2, 7, 7, 4 * 10 + 1 + 200 + 1000});
}

TEST_F(TritonCLanguage, FunctionsAreInlined) {
  std::vector<double> x = counting(N);
  KernelRun kernel(file, "functions", "", "1");
  kernel.input("x_ptr", x).scalar("n", 5);
  expectSame(run(kernel, 10), {20 + 18, 7.5, 1.5 + 0.5 - 1, 7, 5, 5, -5, untouched, 1, 6 * 15});
}

TEST_F(TritonCLanguage, MathematicsIsInFloat) {
  std::vector<double> x = randomValues(N, 1), h = randomValues(N, 2, ScalarKind::FP16), want;
  for (double v : x)
    want.push_back(std::exp(v) + std::log(v + 2) + std::sqrt(v + 1) + 1 / std::sqrt(v + 2) + std::sin(v) +
                   std::cos(v));
  for (double v : x)
    want.push_back(std::fabs(v) + std::min(v, 0.25) + std::max(v, 0.0) + (v > 0 ? v : 3) + v * v + v + 3);
  for (double v : h)
    want.push_back(std::exp(v) + roundTo(ScalarKind::FP16, v * v));
  KernelRun kernel(file, "mathematics", "", "1");
  kernel.input("x_ptr", x).input("h_ptr", h);
  expectClose(run(kernel, 3 * N), want, roundings(ScalarKind::FP32, 16, 8));
}

TEST_F(TritonCLanguage, LibraryFunctions) {
  std::vector<double> x = randomValues(N, 1), want;
  for (double v : x)
    want.push_back(std::tanh(v) + std::pow(v + 2, 1.5) + std::fmod(v, 0.5));
  KernelRun kernel(file, "powers", "", "1");
  kernel.input("x_ptr", x);
  expectClose(run(kernel, N), want, roundings(ScalarKind::FP32, 8, 8));
}

TEST_F(TritonCLanguage, FilesArePreprocessed) {
  for (auto [definition, choice] :
       {std::pair("UNUSED=1", 2), std::pair("MODE=2", 1), std::pair("MODE=1", 3)}) {
    KernelRun kernel(file, "preprocessed", "", "1");
    kernel.define(definition);
    expectSame(run(kernel, 8), {7, 9, 20, double(choice), 42, 45, 1, 8});
  }
}

TEST_F(TritonCLanguage, DefinitionsGiveBlocksTheirSizes) {
  KernelRun kernel(file, "left_padding", "", "1");
  kernel.define("N=32").input("x_ptr", counting(32));
  std::vector<double> want;
  for (unsigned i = 0; i < M * 32; ++i)
    want.push_back(i / 32 + i % 32);
  expectSame(run(kernel, M * 32), want);
}

} // namespace
