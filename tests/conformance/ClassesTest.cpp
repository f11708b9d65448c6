// kernels/classes.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <complex>

using namespace nereid;
using namespace nereid::test;

namespace {

std::vector<double> runWith(const std::string &kernel, const std::string &signature,
                            const std::vector<double> &x, double n, size_t count) {
  KernelRun run("classes.py", kernel, signature, "1");
  if (!x.empty())
    run.input("x_ptr", x);
  run.scalar("n", n).output("out_ptr", count);
  if (run.run())
    return run.result("out_ptr");
  ADD_FAILURE() << run.messages();
  return {};
}

class Powers : public testing::TestWithParam<int> {};

TEST_P(Powers, AggregatesAreCarriedMergedAndReturned) {
  covers("aggregate constexpr_function");
  int n = GetParam();
  std::vector<double> x = counting(8, -1, 0.25), want(24), magnitude(24);
  for (size_t i = 0; i < x.size(); ++i) {
    std::complex<double> power = std::pow(std::complex<double>(x[i], 1), n + 1);
    want[i] = power.real();
    want[8 + i] = power.imag();
    want[16 + i] = 0.5 * (n % 2 ? 2 : std::norm(power));
    magnitude[i] = magnitude[8 + i] = std::abs(power);
    magnitude[16 + i] = want[16 + i];
  }
  // A product of complex numbers rounds four times.
  expectClose(runWith("powers", "*fp32, *fp32, i32, 8", x, n, 24), want,
              roundings(ScalarKind::FP32, 4 * (2 * n + 2), magnitude));
}

INSTANTIATE_TEST_SUITE_P(Classes, Powers, testing::Values(0, 1, 2, 5),
                         [](const auto &info) { return std::to_string(info.param); });

TEST(Classes, WhileCarriesAnAggregate) {
  covers("aggregate while");
  // Two doublings of (1, 1): a norm of 16 times 2.
  std::vector<double> got = runWith("powers", "*fp32, *fp32, i32, 8", std::vector<double>(8), 201, 24);
  expectSame({got.begin() + 16, got.end()}, std::vector<double>(8, 16));
}

TEST(Classes, AggregatesInAggregatesInTuples) {
  covers("aggregate tuple isinstance");
  std::vector<double> x = counting(12), want(10);
  for (size_t i = 0; i < 12; ++i) {
    want[i % 4] += x[i] * x[i];
    want[4 + i % 4] += x[i] * x[i];
  }
  want[8] = 3;
  want[9] = 12;
  expectSame(runWith("nested", "*fp32, *fp32, i32, 4", x, 3, 10), want);
}

TEST(Classes, NoinlineFunctionsTakeAndReturnThem) {
  covers("aggregate noinline");
  std::vector<double> want = counting(4, 6);
  for (double value : counting(8, 6))
    want.push_back(value);
  want.push_back(10);
  want.push_back(5 * 110);
  expectSame(runWith("through_noinline", "*fp32, i32", {}, 5, 14), want);
}

TEST(Classes, PlainClassesAndDataclassesWhileCompiling) {
  covers("class NamedTuple constexpr_function");
  // Tiling(2) has 8 elements, turned 4 rows: doubled up to 64.
  std::vector<double> want(129, 68);
  want[0] = 7 + 7 * 2;
  expectSame(runWith("plain_classes", "*i32, i32, 2", {}, 7, 129), want);
}

} // namespace
