// kernels/large_tiles.py: tiles with more elements than a thread of a GPU has registers for, many times over,
// which become loops over local memory there, and sorts that are too long to unroll. Integers, so that every
// result is exact.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace nereid;
using namespace nereid::test;

namespace {

using Numbers = std::vector<int64_t>;

Numbers makeNumbers(size_t count, unsigned seed, int64_t range) {
  Numbers numbers;
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    numbers.push_back(static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(2 * range + 1)) - range);
  }
  return numbers;
}

std::vector<uint64_t> toBits(const Numbers &numbers) {
  std::vector<uint64_t> bits;
  for (int64_t number : numbers)
    bits.push_back(static_cast<uint32_t>(number));
  return bits;
}

/// Runs one program on i32 arrays and compares its output.
void expectResult(const std::string &kernel, const std::string &signature,
                  const std::vector<std::pair<std::string, Numbers>> &inputs, const Numbers &want,
                  const std::vector<std::pair<std::string, int>> &scalars = {}) {
  KernelRun run("large_tiles.py", kernel, signature, "1");
  for (const auto &[name, numbers] : inputs)
    run.inputBits(name, toBits(numbers));
  for (const auto &[name, value] : scalars)
    run.scalar(name, value);
  std::vector<uint64_t> expected = toBits(want);
  run.output("out_ptr", expected.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<int32_t>(got[i]), static_cast<int32_t>(expected[i])) << "element " << i;
}

class LargeTileSize : public testing::TestWithParam<int> {};

// 128 threads: 1024 elements each, 2048, and 8192.
TEST_P(LargeTileSize, Elementwise) {
  int block = GetParam(), n = block - 37;
  Numbers x = makeNumbers(n, 1, 1000), y = makeNumbers(n, 2, 1000), want;
  for (int i = 0; i < n; ++i) {
    int64_t s = x[i] * 2 + y[i];
    want.push_back(x[i] > y[i] ? s * s : s - x[i]);
  }
  expectResult("chain", "*i32, *i32, *i32, i32, " + std::to_string(block), {{"x_ptr", x}, {"y_ptr", y}}, want,
               {{"n", n}});
}

TEST_P(LargeTileSize, TotalAndPlace) {
  int block = GetParam();
  Numbers x = makeNumbers(block, 3, 1000);
  x[block / 3 * 2] = 5000;
  int64_t total = 0;
  for (int64_t number : x)
    total += number;
  expectResult("total_and_place", "*i32:16, *i32, " + std::to_string(block), {{"x_ptr", x}},
               {total, block / 3 * 2});
}
INSTANTIATE_TEST_SUITE_P(Elements, LargeTileSize, testing::Values(1 << 17, 1 << 18, 1 << 20));

class LargeCube : public testing::TestWithParam<int> {};

TEST_P(LargeCube, SumAlongAxis) {
  int axis = GetParam();
  const int size[] = {32, 128, 64};
  Numbers x = makeNumbers(size_t(size[0]) * size[1] * size[2], 4, 100000);
  Numbers want(x.size() / size[axis]);
  for (int a = 0; a < size[0]; ++a)
    for (int b = 0; b < size[1]; ++b)
      for (int c = 0; c < size[2]; ++c) {
        int place = axis == 0 ? b * size[2] + c : axis == 1 ? a * size[2] + c : a * size[1] + b;
        want[place] += x[(size_t(a) * size[1] + b) * size[2] + c];
      }
  expectResult("sum_cube", "*i32:16, *i32:16, 32, 128, 64, " + std::to_string(axis), {{"x_ptr", x}}, want);
}
INSTANTIATE_TEST_SUITE_P(Axis, LargeCube, testing::Values(0, 1, 2));

// As many elements as a lane of CDNA has registers.
TEST(LargeTile, ScanOfACube) {
  const int sizeA = 128, sizeB = 32, sizeC = 32, plane = sizeB * sizeC;
  Numbers x = makeNumbers(size_t(sizeA) * plane, 23, 1000), want = x;
  for (int i = 0; i < sizeA * plane; ++i)
    if (i / sizeC % sizeB)
      want[i] += want[i - sizeC];
  for (int place = 0; place < plane; ++place) {
    int64_t largest = x[place];
    for (int i = place; i < sizeA * plane; i += plane)
      largest = std::max(largest, x[i]);
    for (int i = place; i < sizeA * plane; i += plane)
      want[i] += largest;
  }
  expectResult("scan_cube", "*i32:16, *i32:16, 128, 32, 32", {{"x_ptr", x}}, want);
}

