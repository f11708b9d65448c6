// kernels/memory.py. KernelRun ends every array at a page that cannot be touched, so that a lane which reads
// or writes although its mask is off ends the program.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

const double aNaN = std::nan("");

class MemoryTypes : public testing::TestWithParam<const char *> {
protected:
  std::string pointers(int count) const {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += std::string("*") + GetParam() + ", ";
    return text;
  }
};

TEST_P(MemoryTypes, MaskedTailOfEveryLength) {
  covers("tl.load tl.store");
  for (size_t n : {0, 1, 5, 16}) {
    KernelRun run("memory.py", "masked", pointers(2) + "i32, None, 16", "1");
    run.input("x_ptr", counting(n, 1)).output("out_ptr", n).scalar("n", static_cast<double>(n));
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), counting(n, 1));
  }
}

TEST_P(MemoryTypes, OtherFillsWhatTheMaskLeavesOut) {
  covers("tl.load");
  KernelRun run("memory.py", "masked", pointers(2) + "i32, 3, 16", "1");
  run.input("x_ptr", counting(5, 1)).output("out_ptr", 16).scalar("n", 5);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = counting(5, 1);
  want.resize(16, 3);
  expectSame(run.result("out_ptr"), want);
}

TEST_P(MemoryTypes, HolesInTheMask) {
  covers("tl.load tl.store");
  KernelRun run("memory.py", "holes", pointers(2) + "16", "1");
  run.input("x_ptr", counting(16)).output("out_ptr", 16);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(16, untouched);
  for (size_t i = 0; i < 16; i += 2)
    want[i] = 8;
  expectSame(run.result("out_ptr"), want);
}

TEST_P(MemoryTypes, GatherAndScatter) {
  covers("tl.load tl.store");
  if (std::string(GetParam())[0] == 'u')
    GTEST_SKIP() << "-1 is not a value of the type";
  std::string type = GetParam();
  std::vector<double> x = counting(16, 100), i = {3, -1, 15, 0, 7, 7, -1, 1}, want;
  for (double index : i)
    want.push_back(index < 0 ? -1 : x[static_cast<size_t>(index)]);
  expectSame(compute("memory.py", "gather_scatter", "*" + type + ", *i32, *" + type + ", 8",
                     {{"x_ptr", x}, {"i_ptr", i}}, 8),
             want);
  std::vector<double> places = {3, -1, 15, 0, 7, 6, -1, 1}, written(16, untouched);
  for (size_t k = 0; k < 8; ++k)
    if (places[k] >= 0)
      written[static_cast<size_t>(places[k])] = static_cast<double>(k) + 1;
  expectSame(compute("memory.py", "scatter", "*" + type + ", *i64, *" + type + ", 8",
                     {{"x_ptr", counting(8, 1)}, {"i_ptr", places}}, 16),
             written);
}

TEST_P(MemoryTypes, StoreOfANumber) {
  covers("tl.store");
  expectSame(compute("memory.py", "store_number", pointers(1) + "8", {}, 8), std::vector<double>(8, 3));
}

INSTANTIATE_TEST_SUITE_P(Memory, MemoryTypes,
                         testing::Values("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16",
                                         "fp32", "fp64"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Memory, OtherCanBeABlock) {
  covers("tl.load");
  KernelRun run("memory.py", "other_block", "*fp32, *fp32, i32, 8", "1");
  run.input("x_ptr", {5, 6, 7}).output("out_ptr", 8).scalar("n", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {5, 6, 7, -3, -4, -5, -6, -7});
}

TEST(Memory, Scalars) {
  covers("tl.load tl.store");
  for (double flag : {0.0, 1.0}) {
    KernelRun run("memory.py", "scalars", "*i32, *i32, i32", "1");
    run.input("x_ptr", flag != 0 ? std::vector<double>{1, 2} : std::vector<double>{1})
        .output("out_ptr", 3)
        .scalar("flag", flag);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"),
               flag != 0 ? std::vector<double>{3, 1, untouched} : std::vector<double>{10, untouched, 5});
  }
}

