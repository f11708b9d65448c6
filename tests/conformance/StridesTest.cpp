// kernels/strides.py: accesses that the CPU's code has several forms for, of which one is chosen when it
// runs. The guard pages of KernelRun end the program where one reads or writes too far.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

/// The last element of a matrix that is touched, plus one.
size_t extentOf(int rows, int columns, int rowStride, int columnStride) {
  return static_cast<size_t>((rows - 1) * rowStride + (columns - 1) * columnStride + 1);
}

TEST(Strides, OfBothDimensionsAtRunTime) {
  covers("tl.load tl.store");
  struct Layout {
    int m, n;
  };
  for (auto [rows, columns] : {std::pair(32, 64), std::pair(19, 37)})
    for (const char *blocks : {"16, 32", "32, 4"})
      for (bool isTransposed : {false, true}) {
        std::vector<Layout> layouts = {{columns, 1}, {1, rows}, {columns + 5, 1}, {2 * columns, 2}};
        for (Layout in : layouts) {
          Layout out = isTransposed ? Layout{1, rows} : Layout{columns, 1};
          std::vector<double> x = randomValues(extentOf(rows, columns, in.m, in.n), 1);
          std::vector<double> want(extentOf(rows, columns, out.m, out.n), untouched);
          KernelRun run("strides.py", "scale",
                        std::string("*fp32, *fp32, i32, i32, i32, i32, i64, i32, ") + blocks,
                        "cdiv(M, BM), cdiv(N, BN)");
          run.input("x_ptr", x).output("out_ptr", want.size()).scalar("M", rows).scalar("N", columns);
          run.scalar("x_m", in.m).scalar("x_n", in.n).scalar("out_m", out.m).scalar("out_n", out.n);
          for (int m = 0; m < rows; ++m)
            for (int n = 0; n < columns; ++n)
              want[static_cast<size_t>(m * out.m + n * out.n)] =
                  static_cast<float>(x[static_cast<size_t>(m * in.m + n * in.n)]) * 2 + 1;
          ASSERT_TRUE(run.run()) << run.messages();
          // 2 x + 1, with and without a rounding of the product, which is exact.
          for (double &value : want)
            value = isUntouched(value) ? value : roundTo(ScalarKind::FP32, value);
          expectSame(run.result("out_ptr"), want);
        }
      }
}

TEST(Strides, TilesAcrossADiagonal) {
  covers("tl.where");
  for (auto [rows, columns] : {std::pair(64, 64), std::pair(50, 33), std::pair(7, 90)})
    for (const char *blocks : {"16, 16", "32, 8"}) {
      std::vector<double> x = counting(static_cast<size_t>(rows * columns), 1), want = x;
      for (int m = 0; m < rows; ++m)
        for (int n = m + 1; n < columns; ++n)
          want[static_cast<size_t>(m * columns + n)] = -1;
      KernelRun run("strides.py", "triangle", std::string("*fp32, *fp32, i32, i32, ") + blocks,
                    "cdiv(M, BM), cdiv(N, BN)");
      run.input("x_ptr", x).output("out_ptr", x.size()).scalar("M", rows).scalar("N", columns);
      ASSERT_TRUE(run.run()) << run.messages();
      expectSame(run.result("out_ptr"), want);
    }
}

TEST(Strides, ReductionsOfColumns) {
  covers("tl.sum tl.max tl.argmin tl.reduce");
  for (auto [rows, columns] : {std::pair(64, 96), std::pair(37, 33)})
    for (std::string kind : {"sum", "max", "argmin", "magnitude"})
      for (const char *block : {"64, 8", "64, 128"}) {
        // Multiples of 1/8, whose sums are exact in any order.
        std::vector<double> x = randomValues(static_cast<size_t>(rows * columns), 7), want;
        for (double &value : x)
          value = std::round(value * 64) / 8;
        for (int n = 0; n < columns; ++n) {
          double sum = 0, largest = -1e9, smallest = 1e9, magnitude = 0;
          int where = 0, row = 0;
          for (int m = 0; m < 64; ++m) {
            double value = m < rows ? x[static_cast<size_t>(m * columns + n)] : 0;
            sum += value;
            largest = std::max(largest, value);
            if (value < smallest) {
              smallest = value;
              where = m;
            }
            if (m == 0 || std::abs(value) > std::abs(magnitude)) {
              magnitude = value;
              row = m;
            }
          }
          want.push_back(kind == "sum"      ? sum
                         : kind == "max"    ? largest
                         : kind == "argmin" ? where
                                            : magnitude * 1000 + row);
        }
        KernelRun run("strides.py", "columns", "*fp32, *fp32, i32, i32, i32, \"" + kind + "\", " + block,
                      "cdiv(N, BN)");
        run.input("x_ptr", x).output("out_ptr", want.size());
        run.scalar("M", rows).scalar("N", columns).scalar("stride", 1);
        ASSERT_TRUE(run.run()) << run.messages();
        expectSame(run.result("out_ptr"), want);
      }
}

