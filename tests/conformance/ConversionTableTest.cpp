// Every pair of number types, bit for bit, against the formats' definitions: each bit pattern of the types of
// 8 and 16 bits, and for the wider ones each value of the narrower type, the middle between it and the next,
// the neighbours of both, and what lies beyond the range. The same rows hold for the CPU, for the code that
// GPUs get (run on the host), and, recorded with NEREID_RECORD_CUDA, for a GPU.
//
// The model shares nothing with the product. A format is its number of exponent and fraction bits, its bias,
// and what its largest codes mean; rounding scales the number so that the format's last place is worth 1, and
// rounds that to an integer.
//
//     f16, 1 + 2^-11 + 2^-20:   the last place is worth 2^-10   ->   1024.5009765625   ->   1025   -> 0x3C01
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace nereid;
using namespace nereid::test;

namespace {

struct Format {
  const char *name;
  int exponentBits, fractionBits, bias;
  enum { IEEE, OneNaN, NegativeZeroIsNaN, NoNaN } kind;

  int getBits() const { return 1 + exponentBits + fractionBits; }
  uint64_t getSignBit() const { return uint64_t(1) << (getBits() - 1); }
  uint64_t getLargest() const {
    uint64_t all = getSignBit() - 1;
    if (kind == IEEE)
      return (all >> fractionBits << fractionBits) - 1;
    return kind == OneNaN ? all - 1 : all;
  }
  uint64_t getInfinity() const { return getLargest() + 1; } // if it is IEEE
  uint64_t getNaN() const { return kind == NegativeZeroIsNaN ? getSignBit() : getSignBit() - 1; }
  bool saturates() const { return getBits() == 8; }

  bool isNaN(uint64_t bits) const {
    uint64_t magnitude = bits & (getSignBit() - 1);
    switch (kind) {
    case IEEE:
      return magnitude > getInfinity();
    case OneNaN:
      return magnitude == getSignBit() - 1;
    case NegativeZeroIsNaN:
      return bits == getSignBit();
    case NoNaN:
      return false;
    }
    return false;
  }

  long double getValue(uint64_t bits) const {
    uint64_t magnitude = bits & (getSignBit() - 1),
             fraction = magnitude & ((uint64_t(1) << fractionBits) - 1);
    int exponent = static_cast<int>(magnitude >> fractionBits);
    long double value;
    if (kind == IEEE && magnitude == getInfinity())
      value = HUGE_VALL;
    else if (exponent == 0)
      value = std::ldexp(static_cast<long double>(fraction), 1 - bias - fractionBits);
    else
      value = std::ldexp(static_cast<long double>(fraction + (uint64_t(1) << fractionBits)),
                         exponent - bias - fractionBits);
    return bits & getSignBit() ? -value : value;
  }

