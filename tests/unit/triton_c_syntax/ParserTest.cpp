// What the parser makes of expressions, statements and declarations, and what it refuses.
#include "tests/unit/triton_c_syntax/ReadSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(TritonCParser, Precedence) {
  EXPECT_EQ(parsedExpression("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(parsedExpression("a || b && c | d ^ e & f == g < h << i + j * k"),
            "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))");
  EXPECT_EQ(parsedExpression("a = b ? c : d ? e : f"), "(a = (b ? c : (d ? e : f)))");
  EXPECT_EQ(parsedExpression("a = b += c @= d"), "(a = (b += (c @= d)))");
  EXPECT_EQ(parsedExpression("-a * !b + ~*c"), "(((-a) * (!b)) + (~(*c)))");
  EXPECT_EQ(parsedExpression("a @ b * c"), "((a @ b) * c)");
  EXPECT_EQ(parsedExpression("a++ + --b"), "((a++) + (--b))");
  EXPECT_EQ(parsedExpression("(a, b), c"), "((a, b), c)");
}

TEST(TritonCParser, RangesBindTighterThanOperators) {
  EXPECT_EQ(parsedExpression("pid * TM + 0 ... TM"), "((pid * TM) + {0:i32 ... TM})");
  EXPECT_EQ(parsedExpression("0 ... TM < k - TK"), "({0:i32 ... TM} < (k - TK))");
  EXPECT_EQ(parsedExpression("0 ... (2 * TM)"), "{0:i32 ... (2:i32 * TM)}");
}

TEST(TritonCParser, Transposition) {
  EXPECT_EQ(parsedExpression("a @ ^b"), "(a @ (^b))");
  EXPECT_EQ(parsedExpression("^a @ b"), "((^a) @ b)");
  EXPECT_EQ(parsedExpression("a^ @ b"), "((^a) @ b)");
  EXPECT_EQ(parsedExpression("f(a^, b^)"), "f((^a), (^b))");
  EXPECT_EQ(parsedExpression("a ^ b"), "(a ^ b)");
  EXPECT_EQ(parsedExpression("a ^ -b"), "(a ^ (-b))");
}

TEST(TritonCParser, Slices) {
  EXPECT_EQ(parsedExpression("x[:, newaxis]"), "x[:, newaxis]");
  EXPECT_EQ(parsedExpression("x[+] + y[:, max] + z[min, :][newaxis, :]"),
            "((x[+] + y[:, max]) + z[min, :][newaxis, :])");
  EXPECT_EQ(parsedExpression("p[i + 1]"), "p[(i + 1:i32)]");
  EXPECT_EQ(parsedExpression("p[max(a, b)]"), "p[max(a, b)]");
  EXPECT_EQ(parsedExpression("x[1:2]"),
            "1:14: error: parts of a block cannot be taken: write ':' for a whole axis\n");
  EXPECT_EQ(parsedExpression("x[*]"), "1:13: error: '*' is no reduction; there are +, min and max\n");
}

TEST(TritonCParser, MaskedDereference) {
  EXPECT_EQ(parsedExpression("*?(m) p = *?(m && n) p + 1"), "((*?m p) = ((*?(m && n) p) + 1:i32))");
  EXPECT_EQ(parsedExpression("m ? *p : 0"), "(m ? (*p) : 0:i32)");
  EXPECT_EQ(parsedExpression("*?m p"), "1:13: error: expected '(' before the mask of '*?', not 'm'\n");
}

TEST(TritonCParser, CastsAndSizes) {
  EXPECT_EQ(parsedExpression("(float[TM, 2])x * (unsigned long long)y"), "(((fp32[TM, 2:i32])x) * ((u64)y))");
  EXPECT_EQ(parsedExpression("(const half *)p"), "((fp16*)p)");
  EXPECT_EQ(parsedExpression("(x) - y"), "(x - y)");
  EXPECT_EQ(parsedExpression("sizeof(int) + sizeof x"), "(sizeof i32 + sizeof x)");
  EXPECT_EQ(parsedExpression("bitcast<int>(x) + bitcast(float, y)"), "(bitcast<i32>(x) + bitcast<fp32>(y))");
}

