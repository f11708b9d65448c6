// Macros, conditions, includes, and where their errors point.
#include "tests/unit/triton_c_syntax/ReadSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(TritonCPreprocessor, MacrosWithoutParameters) {
  EXPECT_EQ(preprocessed("#define A B + 1\n#define B 2\nA A"), "2 + 1 2 + 1");
  EXPECT_EQ(preprocessed("#define A\nx A y"), "x y");
  EXPECT_EQ(preprocessed("#define A 1\n#undef A\nA"), "A");
  EXPECT_EQ(preprocessed("#define A 1 \\\n  + 2\nA"), "1 + 2");
}

TEST(TritonCPreprocessor, AMacroIsNotExpandedInItself) {
  EXPECT_EQ(preprocessed("#define f(x) x + f(x)\nf(1) f (f(2))"),
            "1 + f ( 1 ) 2 + f ( 2 ) + f ( 2 + f ( 2 ) )");
  EXPECT_EQ(preprocessed("#define A B\n#define B A\nA B"), "A B");
}

TEST(TritonCPreprocessor, ArgumentsAreExpandedFirst) {
  EXPECT_EQ(preprocessed("#define ONE 1\n#define TWICE(x) x x\nTWICE(ONE) TWICE(TWICE(a))"), "1 1 a a a a");
  EXPECT_EQ(preprocessed("#define F(a, b) b a\nF((1, 2), 3) F(,4)"), "3 ( 1 , 2 ) 4");
  EXPECT_EQ(preprocessed("#define F(a) a\nF F(1) F\n(2)"), "F 1 2");
  EXPECT_EQ(preprocessed("#define G() 7\nG() G"), "7 G");
}