TEST(Strides, RowsAndColumnsOfOneTile) {
  covers("tl.sum");
  size_t n = 32;
  std::vector<double> x = randomValues(n * n, 3), w = randomValues(n, 4), total(n), scaled(n * n), ofTotal(n),
                      ofScaled(n * n);
  for (size_t row = 0; row < n; ++row) {
    double squares = 0;
    for (size_t column = 0; column < n; ++column)
      squares += x[row * n + column] * x[row * n + column];
    for (size_t column = 0; column < n; ++column) {
      scaled[row * n + column] = w[row] * w[row] * squares * x[row * n + column];
      total[column] += w[row] * x[row * n + column];
      ofScaled[row * n + column] = std::fabs(scaled[row * n + column]);
      ofTotal[column] += std::fabs(w[row] * x[row * n + column]);
    }
  }
  KernelRun run("strides.py", "rows_then_columns", "*fp32, *fp32, *fp32, *fp32, 32", "1");
  run.input("x_ptr", x).input("w_ptr", w).output("scaled_ptr", n * n).output("total_ptr", n);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("scaled_ptr"), scaled, roundings(ScalarKind::FP32, ofSum(n) + 6, ofScaled));
  expectClose(run.result("total_ptr"), total, roundings(ScalarKind::FP32, ofSum(n) + 1, ofTotal));
}

class StepsTest : public testing::TestWithParam<const char *> {};

TEST_P(StepsTest, EverySecondToFifthElement) {
  covers("tl.load tl.store");
  std::string type = GetParam();
  for (int step : {2, 3, 4, 5, -1})
    for (size_t n : {1, 31, 100})
      for (int first : {0, 1}) {
        // Backwards from the end; the arrays end where the last element does.
        int start = step > 0 ? first : static_cast<int>(n) - 1;
        size_t count = step > 0 ? static_cast<size_t>(first) + (n - 1) * static_cast<size_t>(step) + 1 : n;
        std::vector<double> x = counting(count, -60), want(count, untouched);
        for (size_t i = 0; i < n; ++i) {
          auto at = static_cast<size_t>(start + static_cast<int>(i) * step);
          want[at] = decode(kindOf(type), encode(kindOf(type), x[at] + 1));
        }
        KernelRun run("strides.py", "every_other",
                      "*" + type + ", *" + type + ", i32, " + std::to_string(step) + ", " +
                          std::to_string(start) + ", 32",
                      "cdiv(n, BLOCK)");
        run.input("x_ptr", x).output("out_ptr", count);
        run.scalar("n", static_cast<double>(n));
        ASSERT_TRUE(run.run()) << run.messages();
        expectSame(run.result("out_ptr"), want);
      }
}

INSTANTIATE_TEST_SUITE_P(Strides, StepsTest, testing::Values("i8", "fp16", "fp32", "i64"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Strides, PairsOfNeighbours) {
  covers("tl.load tl.store");
  for (size_t n : {1, 7, 32, 50, 64}) {
    std::vector<double> x = counting(2 * n, 1), c = counting(n, 2), s = counting(n, 3), want;
    for (size_t i = 0; i < n; ++i) {
      want.push_back(x[2 * i] * c[i] - x[2 * i + 1] * s[i]);
      want.push_back(x[2 * i] * s[i] + x[2 * i + 1] * c[i]);
    }
    KernelRun run("strides.py", "turn_pairs", "*fp32, *fp32, *fp32, *fp32, i32, 64", "1");
    run.input("x_ptr", x).input("cos_ptr", c).input("sin_ptr", s).output("out_ptr", 2 * n);
    run.scalar("n", static_cast<double>(n));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), want);
  }
}

