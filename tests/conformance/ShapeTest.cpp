// kernels/shape.py: every operation that moves elements, each in the forms it can be written in.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

struct Form {
  const char *name, *builtin;
};
std::string nameOf(const testing::TestParamInfo<Form> &info) { return info.param.name; }
std::string inQuotes(const char *text) { return std::string("\"") + text + "\""; }

std::vector<double> transposed(const std::vector<double> &x, size_t m, size_t n) {
  std::vector<double> y(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      y[j * m + i] = x[i * n + j];
  return y;
}

class Transpose : public testing::TestWithParam<Form> {};

TEST_P(Transpose, SwapsTheAxes) {
  covers(GetParam().builtin);
  for (auto [m, n] : {std::pair<size_t, size_t>{4, 8}, {1, 16}, {16, 1}, {32, 32}}) {
    std::vector<double> x = counting(m * n);
    expectSame(compute("shape.py", "transpose",
                       "*i32, *i32, " + inQuotes(GetParam().name) + ", " + std::to_string(m) + ", " +
                           std::to_string(n),
                       {{"x_ptr", x}}, m * n),
               transposed(x, m, n));
  }
}

INSTANTIATE_TEST_SUITE_P(Shape, Transpose,
                         testing::Values(Form{"trans", "tl.trans"}, Form{"method", "tl.trans"},
                                         Form{"T", "tensor.T"}, Form{"permute", "tl.permute"},
                                         Form{"permute_numbers", "tl.permute"},
                                         Form{"permute_method", "tl.permute"},
                                         Form{"trans_numbers", "tl.trans"}),
                         nameOf);

class TransposeTypes : public testing::TestWithParam<const char *> {};

TEST_P(TransposeTypes, OfEveryWidth) {
  covers("tl.trans");
  std::string type = GetParam();
  std::vector<double> x = counting(32);
  for (double &v : x)
    v = roundTo(kindOf(type), v);
  expectSame(
      compute("shape.py", "transpose", "*" + type + ", *" + type + ", \"trans\", 4, 8", {{"x_ptr", x}}, 32),
      transposed(x, 4, 8));
}

INSTANTIATE_TEST_SUITE_P(Shape, TransposeTypes,
                         testing::Values("i8", "i16", "i64", "u8", "fp16", "bf16", "fp32", "fp64", "fp8e4b8"),
                         [](const auto &info) { return std::string(info.param); });

class Permute3 : public testing::TestWithParam<std::array<size_t, 3>> {};

TEST_P(Permute3, OfThreeAxes) {
  covers("tl.permute");
  const size_t shape[3] = {2, 4, 8};
  std::array<size_t, 3> order = GetParam();
  std::vector<double> x = counting(64), want(64);
  size_t next = 0, index[3];
  for (index[order[0]] = 0; index[order[0]] < shape[order[0]]; ++index[order[0]])
    for (index[order[1]] = 0; index[order[1]] < shape[order[1]]; ++index[order[1]])
      for (index[order[2]] = 0; index[order[2]] < shape[order[2]]; ++index[order[2]])
        want[next++] = x[(index[0] * 4 + index[1]) * 8 + index[2]];
  std::string axes;
  for (size_t axis : order)
    axes += std::to_string(axis) + ", ";
  expectSame(compute("shape.py", "permute3", "*fp32, *fp32, " + axes + "2, 4, 8", {{"x_ptr", x}}, 64), want);
}

INSTANTIATE_TEST_SUITE_P(Shape, Permute3,
                         testing::Values(std::array<size_t, 3>{0, 1, 2}, std::array<size_t, 3>{0, 2, 1},
                                         std::array<size_t, 3>{1, 0, 2}, std::array<size_t, 3>{1, 2, 0},
                                         std::array<size_t, 3>{2, 0, 1}, std::array<size_t, 3>{2, 1, 0}),
                         [](const auto &info) {
                           return std::to_string(info.param[0]) + std::to_string(info.param[1]) +
                                  std::to_string(info.param[2]);
                         });

class Reshape : public testing::TestWithParam<Form> {};

TEST_P(Reshape, KeepsTheOrder) {
  covers(GetParam().builtin);
  for (auto [m, n] : {std::pair<size_t, size_t>{4, 8}, {1, 8}, {16, 2}, {8, 1}}) {
    std::vector<double> x = counting(m * n);
    expectSame(compute("shape.py", "reshape",
                       "*i32, *i32, " + inQuotes(GetParam().name) + ", " + std::to_string(m) + ", " +
                           std::to_string(n),
                       {{"x_ptr", x}}, m * n),
               transposed(x, m, n));
  }
}

INSTANTIATE_TEST_SUITE_P(Shape, Reshape,
                         testing::Values(Form{"reshape", "tl.reshape"}, Form{"numbers", "tl.reshape"},
                                         Form{"method", "tl.reshape"}, Form{"list", "tl.reshape"},
                                         Form{"view", "tl.view"}, Form{"view_method", "tl.view"},
                                         Form{"twice", "tl.reshape"}),
                         nameOf);

class Ravel : public testing::TestWithParam<Form> {};

TEST_P(Ravel, IsRowByRow) {
  covers("tl.ravel");
  std::vector<double> x = counting(32);
  expectSame(
      compute("shape.py", "ravel", "*i32, *i32, " + inQuotes(GetParam().name) + ", 4, 8", {{"x_ptr", x}}, 32),
      transposed(x, 4, 8));
}

INSTANTIATE_TEST_SUITE_P(Shape, Ravel, testing::Values(Form{"ravel", ""}, Form{"method", ""}), nameOf);

class Broadcast : public testing::TestWithParam<Form> {};

TEST_P(Broadcast, Repeats) {
  covers(GetParam().builtin);
  bool scalar = std::string(GetParam().name) == "scalar";
  std::vector<double> x = counting(8, 3), want;
  for (size_t i = 0; i < 32; ++i)
    want.push_back(scalar ? x[1] : x[i % 8]);
  expectSame(compute("shape.py", "broadcast", "*i32, *i32, " + inQuotes(GetParam().name) + ", 4, 8",
                     {{"x_ptr", x}}, 32),
             want);
}

INSTANTIATE_TEST_SUITE_P(Shape, Broadcast,
                         testing::Values(Form{"broadcast_to", "tl.broadcast_to"},
                                         Form{"numbers", "tl.broadcast_to"},
                                         Form{"method", "tl.broadcast_to"},
                                         Form{"expand_dims", "tl.expand_dims"},
                                         Form{"expand_dims_negative", "tl.expand_dims"},
                                         Form{"expand_dims_method", "tl.expand_dims"},
                                         Form{"rank", "broadcasting"}, Form{"pair", "tl.broadcast"},
                                         Form{"scalar", "tl.broadcast_to"}, Form{"ones", "x[:,None]"}),
                         nameOf);

TEST(Shape, ExpandSeveralAxes) {
  covers("tl.expand_dims x[:,None]");
  expectSame(compute("shape.py", "expand_axes", "*i32, *i32, 8", {{"x_ptr", counting(8)}}, 8),
             counting(8, 0, 3));
}

TEST(Shape, IndexAScalar) {
  covers("x[:,None]");
  KernelRun run("shape.py", "index_scalar", "*i32, i32", "1");
  run.output("out_ptr", 4).scalar("n", 7);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), std::vector<double>(4, 21));
}