TEST(TritonCPreprocessor, TheExamplesOfTheStandard) {
  EXPECT_EQ(preprocessed(
                "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
                "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n"
                "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;");
}

TEST(TritonCPreprocessor, PastingAndTexts) {
  EXPECT_EQ(preprocessed("#define CAT(a, b) a##b\n#define T half\nCAT(T, 2) CAT(,x) CAT(1, 2)"), "T2 x 12");
  EXPECT_EQ(preprocessed("#define STR(x) #x\nSTR( a  +  \"b\\n\" )"), "\"a + \\\"b\\\\n\\\"\"");
  EXPECT_EQ(preprocessed("#define ALL(first, ...) first: __VA_ARGS__\nALL(1, 2, 3) ALL(4)"), "1 : 2 , 3 4 :");
  EXPECT_EQ(preprocessed("#define CAT(a, b) a##b\nCAT(+, x)"),
            "2:5: error: '+' and 'x' do not make one token\n");
}

TEST(TritonCPreprocessor, Conditions) {
  EXPECT_EQ(preprocessed("#if 1 + 1 == 2 && defined(A) || !defined B\nyes\n#else\nno\n#endif"), "yes");
  EXPECT_EQ(preprocessed("#define N 3\n#if N == 1\na\n#elif N == 3\nb\n#elif N == 3\nc\n#else\nd\n#endif"),
            "b");
  EXPECT_EQ(preprocessed("#ifdef A\na\n#ifndef B\nb\n#else\nc\n#endif\n#else\nd\n#endif"), "d");
  EXPECT_EQ(preprocessed("#if 0\nit's \"no C\n#elif 1\nx\n#endif"), "x");
  EXPECT_EQ(
      preprocessed("#if (2 > 1 ? -7 / 2 : 0) == -3 && 1 << 4 == 16 && ~0 == -1 && 'a' == 97\nx\n#endif"),
      "x");
  EXPECT_EQ(preprocessed("#if 0 && 1 / 0\n#else\nx\n#endif"), "x");
}

TEST(TritonCPreprocessor, ErrorsOfConditions) {
  EXPECT_EQ(preprocessed("#if 1\nx"), "1:2: error: this condition has no #endif\n");
  EXPECT_EQ(preprocessed("#if 0\nx"), "1:2: error: this condition has no #endif\n");
  EXPECT_EQ(preprocessed("#endif"), "1:2: error: #endif without #if\n");
  EXPECT_EQ(preprocessed("#if 1\n#else\n#else\n#endif"), "3:2: error: #else after #else\n");
  EXPECT_EQ(preprocessed("#if\n#endif"), "1:2: error: #if needs a condition\n");
  EXPECT_EQ(preprocessed("#if 1 +\n#endif"), "1:2: error: expected a number at the end of this condition\n");
  EXPECT_EQ(preprocessed("#if 1 / 0\n#endif"), "1:7: error: division by zero\n");
  EXPECT_EQ(preprocessed("#if 1.5\n#endif"), "1:5: error: a condition is about whole numbers\n");
}

TEST(TritonCPreprocessor, ErrorsOfMacros) {
  EXPECT_EQ(preprocessed("#define F(a, b) a\nF(1)"),
            "2:1: error: the macro 'F' takes 2 arguments, but is given 1\n");
  EXPECT_EQ(preprocessed("#define F(a) a\nx F(1"), "2:3: error: the arguments of the macro 'F' do not end\n");
  EXPECT_EQ(preprocessed("#define 3"), "1:9: error: expected the name of the macro after #define\n");
  EXPECT_EQ(preprocessed("#define F(a, a) a"), "1:14: error: two parameters of this macro are called 'a'\n");
  EXPECT_EQ(preprocessed("#define F(a) #b"), "1:14: error: # stands before a parameter of the macro\n");
  EXPECT_EQ(preprocessed("#define F ## a"), "1:11: error: ## stands between two tokens\n");
  EXPECT_EQ(preprocessed("#frobnicate"), "1:2: error: there is no directive '#frobnicate'\n");
  EXPECT_EQ(preprocessed("#error no \"such\" thing"), "1:2: error: #error no \"such\" thing\n");
  EXPECT_EQ(preprocessed("#define A 1\n#define A 2\nA"),
            "2\n2:9: warning: 'A' is defined again, and differently\n");
  EXPECT_EQ(preprocessed("#define A 1\n#define A 1\nA"), "1");
}

TEST(TritonCPreprocessor, Definitions) {
  EXPECT_EQ(preprocessed("TM TYPE", {{"TM=2 * 64", "TYPE=half"}}), "2 * 64 half");
  EXPECT_EQ(preprocessed("#if FLAG\nyes\n#endif", {{"FLAG=True"}}), "yes");
  EXPECT_EQ(preprocessed("#ifndef TM\n#define TM 1\n#endif\nTM", {{"TM=64"}}), "64");
  EXPECT_EQ(preprocessed("x", {{"a.b:N=1"}}),
            "<-D>:1:1: error: Triton-C has no modules: expected NAME=VALUE\n");
}

TEST(TritonCPreprocessor, Includes) {
  ReadOptions options;
  options.files = {{"a.tch", "#pragma once\n#include \"sub/b.tch\"\n"},
                   {"sub/b.tch", "B\n#include \"c.tch\"\n"},
                   {"sub/c.tch", "C"},
                   {"include/d.tch", "D"}};
  EXPECT_EQ(preprocessed("#include \"a.tch\"\n#include \"a.tch\"\n#include <d.tch>\n#include \"d.tch\"\nend",
                         options),
            "B C D D end");
  EXPECT_EQ(preprocessed("#define FILE \"sub/c.tch\"\n#include FILE", options), "C");
  EXPECT_EQ(preprocessed("#include \"none.tch\""),
            "1:10: error: there is no file 'none.tch' in the folder of this one or where -I says\n");
  EXPECT_EQ(preprocessed("#include <none.tch>"), "1:10: error: there is no file 'none.tch' where -I says\n");
  EXPECT_EQ(preprocessed("#include x"), "1:10: error: expected \"FILE\" or <FILE> after #include\n");
  EXPECT_EQ(preprocessed("#include \"kernel.tc\""),
            "1:10: error: files include each other more than 64 levels deep\n");
}

TEST(TritonCPreprocessor, PlacesAreTheUsers) {
  // The error is at the macro's use, and says where the macro has it from.
  EXPECT_EQ(parseErrors("#define BAD int 3\nvoid f() {\n  BAD;\n}"),
            "3:3: error: expected a name after the type, not '3'\n1:17: note: expanded from macro 'BAD'\n");
  EXPECT_EQ(parseErrors("#define INNER +\n#define OUTER INNER ;\nvoid f() { int x = 1 OUTER }"),
            "3:22: error: expected an expression, not ';'\n2:21: note: expanded from macro 'OUTER'\n");
  // An argument stays where it was written.
  EXPECT_EQ(parseErrors("#define ID(x) x\nvoid f() { int y = ID(1 +); }"),
            "2:27: error: expected an expression, not ';'\n");
  EXPECT_EQ(
      parseErrors("int TM[3];", {{"TM=64"}}),
      "1:5: error: expected a name after the type, not '64'\n<-D>:1:4: note: expanded from macro 'TM'\n");
  ReadOptions options;
  options.files = {{"bad.tch", "int f( {}"}};
  EXPECT_EQ(parseErrors("#include \"bad.tch\"\n", options), "bad.tch:1:8: error: expected a type, not '{'\n");
}

} // namespace
} // namespace nereid::test