class Modifiers : public testing::TestWithParam<const char *> {};

TEST_P(Modifiers, DoNotChangeValues) {
  covers("tl.load tl.store cache_modifier eviction_policy volatile");
  expectSame(compute("memory.py", "modifiers", std::string("*fp32, *fp32, \"") + GetParam() + "\", 16",
                     {{"x_ptr", counting(16)}}, 16),
             counting(16));
}

INSTANTIATE_TEST_SUITE_P(Memory, Modifiers,
                         testing::Values("cg", "ca", "cv", "first", "last", "volatile", "wb", "cs", "wt",
                                         "store_last", "method"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Memory, MasksBroadcast) {
  covers("tl.load tl.store broadcasting");
  KernelRun run("memory.py", "broadcast_mask", "*fp32, *fp32, i32, i32, 4, 8", "1");
  run.input("x_ptr", counting(16, 1)).output("out_ptr", 32).scalar("m", 2).scalar("n", 5);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(32, untouched);
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 5; ++j)
      want[i * 8 + j] = i < 2 ? static_cast<double>(i * 8 + j) + 1 : 0;
  expectSame(run.result("out_ptr"), want);
}

TEST(Memory, Booleans) {
  covers("tl.int1 tl.load tl.store");
  expectSame(compute("memory.py", "booleans", "*i1, *i1, 8", {{"x_ptr", {1, 1, 0, 1, 1, 0, 0, 1}}}, 8),
             {1, 0, 0, 0, 1, 0, 0, 0});
}

struct Extent {
  size_t m, n;
};

class BlockPointer : public testing::TestWithParam<Extent> {};

TEST_P(BlockPointer, ChecksBothBounds) {
  covers("tl.make_block_ptr tl.advance boundary_check padding_option");
  auto [m, n] = GetParam();
  std::vector<double> x = randomValues(m * n, 3), want(m * n), magnitude(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; j += 16) {
      double total = 0, size = 1;
      for (size_t k = 0; k < std::min(n, j + 16); ++k)
        total += x[i * n + k];
      for (size_t k = 0; k < std::min(n, j + 16); ++k)
        size += std::fabs(x[i * n + k]);
      for (size_t k = j; k < std::min(n, j + 16); ++k) {
        want[i * n + k] = x[i * n + k] + total;
        magnitude[i * n + k] = size;
      }
    }
  KernelRun run("memory.py", "block_pointer", "*fp32, *fp32, i32, i32, \"zero\", 8, 16", "cdiv(m, M)");
  run.input("x_ptr", x)
      .output("out_ptr", m * n)
      .scalar("m", static_cast<double>(m))
      .scalar("n", static_cast<double>(n));
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr"), want, roundings(ScalarKind::FP32, ofSum(n) + 1, magnitude));
}

INSTANTIATE_TEST_SUITE_P(Memory, BlockPointer,
                         testing::Values(Extent{8, 16}, Extent{1, 1}, Extent{13, 37}, Extent{16, 15},
                                         Extent{9, 64}),
                         [](const auto &info) {
                           return std::to_string(info.param.m) + "x" + std::to_string(info.param.n);
                         });

TEST(Memory, BlockPointerPaddedWithNaN) {
  covers("tl.make_block_ptr padding_option");
  KernelRun run("memory.py", "block_pointer", "*fp32, *fp32, i32, i32, \"nan\", 4, 8", "1");
  run.input("x_ptr", counting(12)).output("out_ptr", 12).scalar("m", 4).scalar("n", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), std::vector<double>(12, aNaN));
}

TEST(Memory, BlockPointerOfATransposedMatrix) {
  covers("tl.make_block_ptr");
  KernelRun run("memory.py", "block_pointer_transposed", "*fp32, *fp32, i32, i32, 8, 8", "1");
  run.input("x_ptr", counting(15)).output("out_ptr", 15).scalar("m", 3).scalar("n", 5);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 3; ++i)
      want.push_back(i * 5 + j);
  expectSame(run.result("out_ptr"), want);
}