  uint64_t round(long double value, bool towardZero) const {
    uint64_t sign = std::signbit(value) ? getSignBit() : 0, magnitude = 0;
    long double absolute = std::fabs(value);
    if (std::isinf(absolute)) {
      bool keeps = kind == IEEE && (!saturates() || towardZero);
      return sign | (keeps ? getInfinity() : getLargest());
    }
    if (absolute != 0) {
      int exponent = std::max(std::ilogb(absolute), 1 - bias);
      long double scaled = std::ldexp(absolute, fractionBits - exponent);
      auto whole = static_cast<uint64_t>(scaled);
      long double rest = scaled - static_cast<long double>(whole);
      if (!towardZero && (rest > 0.5L || (rest == 0.5L && whole % 2 == 1)))
        ++whole;
      // A carry out of the fraction runs into the exponent, as it should.
      magnitude = (static_cast<uint64_t>(exponent + bias - 1) << fractionBits) + whole;
      if (exponent + bias - 1 > (1 << exponentBits) || magnitude > getLargest())
        magnitude = kind == IEEE && !saturates() && !towardZero ? getInfinity() : getLargest();
    }
    return kind == NegativeZeroIsNaN && magnitude == 0 ? 0 : sign | magnitude;
  }
};

const Format formats[] = {
    {"fp8e4nv", 4, 3, 7, Format::OneNaN},
    {"fp8e5", 5, 2, 15, Format::IEEE},
    {"fp8e4b8", 4, 3, 8, Format::NegativeZeroIsNaN},
    {"fp8e5b16", 5, 2, 16, Format::NegativeZeroIsNaN},
    {"fp8e4b15", 4, 3, 15, Format::NoNaN},
    {"fp16", 5, 10, 15, Format::IEEE},
    {"bf16", 8, 7, 127, Format::IEEE},
    {"fp32", 8, 23, 127, Format::IEEE},
    {"fp64", 11, 52, 1023, Format::IEEE},
};

const Format &find(const std::string &name) {
  for (const Format &format : formats)
    if (format.name == name)
      return format;
  ADD_FAILURE() << name;
  return formats[0];
}

const Format &half = formats[5], &single = formats[7];

/// What Triton defines by steps: to fp8e4b15 by way of f16, cut off toward zero, and then, saturating below
/// 2, to nearest with ties away from zero.
uint64_t toE4B15(const Format &from, uint64_t bits) {
  uint64_t narrow = bits;
  if (&from != &half) {
    long double value = from.getValue(bits);
    if (from.getBits() == 64)
      value = single.getValue(single.round(value, /*towardZero=*/false));
    narrow = from.isNaN(bits) ? half.getNaN() : half.round(value, /*towardZero=*/true);
  }
  uint64_t magnitude = std::min<uint64_t>(narrow & 0x7FFF, 0x3F00);
  return (narrow & 0x8000) >> 8 | (magnitude + 0x40) >> 7;
}

uint64_t convert(const Format &from, const Format &to, uint64_t bits, bool towardZero) {
  if (std::string(to.name) == "fp8e4b15")
    return toE4B15(from, bits);
  // The one conversion that only moves bits.
  if (std::string(from.name) == "bf16" && &to == &single)
    return bits << 16;
  return from.isNaN(bits) ? to.getNaN() : to.round(from.getValue(bits), towardZero);
}

/// Everything that may round differently when `from` becomes `to`.
std::vector<uint64_t> getInputs(const Format &from, const Format &to) {
  std::vector<uint64_t> inputs;
  if (from.getBits() <= 16) {
    for (uint64_t bits = 0; bits < from.getSignBit() * 2; ++bits)
      inputs.push_back(bits);
    return inputs;
  }
  std::vector<uint64_t> magnitudes;
  auto addAround = [&](uint64_t bits, uint64_t reach) {
    for (uint64_t offset = 0; offset <= 2 * reach; ++offset)
      if (bits + offset >= reach && bits + offset - reach < from.getSignBit())
        magnitudes.push_back(bits + offset - reach);
  };
  addAround(0, 3);
  addAround(uint64_t(1) << from.fractionBits, 3);
  addAround(from.getLargest(), 3);
  addAround(from.getSignBit() - 1, 1);                                       // NaN
  addAround(from.getInfinity() | uint64_t(1) << (from.fractionBits - 1), 1); // the first quiet one
  auto addValue = [&](long double value) { addAround(from.round(value, /*towardZero=*/true), 1); };
  bool isWide = to.getBits() >= 32;
  uint64_t count = isWide ? 4000 : to.getLargest() + 1, state = 1;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = i;
    if (isWide) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bits = (state >> 8) % to.getLargest();
    }
    long double value = to.getValue(bits), next = to.getValue(bits + 1);
    if (bits == to.getLargest()) // where the next one would be
      next = value + (value - to.getValue(bits - 1));
    addValue(value);
    addValue((value + next) / 2);
    if (isWide) // ties of the narrower types too, which must not be taken for their neighbours
      addValue(half.getValue((state >> 40) % half.getLargest()));
  }
  for (uint64_t magnitude : magnitudes) {
    inputs.push_back(magnitude);
    inputs.push_back(magnitude | from.getSignBit());
  }
  return inputs;
}

/// Runs `kernel` over the inputs in blocks.
void expectTable(const std::string &kernel, const std::string &from, const std::string &to,
                 std::vector<uint64_t> inputs, const std::vector<uint64_t> &want) {
  constexpr size_t block = 512;
  size_t count = inputs.size();
  size_t programs = (count + block - 1) / block;
  inputs.resize(programs * block, inputs.back());
  KernelRun run("conversion.py", kernel, "*" + from + ":16, *" + to + ":16, " + std::to_string(block),
                std::to_string(programs));
  run.inputBits("x_ptr", inputs).output("out_ptr", inputs.size());
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  unsigned wrong = 0;
  for (size_t i = 0; i < count && wrong < 8; ++i) {
    if (got[i] == want[i])
      continue;
    ++wrong;
    ADD_FAILURE() << from << " 0x" << std::hex << inputs[i] << " became " << to << " 0x" << got[i]
                  << ", not 0x" << want[i];
  }
}

using Pair = std::tuple<std::string, std::string>;
std::string nameOf(const testing::TestParamInfo<Pair> &info) {
  return std::get<0>(info.param) + "_to_" + std::get<1>(info.param);
}

class ConversionTable : public testing::TestWithParam<Pair> {};

TEST_P(ConversionTable, FloatToFloat) {
  const Format &from = find(std::get<0>(GetParam())), &to = find(std::get<1>(GetParam()));
  std::vector<uint64_t> inputs = getInputs(from, to), want;
  for (uint64_t bits : inputs)
    want.push_back(convert(from, to, bits, /*towardZero=*/false));
  expectTable("convert_blocks", from.name, to.name, inputs, want);
}

std::vector<Pair> floatPairs() {
  std::vector<Pair> pairs;
  for (const Format &from : formats)
    for (const Format &to : formats)
      if (&from != &to)
        pairs.push_back({from.name, to.name});
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, ConversionTable, testing::ValuesIn(floatPairs()), nameOf);

class ConversionTableTowardZero : public testing::TestWithParam<Pair> {};

