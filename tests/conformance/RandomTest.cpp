// kernels/random.py beside Philox4x32-10 as its paper defines it ("Parallel random numbers: as easy as 1, 2,
// 3", Salmon et al., 2011), checked below with the paper's known answers. Bits must agree exactly.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

using Words = std::array<uint32_t, 4>;

Words philox(Words counter, uint32_t key0, uint32_t key1, int rounds = 10) {
  for (int round = 0; round < rounds; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key0, uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key1, uint32_t(first)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

Words randomWords(uint64_t seed, uint64_t offset, int rounds = 10) {
  return philox({uint32_t(offset), uint32_t(offset >> 32), 0, 0}, uint32_t(seed), uint32_t(seed >> 32),
                rounds);
}

/// Uniform in [0, 1): a word and its complement give the same number.
float uniform(uint32_t word) {
  auto x = static_cast<int32_t>(word);
  return static_cast<float>(x < 0 ? -x - 1 : x) * 4.6566127342e-10f;
}

double getRadius(float u1) { return std::sqrt(-2 * std::log(double(std::fmax(1e-7f, u1)))); }

double normal(float u1, float u2, bool second) {
  double angle = 6.283185307179586 * double(u2);
  return getRadius(u1) * (second ? std::sin(angle) : std::cos(angle));
}

/// The angle, of up to 2 pi, is a product of a rounded constant; the radius a root of a logarithm.
const double ofNormal = 2 * 6.3 + 8;

TEST(Philox, ReferenceHasTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, ones, ones),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

struct SeedCase {
  const char *label, *seedType, *offsetType;
  uint64_t seed, start;
};

class Random : public testing::TestWithParam<SeedCase> {
protected:
  std::vector<uint64_t> generate(const char *form, const char *type, size_t count) {
    const SeedCase &c = GetParam();
    KernelRun run(
        "random.py", "generate",
        std::string("*") + type + ", " + c.seedType + ", " + c.offsetType + ", \"" + form + "\", 64", "1");
    run.output("out_ptr", count).scalar("seed", double(c.seed)).scalar("start", double(c.start));
    EXPECT_TRUE(run.run()) << run.messages();
    return testing::Test::HasFailure() ? std::vector<uint64_t>(count) : run.resultBits("out_ptr");
  }
  Words words(size_t i, int rounds = 10) {
    return randomWords(GetParam().seed, GetParam().start + i, rounds);
  }
};

TEST_P(Random, Randint) {
  covers("tl.randint");
  std::vector<uint64_t> got = generate("randint", "i32", 64);
  for (size_t i = 0; i < 64; ++i)
    ASSERT_EQ(got[i], words(i)[0]);
}

TEST_P(Random, RandintWithFewerRounds) {
  covers("tl.randint");
  std::vector<uint64_t> got = generate("randint_rounds", "i32", 64);
  for (size_t i = 0; i < 64; ++i)
    ASSERT_EQ(got[i], words(i, 6)[0]);
}

TEST_P(Random, Randint4x) {
  covers("tl.randint4x");
  std::vector<uint64_t> got = generate("randint4x", "u32", 256);
  for (size_t i = 0; i < 256; ++i)
    ASSERT_EQ(got[i], words(i % 64)[i / 64]);
}

TEST_P(Random, RandIsExact) {
  covers("tl.rand");
  std::vector<uint64_t> got = generate("rand", "fp32", 64);
  for (size_t i = 0; i < 64; ++i)
    ASSERT_EQ(got[i], encode(ScalarKind::FP32, uniform(words(i)[0])));
}

TEST_P(Random, Rand4xIsExact) {
  covers("tl.rand4x");
  std::vector<uint64_t> got = generate("rand4x", "fp32", 256);
  for (size_t i = 0; i < 256; ++i)
    ASSERT_EQ(got[i], encode(ScalarKind::FP32, uniform(words(i % 64)[i / 64])));
}

TEST_P(Random, RandnIsBoxMuller) {
  covers("tl.randn");
  std::vector<uint64_t> got = generate("randn", "fp32", 64);
  std::vector<double> values, want, radius;
  for (size_t i = 0; i < 64; ++i) {
    values.push_back(decode(ScalarKind::FP32, got[i]));
    want.push_back(normal(uniform(words(i)[0]), uniform(words(i)[1]), false));
    radius.push_back(getRadius(uniform(words(i)[0])));
  }
  expectClose(values, want, roundings(ScalarKind::FP32, ofNormal, radius));
}

TEST_P(Random, Randn4xIsBoxMuller) {
  covers("tl.randn4x");
  std::vector<uint64_t> got = generate("randn4x", "fp32", 256);
  std::vector<double> values, want, radius;
  for (size_t i = 0; i < 256; ++i) {
    Words w = words(i % 64);
    size_t which = i / 64, pair = which / 2 * 2;
    values.push_back(decode(ScalarKind::FP32, got[i]));
    want.push_back(normal(uniform(w[pair]), uniform(w[pair + 1]), which % 2 == 1));
    radius.push_back(getRadius(uniform(w[pair])));
  }
  expectClose(values, want, roundings(ScalarKind::FP32, ofNormal, radius));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Random,
                         testing::Values(SeedCase{"zero", "i32", "i32", 0, 0},
                                         SeedCase{"small", "i32", "i32", 42, 1000},
                                         SeedCase{"unsigned", "u32", "i32", 4000000000u, 7},
                                         SeedCase{"wide", "i64", "i32", 0x1234567800abcdull, 0},
                                         SeedCase{"wide_offset", "i32", "i64", 5, 0x300000010ull}),
                         [](const auto &info) { return std::string(info.param.label); });

TEST(Philox, FourCounters) {
  covers("tl.philox");
  KernelRun run("random.py", "generate", "*u32, i64, i32, \"philox\", 16", "1");
  run.output("out_ptr", 64).scalar("seed", double(77ull << 32 | 99)).scalar("start", 5);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < 64; ++i)
    ASSERT_EQ(got[i], philox({uint32_t(5 + i % 16), 1, 2, 3}, 99, 77)[i / 16]);
}

TEST(Philox, ConstantSeed) {
  covers("tl.randint");
  std::vector<double> want;
  for (size_t i = 0; i < 16; ++i)
    want.push_back(randomWords(123, i)[0]);
  expectSame(compute("random.py", "constant_seed", "*u32, 123, 16", {}, 16), want);
}

TEST(Philox, ScalarOffset) {
  covers("tl.rand");
  KernelRun run("random.py", "scalar_offset", "*fp32, i32", "1");
  run.output("out_ptr", 1).scalar("seed", 9);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {uniform(randomWords(9, 0)[0])});
}

