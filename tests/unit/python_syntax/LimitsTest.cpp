// Deep and long source: a message or a tree, at once, never an overflow of the stack.
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace nereid::python;

namespace {

std::string repeat(const std::string &text, unsigned count) {
  std::string out;
  for (unsigned i = 0; i != count; ++i)
    out += text;
  return out;
}

bool parses(const std::string &source) { return ParsedText(source).module != nullptr; }

bool isTooDeep(const std::string &source) {
  std::string shown = show(source);
  return llvm::StringRef(shown).contains("nested") || llvm::StringRef(shown).contains("too many");
}

TEST(Limits, BracketsNestTo200) {
  EXPECT_TRUE(parses(repeat("(", 200) + "1" + repeat(")", 200)));
  EXPECT_EQ(show(repeat("(", 201) + "1" + repeat(")", 201)), "1:201: too many nested parentheses");
  EXPECT_EQ(show(repeat("[", 100000)), "1:201: too many nested parentheses");
}

TEST(Limits, BlocksNestTo100) {
  auto nest = [](unsigned depth) {
    std::string out;
    for (unsigned i = 0; i != depth; ++i)
      out += std::string(i, ' ') + "if x:\n";
    return out + std::string(depth, ' ') + "pass\n";
  };
  EXPECT_TRUE(parses(nest(99)));
  EXPECT_EQ(show(nest(100)), "101:101: too many levels of indentation");
}

TEST(Limits, PrefixOperatorsAreRefusedNotOverflown) {
  for (const char *prefix : {"not ", "-", "~", "lambda: ", "a if b else ", "2 ** ", "*", "f(a="})
    EXPECT_FALSE(parses("x = " + repeat(prefix, 100000) + "1\n")) << prefix;
  EXPECT_TRUE(isTooDeep("x = " + repeat("not ", 100000) + "1\n"));
  EXPECT_TRUE(isTooDeep("x = " + repeat("lambda: ", 100000) + "1\n"));
}

TEST(Limits, ChainsMakeDeepTreesOnlyToTheLimit) {
  for (const char *link : {" + 1", ".a", "()", "[0]"}) {
    EXPECT_TRUE(parses("a" + repeat(link, 900))) << link;
    EXPECT_TRUE(isTooDeep("a" + repeat(link, 100000))) << link;
  }
  EXPECT_TRUE(parses("if a: pass\n" + repeat("elif a: pass\n", 900)));
  EXPECT_TRUE(isTooDeep("if a: pass\n" + repeat("elif a: pass\n", 100000)));
}

TEST(Limits, FlatSourceMayBeLong) {
  EXPECT_TRUE(parses("a" + repeat(" and a", 100000)));
  EXPECT_TRUE(parses("a" + repeat(" < a", 100000)));
  EXPECT_TRUE(parses("x = [" + repeat("a, ", 100000) + "]"));
  EXPECT_TRUE(parses(repeat("'a' ", 100000)));
  EXPECT_TRUE(parses(repeat("a;", 100000)));
  EXPECT_TRUE(parses(repeat("a = ", 100000) + "1"));
  EXPECT_TRUE(parses(repeat("\n", 100000)));
}

TEST(Limits, FStrings) {
  EXPECT_EQ(show(repeat("f'{", 160)), "1:451: too many nested f-strings");
  EXPECT_TRUE(isTooDeep(repeat("f\"{f'{", 100)));
  EXPECT_TRUE(parses("f'{a:{b:{c}}}'"));
  EXPECT_EQ(show("f'{a:{b:{c:{d}}}}'"), "1:12: f-string: expressions nested too deeply");
}

TEST(Limits, DecimalDigits) {
  EXPECT_TRUE(parses(repeat("1", 4300)));
  EXPECT_EQ(show("x = " + repeat("1", 4301)),
            "1:5: integer literal has 4301 digits, more than the 4300 that are "
            "allowed; consider hexadecimal for huge integer literals");
  EXPECT_TRUE(parses("0x" + repeat("f", 100000)));
}

} // namespace
