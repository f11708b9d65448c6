// kernels/language.py.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::test;

namespace {

/// Runs a kernel with scalar arguments.
std::vector<double> computeWith(const std::string &kernel, const std::string &signature,
                                const std::vector<Input> &inputs,
                                const std::vector<std::pair<std::string, double>> &scalars, size_t count,
                                const std::string &grid = "1") {
  KernelRun run("language.py", kernel, signature, grid);
  for (const Input &input : inputs)
    run.input(input.name, input.values);
  for (auto &[name, value] : scalars)
    run.scalar(name, value);
  run.output("out_ptr", count);
  if (run.run())
    return run.result("out_ptr");
  ADD_FAILURE() << run.messages();
  return {};
}

struct LoopCase {
  const char *label, *form;
  int start, end, step;
  std::vector<int> values;
};

class Loop : public testing::TestWithParam<LoopCase> {};

TEST_P(Loop, VisitsInOrder) {
  const LoopCase &c = GetParam();
  covers(std::string(c.form).find("static") == 0 ? "tl.static_range"
         : std::string(c.form) == "while"        ? "while"
                                                 : "tl.range for");
  double total = 0;
  for (int v : c.values)
    total = total * 3 + v;
  expectSame(computeWith("loop", std::string("*i32, i32, i32, i32, \"") + c.form + "\"", {},
                         {{"start", c.start}, {"end", c.end}, {"step", c.step}}, 1),
             {total});
}

INSTANTIATE_TEST_SUITE_P(
    Language, Loop,
    testing::Values(LoopCase{"range", "range", 2, 9, 3, {2, 5, 8}}, LoopCase{"empty", "range", 5, 5, 1, {}},
                    LoopCase{"negative_bounds", "range", -3, 0, 1, {-3, -2, -1}},
                    LoopCase{"tl_range", "tl.range", 0, 5, 2, {0, 2, 4}},
                    LoopCase{"tl_range_options", "options", 1, 6, 1, {1, 2, 3, 4, 5}},
                    LoopCase{"tl_range_options_empty", "options", 7, 1, 2, {}},
                    LoopCase{"tl_range_options_pairs", "options", -3, 3, 1, {-3, -2, -1, 0, 1, 2}},
                    LoopCase{"warp_specialize", "warp_specialize", 0, 4, 1, {0, 1, 2, 3}},
                    LoopCase{"one_argument", "one argument", 0, 4, 1, {0, 1, 2, 3}},
                    LoopCase{"static", "static", 0, 0, 0, {2, 5}},
                    LoopCase{"static_down", "static down", 0, 0, 0, {3, 2, 1}},
                    LoopCase{"constant_down", "constant down", 0, 0, 0, {5, 3, 1}},
                    LoopCase{"while_loop", "while", 1, 8, 3, {1, 4, 7}},
                    LoopCase{"while_never", "while", 8, 1, 3, {}}),
    [](const auto &info) { return std::string(info.param.label); });

TEST(Language, LoopCarriesBlocksAndPointers) {
  covers("for tuple-assignment");
  std::vector<double> x = randomValues(5 * 8, 3), want(16);
  for (size_t i = 0; i < 8; ++i) {
    want[i] = HUGE_VAL;
    want[8 + i] = -HUGE_VAL;
    for (size_t k = 0; k < 5; ++k) {
      want[i] = std::min(want[i], roundTo(ScalarKind::FP32, x[k * 8 + i]));
      want[8 + i] = std::max(want[8 + i], roundTo(ScalarKind::FP32, x[k * 8 + i]));
    }
  }
  expectSame(computeWith("loop_carries_several", "*fp32, *fp32, i32, 8", {{"x_ptr", x}}, {{"n", 5}}, 16),
             want);
}

TEST(Language, NestedControlFlow) {
  covers("for if elif while");
  for (int n : {0, 1, 12}) {
    int total = 0;
    for (int i = 0; i < n; ++i)
      if (i % 2 == 0)
        total += i * (i - 1) / 2;
      else if (i % 3 == 0)
        total += (i + 1) / 2;
      else
        --total;
    expectSame(computeWith("nested_control", "*i32, i32", {}, {{"n", n}}, 1), {double(total)});
  }
}

TEST(Language, WhileWithTwoConditions) {
  covers("while and");
  expectSame(computeWith("while_and", "*i32, *i32, i32", {{"x_ptr", {1, 2, 30, 4}}}, {{"n", 4}}, 1), {2});
  expectSame(computeWith("while_and", "*i32, *i32, i32", {{"x_ptr", {1, 2, 3, 4}}}, {{"n", 4}}, 1), {-1});
}

TEST(Language, Ternaries) {
  covers("ternary");
  expectSame(computeWith("ternary", "*i32, *i32, i32, True", {{"x_ptr", {5, 6, 7}}}, {{"n", 2}}, 3, "3"),
             {6, 7, 14});
}

TEST(Language, UntakenBranchesNeedNotMakeSense) {
  covers("if elif None in");
  expectSame(computeWith("pruned", "*fp32, *fp32, None, \"twice\"", {{"x_ptr", {3}}}, {}, 1), {6});
  expectSame(computeWith("pruned", "*fp32, *fp32, *fp32, \"half\"", {{"x_ptr", {3}}, {"BIAS", {1}}}, {}, 1),
             {2});
}

TEST(Language, EarlyReturns) {
  covers("return");
  expectSame(computeWith("early_return", "*i32, *i32, i32", {{"x_ptr", {4, -5, 6, 7}}}, {{"n", 3}}, 4, "4"),
             {5, -1, 7, untouched});
}

TEST(Language, ReturnsInBranchesOfAFunction) {
  covers("return call");
  expectSame(computeWith("returns_in_branches", "*i32, *i32", {{"x_ptr", {4, -5, 0}}}, {}, 3, "3"),
             {1, -1, 0});
}

TEST(Language, Calls) {
  covers("call keyword-arguments default-arguments *args noinline constexpr");
  expectSame(computeWith("calls", "*i32, *i32", {{"x_ptr", {5}}}, {}, 10),
             {10, 15, 26, 20, 11, 5, 305, 5, 50, 57});
}

TEST(Language, FunctionsAreArguments) {
  covers("call");
  expectSame(computeWith("function_arguments", "*i32, *i32", {{"x_ptr", {-5}}}, {}, 2), {-10, -1});
}

TEST(Language, Imports) {
  covers("import constexpr_function");
  expectSame(computeWith("imports", "*i32, *i32, 24", {{"x_ptr", {5}}}, {}, 5), {105, 105, 15, 12, 105});
}

TEST(Language, CompileTimeValues) {
  covers("constexpr constexpr_function list dict comprehension isinstance");
  expectSame(computeWith("compile_time", "*i32, 64", {}, {}, 8), {6, 36, 8, 8, 20, 100, 1, 10});
}

TEST(Language, Tuples) {
  covers("tuple tuple-assignment len");
  expectSame(computeWith("tuples", "*i32, i32, i32", {}, {{"a", 3}, {"b", 4}}, 8),
             {3, 7, 347, 403, 3, 4, 8, 14});
}

TEST(Language, TuplesThroughControlFlow) {
  covers("tuple for if");
  expectSame(computeWith("tuples_through_control_flow", "*i32, i32", {}, {{"n", 7}}, 2), {21, 1});
  expectSame(computeWith("tuples_through_control_flow", "*i32, i32", {}, {{"n", 2}}, 2), {3, 2});
}

TEST(Language, NamedTuples) {
  covers("NamedTuple");
  expectSame(computeWith("named_tuples", "*i32, i32, i32", {}, {{"a", 3}, {"b", 5}}, 3), {15, -2, 5});
}

TEST(Language, TypesAsValues) {
  covers("dtype tensor.dtype element_ty");
  expectSame(computeWith("types_as_values", "*fp16, *fp32, float64", {{"x_ptr", {1.5}}}, {}, 4),
             {1, 1.5, 1, 64});
  expectSame(computeWith("types_as_values", "*i32, *fp32, int64", {{"x_ptr", {7}}}, {}, 4), {2, 7, 0, 64});
}

TEST(Language, PythonBuiltins) {
  covers("min max abs int float len isinstance");
  expectSame(computeWith("python_builtins", "*i32, *fp32, 5", {{"x_ptr", {-8}}}, {}, 10),
             {3, 5, -8, 3, 5, 8, 12, 3, 1, 1});
}

TEST(Language, Assignments) {
  covers("assignment augmented-assignment := docstring pass");
  expectSame(computeWith("assignments", "*fp32, *fp32, i32", {{"x_ptr", {3}}}, {{"n", 8}}, 4), {4, 6, -2, 9});
}

TEST(Language, BooleanLogic) {
  covers("and or not is chained-comparison");
  expectSame(computeWith("boolean_logic", "*i32, i32, True, False", {}, {{"n", 5}}, 6), {1, 1, 1, 0, 1, 1});
  expectSame(computeWith("boolean_logic", "*i32, i32, False, False", {}, {{"n", 100}}, 6),
             {0, 0, 1, 1, 0, 1});
}

TEST(Language, AutotuneAndHeuristics) {
  covers("triton.autotune triton.heuristics triton.Config");
  for (const char *even : {"True", "False"})
    expectSame(computeWith("decorated",
                           std::string("x_ptr=*fp32, out_ptr=*fp32, n=i32, BLOCK=32, EVEN=") + even,
                           {{"x_ptr", counting(64)}}, {{"n", 64}}, 64, "cdiv(n, 32)"),
               counting(64, 1));
}

TEST(Language, OptionsOfJit) {
  covers("triton.jit default-arguments");
  expectSame(computeWith("options", "x_ptr=*fp32, out_ptr=*fp32, n=i32, scale=fp32",
                         {{"x_ptr", counting(10)}}, {{"n", 10}, {"scale", 2}}, 16),
             {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 0, 0, 0, 0, 0, 0});
}

TEST(Language, UnknownDecoratorsAreIgnored) {
  covers("decorator");
  expectSame(computeWith("unknown_decorator", "*i32", {}, {}, 1), {5});
}

TEST(Language, ArgumentsEqualToOneAreConstants) {
  covers("specialization");
  expectSame(computeWith("specialized", "*i32, i32, i32:1", {}, {{"one", 9}, {"n", 1}}, 1), {9});
  expectSame(computeWith("specialized", "*i32, i32, i32:16", {}, {{"one", 9}, {"n", 32}}, 1), {41});
}

TEST(Language, ScalarArgumentsOfEveryKind) {
  covers("specialization");
  expectSame(computeWith("scalar_types", "*fp64, i8, u32, i64, fp64", {},
                         {{"a", -5}, {"b", 4000000000.0}, {"c", -1e15}, {"d", 0.1}}, 4),
             {-5, 4000000000.0, -1e15, 0.1});
}

TEST(Language, BreakAndContinueAreRefused) {
  covers("for");
  for (const char *kernel : {"breaks", "continues"}) {
    expectRefused("language.py", kernel, "*i32, i32", kernel == std::string("breaks") ? "break" : "continue");
    expectRefused("language.py", kernel, "*i32, i32", "language.py:");
  }
}

TEST(Language, WhileTakesACondition) {
  covers("while");
  expectSame(computeWith("while_condition", "*i32, i32", {}, {{"n", 5}}, 1), {6});
}

TEST(Language, ProceduresReturnNothing) {
  covers("call pass");
  expectSame(computeWith("procedures", "*i32, i32", {}, {{"n", 5}}, 4), {5, 5, 6, 6});
}

class Bounds : public testing::TestWithParam<const char *> {};

TEST_P(Bounds, OfAnyIntegerType) {
  covers("for");
  std::string type = GetParam();
  expectSame(computeWith("bounds_of_any_type", "*i64, " + type, {}, {{"n", 5}}, 1), {16});
  expectSame(computeWith("bounds_of_any_type", "*i64, " + type, {}, {{"n", 0}}, 1), {0});
}

INSTANTIATE_TEST_SUITE_P(Language, Bounds, testing::Values("i32", "i64", "u32", "u64"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Language, PointersInMemory) {
  covers("tl.pointer_type tl.load");
  std::vector<float> x = {1, 2, 3, 4};
  KernelRun run("language.py", "pointers_in_memory", "*i64, *fp32, 4", "1");
  run.inputBits("address_ptr", {reinterpret_cast<uintptr_t>(x.data())}).output("out_ptr", 4);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {2, 4, 6, 8});
  EXPECT_EQ(x[3], 8);
}

TEST(Language, NaNAndInfinityAsNumbers) {
  covers("float tl.full");
  expectSame(computeWith("nan_and_infinity", "*fp32", {}, {}, 4),
             {std::nan(""), -HUGE_VAL, HUGE_VAL, std::nan("")});
}

TEST(Language, CompileTimeValuesGiveShapes) {
  covers("constexpr ternary");
  expectSame(computeWith("constexpr_through_calls", "*i32, 8", {}, {}, 2), {16, 120});
  expectSame(computeWith("constexpr_through_calls", "*i32, 2", {}, {}, 2), {untouched, 1});
}

struct LeftLoopCase {
  int start, end, step, n;
  std::vector<double> left;
};

class LeftLoop : public testing::TestWithParam<LeftLoopCase> {};

TEST_P(LeftLoop, LeavesItsVariable) {
  covers("for scoping");
  const LeftLoopCase &c = GetParam();
  std::vector<double> got =
      computeWith("loop_variable_after", "*i32, i32, i32, i32, i32", {},
                  {{"start", c.start}, {"end", c.end}, {"step", c.step}, {"n", c.n}}, 5);
  expectSame({got.begin() + 1, got.end()}, c.left);
}

// end, end - 3, … above start for the second loop; the third one's inner loop ends at n - 2.
INSTANTIATE_TEST_SUITE_P(Language, LeftLoop,
                         testing::Values(LeftLoopCase{0, 10, 3, 4, {9, 1, 3, 2}},
                                         LeftLoopCase{2, 9, 7, 1, {2, 3, 0, 3}},
                                         LeftLoopCase{0, 1, 5, 0, {0, 1, 0, 1}},
                                         LeftLoopCase{-5, -2, 1, 2, {-3, -2, 1, 0}}),
                         [](const auto &info) { return "from_" + std::to_string(info.index); });

class Stages : public testing::TestWithParam<int> {};

TEST_P(Stages, DoNotChangeTheSum) {
  covers("tl.range");
  expectSame(computeWith("loop_stages", "*fp32, *fp32, i32, " + std::to_string(GetParam()) + ", 16",
                         {{"x_ptr", counting(100)}}, {{"n", 100}}, 1),
             {4950});
}

INSTANTIATE_TEST_SUITE_P(Language, Stages, testing::Values(0, 1, 2, 4),
                         [](const auto &info) { return std::to_string(info.param); });

TEST(Language, AssertionsOfBranchesThatAreNotTaken) {
  covers("assert tl.assume constexpr x[:,None]");
  expectSame(
      compute("language.py", "unreached_assertion", "*fp32, *fp32, \"other\"", {{"x_ptr", {1, 2, 3, 4}}}, 4),
      {1, 2, 3, 4});
}

TEST(Language, FewerElementsOfTopkAreWide) {
  covers("tl.topk");
  std::vector<double> x = {3, 1, 9, 2, 7, 0, 5, 4};
  for (auto [type, want] : {std::pair{"u8", "int32"},
                            {"i16", "int32"},
                            {"fp16", "float32"},
                            {"bf16", "float32"},
                            {"fp64", "float64"},
                            {"i64", "int64"}}) {
    SCOPED_TRACE(type);
    expectSame(compute("language.py", "top_is_widened", std::string("*") + type + ", *fp64, " + want,
                       {{"x_ptr", x}}, 2),
               {9, 7});
  }
}

} // namespace