class Join : public testing::TestWithParam<const char *> {};

TEST_P(Join, AlternatesTwoBlocks) {
  covers("tl.join tl.interleave");
  std::string type = GetParam();
  std::vector<double> want;
  for (double v : counting(16)) {
    want.push_back(v);
    want.push_back(v + 50);
  }
  for (const char *form : {"join", "interleave"})
    expectSame(compute("shape.py", "join",
                       "*" + type + ", *" + type + ", *" + type + ", " + inQuotes(form) + ", 16",
                       {{"x_ptr", counting(16)}, {"y_ptr", counting(16, 50)}}, 32),
               want);
}

INSTANTIATE_TEST_SUITE_P(Shape, Join, testing::Values("i8", "i32", "i64", "fp16", "bf16", "fp32", "fp64"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Shape, CatHoldsBothBlocks) {
  covers("tl.cat");
  std::vector<double> got = compute("shape.py", "join", "*i32, *i32, *i32, \"cat\", 16",
                                    {{"x_ptr", counting(16)}, {"y_ptr", counting(16, 16)}}, 32);
  std::sort(got.begin(), got.end()); // the order is free
  expectSame(got, counting(32));
}

TEST(Shape, InterleaveTiles) {
  covers("tl.interleave");
  std::vector<double> want;
  for (double v : counting(32)) {
    want.push_back(v);
    want.push_back(-v);
  }
  expectSame(compute("shape.py", "interleave_tiles", "*fp32, *fp32, *fp32, 4, 8",
                     {{"x_ptr", counting(32)}, {"y_ptr", counting(32, -0.0, -1)}}, 64),
             want);
}

class Split : public testing::TestWithParam<Form> {};

TEST_P(Split, PartsTheLastAxis) {
  covers("tl.split");
  std::vector<double> want;
  for (int half : {0, 1})
    for (int i = 0; i < 16; ++i)
      want.push_back(2 * i + half);
  expectSame(compute("shape.py", "split", "*fp32, *fp32, " + inQuotes(GetParam().name) + ", 16",
                     {{"x_ptr", counting(32)}}, 32),
             want);
}

INSTANTIATE_TEST_SUITE_P(Shape, Split, testing::Values(Form{"split", ""}, Form{"method", ""}), nameOf);

TEST(Shape, SplitToScalars) {
  covers("tl.split");
  expectSame(compute("shape.py", "split_to_scalars", "*i32, *i32", {{"x_ptr", {5, 6}}}, 2), {5, 12});
}

TEST(Shape, JoinScalars) {
  covers("tl.join");
  expectSame(compute("shape.py", "join_scalars", "*i32", {}, 2), {3, 4});
}

class Flip : public testing::TestWithParam<std::tuple<const char *, int>> {};

TEST_P(Flip, ReversesAnAxis) {
  covers("tl.flip");
  auto [form, dim] = GetParam();
  std::vector<double> x = counting(32), want(32);
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 8; ++j)
      want[i * 8 + j] = dim == 0 ? x[(3 - i) * 8 + j] : x[i * 8 + 7 - j];
  for (const char *type : {"i32", "fp16", "i8"})
    expectSame(compute("shape.py", "flip",
                       std::string("*") + type + ", *" + type + ", " + inQuotes(form) + ", " +
                           std::to_string(dim) + ", 4, 8",
                       {{"x_ptr", x}}, 32),
               want);
}

