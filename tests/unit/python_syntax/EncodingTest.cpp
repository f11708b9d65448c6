// How bytes become text, and which of it may be a name.
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace nereid::python;

namespace {

std::string textOf(const std::string &source) {
  ParsedText parsed(source);
  auto *constant = parsed.firstConstant();
  return constant ? constant->text.str() : parsed.show();
}

std::string nameOf(const std::string &source) {
  ParsedText parsed(source);
  auto *name = llvm::dyn_cast_if_present<ast::Name>(parsed.firstExpression());
  return name ? name->id.str() : parsed.show();
}

TEST(Encoding, Utf8IsTheDefault) {
  EXPECT_EQ(textOf("'é'"), "é");
  EXPECT_EQ(textOf("# coding: utf-8\n'é'"), "é");
  EXPECT_EQ(textOf("# vim: set fileencoding=utf8 :\n'é'"), "é");
  EXPECT_EQ(show("x = '\xE9'"), "1:6: invalid UTF-8 byte 0xe9, and no encoding is declared");
  EXPECT_EQ(show("# coding: utf-8\nx = '\xFF'"), "2:6: invalid UTF-8 byte 0xff");
}

TEST(Encoding, Latin1) {
  EXPECT_EQ(textOf("# -*- coding: latin-1 -*-\n'\xE9'"), "é");
  EXPECT_EQ(textOf("#!/usr/bin/python\n# coding=iso_8859_1\n'\xE9'"), "é");
  // Ranges point into the converted text, and messages show it.
  ParsedText parsed("# coding: latin-1\nx = '\xE9' 1\n");
  EXPECT_EQ(parsed.show(), "2:10: invalid syntax");
}

TEST(Encoding, OthersOfTheLibrary) {
  EXPECT_EQ(textOf("# coding: koi8-r\n'\xC1'"), "а");
  EXPECT_EQ(textOf("# coding: cp1252\n'\x80'"), "€");
  EXPECT_EQ(show("# coding: no-such-thing\nx = 1"), "1:11: unknown encoding: no-such-thing");
  EXPECT_EQ(show("# coding: utf-16\nx = 1"), "1:11: unknown encoding: utf-16");
  EXPECT_EQ(show("# coding: ascii\nx = '\xE9'"), "2:6: invalid ascii byte 0xe9");
}

TEST(Encoding, CookieOnlyInTheFirstTwoLines) {
  EXPECT_EQ(show("\n\n# coding: latin-1\nx = '\xE9'"),
            "4:6: invalid UTF-8 byte 0xe9, and no encoding is declared");
  EXPECT_EQ(show("y = 1\n# coding: latin-1\nx = '\xE9'"),
            "3:6: invalid UTF-8 byte 0xe9, and no encoding is declared");
}

TEST(Encoding, ByteOrderMark) {
  EXPECT_EQ(textOf("\xEF\xBB\xBF'é'"), "é");
  EXPECT_EQ(show("\xEF\xBB\xBFx"), "Module\n body: Expr 1:0-1:1\n  value: Name 1:0-1:1 id=x ctx=Load\n");
  EXPECT_EQ(show("\xEF\xBB\xBF# coding: latin-1\nx = 1"),
            "1:14: encoding problem: latin-1 with a byte order mark");
}

TEST(Encoding, NoNul) {
  EXPECT_EQ(show(std::string("x = 1\n\0y = 2", 12)), "2:1: source code cannot contain null bytes");
}

TEST(Encoding, NamesAreNormalized) {
  EXPECT_EQ(nameOf("\xEF\xAC\x81x"), "fix");                       // the ligature fi
  EXPECT_EQ(nameOf("e\xCC\x81"), "é");                             // a combining acute accent
  EXPECT_EQ(nameOf("ａ"), "a");                                    // a fullwidth letter
  EXPECT_EQ(nameOf("\xE2\x84\xAB"), "\xC3\x85");                   // the angstrom sign
  EXPECT_EQ(nameOf("a\xCC\xA3\xCC\x87"), "ạ\xCC\x87");             // marks below and above
  EXPECT_EQ(nameOf("a\xCC\x87\xCC\xA3"), "ạ\xCC\x87");             // the same, swapped
  EXPECT_EQ(nameOf("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"), "각"); // Hangul by parts
  // A name that becomes a keyword is still a name.
  EXPECT_EQ(nameOf("ｉf"), "if");
}

TEST(Encoding, LineEnds) {
  EXPECT_EQ(show("a\r\nb\r\n"), show("a\nb\n"));
  EXPECT_EQ(show("a\rb\r"), show("a\nb\n"));
  EXPECT_EQ(show("a\nb"), show("a\nb\n"));
  EXPECT_EQ(show("if a:\r\n\r\n  b\r\n"), show("if a:\n\n  b\n"));
}

} // namespace