TEST(Memory, BlockPointerOfALine) {
  covers("tl.make_block_ptr");
  for (const char *type : {"fp32", "fp16", "i32"}) {
    KernelRun run("memory.py", "block_pointer_line", std::string("*") + type + ", *" + type + ", i32, 8",
                  "cdiv(n, BLOCK)");
    run.input("x_ptr", counting(21)).output("out_ptr", 21).scalar("n", 21);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), counting(21, 0, 2));
  }
}

TEST(Memory, BlockPointerWithoutChecks) {
  covers("tl.make_block_ptr tl.advance");
  KernelRun run("memory.py", "block_pointer_unchecked", "*i32, *i32, i32, 8", "1");
  run.input("x_ptr", counting(256)).output("out_ptr", 256).scalar("n", 16);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want(256, untouched);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 8; ++j)
      want[i * 16 + j] = static_cast<double>(i * 16 + j) + 1;
  expectSame(run.result("out_ptr"), want);
}

class Descriptor : public testing::TestWithParam<const char *> {};

TEST_P(Descriptor, LoadsAndStoresWithinItsShape) {
  covers("tl.make_tensor_descriptor descriptor.load descriptor.store");
  std::string type = GetParam();
  // Rows of a multiple of 16 bytes, whatever the type, and no multiple of the tile's.
  KernelRun run("memory.py", "descriptor", "*" + type + ", *" + type + ", i32, i32, 8, 32", "cdiv(m, M)");
  std::vector<double> values, doubled;
  for (int i = 0; i < 13 * 48; ++i) {
    values.push_back(i % 60);
    doubled.push_back(2 * (i % 60));
  }
  run.input("x_ptr", values).output("out_ptr", 13 * 48).scalar("m", 13).scalar("n", 48);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), doubled);
}

INSTANTIATE_TEST_SUITE_P(Memory, Descriptor,
                         testing::Values("fp16", "bf16", "fp32", "fp64", "i8", "i16", "i32", "i64", "u8",
                                         "u32"),
                         [](const auto &info) { return std::string(info.param); });

// Tiles of one, three and five axes; rows as short as can be, and more of them than one copy takes.
TEST(Memory, DescriptorsOfAnyNumberOfAxes) {
  covers("tl.make_tensor_descriptor descriptor.load descriptor.store");
  constexpr int batches = 2, rows = 20, columns = 48;
  KernelRun run("memory.py", "descriptor_axes", "*fp16, *fp32, *fp32, i32, i32, 16, 32", "cdiv(m, M)");
  std::vector<double> values, want;
  for (int i = 0; i < batches * rows * columns; ++i)
    values.push_back(i % 97);
  double sum = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      want.push_back(values[r * columns + c] + values[(rows + r) * columns + c]);
  for (double value : values)
    sum += value;
  run.input("x_ptr", values).output("out_ptr", rows * columns).output("sums_ptr", 2);
  run.scalar("m", rows).scalar("n", columns);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
  expectSame(run.result("sums_ptr"), {sum, sum});
}

TEST(Memory, DescriptorsOfManyShortRows) {
  covers("tl.make_tensor_descriptor descriptor.load descriptor.store");
  KernelRun run("memory.py", "descriptor_short_rows", "*i32, *i32, i32, 512, 4", "1");
  run.input("x_ptr", counting(600 * 4)).output("out_ptr", 600 * 4).scalar("m", 600);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), counting(600 * 4, 1));
}