TEST(TritonCParser, Declarations) {
  EXPECT_EQ(parsedBody("int block[16, TN] = 0, *p[4] = q, x;"),
            "i32[16:i32, TN] block = 0:i32, i32*[4:i32] p = q, i32 x;");
  EXPECT_EQ(
      parsedBody("const unsigned char c = 1; long int l; short s; bool b; bfloat16 h; uint64 u; void *v;"),
      "u8 c = 1:i32; i64 l; i16 s; i1 b; bf16 h; u64 u; void* v;");
  EXPECT_EQ(parsedBody("int x[4][4];"),
            "1:16: error: a block has all its sizes in one pair of brackets: x[16, 32]\n");
  EXPECT_EQ(parsedBody("int x[] = 0;"),
            "1:17: error: the sizes of a block are missing: write x[16] or x[16, 32]\n");
  EXPECT_EQ(parsedBody("int x[4] = {1, 2};"),
            "1:22: error: blocks are not made of lists in braces; use a range, "
            "0 ... 16, or a number for all elements\n");
  EXPECT_EQ(parsedBody("unsigned float f;"), "1:20: error: 'float' does not go with the type before it\n");
  EXPECT_EQ(parsedBody("short long x;"), "1:11: error: these words do not make a type\n");
  EXPECT_EQ(parsedBody("foo x;"), "1:11: error: 'foo' is not the name of a type\n");
}

TEST(TritonCParser, Statements) {
  EXPECT_EQ(parsedBody("if (a) b; else { c; } while (d); do e; while (f); ;"),
            "if a b; { c; } while d ; do e; while f ;");
  EXPECT_EQ(parsedBody("for (int i = 0; i < n; i++) x; for (;;) y;"),
            "for (i32 i = 0:i32; (i < n); (i++)) x; for (;;) y;");
  EXPECT_EQ(parsedBody("if (a) if (b) c; else d;"), "if a if b c; d;");
  EXPECT_EQ(parsedBody("static_assert(N == 1, \"a\" \"b\");"), "static_assert (N == 1:i32) \"ab\";");
}

TEST(TritonCParser, WhatMayLeaveAStatement) {
  EXPECT_EQ(parsedBody("while (a) { if (b) break; continue; }"), "while a {/bc if/b b break; continue; }");
  EXPECT_EQ(parsedBody("while (a) if (b) return;"), "while/r a if/r b return;");
  EXPECT_EQ(parsedBody("{ { if (a) return 1; } }"), "{/r {/r if/r a return 1:i32; } }");
}

TEST(TritonCParser, WhatIsNotSupported) {
  EXPECT_EQ(parseErrors("struct S { int x; };"), "1:1: error: 'struct' is not supported: values of a kernel "
                                                 "are numbers, pointers and blocks of them; pass "
                                                 "the members one by one\n");
  EXPECT_EQ(parseErrors("__global__ void f(union U *u) {}"),
            "1:19: error: 'union' is not supported: values of a kernel are numbers, pointers and blocks of "
            "them; pass "
            "the members one by one\n");
  EXPECT_EQ(parsedBody("struct S s;").substr(0, 39), "1:11: error: 'struct' is not supported:");
  EXPECT_EQ(parsedBody("x.y = 1;"),
            "1:12: error: values of a kernel have no members: 'struct' is not supported\n");
  EXPECT_EQ(parsedBody("goto end;"),
            "1:11: error: 'goto' is not supported; use loops, 'break' and 'return'\n");
  EXPECT_EQ(parsedBody("switch (x) {}"), "1:11: error: 'switch' is not supported; use 'if' and 'else'\n");
  EXPECT_EQ(parsedBody("int *p = &x;"),
            "1:20: error: variables of a kernel have no address; compute pointers from its arguments\n");
  EXPECT_EQ(parsedBody("p->x;"),
            "1:12: error: values of a kernel have no members: 'struct' is not supported\n");
  EXPECT_EQ(parseErrors("enum { A };"),
            "1:1: error: 'enum' is not supported; write 'const int NAME = VALUE;' or #define\n");
  EXPECT_EQ(parseErrors("int x = 3;"), "1:5: error: a variable outside of functions must be const and have a "
                                       "value: all that a kernel can write is "
                                       "its own variables and what its arguments point to\n");
}

TEST(TritonCParser, Mistakes) {
  EXPECT_EQ(parsedBody("int x = 3"), "1:20: error: expected ';' after a declaration, not '}'\n");
  EXPECT_EQ(parseErrors("void f() { if (x { } }"),
            "1:18: error: expected ')' after the condition, not '{'\n");
  EXPECT_EQ(parseErrors("void f() {"), "1:10: error: this '{' has no '}'\n");
  EXPECT_EQ(parsedBody("x = ;"), "1:15: error: expected an expression, not ';'\n");
  EXPECT_EQ(parsedBody("else x;"), "1:11: error: 'else' without 'if'\n");
  EXPECT_EQ(parseErrors("void f() {} void f() {}"),
            "1:18: error: 'f' is defined twice\n1:6: note: it is defined here as well\n");
  EXPECT_EQ(parseErrors("void f(int a, float a) {}"), "1:21: error: two parameters are called 'a'\n");
  EXPECT_EQ(parsedBody("x = \xC3\xA9;"), "1:15: error: expected an expression, not '\xC3\xA9'\n");
}

} // namespace
} // namespace nereid::test