TEST_P(ConversionTableTowardZero, FloatToFloat) {
  const Format &from = find(std::get<0>(GetParam())), &to = find(std::get<1>(GetParam()));
  std::vector<uint64_t> inputs = getInputs(from, to), want;
  for (uint64_t bits : inputs)
    want.push_back(convert(from, to, bits, /*towardZero=*/true));
  expectTable("convert_blocks_toward_zero", from.name, to.name, inputs, want);
}
INSTANTIATE_TEST_SUITE_P(All, ConversionTableTowardZero,
                         testing::Values(Pair{"fp32", "fp16"}, Pair{"fp32", "bf16"}, Pair{"fp64", "fp16"},
                                         Pair{"fp64", "bf16"}, Pair{"fp32", "fp8e5"}, Pair{"fp16", "fp8e5"},
                                         Pair{"bf16", "fp8e5"}, Pair{"fp32", "fp8e4nv"},
                                         Pair{"fp64", "fp8e4nv"}, Pair{"fp16", "fp8e4b8"},
                                         Pair{"bf16", "fp8e5b16"}),
                         nameOf);

struct IntegerType {
  std::string name;
  unsigned bits;
  bool isSigned;
};
const IntegerType integers[] = {{"i8", 8, true},  {"i16", 16, true},  {"i32", 32, true},  {"i64", 64, true},
                                {"u8", 8, false}, {"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false}};
const IntegerType &findInteger(const std::string &name) {
  for (const IntegerType &type : integers)
    if (type.name == name)
      return type;
  return integers[0];
}

long double valueOf(const IntegerType &type, uint64_t bits) {
  if (!type.isSigned)
    return static_cast<long double>(bits);
  return static_cast<long double>(static_cast<int64_t>(bits << (64 - type.bits)) >> (64 - type.bits));
}

class ConversionTableOfIntegers : public testing::TestWithParam<Pair> {};

TEST_P(ConversionTableOfIntegers, ToFloat) {
  const IntegerType &from = findInteger(std::get<0>(GetParam()));
  const Format &to = find(std::get<1>(GetParam()));
  uint64_t mask = from.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << from.bits) - 1;
  std::set<uint64_t> inputs;
  for (unsigned high = 0; high < from.bits; ++high) {
    // 1.f, 1.f and a half, and that half with one bit far below: ties of every width, and their neighbours.
    for (unsigned cut : {0u, 3u, 8u, 9u, 11u, 12u, 24u, 25u, 53u, 54u}) {
      uint64_t number = uint64_t(1) << high;
      if (cut <= high) {
        uint64_t tie = number | uint64_t(1) << (high - cut);
        uint64_t odd = cut ? tie | uint64_t(1) << (high - cut + 1) : tie;
        for (uint64_t n : {number, tie, odd})
          for (uint64_t offset : {-1, 0, 1})
            for (uint64_t value : {n + offset, 0 - (n + offset)})
              inputs.insert(value & mask);
      }
    }
  }
  std::vector<uint64_t> x(inputs.begin(), inputs.end()), want;
  for (uint64_t bits : x) {
    long double value = valueOf(from, bits);
    if (to.getBits() == 8) // by way of f32, as in Triton
      want.push_back(convert(single, to, single.round(value, false), false));
    else
      want.push_back(to.round(value, false));
  }
  expectTable("convert_blocks", from.name, to.name, x, want);
}

std::vector<Pair> integerPairs() {
  std::vector<Pair> pairs;
  for (const IntegerType &from : integers)
    for (const Format &to : formats)
      pairs.push_back({from.name, to.name});
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, ConversionTableOfIntegers, testing::ValuesIn(integerPairs()), nameOf);

class ConversionTableToIntegers : public testing::TestWithParam<Pair> {};

TEST_P(ConversionTableToIntegers, WithinTheirRange) {
  const Format &from = find(std::get<0>(GetParam()));
  const IntegerType &to = findInteger(std::get<1>(GetParam()));
  long double top = std::ldexp(1.0L, static_cast<int>(to.bits) - to.isSigned);
  long double bottom = to.isSigned ? -top : 0;
  std::vector<uint64_t> x, want;
  for (uint64_t bits : getInputs(from, half)) {
    if (from.isNaN(bits))
      continue;
    long double value = std::trunc(from.getValue(bits));
    if (value < bottom || value >= top)
      continue;
    x.push_back(bits);
    auto integer = value < 0 ? 0 - static_cast<uint64_t>(-value) : static_cast<uint64_t>(value);
    want.push_back(to.bits == 64 ? integer : integer & ((uint64_t(1) << to.bits) - 1));
  }
  expectTable("convert_blocks", from.name, to.name, x, want);
}

std::vector<Pair> toIntegerPairs() {
  std::vector<Pair> pairs;
  for (const Format &from : formats)
    for (const IntegerType &to : integers)
      pairs.push_back({from.name, to.name});
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, ConversionTableToIntegers, testing::ValuesIn(toIntegerPairs()), nameOf);

} // namespace