TEST(Memory, DescriptorsOfProgramsMadeInLoops) {
  covers("tl.make_tensor_descriptor descriptor.load descriptor.store");
  constexpr size_t programs = 3, count = 2, m = 16, n = 72;
  for (size_t rows : {16, 9, 0}) {
    std::vector<double> x(programs * count * m * n), want;
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = double(i % 251);
      want.push_back(i / n % m < rows ? 2 * x[i] : 0);
    }
    KernelRun run("memory.py", "descriptor_of_program", "*fp16, *fp16, i32, i32, i32, 16, 32", "3");
    run.input("in_ptr", x).output("out_ptr", x.size());
    run.scalar("rows", rows).scalar("count", count).scalar("N", n);
    ASSERT_TRUE(run.run()) << run.messages();
    EXPECT_EQ(run.result("out_ptr"), want);
  }
}

// What is stored through a descriptor is seen by loads of any kind behind it, and the other way round.
TEST(Memory, DescriptorsKeepToTheOrderOfTheProgram) {
  covers("tl.make_tensor_descriptor descriptor.load descriptor.store");
  KernelRun run("memory.py", "descriptor_order", "*fp32, *fp32, i32, 16, 32", "1");
  constexpr int rows = 48, columns = 32;
  run.input("x_ptr", counting(rows * columns)).output("out_ptr", rows * columns).scalar("m", rows);
  ASSERT_TRUE(run.run()) << run.messages();
  // Each step adds 1 to a tile, by turns through pointers and through the descriptor, and moves it down.
  std::vector<double> want, previous = counting(16 * columns);
  for (int i = 0; i < rows / 16; ++i) {
    for (double &value : previous)
      value += 3;
    want.insert(want.end(), previous.begin(), previous.end());
  }
  expectSame(run.result("out_ptr"), want);
}

TEST(Memory, DescriptorFunctionsAndNegativeOffsets) {
  covers("tl.load_tensor_descriptor tl.store_tensor_descriptor");
  KernelRun run("memory.py", "descriptor_functions", "*fp32, *fp32, i32, i32, 4, 8", "1");
  run.input("x_ptr", counting(12, 1)).output("out_ptr", 12).scalar("m", 3).scalar("n", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {0, 0, 5, 6, 0, 0, 9, 10, 0, 0, 0, 0});
}

