// Descriptors, assertions, promises and the format that no type of MLIR has.
#include "tests/unit/frontend_python/EmitSource.h"

#include "gtest/gtest.h"

using namespace nereid::test;

namespace {

const char *rows = "@triton.jit\n"
                   "def f(p, q, n):\n"
                   "    desc = tl.make_tensor_descriptor(p, [n, 64], [64, 1], [1, 64])\n"
                   "    rows = tl.load(q + tl.arange(0, 16))\n";

TEST(Descriptors, GatherAndScatterRows) {
  Emission emission = emitSource(std::string(rows) + "    x = desc.gather(rows, 0)\n"
                                                     "    desc.scatter(x + 1, rows, n)\n",
                                 "*fp32:16, *i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.descriptor_gather"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("tensor<16x64xf32>"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("tt.descriptor_scatter"), std::string::npos) << emission.ir;
}

TEST(Descriptors, GatherSaysWhatItNeeds) {
  EXPECT_EQ(
      emitSource(std::string(rows) + "    desc.gather(tl.arange(0, 4), 0)\n", "*fp32:16, *i32, i32").messages,
      "8:5: error: .gather needs at least 8 rows, but gets 4\n");
  EXPECT_EQ(emitSource(std::string(rows) + "    desc.gather(n, 0)\n", "*fp32:16, *i32, i32").messages,
            "8:5: error: the rows of .gather must be a block of integers of one dimension, not int32\n");
  EXPECT_EQ(
      emitSource(std::string(rows) + "    desc.scatter(rows, rows, 0)\n", "*fp32:16, *i32, i32").messages,
      "8:5: error: the value that .scatter writes is of type <[16], int32>, but must have shape [16, "
      "64]\n");
}

TEST(Descriptors, KnowTheirShapeAndStrides) {
  Emission emission = emitSource(std::string(rows) + "    tl.store(q, desc.shape[0])\n"
                                                     "    tl.store(q, desc.strides[0])\n",
                                 "*fp32:16, *i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.store %q, %n"), std::string::npos) << emission.ir;
}

TEST(Conversions, OfFP8E4B15AreArithmeticOnBits) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def f(p, q):\n"
                                 "    x = tl.load(p + tl.arange(0, 16))\n"
                                 "    tl.store(q + tl.arange(0, 16), x.to(tl.float32).to(tl.float8e4b15))\n",
                                 "*fp8e4b15, *fp8e4b15");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("tt.bitcast"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("rounding = rtz"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("arith.minui"), std::string::npos) << emission.ir;
}

TEST(Assertions, AreCheckedInDebugMode) {
  std::string body = "def f(p, n):\n"
                     "    tl.device_assert(n > 0, 'positive', mask=n != 3)\n"
                     "    assert n < 9, 'small'\n"
                     "    tl.store(p, n)\n";
  Emission debug = emitSource("@triton.jit(debug=True)\n" + body, "*i32, i32");
  EXPECT_EQ(debug.messages, "");
  EXPECT_NE(debug.ir.find("\"positive\""), std::string::npos) << debug.ir;
  EXPECT_NE(debug.ir.find("arith.ori"), std::string::npos) << debug.ir;
  EXPECT_NE(debug.ir.find("\"small\""), std::string::npos) << debug.ir;
  Emission release = emitSource("@triton.jit\n" + body, "*i32, i32");
  EXPECT_EQ(release.messages, "");
  EXPECT_EQ(release.ir.find("tt.assert"), std::string::npos) << release.ir;
}

// What has no message says what it checks.
TEST(Assertions, WithoutMessageShowTheirCondition) {
  Emission emission = emitSource("@triton.jit(debug=True)\ndef f(p, n):\n    assert n < 9\n"
                                 "    tl.device_assert(n >\n                     0)\n    tl.store(p, n)\n",
                                 "*i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("\"n < 9\""), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("\"tl.device_assert(n > 0)\""), std::string::npos) << emission.ir;
}

TEST(Assertions, CheckIntegersForOverflow) {
  auto countAsserts = [](const std::string &body, const std::string &signature, bool debug = true) {
    Emission emission = emitSource(std::string("@triton.jit(debug=") + (debug ? "True" : "False") +
                                       ")\ndef f(p, a, b):\n    " + body + "\n",
                                   signature);
    EXPECT_EQ(emission.messages, "");
    size_t count = 0;
    for (size_t at = 0; (at = emission.ir.find("tt.assert", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(countAsserts("tl.store(p, a + b)", "*i32, i32, i32"), 1u);
  EXPECT_EQ(countAsserts("tl.store(p, a + b)", "*i32, i32, i32", false), 0u);
  EXPECT_EQ(countAsserts("tl.store(p, a * b - 1)", "*u8, u8, u8"), 2u);
  EXPECT_EQ(countAsserts("tl.store(p, -a)", "*i32, i32, i32"), 1u);
  // Not what 64 bits hold, not floats, not pointers, not where it is said that it may.
  EXPECT_EQ(countAsserts("tl.store(p, a + b)", "*i64, i64, i64"), 0u);
  EXPECT_EQ(countAsserts("tl.store(p, a + b)", "*fp32, fp32, fp32"), 0u);
  EXPECT_EQ(countAsserts("tl.store(p + a, b)", "*i32, i32, i32"), 0u);
  EXPECT_EQ(countAsserts("tl.store(p, tl.add(a, b, sanitize_overflow=False))", "*i32, i32, i32"), 0u);
  // Sums too, but not the arithmetic of random numbers, which wraps around.
  EXPECT_EQ(countAsserts("tl.store(p, tl.sum(tl.load(p + tl.arange(0, 16))))", "*i32, i32, i32"), 1u);
  EXPECT_EQ(countAsserts("tl.store(p, tl.rand(a, b))", "*fp32, i32, i32"), 0u);
}

TEST(Promises, AreKept) {
  Emission emission =
      emitSource("@triton.jit\ndef f(p, n):\n    tl.assume(n > 0)\n    tl.store(p, n)\n", "*i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("llvm.intr.assume"), std::string::npos) << emission.ir;
  EXPECT_EQ(emitSource("@triton.jit\ndef f(p, n):\n    tl.assume(n)\n", "*i32, i32").messages,
            "6:5: error: the condition of tl.assume must be a scalar of type int1, not int32\n");
}

} // namespace
