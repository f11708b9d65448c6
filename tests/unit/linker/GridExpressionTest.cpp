// Values, precedence, errors with their place, and the C text.
#include "linker/GridExpression.h"
#include "Samples.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

using Values = std::map<std::string, int64_t>;
using Grid = std::array<int64_t, 3>;

/// The grid's value, or the words of the error with INT64_MIN in front.
static Grid evaluate(StringRef text, const Values &values = {}) {
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(diagnostics.addSource("<grid>", text.str()), diagnostics);
  if (!grid) {
    ADD_FAILURE() << flush(diagnostics);
    return {};
  }
  Expected<Grid> result = grid->evaluate(values);
  if (!result) {
    ADD_FAILURE() << toString(result.takeError());
    return {};
  }
  return *result;
}

static std::string evaluationError(StringRef text, const Values &values = {}) {
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(diagnostics.addSource("<grid>", text.str()), diagnostics);
  if (!grid)
    return flush(diagnostics);
  Expected<Grid> result = grid->evaluate(values);
  return result ? "" : toString(result.takeError());
}

static std::string parseError(StringRef text) {
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(diagnostics.addSource("<grid>", text.str()), diagnostics);
  EXPECT_FALSE(grid.has_value());
  return flush(diagnostics);
}

TEST(GridExpression, Values) {
  EXPECT_EQ(evaluate("7"), (Grid{7, 1, 1}));
  EXPECT_EQ(evaluate("cdiv(n, BLOCK)", {{"n", 1000}, {"BLOCK", 64}}), (Grid{16, 1, 1}));
  EXPECT_EQ(evaluate(" 1 , 2,3 "), (Grid{1, 2, 3}));
  EXPECT_EQ(evaluate("2 + 3 * 4 - 10 / 3 % 2"), (Grid{13, 1, 1}));
  EXPECT_EQ(evaluate("(2 + 3) * 4"), (Grid{20, 1, 1}));
  EXPECT_EQ(evaluate("10 - 3 - 2"), (Grid{5, 1, 1}));
  EXPECT_EQ(evaluate("--3 - -2"), (Grid{5, 1, 1}));
  EXPECT_EQ(evaluate("min(5, 2, 9), max(5, 2, 9)"), (Grid{2, 9, 1}));
  EXPECT_EQ(evaluate("1 + (n > 3), n == 4, n != 4", {{"n", 4}}), (Grid{2, 1, 0}));
  EXPECT_EQ(evaluate("n <= 4, n < 4, n >= 5", {{"n", 4}}), (Grid{1, 0, 0}));
  EXPECT_EQ(evaluate("0x10 + 1_000"), (Grid{1016, 1, 1}));
  // As in C: towards zero. cdiv rounds up.
  EXPECT_EQ(evaluate("-7 / 2, -7 % 2, cdiv(-7, 2)"), (Grid{-3, -1, -3}));
  EXPECT_EQ(evaluate("7 / -2, 7 % -2, cdiv(7, -2)"), (Grid{-3, 1, -3}));
  EXPECT_EQ(evaluate("cdiv(6, 2), cdiv(7, 2), cdiv(-7, -2)"), (Grid{3, 4, 4}));
  EXPECT_EQ(evaluate("next_power_of_2(1), next_power_of_2(1000), triton.next_power_of_2(n)", {{"n", 1024}}),
            (Grid{1, 1024, 1024}));
  EXPECT_EQ(evaluate("next_power_of_2(0), next_power_of_2(-5), next_power_of_2(1025) * 2"),
            (Grid{0, 0, 4096}));
}

TEST(GridExpression, AsLaunchersWriteThem) {
  Values values = {{"n", 1000}, {"BLOCK", 64}};
  EXPECT_EQ(evaluate("(triton.cdiv(n, BLOCK),)", values), (Grid{16, 1, 1}));
  EXPECT_EQ(evaluate(" (tl.cdiv(n, BLOCK), 2, (n - 1) * 2 ) ", values), (Grid{16, 2, 1998}));
  EXPECT_EQ(evaluate("[n, 3]", values), (Grid{1000, 3, 1}));
  EXPECT_EQ(evaluate("[4]"), (Grid{4, 1, 1}));
  EXPECT_EQ(evaluate("(2), (3)"), (Grid{2, 3, 1}));
  EXPECT_EQ(evaluate("(min(4, 5))"), (Grid{4, 1, 1}));
}

