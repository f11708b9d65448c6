// kernels/select.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

const double aNaN = std::nan("");

struct WhereCase {
  const char *form;
  std::vector<double> want;
};

class Where : public testing::TestWithParam<std::tuple<WhereCase, const char *>> {};

TEST_P(Where, Chooses) {
  covers("tl.where");
  auto [c, type] = GetParam();
  std::string p = std::string("*") + type + ", ";
  expectSame(compute("select.py", "where", p + p + p + "\"" + c.form + "\", 4",
                     {{"x_ptr", {1, 2, 3, 4}}, {"y_ptr", {5, 6, 7, 8}}}, 4),
             c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Select, Where,
    testing::Combine(testing::Values(WhereCase{"blocks", {1, 6, 3, 8}}, WhereCase{"number", {1, 2, 3, 0}},
                                     WhereCase{"numbers", {1, 1, 1, 2}}, WhereCase{"scalar", {1, 2, 3, 4}},
                                     WhereCase{"constant", {1, 2, 3, 4}}),
                     testing::Values("i8", "u8", "i32", "i64", "fp16", "fp32", "fp64")),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).form) + "_" + std::get<1>(info.param);
    });

TEST(Select, WhereTakesIntegersAsConditions) {
  covers("tl.where");
  expectSame(compute("select.py", "where", "*fp32, *fp32, *fp32, \"integers\", 4",
                     {{"x_ptr", {1, 2, 3, 4}}, {"y_ptr", {5, 6, 7, 8}}}, 4),
             {5, 2, 3, 4});
}

TEST(Select, WhereBroadcasts) {
  covers("tl.where broadcasting");
  std::vector<double> want;
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 8; ++n)
      want.push_back(m >= n ? m : -n);
  expectSame(compute("select.py", "where_broadcasts", "*i32, 4, 8", {}, 32), want);
}

TEST(Select, WhereHidesNaN) {
  covers("tl.where");
  expectSame(
      compute("select.py", "where_hides_nan", "*fp32, *fp32, 4", {{"x_ptr", {aNaN, 1, -HUGE_VAL, aNaN}}}, 4),
      {-1, 1, -HUGE_VAL, -1});
}

TEST(Select, WhereOfPointers) {
  covers("tl.where");
  expectSame(compute("select.py", "where_pointers", "*fp32, *fp32, *fp32, 4",
                     {{"x_ptr", {1, 2, 3, 4}}, {"y_ptr", {5, 6, 7, 8}}}, 4),
             {1, 6, 3, 8});
}

class Gather : public testing::TestWithParam<std::tuple<const char *, const char *, int>> {};

TEST_P(Gather, AlongAnAxis) {
  covers("tl.gather");
  auto [form, type, axis] = GetParam();
  const size_t m = 4, n = 8, im = axis == 0 ? 16 : 4, in = axis == 0 ? 8 : 2;
  std::vector<double> x = counting(m * n), index(im * in), want(im * in);
  for (size_t i = 0; i < im; ++i)
    for (size_t j = 0; j < in; ++j) {
      size_t at = (i * 5 + j * 3 + 1) % (axis == 0 ? m : n);
      index[i * in + j] = double(at);
      want[i * in + j] = axis == 0 ? x[at * n + j] : x[i * n + at];
    }
  expectSame(compute("select.py", "gather",
                     std::string("*") + type + ", *i32, *" + type + ", \"" + form + "\", " +
                         std::to_string(axis) + ", 4, 8, " + std::to_string(im) + ", " + std::to_string(in),
                     {{"x_ptr", x}, {"i_ptr", index}}, want.size()),
             want);
}

INSTANTIATE_TEST_SUITE_P(Select, Gather,
                         testing::Combine(testing::Values("gather", "method"),
                                          testing::Values("fp32", "i8", "fp16", "i64"),
                                          testing::Values(0, 1)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) +
                                  "_axis" + std::to_string(std::get<2>(info.param));
                         });

class GatherInTurn : public testing::TestWithParam<const char *> {};

TEST_P(GatherInTurn, TakesRowsAndColumns) {
  covers("tl.gather");
  const size_t m = 16, n = 32, rounds = 11;
  std::vector<double> x(m * n), want(m * n);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double((i * 7 + i / n * 3) % 23) - 11;
  for (size_t j = 0; j < rounds; ++j)
    for (size_t i = 0; i < want.size(); ++i)
      want[i] += x[i / n * n + j] * x[j * n + i % n] + x[j * n + i % n];
  expectSame(compute("select.py", "gather_in_turn", std::string("*") + GetParam() + ", *fp32, 11, 16, 32",
                     {{"x_ptr", x}}, want.size()),
             want);
}

INSTANTIATE_TEST_SUITE_P(Select, GatherInTurn, testing::Values("fp32", "fp16", "i8"));

TEST(Select, GatherOfALine) {
  covers("tl.gather");
  expectSame(
      compute("select.py", "gather_line", "*fp32, *i64, *fp32, 8, 16",
              {{"x_ptr", counting(8, 10)}, {"i_ptr", {7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 1, 1, 2, 2, 3, 3}}}, 16),
      {17, 16, 15, 14, 13, 12, 11, 10, 10, 10, 11, 11, 12, 12, 13, 13});
}

class Swizzle : public testing::TestWithParam<int> {};

TEST_P(Swizzle, ColumnsWithinGroupsOfRows) {
  covers("tl.swizzle2d");
  int group = GetParam();
  const int rows = 5, cols = 3;
  std::vector<double> want;
  for (int first = 0; first < rows; first += group) {
    int height = std::min(group, rows - first);
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < height; ++i)
        want.push_back((first + i) * cols + j);
  }
  expectSame(compute("select.py", "swizzle2d", "*i32, " + std::to_string(group), {}, rows * cols, "5, 3"),
             want);
}

INSTANTIATE_TEST_SUITE_P(Select, Swizzle, testing::Values(1, 2, 4, 8),
                         [](const auto &info) { return std::to_string(info.param); });

TEST(Select, MapElementwiseOfPairs) {
  covers("tl.map_elementwise");
  expectSame(compute("select.py", "map_pairs", "*i32, *i32, *i32, 4",
                     {{"x_ptr", {1, 5, 3, -4}}, {"y_ptr", {2, 4, 3, -9}}}, 8),
             {1, 4, 3, -9, 2, 5, 3, -4});
}

TEST(Select, MapElementwiseWithALoop) {
  covers("tl.map_elementwise");
  expectSame(compute("select.py", "map_loop", "*i32, *i32, 4", {{"x_ptr", {1, 2, 7, 27}}}, 4),
             {0, 1, 16, 111});
}

} // namespace
