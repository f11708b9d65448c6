// Every rule on types, shapes, division and scoping of Triton's page on semantics, with its examples.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct PromotionCase {
  const char *name;
  /// Types of the kernel's scalar arguments a and b, as signatures spell them.
  const char *a, *b;
  const char *expression;
  /// The dtype that the expression must have.
  const char *result;
};

void PrintTo(const PromotionCase &promotion, std::ostream *os) { *os << promotion.name; }

class TypePromotion : public ::testing::TestWithParam<PromotionCase> {};

TEST_P(TypePromotion, HasType) {
  const PromotionCase &promotion = GetParam();
  std::string source = "@triton.jit\ndef f(out, a, b):\n"
                       "    v = tl.to_tensor(" +
                       std::string(promotion.expression) +
                       ")\n"
                       "    tl.static_assert(v.dtype == tl." +
                       promotion.result + ", f'is {v.dtype}')\n    tl.store(out, v)\n";
  // As scalars, and as blocks of one shape.
  for (std::string prepare : {"", "    a = tl.full((16,), 1, a.dtype)\n    b = tl.full((16,), 1, b.dtype)\n"
                                  "    out = out + tl.arange(0, 16)\n"}) {
    std::string text = source;
    text.insert(text.find("    v ="), prepare);
    Emission emission = emitSource(text, std::string("*fp32, ") + promotion.a + ", " + promotion.b);
    // What differs from Triton 3.6 is said, once.
    llvm::StringRef name = promotion.name;
    bool differs = name == "KindIntBfloat" || name == "WhereKind";
    EXPECT_EQ(llvm::StringRef(emission.messages).count("warning: bfloat16 and int32 give bfloat16 here"),
              differs ? 1u : 0u);
    EXPECT_EQ(llvm::StringRef(emission.messages).count('\n'), differs ? 1u : 0u) << emission.messages;
    EXPECT_NE(emission.ir, "");
  }
}

const PromotionCase promotions[] = {
    // Kind: bool < integer < float.
    {"KindIntBfloat", "i32", "bf16", "a + b", "bfloat16"},
    {"KindIntHalf", "i64", "fp16", "a + b", "float16"},
    {"KindIntFloat", "i64", "fp32", "a * b", "float32"},
    {"KindBoolInt", "i1", "i8", "a + b", "int8"},
    {"KindBoolFloat", "i1", "fp16", "a * b", "float16"},
    // Width.
    {"WidthFloatHalf", "fp32", "fp16", "a + b", "float32"},
    {"WidthFloatBfloat", "fp32", "bf16", "a - b", "float32"},
    {"WidthDouble", "fp64", "fp32", "a + b", "float64"},
    {"WidthInts", "i16", "i64", "a + b", "int64"},
    {"WidthUnsignedNarrower", "u8", "i32", "a + b", "int32"},
    {"WidthUnsignedWider", "u64", "i32", "a + b", "uint64"},
    // Prefer float16.
    {"PreferHalf", "fp16", "bf16", "a + b", "float16"},
    {"PreferHalfReversed", "bf16", "fp16", "a + b", "float16"},
    {"SameBfloat", "bf16", "bf16", "a + b", "bfloat16"},
    // Prefer unsigned.
    {"PreferUnsigned", "i32", "u32", "a + b", "uint32"},
    {"PreferUnsignedReversed", "u8", "i8", "a + b", "uint8"},
    // A number of a kind not above the other operand's does not take part.
    {"NumberInt", "u8", "i32", "a + 1", "uint8"},
    {"NumberIntHalf", "fp16", "i32", "a * 2", "float16"},
    {"NumberFloatHalf", "fp16", "i32", "a * 2.5", "float16"},
    {"NumberFloatBfloat", "bf16", "i32", "0.5 - a", "bfloat16"},
    {"NumberBool", "i16", "i32", "a + True", "int16"},
    {"NumberDouble", "fp64", "i32", "a * 2.5", "float64"},
    // A number of a higher kind has the first type of its kind that holds it.
    {"NumberFloat", "i16", "i32", "a * 4.0", "float32"},
    {"NumberFloatInt64", "i64", "i32", "a * 4.0", "float32"},
    {"NumberOnlyDouble", "i16", "i32", "a * 1e300", "float64"},
    {"NumberOnBool", "i1", "i32", "a + 1", "int32"},
    {"NumberUint32OnBool", "i1", "i32", "a + 0x80000000", "uint32"},
    {"NumberInt64OnBool", "i1", "i32", "a + 0x100000000", "int64"},
    {"NumberUint64OnBool", "i1", "i32", "a + 0x8000000000000000", "uint64"},
    // Division: true division is in floats, that of halves in float32.
    {"TrueDivision", "i32", "i32", "a / b", "float32"},
    {"TrueDivisionHalf", "fp16", "fp16", "a / b", "float32"},
    {"TrueDivisionHalfNumber", "bf16", "fp16", "a / 2", "float32"},
    {"FloorDivision", "i32", "i64", "a // b", "int64"},
    {"Remainder", "u16", "u32", "a % b", "uint32"},
    {"Shift", "i32", "i8", "a << b", "int32"},
    // Comparisons are int1; tl.where promotes its last two arguments.
    {"Comparison", "fp16", "i32", "a < b", "int1"},
    {"WhereKind", "i32", "bf16", "tl.where(a > 0, a, b)", "bfloat16"},
    {"WhereWidth", "fp16", "fp32", "tl.where(b > 0, a, b)", "float32"},
    {"WhereNumber", "fp16", "fp32", "tl.where(a > 0, a, 0.0)", "float16"},
    // tl.maximum takes run-time values: a number is one of its own type.
    {"Maximum", "fp16", "fp32", "tl.maximum(a, b)", "float32"},
    {"Negation", "i8", "i32", "-a", "int8"},
};
INSTANTIATE_TEST_SUITE_P(Rules, TypePromotion, ::testing::ValuesIn(promotions),
                         [](const auto &info) { return std::string(info.param.name); });