INSTANTIATE_TEST_SUITE_P(Shape, Flip,
                         testing::Combine(testing::Values("flip", "method"), testing::Values(0, 1, -1)),
                         [](const auto &info) {
                           int dim = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param)) +
                                  (dim < 0 ? "_last" : "_" + std::to_string(dim));
                         });

TEST(Shape, FlipOfALine) {
  covers("tl.flip");
  expectSame(compute("shape.py", "flip_line", "*fp32, *fp32, 16", {{"x_ptr", counting(16)}}, 16),
             counting(16, 15, -1));
}

TEST(Shape, ItemOfABlockOfOne) {
  covers("tensor.item");
  expectSame(compute("shape.py", "item_of_one", "*fp32, *fp32", {{"x_ptr", {2.5}}}, 1), {2.5});
}

TEST(Shape, RotateHalves) {
  covers("tl.split tl.join tl.permute tl.reshape");
  std::vector<double> want = counting(8, -8, -1), rest = counting(8);
  want.insert(want.end(), rest.begin(), rest.end());
  expectSame(compute("shape.py", "rotate_halves", "*fp32, *fp32, 8", {{"x_ptr", counting(16)}}, 16), want);
}

// Each stage takes two elements of the one before, which must not be computed anew for every element.
TEST(Shape, ChainsOfSplitsAndJoins) {
  covers("tl.split tl.join tl.static_range");
  std::vector<double> x = randomValues(4096, 11), want = x;
  for (double &value : want)
    value = std::round(value * 16);
  x = want;
  for (size_t distance = 1; distance < want.size(); distance *= 2)
    for (size_t i = 0; i < want.size(); ++i)
      if (!(i & distance)) {
        double a = want[i], b = want[i + distance];
        want[i] = a + b;
        want[i + distance] = a - b;
      }
  expectSame(compute("shape.py", "hadamard", "*fp32, *fp32, 12", {{"x_ptr", x}}, x.size()), want);
}

} // namespace