TEST(Strides, GroupsOfLanesThatShareAnElement) {
  covers("tl.load");
  for (const char *group : {"32", "64", "128", "24"})
    for (int first : {0, 16, 3})
      for (size_t n : {400, 9}) {
        std::vector<double> packed, scales = counting(200, 1), want(n, untouched);
        for (size_t i = 0; i <= n / 8; ++i)
          packed.push_back(static_cast<double>((i * 2654435761u) & 0x7FFFFFFF));
        int width = std::stoi(group);
        for (size_t i = static_cast<size_t>(first); i < n; ++i) {
          int digit = (static_cast<int>(packed[i / 8]) >> (i % 8 * 4)) & 15;
          want[i] = digit * scales[i / static_cast<size_t>(width)] + scales[i % static_cast<size_t>(width)];
        }
        KernelRun run("strides.py", "grouped", std::string("*i32, *i32, *i32, i32, i32, ") + group + ", 128",
                      "cdiv(n - first, BLOCK)");
        run.input("x_ptr", packed).input("scale_ptr", scales).output("out_ptr", n);
        run.scalar("first", first).scalar("n", static_cast<double>(n));
        ASSERT_TRUE(run.run()) << run.messages();
        expectSame(run.result("out_ptr"), want);
      }
}

class QuotientsTest : public testing::TestWithParam<const char *> {};

TEST_P(QuotientsTest, OfEdgeValues) {
  covers("x//y x%y");
  std::string type = GetParam();
  bool isSigned = type[0] == 'i';
  int bits = std::stoi(type.substr(1));
  double lowest = isSigned ? -std::ldexp(1, bits - 1) : 0;
  double highest = std::ldexp(1, isSigned ? bits - 1 : bits) - 1;
  std::vector<double> edges = {0,
                               1,
                               2,
                               3,
                               7,
                               100,
                               highest,
                               highest - 1,
                               std::floor(highest / 2),
                               lowest,
                               lowest + 1,
                               std::floor(std::sqrt(highest)),
                               std::floor(highest / 3)};
  if (isSigned)
    for (double value : {-1.0, -2.0, -3.0, -100.0})
      edges.push_back(value);
  std::vector<double> x, y;
  for (double a : edges)
    for (double c : edges)
      if (c != 0 && !(a == lowest && c == -1)) {
        x.push_back(a);
        y.push_back(c);
      }
  while (x.size() % 256) {
    x.push_back(static_cast<double>(x.size()) * 0.4 - (isSigned ? 50 : 0));
    x.back() = std::trunc(std::min(x.back(), highest));
    y.push_back(static_cast<double>(x.size() % 9 + 1));
  }
  for (double d : {1.0, 7.0, highest}) {
    size_t n = x.size();
    std::vector<double> want;
    for (bool byScalar : {false, true})
      for (bool isRemainder : {false, true})
        for (size_t i = 0; i < n; ++i) {
          // Exact in integers: doubles hold neither end of 64 bits, so that those types are left out.
          auto a = static_cast<int64_t>(x[i]), c = static_cast<int64_t>(byScalar ? d : y[i]);
          want.push_back(static_cast<double>(isRemainder ? a % c : a / c));
        }
    ASSERT_LE(n, 1024u);
    KernelRun run("strides.py", "quotients",
                  "*" + type + ", *" + type + ", *" + type + ", i32, " + type + ", " + std::to_string(n),
                  "1");
    run.input("x_ptr", x).input("y_ptr", y).output("out_ptr", 4 * n);
    run.scalar("n", static_cast<double>(n)).scalar("d", d);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), want);
  }
}

INSTANTIATE_TEST_SUITE_P(Strides, QuotientsTest, testing::Values("i8", "i16", "i32", "u8", "u16", "u32"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
