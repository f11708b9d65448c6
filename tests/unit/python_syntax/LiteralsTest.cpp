// Values of numbers and strings.
#include "ParseText.h"

#include "llvm/ADT/SmallString.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nereid::python;

namespace {

std::string intValue(const std::string &source) {
  ParsedText parsed(source);
  auto *constant = parsed.firstConstant();
  if (!constant || constant->type != ast::Constant::Type::Int)
    return "no integer";
  llvm::SmallString<64> digits;
  constant->getInt().toStringSigned(digits);
  return digits.str().str();
}

double floatValue(const std::string &source, ast::Constant::Type type = ast::Constant::Type::Float) {
  ParsedText parsed(source);
  auto *constant = parsed.firstConstant();
  return constant && constant->type == type ? constant->number : NAN;
}

std::string textValue(const std::string &source, ast::Constant::Type type = ast::Constant::Type::Str) {
  ParsedText parsed(source);
  auto *constant = parsed.firstConstant();
  return constant && constant->type == type ? constant->text.str() : "no such string: " + parsed.show();
}

std::string bytesValue(const std::string &source) { return textValue(source, ast::Constant::Type::Bytes); }

TEST(Literals, Integers) {
  EXPECT_EQ(intValue("0"), "0");
  EXPECT_EQ(intValue("000"), "0");
  EXPECT_EQ(intValue("1_000"), "1000");
  EXPECT_EQ(intValue("0xFF_ff"), "65535");
  EXPECT_EQ(intValue("0x_ff"), "255");
  EXPECT_EQ(intValue("0o17"), "15");
  EXPECT_EQ(intValue("0B101"), "5");
  EXPECT_EQ(intValue("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(intValue("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(intValue("0x10000000000000000"), "18446744073709551616");
  EXPECT_EQ(intValue("0o7777777777777777777777"), "73786976294838206463");
  EXPECT_EQ(intValue("123456789012345678901234567890123456789012345"),
            "123456789012345678901234567890123456789012345");
}

TEST(Literals, IntegersHaveRoomForTheSign) {
  ParsedText parsed("255");
  EXPECT_EQ(parsed.firstConstant()->getInt().getBitWidth(), 9u);
  EXPECT_EQ(ParsedText("0").firstConstant()->getInt().getBitWidth(), 1u);
}

TEST(Literals, Floats) {
  EXPECT_EQ(floatValue("1.5"), 1.5);
  EXPECT_EQ(floatValue("1."), 1.0);
  EXPECT_EQ(floatValue(".5"), 0.5);
  EXPECT_EQ(floatValue("1e3"), 1000.0);
  EXPECT_EQ(floatValue("1_0.2_5E-1_0"), 10.25e-10);
  EXPECT_EQ(floatValue("09.5"), 9.5);
  EXPECT_EQ(floatValue("0.1"), 0.1);
  EXPECT_EQ(floatValue("1e400"), INFINITY);
  EXPECT_EQ(floatValue("1e-400"), 0.0);
  EXPECT_EQ(floatValue("5e-324"), 5e-324);
  // Halfway between two doubles, and a bit more.
  EXPECT_EQ(floatValue("9007199254740993.0"), 9007199254740992.0);
  EXPECT_EQ(floatValue("9007199254740993.00000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(floatValue("2.5j", ast::Constant::Type::Complex), 2.5);
  EXPECT_EQ(floatValue("07J", ast::Constant::Type::Complex), 7.0);
}

TEST(Literals, NumbersMayTouchKeywords) {
  EXPECT_TRUE(llvm::isa_and_present<ast::IfExp>(ParsedText("1if 1else 2").firstExpression()));
  EXPECT_TRUE(llvm::isa_and_present<ast::ListComp>(ParsedText("[1for x in y]").firstExpression()));
  EXPECT_TRUE(llvm::isa_and_present<ast::BoolOp>(ParsedText("1or 2").firstExpression()));
  // The digits go as far as they can: 0x1f or …
  EXPECT_TRUE(llvm::isa_and_present<ast::BoolOp>(ParsedText("0x1for x in y").firstExpression()));
}

TEST(Literals, Strings) {
  EXPECT_EQ(textValue("'a' \"b\" '''c\n''' r'\\n'"), "abc\n\\n");
  EXPECT_EQ(textValue(R"('\a\b\f\n\r\t\v\\\'\"')"), "\a\b\f\n\r\t\v\\'\"");
  EXPECT_EQ(textValue(R"('\x41\101\u00e9\U0001F600\q')"), "AAé😀\\q");
  EXPECT_EQ(textValue(R"('\N{LATIN SMALL LETTER E WITH ACUTE}\N{bullet}')"), "é•");
  EXPECT_EQ(textValue("'a\\\nb'"), "ab");
  EXPECT_EQ(textValue("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(textValue("'\\ud800'"), "\xED\xA0\x80");
  EXPECT_EQ(textValue("'\\777'"), "\xC7\xBF");
}

TEST(Literals, Bytes) {
  EXPECT_EQ(bytesValue("b'\\xff\\0\\u1234'"), std::string("\xFF\0\\u1234", 8));
  EXPECT_EQ(bytesValue("Rb'\\x' bR'y' B'''z'''"), "\\xyz");
}

TEST(Literals, OnlyASmallUIsAKind) {
  EXPECT_TRUE(ParsedText("u'a' 'b'").firstConstant()->hasUnicodePrefix);
  EXPECT_FALSE(ParsedText("'a' u'b'").firstConstant()->hasUnicodePrefix);
  EXPECT_FALSE(ParsedText("U'a'").firstConstant()->hasUnicodePrefix);
}

} // namespace
