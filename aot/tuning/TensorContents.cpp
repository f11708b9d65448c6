// Numbers come from SplitMix64 (Steele, Lea and Flood, 2014), which needs no state but a counter.
#include "aot/tuning/TensorContents.h"

#include "compiler/model/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;

namespace nereid {

unsigned getElementBytes(ScalarKind kind) { return (getScalarBits(kind) + 7) / 8; }

static bool isFloat(ScalarKind kind) { return kind >= ScalarKind::FP8E4NV; }

static bool isSigned(ScalarKind kind) {
  return kind == ScalarKind::Int8 || kind == ScalarKind::Int16 || kind == ScalarKind::Int32 ||
         kind == ScalarKind::Int64;
}

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return std::ldexp(double(next() >> 11), -53); }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

private:
  uint64_t state;
};

} // namespace

static uint64_t encode(double number, const fltSemantics &format) {
  APFloat value(number);
  bool losesInfo;
  value.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

static double decode(const APInt &bits, const fltSemantics &format) {
  APFloat value(format, bits);
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

void writeElement(char *bytes, ScalarKind kind, double number) {
  unsigned size = getElementBytes(kind);
  uint64_t bits;
  if (const fltSemantics *format = getFloatFormat(kind)) {
    bits = encode(number, *format);
  } else if (kind == ScalarKind::FP8E4B15) { // a part of a half's bits
    uint64_t half = encode(number, APFloat::IEEEhalf());
    bits = (half >> 8 & 0x80) | std::min<uint64_t>(((half & 0x7FFF) + 0x40) >> 7, 0x7F);
  } else if (kind == ScalarKind::Int1) {
    bits = number != 0;
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(number));
  }
  std::memcpy(bytes, &bits, size); // little endian, as everything that is compiled for
}

double readElement(const char *bytes, ScalarKind kind) {
  // Tensors have millions of these.
  if (kind == ScalarKind::FP32) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (kind == ScalarKind::FP64) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (kind == ScalarKind::FP16) {
    uint16_t half;
    std::memcpy(&half, bytes, sizeof half);
    uint32_t sign = uint32_t(half & 0x8000) << 16, rest = uint32_t(half & 0x7FFF) << 13;
    // The exponent of infinity and NaN; others are rebased by a product, which has subnormal numbers right as
    // well.
    float value =
        (half & 0x7C00) == 0x7C00 ? bit_cast<float>(rest | 0x7F800000) : bit_cast<float>(rest) * 0x1p112F;
    return bit_cast<float>(bit_cast<uint32_t>(value) | sign);
  }
  if (kind == ScalarKind::BF16) {
    uint32_t bits = 0;
    std::memcpy(reinterpret_cast<char *>(&bits) + 2, bytes, 2);
    return bit_cast<float>(bits);
  }
  unsigned width = getElementBytes(kind) * 8;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, width / 8);
  if (const fltSemantics *format = getFloatFormat(kind))
    return decode(APInt(width, bits), *format);
  if (kind == ScalarKind::FP8E4B15)
    return decode(APInt(16, (bits & 0x80) << 8 | (bits & 0x7F) << 7), APFloat::IEEEhalf());
  APInt value(width, bits);
  return isSigned(kind) ? value.signedRoundToDouble() : value.roundToDouble();
}

void fillTensor(MutableArrayRef<char> bytes, ScalarKind element, const TensorContents &contents,
                StringRef name) {
  using Kind = TensorContents::Kind;
  unsigned size = getElementBytes(element);
  size_t count = bytes.size() / size;
  if (contents.kind == Kind::Zeros) {
    std::memset(bytes.data(), 0, bytes.size());
    return;
  }
  if (contents.kind == Kind::Indices) {
    for (size_t i = 0; i < count; ++i)
      writeElement(bytes.data() + i * size, element, double(contents.step) * double(i));
    return;
  }
  constexpr size_t tableSize = 8192;
  Random random(xxh3_64bits(name));
  std::vector<char> table(tableSize * size);
  for (size_t i = 0; i < tableSize; ++i) {
    double number = 1;
    if (contents.kind == Kind::Integers) {
      // 0 stands for all that there are.
      uint64_t count = uint64_t(contents.most) - uint64_t(contents.least) + 1, offset = random.next();
      number = static_cast<double>(int64_t(uint64_t(contents.least) + (count ? offset % count : offset)));
    } else if (contents.kind == Kind::Uniform)
      number = random.uniform();
    else if (contents.kind == Kind::Normal)
      // Integers of some size, so that sums of products of them do not overflow soon.
      number = isFloat(element) ? random.normal() : std::round(4 * random.normal());
    if (!isFloat(element) && !isSigned(element) && contents.kind != Kind::Integers)
      number = std::fabs(number);
    writeElement(table.data() + i * size, element, number);
  }
  for (size_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + i * size, table.data() + random.next() % tableSize * size, size);
}

void poisonTensor(MutableArrayRef<char> bytes, ScalarKind element) {
  // All ones are NaN in every format that has it. A bool must be one.
  std::memset(bytes.data(), element == ScalarKind::Int1 ? 1 : 0xFF, bytes.size());
}

bool isAllNaN(ArrayRef<char> bytes, ScalarKind element) {
  unsigned size = getElementBytes(element);
  if (!isFloat(element) || bytes.size() < size)
    return false;
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    if (!std::isnan(readElement(bytes.data() + at, element)))
      return false;
  return true;
}

double compareTensors(ArrayRef<char> actual, ArrayRef<char> expected, ScalarKind element) {
  unsigned size = getElementBytes(element);
  double largest = 0, difference = 0;
  for (size_t at = 0; at + size <= expected.size(); at += size) {
    // Most often all is the same, and conversions are slow.
    if (std::memcmp(actual.data() + at, expected.data() + at, size) == 0)
      continue;
    double a = readElement(actual.data() + at, element), b = readElement(expected.data() + at, element);
    if (std::isnan(a) && std::isnan(b))
      continue;
    if (!std::isfinite(a) || !std::isfinite(b))
      return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::fabs(a - b));
  }
  if (difference == 0)
    return 0;
  for (size_t at = 0; at + size <= expected.size(); at += size)
    if (double b = std::fabs(readElement(expected.data() + at, element)); std::isfinite(b))
      largest = std::max(largest, b);
  return largest == 0 ? std::numeric_limits<double>::infinity() : difference / largest;
}

double getTolerance(ScalarKind element) {
  if (!isFloat(element))
    return 0;
  const fltSemantics *format = getFloatFormat(element);
  unsigned precision = format ? APFloat::semanticsPrecision(*format) : 4; // fp8e4b15
  double rounding = std::ldexp(1.0, -static_cast<int>(precision));
  unsigned bytes = getElementBytes(element);
  return rounding * (bytes == 1 ? 2 : bytes == 2 ? 4 : 1024);
}

} // namespace nereid