TEST(Philox, Dropout) {
  covers("tl.rand tl.where");
  std::vector<double> x = randomValues(1000, 1), want;
  for (size_t i = 0; i < x.size(); ++i)
    want.push_back(uniform(randomWords(3, i)[0]) > 0.25f ? x[i] / 0.75 : 0);
  KernelRun run("random.py", "dropout", "*fp32, *fp32, i32, fp32, i32, 256", "cdiv(n, BLOCK)");
  run.input("x_ptr", x).output("out_ptr", x.size()).scalar("n", 1000).scalar("p", 0.25).scalar("seed", 3);
  ASSERT_TRUE(run.run()) << run.messages();
  expectClose(run.result("out_ptr"), want, ulps(ScalarKind::FP32, 2));
}

TEST(Philox, UniformOfIntegers) {
  covers("tl.uint_to_uniform_float");
  std::vector<double> x = {0, 1, 2147483647, 2147483648.0, 4294967295.0, 12345}, want;
  x.resize(8);
  for (double v : x)
    want.push_back(uniform(uint32_t(v)));
  EXPECT_LT(want[2], 1);
  expectSame(compute("random.py", "uniform_of_integers", "*u32, *fp32, 8", {{"x_ptr", x}}, 8), want);
  std::vector<double> wide = {0, 9223372036854775807.0, 4611686018427387904.0, 1};
  std::vector<double> got =
      compute("random.py", "uniform_of_integers", "*u64, *fp32, 4", {{"x_ptr", wide}}, 4);
  for (double &v : wide)
    v *= 1.0842020e-19; // of 2^63, the next float below
  expectClose(got, wide, ulps(ScalarKind::FP32, 2));
}

TEST(Philox, NormalOfUniform) {
  covers("tl.pair_uniform_to_normal");
  std::vector<double> u1 = {0, 0.5, 0.25, 1}, u2 = {0.125, 0.5, 0, 0.75}, want, radius;
  for (bool second : {false, true})
    for (size_t i = 0; i < 4; ++i) {
      want.push_back(normal(float(u1[i]), float(u2[i]), second));
      radius.push_back(getRadius(float(u1[i])));
    }
  expectClose(
      compute("random.py", "normal_of_uniform", "*fp32, *fp32, *fp32, 4", {{"x_ptr", u1}, {"y_ptr", u2}}, 8),
      want, roundings(ScalarKind::FP32, ofNormal, radius));
}

} // namespace
