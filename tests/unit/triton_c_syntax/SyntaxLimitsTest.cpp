// Files that are made to take time, memory or the stack are refused soon.
#include "tests/unit/triton_c_syntax/ReadSource.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

const char *const tooMuch =
    "0:0: error: this takes more than 10000000 steps at compile time, which is the limit; "
    "--compile-limit raises it\n";

TEST(TritonCLimits, MacrosThatDouble) {
  std::string source = "#define A0 x x\n";
  for (int i = 1; i <= 64; ++i)
    source +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(preprocessed(source + "A64"), tooMuch);
  EXPECT_EQ(preprocessed("#define F(x) x x\n" + repeat("F(", 60) + "1" + repeat(")", 60)), tooMuch);
}

TEST(TritonCLimits, CallsOfMacrosInArguments) {
  EXPECT_EQ(preprocessed("#define F(x) x\n" + repeat("F(", 1000) + "1" + repeat(")", 1000)),
            "2:403: error: calls of macros are nested more than 200 levels deep\n");
}

TEST(TritonCLimits, NestedBracketsAndOperators) {
  EXPECT_EQ(parsedExpression(repeat("(", 100000)).substr(0, 100),
            "1:210: error: this is nested more than 200 levels deep\n");
  EXPECT_NE(parsedExpression("x" + repeat("[a", 1000)).find("nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(parsedExpression(repeat("-", 10000) + "x").find("nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(parsedExpression(repeat("a?", 10000)).find("nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(parsedBody(repeat("{", 10000)).find("nested more than 200 levels deep"), std::string::npos);
  EXPECT_NE(parsedBody(repeat("if (a) ", 10000)).find("nested more than 200 levels deep"), std::string::npos);
  EXPECT_NE(parsedExpression("a" + repeat(" + a", 1000)).find("more than 500 levels of operators"),
            std::string::npos);
  EXPECT_NE(parsedExpression("a" + repeat("[0]", 1000)).find("more than 500 levels of operators"),
            std::string::npos);
  EXPECT_NE(preprocessed("#if " + repeat("(", 10000) + "\n#endif").find("nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(preprocessed("#if " + repeat("!", 10000) + "1\n#endif").find("nested more than 200 levels deep"),
            std::string::npos);
}

TEST(TritonCLimits, LongFiles) {
  EXPECT_EQ(parseErrors(repeat("int f();\n", 100000)), "");
  EXPECT_EQ(preprocessed(repeat("x ", 5000000)), tooMuch);
}

TEST(TritonCLimits, AnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes += static_cast<char>(i);
  EXPECT_NE(parseErrors(bytes), "");
  EXPECT_NE(parseErrors(std::string("int\0x;", 6)), "");
}

} // namespace
} // namespace nereid::test