TEST(LargeTile, Transpose) {
  const int m = 256, n = 1024;
  Numbers x = makeNumbers(size_t(m) * n, 5, 1 << 30), want(x.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      want[size_t(j) * m + i] = x[size_t(i) * n + j];
  expectResult("transpose", "*i32:16, *i32:16, 256, 1024", {{"x_ptr", x}}, want);
}

TEST(LargeTile, CarriedByALoop) {
  const int m = 512, n = 512, rounds = 4;
  Numbers x = makeNumbers(size_t(m) * n, 6, 100), a = x, b(x.size(), 1);
  for (int k = 0; k < rounds; ++k) {
    for (size_t i = 0; i < a.size(); ++i) {
      int64_t next = b[i] + x[i % n];
      b[i] = a[i] * 2;
      a[i] = next;
      b[i] += k == 1 ? -a[i] : k;
    }
  }
  Numbers want = a;
  want.insert(want.end(), b.begin(), b.end());
  expectResult("carried", "*i32:16, *i32:16, i32, 512, 512", {{"x_ptr", x}}, want, {{"rounds", rounds}});
}

TEST(LargeTile, SplitAndJoin) {
  const int block = 1 << 18;
  Numbers x = makeNumbers(block, 7, 1 << 30), want;
  for (int i = 0; i < block; ++i)
    want.push_back(x[i ^ 1]);
  expectResult("halves", "*i32:16, *i32:16, 262144", {{"x_ptr", x}}, want);
}

// 64 elements a thread, and 256, which are a loop only where there are atomics, and no gather.
class AtomicsAmongOthers : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(AtomicsAmongOthers, LeaveThoseRight) {
  const int m = 128, n = std::get<0>(GetParam());
  Numbers x = makeNumbers(size_t(m) * n, 15, 100), places = makeNumbers(x.size(), 16, 1000), want;
  for (int column = 0; column < n; ++column) {
    int64_t total = 0, soFar = 0, all = 0;
    for (int row = 0; row < m; ++row)
      total += x[size_t(row) * n + column];
    Numbers sums;
    for (int row = m - 1; row >= 0; --row) {
      soFar += x[size_t(row) * n + column];
      sums.push_back(soFar + 3 * total);
      all += sums.back();
    }
    for (int row = 0; row < m; ++row)
      want.push_back(places[want.size()] + all);
  }
  KernelRun run("large_tiles.py", "atomics_among_others",
                "*i32:16, *i32:16, *i32:16, 128, " + std::to_string(n) +
                    (std::get<1>(GetParam()) ? ", True" : ", False"),
                "1");
  run.inputBits("x_ptr", toBits(x));
  run.scratch("places_ptr", std::vector<double>(places.begin(), places.end()));
  run.output("out_ptr", want.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<int32_t>(got[i]), want[i]) << "element " << i;
}
INSTANTIATE_TEST_SUITE_P(Columns, AtomicsAmongOthers,
                         testing::Combine(testing::Values(64, 256), testing::Bool()));

// 256 elements a thread, 1024 and 4096.
class LargeAtomics : public testing::TestWithParam<int> {};

TEST_P(LargeAtomics, GiveWhatWasThereBefore) {
  const int m = GetParam(), n = 256;
  Numbers x = makeNumbers(size_t(m) * n, 13, 1000), sums(n);
  KernelRun run("large_tiles.py", "atomics",
                "*i32:16, *i32:16, *i32:16, " + std::to_string(m) + ", " + std::to_string(n), "1");
  run.inOut("x_ptr", std::vector<double>(x.begin(), x.end()));
  run.inOut("sums_ptr", std::vector<double>(n, 0));
  run.output("out_ptr", 2 * x.size());
  ASSERT_TRUE(run.run()) << run.messages();
  for (size_t i = 0; i < x.size(); ++i)
    sums[i % n] += std::max<int64_t>(x[i], 0);
  std::vector<uint64_t> gotSums = run.resultBits("sums_ptr"), out = run.resultBits("out_ptr");
  for (int j = 0; j < n; ++j)
    ASSERT_EQ(static_cast<int32_t>(gotSums[j]), sums[j]) << "column " << j;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(static_cast<int32_t>(out[i]), x[i] * 3 + x[i] + 1) << "element " << i;
    ASSERT_EQ(static_cast<int32_t>(out[x.size() + i]), x[i] * 2) << "element " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, LargeAtomics, testing::Values(128, 512, 2048));

TEST(LargeTile, Histogram) {
  const int block = 1 << 18, bins = 64;
  Numbers x = makeNumbers(block, 14, 100), want(bins);
  for (int64_t number : x)
    if (number % 3 != 0 && number >= 0 && number < bins)
      ++want[number];
  expectResult("counted", "*i32:16, *i32:16, 262144, 64", {{"x_ptr", x}}, want);
}

struct ProductCase {
  const char *type;
  int m, n, k, rounds;
};

void PrintTo(const ProductCase &product, std::ostream *out) {
  *out << product.type << ' ' << product.m << 'x' << product.n << 'x' << product.k;
}

/// a [M, K] times b, of which element (k, n) is at `right(k, n)`.
template <typename Right> Numbers multiply(const Numbers &a, int m, int n, int k, Right right) {
  Numbers result;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int step = 0; step < k; ++step)
        sum += a[size_t(i) * k + step] * right(step, j);
      result.push_back(sum);
    }
  return result;
}

