// Tokens of Triton-C, and what its literals are.
#include "compiler/frontends/triton_c/syntax/Lexer.h"
#include "tests/unit/triton_c_syntax/ReadSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

TEST(TritonCLexer, RangesAndProducts) {
  EXPECT_EQ(preprocessed("0...16 0 ... 16 a@b a@=b"), "0 ... 16 0 ... 16 a @ b a @= b");
  EXPECT_EQ(preprocessed("1.5...x 0x10...0x20"), "1.5 ... x 0x10 ... 0x20");
}

TEST(TritonCLexer, LongestPunctuators) {
  EXPECT_EQ(preprocessed("a<<=b>>c->d+++e&&f||g!=h"), "a <<= b >> c -> d ++ + e && f || g != h");
  EXPECT_EQ(preprocessed("*?(m)p"), "* ? ( m ) p");
}

TEST(TritonCLexer, Numbers) {
  EXPECT_EQ(preprocessed("1e+5 1e5 0x1e+2 .5f 1.f 0x1p-3 12uL"), "1e+5 1e5 0x1e + 2 .5f 1.f 0x1p-3 12uL");
}

TEST(TritonCLexer, CommentsAndJoinedLines) {
  EXPECT_EQ(preprocessed("a // b \\\n c\nd /* e\n # f */ g\n\\\nh"), "a d g h");
  EXPECT_EQ(preprocessed("a /* b"), "1:3: error: this comment does not end\n");
  EXPECT_EQ(preprocessed("\xEF\xBB\xBFx"), "x");
}

TEST(TritonCLexer, TextsEndInTheirLine) {
  EXPECT_EQ(preprocessed("\"a\\\"b\" 'c' '\\''"), "\"a\\\"b\" 'c' '\\''");
  EXPECT_EQ(preprocessed("x\n  \"abc\n"), "2:3: error: this string does not end in its line\n");
  EXPECT_EQ(preprocessed("'a"), "1:1: error: this character does not end in its line\n");
}

TEST(TritonCLexer, TypesOfLiterals) {
  EXPECT_EQ(parsedExpression("1, 2147483647, 2147483648, 0xffffffff, 1u, 1L, 1ul, 18446744073709551615"),
            "(((((((1:i32, 2147483647:i32), 2147483648:i64), 4294967295:u32), 1:u32), 1:i64), 1:u64), "
            "18446744073709551615:u64)");
  EXPECT_EQ(
      parsedExpression("1.0, 1.5f, 2e3F, 1.0h, 1.0f16, 1.0bf16, 0x1p4, 010, 0b101, 'a', '\\n', '\\x41'"),
      "(((((((((((1.000000:fp64, 1.500000:fp32), 2000.000000:fp32), 1.000000:fp16), 1.000000:fp16), "
      "1.000000:bf16), 16.000000:fp64), 8:i32), 5:i32), 97:i32), 10:i32), 65:i32)");
}

TEST(TritonCLexer, WhatIsNoLiteral) {
  EXPECT_EQ(parsedExpression("12abc"), "1:11: error: '12abc' is not a number\n");
  EXPECT_EQ(parsedExpression("08"), "1:11: error: '08' is not a number\n");
  EXPECT_EQ(parsedExpression("1.5xyz"), "1:11: error: '1.5xyz' is not a number\n");
  EXPECT_EQ(parsedExpression("0x1.8"), "1:11: error: '0x1.8' is not a number\n");
  EXPECT_EQ(parsedExpression("18446744073709551616"),
            "1:11: error: the number 18446744073709551616 does not fit in 64 bits\n");
  EXPECT_EQ(parsedExpression("'ab'"), "1:11: error: expected one character between the quotes\n");
  EXPECT_EQ(parsedExpression("'\\q'"), "1:11: error: there is no escape \\q\n");
}

} // namespace
} // namespace nereid::test