TEST(GridExpression, ErrorsOfEvaluation) {
  EXPECT_EQ(evaluationError("n / m", {{"n", 1}, {"m", 0}}), "the grid divides by zero");
  EXPECT_EQ(evaluationError("cdiv(n, 0)", {{"n", 1}}), "the grid divides by zero");
  EXPECT_EQ(evaluationError("next_power_of_2(n)", {{"n", (int64_t(1) << 62) + 1}}), "the grid overflows");
  EXPECT_EQ(evaluationError("n * n", {{"n", INT64_C(1) << 40}}), "the grid overflows");
  EXPECT_EQ(evaluationError("n + 1", {{"n", INT64_MAX}}), "the grid overflows");
  EXPECT_EQ(evaluationError("-n", {{"n", INT64_MIN}}), "the grid overflows");
  EXPECT_EQ(evaluationError("n / -1", {{"n", INT64_MIN}}), "the grid overflows");
  EXPECT_EQ(evaluationError("n % -1", {{"n", INT64_MIN}}), "the grid overflows");
  EXPECT_EQ(evaluationError("n"), "the grid needs a value for 'n'");
}

TEST(GridExpression, ErrorsOfParsing) {
  EXPECT_EQ(parseError("cdiv(n BLOCK)"), "<grid>:1:8: error: expected ',' or ')' here\n"
                                         "cdiv(n BLOCK)\n"
                                         "       ^~~~~\n");
  EXPECT_NE(parseError("").find("<grid>:1:1: error: expected a number, a name or '(' here"),
            std::string::npos);
  EXPECT_NE(parseError("n +").find("<grid>:1:4: error: expected a number"), std::string::npos);
  EXPECT_NE(parseError("1, 2, 3, 4").find("1:10: error: a grid has at most three dimensions"),
            std::string::npos);
  EXPECT_NE(parseError("1,").find("expected a number"), std::string::npos);
  EXPECT_NE(parseError("(1").find("expected ')' here"), std::string::npos);
  EXPECT_NE(parseError("1)").find("1:2: error: expected an operator or ',' here, not ')'"),
            std::string::npos);
  EXPECT_NE(parseError("n // 2").find("1:3: error: '//' is not an operator of grids"), std::string::npos);
  EXPECT_NE(parseError("n ** 2").find("'**' is not an operator of grids"), std::string::npos);
  EXPECT_NE(parseError("ceil(n)").find("1:1: error: 'ceil' is not a function of grids"), std::string::npos);
  EXPECT_NE(parseError("cdiv(n)").find("cdiv takes two arguments"), std::string::npos);
  EXPECT_NE(parseError("next_power_of_2(n, 2)").find("next_power_of_2 takes one argument"),
            std::string::npos);
  EXPECT_NE(parseError("min(n)").find("min takes two or more arguments"), std::string::npos);
  EXPECT_NE(parseError("1.5").find("'1.5' is not a 64-bit integer"), std::string::npos);
  EXPECT_NE(parseError("9223372036854775808").find("is not a 64-bit integer"), std::string::npos);
  EXPECT_NE(parseError("010").find("is not a 64-bit integer"), std::string::npos);
  EXPECT_NE(parseError("1 < 2 < 3").find("comparisons cannot be chained"), std::string::npos);
  EXPECT_NE(parseError("n $ 2").find("not '$'"), std::string::npos);
  // Names are Python's, and what is quoted is whole characters.
  EXPECT_EQ(evaluate("λ + δ_2", {{"λ", 3}, {"δ_2", 4}}), (Grid{7, 1, 1}));
  EXPECT_NE(parseError("n λ").find("not 'λ'"), std::string::npos);
  EXPECT_NE(parseError("(1, 2").find("expected ')' here"), std::string::npos);
  EXPECT_NE(parseError("(1, 2]").find("expected ')' here"), std::string::npos);
  EXPECT_NE(parseError("(,)").find("expected a number"), std::string::npos);
  EXPECT_NE(parseError("triton.next(n)").find("'next' is not a function of grids"), std::string::npos);
  // Deep nesting is refused, not a crash.
  EXPECT_NE(parseError(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(parseError(std::string(100000, '-')).find("nested too deeply"), std::string::npos);
}

TEST(GridExpression, NamesMustBeIntegersOfTheKernel) {
  std::vector<KernelParameter> parameters = {makePointer("x"), makeInteger("n"),
                                             makeConstant("BLOCK", int64_t(64)), makeConstant("flag", true),
                                             makeConstant("eps", 0.5)};
  KernelParameter real = makeInteger("scale");
  real.element = ScalarKind::FP32;
  parameters.push_back(real);
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(
      diagnostics.addSource("<grid>", "cdiv(n, BLOCK) + flag + m, x, eps + scale"), diagnostics);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->getNames(), (std::vector<std::string>{"n", "BLOCK", "flag", "m", "x", "eps", "scale"}));
  EXPECT_FALSE(grid->check(parameters, diagnostics));
  EXPECT_EQ(diagnostics.getErrorCount(), 4u);
  std::string text = flush(diagnostics);
  EXPECT_NE(text.find("1:25: error: 'm' is not a parameter of the kernel; its integers are n, BLOCK. "
                      "'argument(m)' makes it an argument of the C function; a grid of anything "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1:28: error: 'x' is a pointer, so a grid cannot depend on it"), std::string::npos)
      << text;
  EXPECT_NE(text.find("'eps' is not an integer here"), std::string::npos) << text;
  EXPECT_NE(text.find("'scale' is a floating-point number"), std::string::npos) << text;
}

TEST(GridExpression, TakesArgumentsThatAreNoParameters) {
  std::vector<KernelParameter> parameters = {makeInteger("n"), makeConstant("BLOCK", int64_t(64))};
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(
      diagnostics.addSource("<grid>", "(cdiv(n, BLOCK), argument(rows) * argument( heads ), argument(rows))"),
      diagnostics);
  ASSERT_TRUE(grid.has_value());
  EXPECT_TRUE(grid->check(parameters, diagnostics));
  EXPECT_EQ(grid->getArguments(), (std::vector<std::string>{"rows", "heads"}));
  EXPECT_EQ(grid->getNames(), (std::vector<std::string>{"n", "BLOCK", "rows", "heads"}));
  EXPECT_EQ(llvm::cantFail(grid->evaluate({{"n", 65}, {"BLOCK", 64}, {"rows", 3}, {"heads", 2}})),
            (std::array<int64_t, 3>{2, 6, 3}));
  auto own = GridExpression::parse(diagnostics.addSource("<grid>", "argument(n)"), diagnostics);
  ASSERT_TRUE(own.has_value());
  EXPECT_FALSE(own->check(parameters, diagnostics));
  EXPECT_NE(flush(diagnostics).find("1:10: error: 'n' is a parameter of the kernel, and needs no 'argument'"),
            std::string::npos);
  for (const char *text : {"argument(3)", "argument()", "argument(n", "argument(n + 1)"})
    EXPECT_NE(parseError(text).find("error: expected "), std::string::npos) << text;
}

TEST(GridExpression, PrintsC) {
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(diagnostics.addSource("<grid>", "cdiv(n, 64) * 2, -n < 3"), diagnostics);
  ASSERT_TRUE(grid.has_value());
  auto text = grid->printC([](StringRef name) { return "(" + name.str() + ")"; });
  ASSERT_EQ(text.size(), 4u);
  EXPECT_EQ(text[0], "const int64_t t0 = nrd_grid_cdiv(bad, (n), INT64_C(64));");
  EXPECT_EQ(text[1], "const int64_t t1 = nrd_grid_neg(bad, (n));");
  EXPECT_EQ(text[2], "grid[0] = nrd_grid_mul(bad, t0, INT64_C(2));");
  EXPECT_EQ(text[3], "grid[1] = (int64_t)(t1 < INT64_C(3));");
}

/// "1 + 1 + …", of `count` terms.
static std::string sumOfOnes(size_t count) {
  std::string text = "1";
  for (size_t i = 1; i < count; ++i)
    text += " + 1";
  return text;
}

TEST(GridExpression, LongOnesDoNotNest) {
  EXPECT_EQ(evaluate(sumOfOnes(5000)), (Grid{5000, 1, 1}));
  Diagnostics diagnostics;
  auto grid = GridExpression::parse(diagnostics.addSource("<grid>", sumOfOnes(5000)), diagnostics);
  ASSERT_TRUE(grid.has_value());
  for (const std::string &statement : grid->printC([](StringRef name) { return name.str(); }))
    ASSERT_LT(statement.size(), 80u);
  // What no C compiler would take is refused, and a million terms are no crash.
  EXPECT_NE(parseError(sumOfOnes(1000000)).find("error: this grid is too long"), std::string::npos);
  EXPECT_NE(parseError("min(1" + std::string(200000, ',') + "1)").find("expected a number"),
            std::string::npos);
}