class LargeProduct : public testing::TestWithParam<ProductCase> {};

// Small integers, whose products are exact in every type.
TEST_P(LargeProduct, AddsUp) {
  auto [type, m, n, k, rounds] = GetParam();
  int depth = k * rounds;
  Numbers a = makeNumbers(size_t(m) * depth, 17, 4), b = makeNumbers(size_t(n) * depth, 18, 4);
  Numbers want =
      multiply(a, m, n, depth, [&, depth = depth](int step, int j) { return b[j * depth + step]; });
  std::string pointer = std::string("*") + type;
  KernelRun run("large_tiles.py", "product",
                pointer + ", " + pointer + ":16, *i32:16, i32, " + std::to_string(m) + ", " +
                    std::to_string(n) + ", " + std::to_string(k),
                "1");
  run.input("a_ptr", std::vector<double>(a.begin(), a.end()));
  run.input("b_ptr", std::vector<double>(b.begin(), b.end()));
  run.scalar("rounds", rounds);
  run.output("out_ptr", want.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<int32_t>(got[i]), want[i]) << "element " << i;
}
// 2048 and 4096 results a thread; a factor of 2048 elements a thread beside a small result; a depth that is
// in shared memory in parts.
INSTANTIATE_TEST_SUITE_P(
    Types, LargeProduct,
    testing::Values(ProductCase{"fp16", 512, 512, 16, 2}, ProductCase{"fp32", 512, 512, 16, 2},
                    ProductCase{"i8", 256, 1024, 32, 1}, ProductCase{"bf16", 1024, 512, 16, 1},
                    ProductCase{"fp8e5", 512, 512, 32, 1}, ProductCase{"fp32", 256, 256, 128, 1},
                    ProductCase{"i8", 16, 16, 16384, 2}));

TEST(LargeTile, ProductOfBatches) {
  const int count = 8, m = 256, n = 128, k = 16;
  Numbers a = makeNumbers(size_t(count) * m * k, 19, 4), b = makeNumbers(size_t(count) * k * n, 20, 4), want;
  for (int batch = 0; batch < count; ++batch) {
    Numbers part(a.begin() + size_t(batch) * m * k, a.begin() + size_t(batch + 1) * m * k);
    Numbers product = multiply(part, m, n, k, [&](int step, int j) { return b[(batch * k + step) * n + j]; });
    want.insert(want.end(), product.begin(), product.end());
  }
  KernelRun run("large_tiles.py", "product_of_batches", "*fp16:16, *fp16:16, *i32:16, 8, 256, 128, 16", "1");
  run.input("a_ptr", std::vector<double>(a.begin(), a.end()));
  run.input("b_ptr", std::vector<double>(b.begin(), b.end()));
  run.output("out_ptr", want.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<int32_t>(got[i]), want[i]) << "element " << i;
}

