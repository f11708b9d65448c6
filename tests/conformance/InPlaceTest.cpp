// kernels/in_place.py. Triton orders the accesses of a tile within a warp only, so that these cases are for
// CPUs.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

std::vector<double> change(const std::string &kernel, const std::string &signature, std::vector<double> x,
                           const std::vector<Input> &others = {}, double n = 0,
                           const std::string &grid = "1") {
  KernelRun run("in_place.py", kernel, signature, grid);
  run.inOut("x_ptr", x).scalar("n", n).scalar("stride", n);
  for (const Input &other : others)
    run.input(other.name, other.values);
  if (run.run())
    return run.result("x_ptr");
  ADD_FAILURE() << run.messages();
  return {};
}

TEST(InPlace, Reverse) {
  covers("tl.load tl.store");
  std::vector<double> x = counting(512), want(x.rbegin(), x.rend());
  for (const char *type : {"fp32", "i8", "fp64"})
    EXPECT_EQ(change("reverse", std::string("*") + type + ", 64", counting(64)),
              std::vector<double>(want.end() - 64, want.end()));
  expectSame(change("reverse", "*fp32, 512", x), want);
}

TEST(InPlace, Permutation) {
  covers("tl.load tl.store");
  std::vector<double> x = counting(256, 1), at(256), want(256);
  for (size_t i = 0; i < 256; ++i) {
    at[i] = double((i * 77 + 13) % 256);
    want[i] = x[size_t(at[i])];
  }
  expectSame(change("permute", "*fp32, *i32, 256", x, {{"at_ptr", at}}), want);
}

TEST(InPlace, Shift) {
  covers("tl.load tl.store");
  for (size_t by : {1u, 3u, 16u, 64u, 200u}) {
    std::vector<double> x = counting(250), want = x;
    std::copy(x.begin() + long(by), x.end(), want.begin());
    expectSame(change("shift", "*fp32, i32, " + std::to_string(by) + ", 256", x, {}, 250), want);
  }
  std::vector<double> x(250), want(250);
  for (size_t i = 0; i < 250; ++i)
    x[i] = double(i % 7);
  for (size_t i = 1; i < 250; ++i)
    want[i] = 2 * std::exp2(x[i - 1]);
  expectSame(change("shift_up", "*fp32, i32, 256", x, {}, 250), want);
}

TEST(InPlace, Transpose) {
  covers("tl.trans");
  std::vector<double> x = counting(1024), want(1024);
  for (size_t i = 0; i < 1024; ++i)
    want[i] = x[i % 32 * 32 + i / 32];
  expectSame(change("transpose", "*fp32, 32", x), want);
}

TEST(InPlace, Rotation) {
  covers("tl.load tl.store");
  const size_t rows = 3, half = 128;
  std::vector<double> x = randomValues(rows * 2 * half, 1), cos(half), sin(half), want = x,
                      magnitude(x.size());
  for (size_t i = 0; i < half; ++i) {
    cos[i] = roundTo(ScalarKind::FP32, std::cos(0.1 * double(i)));
    sin[i] = roundTo(ScalarKind::FP32, std::sin(0.1 * double(i)));
    for (size_t row = 0; row < rows; ++row) {
      double &a = want[row * 2 * half + i], &b = want[row * 2 * half + half + i], before = a;
      magnitude[row * 2 * half + i] = magnitude[row * 2 * half + half + i] = std::fabs(a) + std::fabs(b);
      a = a * cos[i] - b * sin[i];
      b = b * cos[i] + before * sin[i];
    }
  }
  for (const char *kernel : {"rotate", "rotate_rolled"})
    expectClose(change(kernel, "*fp32, *fp32, *fp32, i32, 128", x, {{"cos_ptr", cos}, {"sin_ptr", sin}},
                       2 * half, "3"),
                want, roundings(ScalarKind::FP32, 2, magnitude));
}

TEST(InPlace, TheSecondOfTwoStoresCounts) {
  covers("tl.store");
  for (size_t by : {1u, 8u, 100u, 128u, 300u}) {
    std::vector<double> x = counting(128, 1), want(512, untouched);
    for (size_t i = 0; i < 128; ++i)
      want[i + by] = x[i];
    for (size_t i = 0; i < 128; ++i)
      want[i] = -x[i];
    KernelRun run("in_place.py", "twice", "*fp32, *fp32, " + std::to_string(by) + ", 128", "1");
    run.input("x_ptr", x).output("y_ptr", want.size());
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("y_ptr"), want);
  }
}

TEST(InPlace, ElementsMeetInMemory) {
  covers("tl.debug_barrier tl.load tl.store");
  const size_t rows = 2;
  for (size_t steps : {3u, 7u, 9u}) {
    size_t n = size_t(1) << steps;
    std::vector<double> x(rows * n), want(rows * n);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = double(i * 37 % 101) - 50; // sums are exact
    for (size_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
          want[row * n + i] -= (__builtin_popcountll(i & j) % 2 ? -1 : 1) * x[row * n + j];
    std::string signature = "*fp32, " + std::to_string(steps) + ", " + std::to_string(n);
    expectSame(change("transform", signature, x, {}, 0, std::to_string(rows)), want);
  }
}

TEST(InPlace, WhatLiesBesideStoresIsLoaded) {
  covers("tl.debug_barrier tl.load tl.store");
  const size_t size = 128;
  for (size_t n : {1u, 77u, 128u}) {
    std::vector<double> x = counting(size + 1, 1), now = x, want(4 * size);
    for (size_t i = 0; i < n; ++i)
      now[i] = -x[i];
    for (size_t i = 0; i < size; ++i)
      want[i] = now[i ^ 1];
    for (size_t i = 0; i < size; ++i)
      now[i] *= 2;
    for (size_t i = 0; i < size; ++i) {
      want[size + i] = now[i + 1];
      want[2 * size + i] = i % 3 ? -1 : now[size - 1 - i];
      want[3 * size + i] = now[(i + 3) % size];
    }
    KernelRun run("in_place.py", "look_around", "*fp32, *fp32, i32, 128", "1");
    run.inOut("x_ptr", x).output("y_ptr", want.size()).scalar("n", double(n));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("y_ptr"), want);
    expectSame(run.result("x_ptr"), now);
  }
}

} // namespace
