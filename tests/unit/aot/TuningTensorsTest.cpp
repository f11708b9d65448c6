// Tensors that `nereid tune` makes and compares, and how it sums up times.
#include "aot/tuning/Statistics.h"
#include "aot/tuning/TensorContents.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace nereid;

namespace {

std::vector<double> fill(ScalarKind element, TensorContents contents, size_t count, const char *name = "x") {
  unsigned size = getElementBytes(element);
  std::vector<char> bytes(count * size, 0x55);
  fillTensor(bytes, element, contents, name);
  std::vector<double> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(readElement(bytes.data() + i * size, element));
  return numbers;
}

constexpr ScalarKind allKinds[] = {
    ScalarKind::Int1,    ScalarKind::Int8,     ScalarKind::Int16,  ScalarKind::Int32,    ScalarKind::Int64,
    ScalarKind::UInt8,   ScalarKind::UInt16,   ScalarKind::UInt32, ScalarKind::UInt64,   ScalarKind::FP8E4NV,
    ScalarKind::FP8E4B8, ScalarKind::FP8E4B15, ScalarKind::FP8E5,  ScalarKind::FP8E5B16, ScalarKind::FP16,
    ScalarKind::BF16,    ScalarKind::FP32,     ScalarKind::FP64};

TEST(TensorContents, FillEveryType) {
  using Kind = TensorContents::Kind;
  for (ScalarKind kind : allKinds) {
    SCOPED_TRACE(getScalarName(kind).str());
    EXPECT_EQ(fill(kind, {Kind::Zeros}, 3), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(fill(kind, {Kind::Ones}, 3), (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(fill(kind, {Kind::Indices}, 2), (std::vector<double>{0, 1}));
    EXPECT_EQ(fill(kind, {Kind::Indices, 0, 0, 2}, 1), (std::vector<double>{0}));
    for (double number : fill(kind, {Kind::Integers, 0, 1}, 100))
      EXPECT_TRUE(number == 0 || number == 1);
    EXPECT_EQ(fill(kind, {Kind::Normal}, 50), fill(kind, {Kind::Normal}, 50));
  }
}

TEST(TensorContents, KnowAFormatThatLLVMDoesNot) {
  // One is 0x78: a half's 0x3C00 shifted; the largest is 1.875.
  const char one = 0x78, largest = 0x7F, negative = static_cast<char>(0xF0);
  EXPECT_EQ(readElement(&one, ScalarKind::FP8E4B15), 1);
  EXPECT_EQ(readElement(&largest, ScalarKind::FP8E4B15), 1.875);
  EXPECT_EQ(readElement(&negative, ScalarKind::FP8E4B15), -0.5);
  EXPECT_EQ(fill(ScalarKind::FP8E4B15, {TensorContents::Kind::Integers, -9, -9}, 1),
            std::vector<double>{-1.875});
}

TEST(TensorContents, DistributionsAreWhatTheyAreCalled) {
  using Kind = TensorContents::Kind;
  constexpr size_t count = 100'000;
  double sum = 0, squares = 0;
  for (double number : fill(ScalarKind::FP32, {Kind::Normal}, count)) {
    sum += number;
    squares += number * number;
  }
  EXPECT_NEAR(sum / count, 0, 0.05);
  EXPECT_NEAR(squares / count, 1, 0.1);
  sum = 0;
  for (double number : fill(ScalarKind::FP16, {Kind::Uniform}, count)) {
    EXPECT_TRUE(number >= 0 && number <= 1);
    sum += number;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.02);
  for (double number : fill(ScalarKind::Int8, {Kind::Integers, -3, 2}, 1000))
    EXPECT_TRUE(number >= -3 && number <= 2 && number == std::round(number));
  EXPECT_EQ(fill(ScalarKind::Int32, {Kind::Indices, 0, 0, -70}, 3), (std::vector<double>{0, -70, -140}));
  // Every integer that there is may come.
  EXPECT_EQ(fill(ScalarKind::Int64, {Kind::Integers, INT64_MIN, INT64_MAX}, 3).size(), 3u);
  EXPECT_NE(fill(ScalarKind::FP32, {}, 20, "x"), fill(ScalarKind::FP32, {}, 20, "y"));
}

TEST(TensorContents, DifferencesAreRelativeToTheLargest) {
  auto compare = [](std::vector<float> a, std::vector<float> b) {
    auto bytes = [](std::vector<float> &of) {
      return llvm::ArrayRef(reinterpret_cast<const char *>(of.data()), of.size() * sizeof(float));
    };
    return compareTensors(bytes(a), bytes(b), ScalarKind::FP32);
  };
  float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare({1, nan, infinity, -0.0F}, {1, nan, infinity, 0}), 0);
  EXPECT_EQ(compare({1, 8.5F}, {1, 8}), 0.0625);
  EXPECT_EQ(compare({nan}, {1}), infinity);
  EXPECT_EQ(compare({infinity}, {-infinity}), infinity);
  EXPECT_EQ(compare({1}, {0}), infinity);
}

TEST(Statistics, SlowOnesAreLeftOut) {
  TimeSummary summary = summarizeTimes({10, 10.5, 9.5, 10, 300, 10, 47, 10.5});
  EXPECT_EQ(summary.median, 10);
  EXPECT_EQ(summary.outliers, 2u);
  EXPECT_EQ(summary.count, 6u);
  EXPECT_LE(summary.spread, 0.05);
  EXPECT_EQ(summarizeTimes({7}).median, 7);
  EXPECT_EQ(summarizeTimes({4, 2}).median, 3);
  EXPECT_EQ(summarizeTimes({5, 5, 5, 5.1}).outliers, 0u);
  EXPECT_EQ(summarizeTimes({5, 5, 5, 6}).outliers, 1u);
}

TEST(TensorContents, PoisonIsFoundAgain) {
  for (ScalarKind kind : {ScalarKind::FP8E4NV, ScalarKind::FP8E5, ScalarKind::FP16, ScalarKind::BF16,
                          ScalarKind::FP32, ScalarKind::FP64}) {
    std::vector<char> bytes(3 * getElementBytes(kind));
    poisonTensor(bytes, kind);
    EXPECT_TRUE(isAllNaN(bytes, kind)) << getScalarName(kind).str();
    std::vector<char> written = bytes;
    writeElement(written.data() + getElementBytes(kind), kind, 1.5);
    EXPECT_FALSE(isAllNaN(written, kind));
    EXPECT_EQ(readElement(written.data() + getElementBytes(kind), kind), 1.5);
    // What one variant writes and another one does not.
    EXPECT_TRUE(std::isinf(compareTensors(bytes, written, kind)));
  }
  std::vector<char> bytes(8);
  poisonTensor(bytes, ScalarKind::Int32);
  EXPECT_EQ(readElement(bytes.data(), ScalarKind::Int32), -1);
  EXPECT_FALSE(isAllNaN(bytes, ScalarKind::Int32));
  poisonTensor(bytes, ScalarKind::Int1);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_FALSE(isAllNaN({}, ScalarKind::FP32));
}

TEST(TensorContents, EveryHalfIsReadRight) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = bits;
    llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    double expected = value.convertToDouble();
    double read = readElement(reinterpret_cast<const char *>(&half), ScalarKind::FP16);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(read)
                                     : read == expected && std::signbit(read) == std::signbit(expected))
        << bits;
  }
}

} // namespace