TEST(LargeTile, ProductOfProducts) {
  const int m = 512, k = 16;
  Numbers x = makeNumbers(size_t(m) * k, 21, 4), y = makeNumbers(size_t(m) * k, 22, 4);
  Numbers inner = multiply(x, m, m, k, [&](int step, int j) { return y[step * m + j]; });
  Numbers want = multiply(inner, m, k, m, [&](int step, int j) { return y[j * m + step]; });
  KernelRun run("large_tiles.py", "product_of_products", "*fp32:16, *fp32:16, *i32:16, 512, 16", "1");
  run.input("x_ptr", std::vector<double>(x.begin(), x.end()));
  run.input("y_ptr", std::vector<double>(y.begin(), y.end()));
  run.output("out_ptr", want.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(static_cast<int32_t>(got[i]), want[i]) << "element " << i;
}

class LargeScan : public testing::TestWithParam<std::tuple<int, int, int, bool>> {};

TEST_P(LargeScan, SumsSoFar) {
  auto [m, n, axis, reverse] = GetParam();
  Numbers x = makeNumbers(size_t(m) * n, 11, 1000), want = x;
  for (int step = 0; step < m * n; ++step) {
    int i = reverse ? m * n - 1 - step : step, row = i / n, column = i % n;
    int from = axis ? (reverse ? i + 1 : i - 1) : (reverse ? i + n : i - n);
    bool isFirst = axis ? column == (reverse ? n - 1 : 0) : row == (reverse ? m - 1 : 0);
    if (!isFirst)
      want[i] += want[from];
  }
  expectResult("scans",
               "*i32:16, *i32:16, " + std::to_string(m) + ", " + std::to_string(n) + ", " +
                   std::to_string(axis) + ", " + (reverse ? "True" : "False"),
               {{"x_ptr", x}}, want);
}
INSTANTIATE_TEST_SUITE_P(Axis, LargeScan,
                         testing::Values(std::tuple(512, 512, 0, false), std::tuple(512, 512, 0, true),
                                         std::tuple(512, 512, 1, false), std::tuple(512, 512, 1, true),
                                         std::tuple(1, 1 << 18, 1, false), std::tuple(1, 1 << 18, 1, true),
                                         std::tuple(256, 512, 0, true), std::tuple(256, 512, 1, false)));

class LargeGather : public testing::TestWithParam<int> {};

TEST_P(LargeGather, Reverses) {
  const int m = 512, n = 512, axis = GetParam();
  Numbers x = makeNumbers(size_t(m) * n, 12, 1 << 30), want;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      want.push_back(x[axis ? size_t(i) * n + (n - 1 - j) : size_t(m - 1 - i) * n + j]);
  expectResult("reversed_gather", "*i32:16, *i32:16, 512, 512, " + std::to_string(axis), {{"x_ptr", x}},
               want);
}
INSTANTIATE_TEST_SUITE_P(Axis, LargeGather, testing::Values(0, 1));

class LongSort : public testing::TestWithParam<std::tuple<int, int, bool>> {};

TEST_P(LongSort, Rows) {
  auto [rows, block, descending] = GetParam();
  Numbers x = makeNumbers(size_t(rows) * block, 8, 3000), want = x;
  for (int row = 0; row < rows; ++row) {
    auto begin = want.begin() + ptrdiff_t(row) * block;
    if (descending)
      std::sort(begin, begin + block, std::greater<>());
    else
      std::sort(begin, begin + block);
  }
  expectResult("sorted_rows",
               "*i32:16, *i32:16, " + std::to_string(rows) + ", " + std::to_string(block) + ", " +
                   (descending ? "True" : "False"),
               {{"x_ptr", x}}, want);
}
INSTANTIATE_TEST_SUITE_P(Length, LongSort,
                         testing::Values(std::tuple(1, 4096, false), std::tuple(2, 4096, true),
                                         std::tuple(1, 8192, true), std::tuple(1, 16384, false)));

TEST(LongNetwork, LargestOfMany) {
  Numbers x = makeNumbers(8192, 9, 1 << 30), want = x;
  std::sort(want.begin(), want.end(), std::greater<>());
  want.resize(16);
  expectResult("largest", "*i32:16, *i32:16, 8192, 16", {{"x_ptr", x}}, want);
}

TEST(LongNetwork, MergesWhatRisesAndFalls) {
  Numbers x = makeNumbers(8192, 10, 1 << 30), want = x;
  std::sort(x.begin(), x.begin() + 4096);
  std::sort(x.begin() + 4096, x.end(), std::greater<>());
  std::sort(want.begin(), want.end());
  expectResult("merged", "*i32:16, *i32:16, 8192", {{"x_ptr", x}}, want);
}

} // namespace