TEST(Memory, DescriptorPaddedWithNaN) {
  covers("tl.make_tensor_descriptor padding_option");
  KernelRun run("memory.py", "descriptor_nan_padding", "*fp32, *fp32, i32, i32, 4, 4", "1");
  run.input("x_ptr", counting(8)).output("out_ptr", 16).scalar("m", 2).scalar("n", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<double> want = counting(8);
  want.resize(16, aNaN);
  expectSame(run.result("out_ptr"), want);
}

struct DescriptorAtomic {
  const char *op, *type;
  double (*apply)(double, double);
};

class DescriptorReduce : public testing::TestWithParam<DescriptorAtomic> {};

TEST_P(DescriptorReduce, CombinesWithMemory) {
  auto [op, type, apply] = GetParam();
  covers(std::string("descriptor.atomic_") + op);
  std::vector<double> x = counting(32, 3), before = counting(32, 20, -1), want = before;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 8; ++j)
      want[i * 8 + j] = apply(before[i * 8 + j], x[i * 8 + j]);
  before.resize(24);
  want.resize(24);
  for (double &v : before)
    v = std::fabs(v);
  for (size_t i = 0; i < 24; ++i)
    want[i] = apply(before[i], x[i]);
  KernelRun run("memory.py", "descriptor_atomic",
                std::string("*") + type + ", *" + type + ", i32, i32, \"" + op + "\", 4, 8", "1");
  run.input("x_ptr", x).inOut("out_ptr", before).scalar("m", 3).scalar("n", 8);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(
    Memory, DescriptorReduce,
    testing::Values(
        DescriptorAtomic{"add", "fp32", [](double a, double b) { return a + b; }},
        DescriptorAtomic{"add", "i32", [](double a, double b) { return a + b; }},
        DescriptorAtomic{"add", "fp16", [](double a, double b) { return a + b; }},
        DescriptorAtomic{"min", "i32", [](double a, double b) { return std::min(a, b); }},
        DescriptorAtomic{"max", "u32", [](double a, double b) { return std::max(a, b); }},
        DescriptorAtomic{"and", "i32", [](double a, double b) { return double(int(a) & int(b)); }},
        DescriptorAtomic{"or", "u32", [](double a, double b) { return double(int(a) | int(b)); }},
        DescriptorAtomic{"xor", "i32", [](double a, double b) { return double(int(a) ^ int(b)); }}),
    [](const auto &info) { return std::string(info.param.op) + "_" + info.param.type; });

TEST(Memory, DescriptorGathersRows) {
  covers("descriptor.gather");
  std::vector<double> i = {3, 0, 7, 3, 1, 2, 6, 5}, want;
  for (double row : i)
    for (int j = 8; j < 16; ++j)
      want.push_back(row * 16 + j);
  KernelRun run("memory.py", "descriptor_gather", "*fp32, *i32, *fp32, i32, i32, 8, 8", "1");
  run.input("x_ptr", counting(128)).input("i_ptr", i).output("out_ptr", 64).scalar("m", 8).scalar("n", 16);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

TEST(Memory, DescriptorScattersRows) {
  covers("descriptor.scatter");
  std::vector<double> i = {3, 0, 7, 4, 1, 2, 6, 5}, want(128, untouched);
  for (size_t k = 0; k < 8; ++k)
    for (size_t j = 0; j < 8; ++j)
      want[static_cast<size_t>(i[k]) * 16 + 8 + j] = static_cast<double>(k * 8 + j) + 1;
  KernelRun run("memory.py", "descriptor_scatter", "*fp32, *i32, *fp32, i32, i32, 8, 8", "1");
  run.input("x_ptr", counting(64, 1)).input("i_ptr", i).output("out_ptr", 128).scalar("m", 8).scalar("n", 16);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

TEST(Memory, DescriptorAttributes) {
  covers("descriptor.shape descriptor.strides descriptor.block_shape descriptor.dtype");
  KernelRun run("memory.py", "descriptor_attributes", "*fp32, *i32, i32, i32, 4, 8", "1");
  run.input("x_ptr", counting(4)).output("out_ptr", 3).scalar("m", 11).scalar("n", 12);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {11, 12, 12});
}

class CarriedBlockPointers : public testing::TestWithParam<std::string> {};

TEST_P(CarriedBlockPointers, ReachEveryRow) {
  covers("tl.make_block_ptr tl.advance boundary_check while noinline");
  bool exchanges = GetParam() == "exchanged";
  std::vector<double> x = randomValues(10 * 16, 7), want = x;
  for (size_t i = 0; i < want.size(); ++i)
    want[i] = exchanges ? roundTo(ScalarKind::FP32, x[i] + (i < 64)) : 2 * x[i];
  KernelRun run("memory.py", "carried_block_pointers", "*fp32, *fp32, i32, \"" + GetParam() + "\"", "1");
  run.input("x_ptr", x).output("out_ptr", x.size()).scalar("n", 10);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

INSTANTIATE_TEST_SUITE_P(Memory, CarriedBlockPointers,
                         testing::Values("while", "noinline", "made anew", "exchanged"),
                         [](const auto &info) {
                           return info.param == "made anew" ? std::string("made_anew") : info.param;
                         });

// What the analyses of addresses ask must not grow with the number of ways that lead from step to step.
TEST(Memory, UnrolledBinarySearch) {
  covers("tl.load tl.static_range");
  std::vector<double> sorted, x = counting(64, 0, 5), want;
  for (int i = 0; i < 100; ++i)
    sorted.push_back(3 * i);
  for (double value : x)
    want.push_back(std::min(100.0, std::floor(value / 3) + 1));
  KernelRun run("memory.py", "unrolled_search", "*i32, *i32, *i32, i32, 64", "1");
  run.input("sorted_ptr", sorted).input("x_ptr", x).output("out_ptr", 64).scalar("n", 100);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), want);
}

} // namespace
