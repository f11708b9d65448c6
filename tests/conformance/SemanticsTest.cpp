// kernels/semantics.py: each rule and example of the page "Triton Semantics".
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

struct Promotion {
  const char *x, *y, *result;
  bool divides = false;
};

std::string languageName(const std::string &type) {
  static const std::pair<const char *, const char *> names[] = {
      {"i1", "int1"},       {"i8", "int8"},
      {"i16", "int16"},     {"i32", "int32"},
      {"i64", "int64"},     {"u8", "uint8"},
      {"u16", "uint16"},    {"u32", "uint32"},
      {"u64", "uint64"},    {"fp16", "float16"},
      {"bf16", "bfloat16"}, {"fp32", "float32"},
      {"fp64", "float64"},  {"fp8e4nv", "float8e4nv"},
      {"fp8e5", "float8e5"}};
  for (auto [shortName, longName] : names)
    if (type == shortName)
      return longName;
  return type;
}

class Promote : public testing::TestWithParam<Promotion> {};

TEST_P(Promote, BothWaysRound) {
  covers("promotion");
  auto [x, y, result, divides] = GetParam();
  std::vector<double> ones(4, 1);
  std::string want = ", " + languageName(result) + ", ";
  for (auto [a, b] : {std::pair{x, y}, std::pair{y, x}}) {
    std::string types = std::string("*") + a + ", *" + b + ", *" + result;
    if (divides) {
      expectSame(
          compute("semantics.py", "promote", types + want + "\"/\"", {{"x_ptr", ones}, {"y_ptr", ones}}, 4),
          ones);
      continue;
    }
    std::vector<double> sum(4, std::string(result) == "i1" ? 0 : 2);
    if (std::string(result) != "i1")
      expectSame(
          compute("semantics.py", "promote", types + want + "\"+\"", {{"x_ptr", ones}, {"y_ptr", ones}}, 4),
          sum);
    expectSame(
        compute("semantics.py", "promote", types + want + "\"where\"", {{"x_ptr", ones}, {"y_ptr", ones}}, 4),
        ones);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Semantics, Promote,
    testing::Values(
        // Kind.
        Promotion{"i32", "bf16", "bf16"}, Promotion{"i64", "fp16", "fp16"}, Promotion{"i1", "i8", "i8"},
        Promotion{"i1", "fp16", "fp16"}, Promotion{"u64", "fp32", "fp32"}, Promotion{"i8", "fp64", "fp64"},
        // Width.
        Promotion{"fp32", "fp16", "fp32"}, Promotion{"fp32", "bf16", "fp32"},
        Promotion{"fp64", "fp32", "fp64"}, Promotion{"i8", "i32", "i32"}, Promotion{"i16", "i64", "i64"},
        Promotion{"u8", "u32", "u32"}, Promotion{"u8", "i32", "i32"}, Promotion{"i8", "u32", "u32"},
        Promotion{"u32", "i64", "i64"},
        // Prefer float16.
        Promotion{"fp16", "bf16", "fp16"},
        // Prefer unsigned.
        Promotion{"i32", "u32", "u32"}, Promotion{"i64", "u64", "u64"}, Promotion{"i8", "u8", "u8"},
        Promotion{"i16", "u16", "u16"},
        // The same.
        Promotion{"i1", "i1", "i1"}, Promotion{"i8", "i8", "i8"}, Promotion{"bf16", "bf16", "bf16"},
        // True division goes to float32 at least.
        Promotion{"i32", "i32", "fp32", true}, Promotion{"i64", "i8", "fp32", true},
        Promotion{"fp16", "fp16", "fp32", true}, Promotion{"bf16", "bf16", "fp32", true},
        Promotion{"i32", "fp64", "fp64", true}),
    [](const auto &info) {
      return std::string(info.param.x) + "_" + info.param.y + (info.param.divides ? "_divided" : "");
    });

TEST(Semantics, DifferentFP8PreferFloat16) {
  covers("promotion");
  std::vector<double> ones(4, 1);
  expectSame(compute("semantics.py", "promote", "*fp8e4nv, *fp8e5, *fp16, float16, \"+\"",
                     {{"x_ptr", ones}, {"y_ptr", ones}}, 4),
             std::vector<double>(4, 2));
}

TEST(Semantics, PromotionOfMaximumAndBitwise) {
  covers("promotion tl.maximum");
  expectSame(compute("semantics.py", "promote", "*i32, *fp16, *fp16, float16, \"maximum\"",
                     {{"x_ptr", {1, 2, 3, 4}}, {"y_ptr", {4, 3, 2, 1}}}, 4),
             {4, 3, 3, 4});
  expectSame(compute("semantics.py", "promote", "*i8, *u32, *u32, uint32, \"&\"",
                     {{"x_ptr", {-1, 2, 3, 4}}, {"y_ptr", {4294967295.0, 3, 2, 1}}}, 4),
             {4294967295.0, 2, 2, 0});
}

struct NumberPromotion {
  const char *label, *type, *number, *result;
  double value;
};

class PromoteNumber : public testing::TestWithParam<NumberPromotion> {};

TEST_P(PromoteNumber, FitsTheTensorWhereItsKindIsNotHigher) {
  covers("promotion");
  auto [label, type, number, result, value] = GetParam();
  for (const char *form : {"left", "right", "combination", "where"}) {
    std::string signature = std::string("*") + type + ", *" + result + ", " + number + ", " +
                            languageName(result) + ", \"" + form + "\"";
    bool chooses = form == std::string("where");
    double sum = 1 + value;
    expectSame(
        compute("semantics.py", "promote_number", signature, {{"x_ptr", std::vector<double>(4, 1)}}, 4),
        chooses ? std::vector<double>{1, 1, value, value}
                : std::vector<double>(4, roundTo(kindOf(result), sum)));
  }
}

INSTANTIATE_TEST_SUITE_P(Semantics, PromoteNumber,
                         testing::Values(NumberPromotion{"uint8_int", "u8", "3", "u8", 3},
                                         NumberPromotion{"int16_float", "i16", "4.0", "fp32", 4},
                                         NumberPromotion{"fp16_float", "fp16", "0.5", "fp16", 0.5},
                                         NumberPromotion{"bf16_float", "bf16", "0.5", "bf16", 0.5},
                                         NumberPromotion{"fp16_int", "fp16", "3", "fp16", 3},
                                         NumberPromotion{"fp64_float", "fp64", "0.5", "fp64", 0.5},
                                         NumberPromotion{"int64_int", "i64", "3", "i64", 3},
                                         NumberPromotion{"int8_bool", "i8", "True", "i8", 1},
                                         NumberPromotion{"int32_float", "i32", "2.5", "fp32", 2.5},
                                         NumberPromotion{"int32_huge_float", "i32", "1e300", "fp64", 1e300},
                                         NumberPromotion{"fp32_huge_int", "fp32", "1099511627776", "fp32",
                                                         1099511627776.0}),
                         [](const auto &info) { return std::string(info.param.label); });

TEST(Semantics, BoolWithNumbers) {
  covers("promotion");
  expectSame(compute("semantics.py", "promote_bool_with_number", "*i32", {}, 4), {2, 2, 1, 1});
}

TEST(Semantics, NumbersTakeTheFirstTypeThatHoldsThem) {
  covers("promotion");
  expectSame(compute("semantics.py", "kinds_of_numbers", "*i32", {}, 4), counting(4));
}

TEST(Semantics, Broadcasting) {
  covers("broadcasting");
  std::vector<double> want = counting(32, 29);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      want.push_back(i + j);
  // c - e is zero; f is b + 1 + 28.
  expectSame(compute("semantics.py", "broadcast_shapes", "*i32", {}, 40), want);
}

TEST(Semantics, ShapesThatDoNotGoTogetherAreRefused) {
  covers("broadcasting");
  expectRefused("semantics.py", "incompatible_shapes", "*i32", "semantics.py:");
  expectRefused("semantics.py", "incompatible_shapes", "*i32", "8");
}

TEST(Semantics, IntegerDivisionOfBlocksRoundsTowardsZero) {
  covers("x//y x%y");
  expectSame(compute("semantics.py", "division_of_blocks", "*i32, *i32, *i32, 4",
                     {{"x_ptr", {7, -7, 7, -7}}, {"y_ptr", {2, 2, -2, -2}}}, 12),
             {3, -3, -3, 3, 1, -1, 1, -1, 0, 0, 0, 0});
}

TEST(Semantics, IntegerDivisionOfNumbersRoundsDown) {
  covers("x//y x%y constexpr");
  expectSame(compute("semantics.py", "division_of_numbers", "*i32, -7, 2", {}, 3), {-4, 1, 1});
  expectSame(compute("semantics.py", "division_of_numbers", "*i32, 7, -2", {}, 3), {-4, -1, -1});
}

TEST(Semantics, DivisionOfDifferentSignednessIsRefused) {
  covers("x//y");
  expectRefused("semantics.py", "mixed_signs", "*i32, *u32, *i32", "signed");
}

TEST(Semantics, NegativeNumberWithUnsignedIsRefused) {
  covers("promotion");
  expectRefused("semantics.py", "negative_number_with_unsigned", "*u8, *u8", "-1");
}

TEST(Semantics, NumberOutOfRangeIsRefused) {
  covers("promotion");
  expectRefused("semantics.py", "number_out_of_range", "*u8, *i32", "300");
}

TEST(Semantics, NameOfALoopIsNotDefinedAfterIt) {
  covers("scoping");
  expectRefused("semantics.py", "defined_in_loop_only", "*fp32", "'value' is not defined");
}

TEST(Semantics, NameAssignedBeforeALoopIs) {
  covers("scoping");
  expectSame(compute("semantics.py", "defined_before_loop", "*fp32", {}, 1), {1});
}

TEST(Semantics, NameOfOneBranchIsNotDefinedAfterIt) {
  covers("scoping");
  expectRefused("semantics.py", "defined_in_one_branch", "*fp32, i32", "'value' is not defined");
}

TEST(Semantics, NameOfBothBranchesIs) {
  covers("scoping if");
  for (double n : {1.0, 0.0}) {
    KernelRun run("semantics.py", "defined_in_both_branches", "*fp32, i32", "1");
    run.output("out_ptr", 1).scalar("n", n);
    ASSERT_TRUE(run.run()) << run.messages();
    expectSame(run.result("out_ptr"), {n > 0 ? 1.0 : 2.0});
  }
}

TEST(Semantics, BranchesTakenAtCompileTimeLeaveTheirNames) {
  covers("scoping if");
  expectSame(compute("semantics.py", "defined_in_static_branch", "*fp32, True", {}, 1), {1});
  expectRefused("semantics.py", "defined_in_static_branch", "*fp32, False", "'value' is not defined");
}

TEST(Semantics, NameOfAWhileIsNotDefinedAfterIt) {
  covers("scoping while");
  expectRefused("semantics.py", "defined_in_while_only", "*fp32, i32", "'value' is not defined");
}

TEST(Semantics, ClampedConversionIsDefined) {
  covers("tl.clamp tensor.to");
  expectSame(compute("semantics.py", "clamped_conversion", "*fp32, *i8, 4",
                     {{"x_ptr", {HUGE_VAL, 510, std::nan(""), -1000}}}, 4),
             {127, 127, 0, -128});
}

TEST(Semantics, TypeOfAVariableMayNotChangeInALoop) {
  covers("for scoping");
  expectRefused("semantics.py", "type_changes_in_loop", "*fp32", "value");
}

TEST(Semantics, NumbersAreComparedInTheirOwnType) {
  covers("x==y x<y promotion");
  struct {
    const char *type, *number;
    std::vector<double> x, want;
  } cases[] = {
      // 0.0999755859375 is the float16 next to 0.1, and is less.
      {"fp16", "0.1", {0.0999755859375, 0.10003662109375, 0, 1}, {2, 4, 2, 4}},
      {"bf16", "0.3", {0.30078125, 0.298828125, 0, 1}, {4, 2, 2, 4}},
      {"i8", "300", {-128, 44, 0, 127}, {2, 2, 2, 2}},
      {"u8", "-1", {0, 255, 1, 7}, {4, 4, 4, 4}},
      {"u8", "255", {0, 255, 1, 7}, {2, 1, 2, 2}},
      // int32 and uint32 meet as uint32.
      {"u32", "-1", {4294967295.0, 4294967294.0, 0, 1}, {1, 2, 2, 2}},
      {"i32", "3000000000", {-1, 1, 0, -2000000000}, {4, 2, 2, 2}},
  };
  for (auto &[type, number, x, want] : cases) {
    SCOPED_TRACE(std::string(type) + " with " + number);
    expectSame(compute("semantics.py", "compare_with_number", std::string("*") + type + ", *i32, " + number,
                       {{"x_ptr", x}}, 4),
               want);
  }
}

TEST(Semantics, LeftOperandSaysWhetherTheSignIsShiftedIn) {
  covers("x>>y promotion");
  expectSame(compute("semantics.py", "shift_by_other_sign", "*i8, *u32, *u32",
                     {{"x_ptr", {-4, -128, 8, 127}}, {"y_ptr", {1, 2, 3, 4}}}, 8),
             {4294967294.0, 4294967264.0, 1, 7, 1, 2, 3, 2});
}

TEST(Semantics, MaximumOfBFloat16IsFloat32) {
  covers("tl.maximum tl.minimum tl.clamp max promotion");
  // The square of 1.0078125 needs more bits than a bfloat16 has.
  expectSame(
      compute("semantics.py", "bfloat16_widens", "*bf16, *fp32", {{"x_ptr", {1.0078125, -2, 0.5, 3}}}, 4),
      {1.0078125 * 1.0078125, -0.0, 0.25, 9});
}

TEST(Semantics, NumbersTakePartInFma) {
  covers("tl.fma tl.maximum promotion");
  float tenth = 0.1F;
  std::vector<double> x = {1, -0.5, 3, 1024}, want;
  for (double value : x)
    want.push_back(std::fma(static_cast<float>(value), tenth, 1.0F));
  expectSame(compute("semantics.py", "numbers_of_their_own_type", "*fp16, *fp32", {{"x_ptr", x}}, 4), want);
}

} // namespace
