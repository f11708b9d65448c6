// Expressions and methods, against what Python's own repr() of them is.
#include "EvaluateSource.h"

#include <gtest/gtest.h>

namespace nereid::python {

struct ExpressionCase {
  const char *name, *expression, *value;
};

class Expression : public testing::TestWithParam<ExpressionCase> {};

TEST_P(Expression, Evaluates) { EXPECT_EQ(evaluateExpression(GetParam().expression), GetParam().value); }

static const ExpressionCase expressions[] = {
    {"FloorDivision", "(-7 // 2, -7 % 2, 7.5 // 2, -7 / 2)", "(-4, 1, 3.0, -3.5)"},
    {"Powers", "(2 ** 100, 2 ** -1, (-3) ** 3)", "(1267650600228229401496703205376, 0.5, -27)"},
    {"Shifts", "(1 << 70, -1 >> 5, ~5, 6 & 3 | 8 ^ 1)", "(1180591620717411303424, -1, -6, 11)"},
    {"Booleans", "(True + True, not 0, 0 or 'x', 1 and [], 1 < 2 < 2)", "(2, True, 'x', [], False)"},
    {"Chains", "[x for x in range(10) if 2 < x <= 5]", "[3, 4, 5]"},
    {"Nested", "[(a, b) for a in 'xy' for b in range(a == 'x', 2)]", "[('x', 1), ('y', 0), ('y', 1)]"},
    {"Targets", "[[a, b, c] for [a, (b, *c)] in [(1, (2, 3, 4))]]", "[[1, 2, [3, 4]]]"},
    {"Dicts", "{**{'a': 1}, 'b': 2, **dict(a=3)}", "{'a': 3, 'b': 2}"},
    {"DictComprehension", "{k: v for k, v in zip('ab', (1, 2))}", "{'a': 1, 'b': 2}"},
    {"Sets", "{1, 2, 2} | {3} - {3}", "{1, 2}"},
    {"Slices", "([0, 1, 2, 3][::-2], 'hello'[1:-1], (1, 2, 3)[-2:])", "([3, 1], 'ell', (2, 3))"},
    {"Stars", "[*(1, 2), *range(2)]", "[1, 2, 0, 1]"},
    {"Lambda", "(lambda x, *r, k=2: (x, r, k))(1, 5, 6, k=7)", "(1, (5, 6), 7)"},
    {"Walrus", "(y := 4) * y", "16"},
    {"Formats", "f\"{3.14159:.2f}|{'a':>3}|{255:#x}|{'q'!r}|{5:03d}\"", "\"3.14|  a|0xff|'q'|005\""},
    {"OldFormats", "'%s=%5.1f%%' % ('x', 2.25)", "'x=  2.2%'"},
    {"Methods", "' a,b ,c '.strip().split(',')", "['a', 'b ', 'c']"},
    {"Sorted", "sorted(['bb', 'a', 'ccc'], key=len, reverse=True)", "['ccc', 'bb', 'a']"},
    {"Reductions", "(sum([1, 2]), min(3, 1), max([2, 5], key=lambda x: -x), any([0, 1]))", "(3, 1, 2, True)"},
    {"Math", "(math.gcd(12, 18), math.isqrt(17), math.ceil(2.1), math.log2(8))", "(6, 4, 3, 3.0)"},
    {"Dtypes", "(tl.float16.primitive_bitwidth, tl.int8.is_int(), str(tl.pointer_type(tl.int32)))",
     "(16, True, 'pointer<int32>')"},
    {"Triton", "(triton.cdiv(10, 4), triton.next_power_of_2(33))", "(3, 64)"},
    {"Isinstance", "(isinstance(True, int), isinstance([], (tuple, list)), type(2.0) == float)",
     "(True, True, True)"},
};

INSTANTIATE_TEST_SUITE_P(Python, Expression, testing::ValuesIn(expressions),
                         [](auto &info) { return std::string(info.param.name); });

TEST(ExpressionErrors, NameTheReason) {
  EXPECT_EQ(evaluateExpression("1 // 0"), "error: division by zero");
  EXPECT_EQ(evaluateExpression("2 ** 200"), "error: this compile-time integer does not fit in 128 bits");
  EXPECT_EQ(evaluateExpression("[1][3]"), "error: index 3 is out of range for a list of 1");
  EXPECT_EQ(evaluateExpression("lenn"), "error: name 'lenn' is not defined");
}

} // namespace nereid::python