std::string emit(const std::string &body, const std::string &parameters, const std::string &signature) {
  Emission emission = emitSource("@triton.jit\ndef f(" + parameters + "):\n" + body, signature);
  EXPECT_EQ(emission.messages, "");
  return emission.ir;
}

using ::testing::Test;

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(TypePromotionWarning, IsGivenOnceForAKernel) {
  Emission emission = emitSource(R"(
@triton.jit
def f(out, a, n):
    for i in range(n):
        tl.store(out + i, tl.load(a + i) * n + n)
    tl.store(out, tl.maximum(n, tl.load(a)))
    tl.store(out, tl.load(a) / n)
)",
                                 "*fp32, *bf16, i32");
  EXPECT_EQ(emission.messages,
            "8:27: warning: bfloat16 and int32 give bfloat16 here, by the rules of Triton's manual, and "
            "float32 in Triton 3.6; a cast of either says which is meant\n");
  // Division is in float32 in both, and a cast settles it.
  EXPECT_EQ(emitSource("@triton.jit\ndef f(out, a, n):\n"
                       "    tl.store(out, tl.load(a) / n + tl.load(a).to(tl.float32) * n)\n",
                       "*fp32, *bf16, i32")
                .messages,
            "");
}

TEST(Broadcasting, PadsShapesOnTheLeft) {
  std::string ir = emit("    a = tl.zeros((4, 8), tl.float32)\n    b = tl.zeros((2, 4, 8), tl.float32) + n\n"
                        "    v = a * n + b\n    tl.static_assert(v.shape == (2, 4, 8))\n"
                        "    tl.store(out + tl.arange(0, 64), tl.ravel(v))\n",
                        "out, n", "*fp32, fp32");
  EXPECT_TRUE(contains(ir, "tensor<2x4x8xf32>"));
}

TEST(Broadcasting, GrowsDimensionsOfOne) {
  std::string ir = emit("    r = tl.arange(0, 16)[:, None]\n    c = tl.arange(0, 32)[None, :]\n"
                        "    tl.store(out + r * n + c, r + c)\n",
                        "out, n", "*i32, i32");
  EXPECT_TRUE(contains(ir, "tt.broadcast %r"));
  EXPECT_TRUE(contains(ir, "tensor<16x1xi32> -> tensor<16x32xi32>"));
  EXPECT_TRUE(contains(ir, "tensor<1x32xi32> -> tensor<16x32xi32>"));
}

TEST(Division, RoundsTowardsZeroAtRunTime) {
  std::string ir =
      emit("    tl.store(out, n // m)\n    tl.store(out + 1, n % m)\n", "out, n, m", "*i32, i32, i32");
  EXPECT_TRUE(contains(ir, "arith.divsi"));
  EXPECT_TRUE(contains(ir, "arith.remsi"));
}

TEST(Division, OfUnsignedIsUnsigned) {
  std::string ir =
      emit("    tl.store(out, n // m)\n    tl.store(out + 1, n % m)\n    tl.store(out + 2, n >> 1)\n",
           "out, n, m", "*u32, u32, u32");
  EXPECT_TRUE(contains(ir, "arith.divui"));
  EXPECT_TRUE(contains(ir, "arith.remui"));
  EXPECT_TRUE(contains(ir, "arith.shrui"));
}

TEST(Division, RoundsTowardsMinusInfinityAtCompileTime) {
  emit("    tl.static_assert(A // B == -4)\n    tl.static_assert(A % B == 1)\n    tl.static_assert(-A // B "
       "== 3)\n"
       "    tl.static_assert(7 // -2 == -4 and 7 % -2 == -1)\n    tl.static_assert(A / B == -3.5)\n",
       "out, A: tl.constexpr, B: tl.constexpr", "*fp32, -7, 2");
}

TEST(Division, OfVariablesIsOfRunTimeValues) {
  // An assignment makes a run-time value, so C's rounding applies: canonicalization folds to -3, not -4.
  std::string ir = emit("    a = -7\n    b = 2\n    tl.store(out, a // b)\n", "out", "*i32");
  EXPECT_TRUE(contains(ir, "arith.constant -3 : i32"));
}

TEST(Scoping, KeepsValuesAssignedOnEveryPath) {
  std::string ir =
      emit("    value = 0.0\n    for i in range(0, 1):\n        value = n * 2.0\n    tl.store(out, value)\n",
           "out, n", "*fp32, fp32");
  EXPECT_TRUE(contains(ir, "tt.store"));
  ir = emit("    if n > 0:\n        value = 1.0\n    else:\n        value = 2.0\n    tl.store(out, value)\n",
            "out, n", "*fp32, i32");
  EXPECT_TRUE(contains(ir, "arith.select")); // the canonical form of such an scf.if
}

} // namespace
} // namespace nereid::test
