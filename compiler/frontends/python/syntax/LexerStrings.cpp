// String literals and the text of f-strings. The tokens still hold what is written; StringLiterals.cpp
// decodes it.
#include "compiler/frontends/python/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace nereid::python {

// CPython's limits.
constexpr unsigned maximumFStrings = 150;
constexpr int maximumFieldDepth = 3;

/// Reports a string that starts at `start` and whose end was not found up to `cur`.
bool Lexer::failUnterminated(const char *start, const char *quote, StringRef what) {
  return fail(start, quote + 1,
              "unterminated " + what + " literal (detected at line " + utostr(lineOf(cur - 1)) + ")");
}

/// At the quote of a literal whose prefix starts at `start`.
bool Lexer::lexString(const char *start, bool isF, bool isRaw) {
  const char *openingQuote = cur;
  char quote = *cur;
  unsigned quoteSize = cur[1] == quote && cur[2] == quote ? 3 : 1;
  cur += quoteSize;
  if (isF) {
    if (fstrings.size() >= maximumFStrings)
      return fail(start, "too many nested f-strings");
    add(TokenKind::FStringStart, start);
    FString string{start, quote, quoteSize, isRaw};
    fstrings.push_back(string);
    return true;
  }

  for (unsigned seen = 0; seen != quoteSize;) {
    if (atEnd() || (quoteSize == 1 && atNewline())) {
      // f"{x" looks like the start of a string behind x.
      if (!fstrings.empty() && fstrings.back().quote == quote && fstrings.back().quoteSize == quoteSize)
        return fail(openingQuote, "f-string: expecting '}'");
      return failUnterminated(start, openingQuote, quoteSize == 3 ? "triple-quoted string" : "string");
    }
    char c = *cur++;
    if (c == quote) {
      ++seen;
      continue;
    }
    seen = 0;
    // The escaped character is no quote, and an escaped line end is no end. "\r\n" is one line end.
    if (c == '\\' && !atEnd() && !skipNewline())
      ++cur;
  }
  add(TokenKind::String, start);
  return true;
}

/// Text of an f-string up to its end or to the next replacement field; or that end; or the brace.
bool Lexer::lexFStringText(FString &string) {
  const char *start = cur;
  // The text of a format specifier ends at a brace of either kind: {{ is no escape there.
  bool inSpecifier = string.fieldDepth >= 0;
  auto atQuote = [&] {
    return std::all_of(cur, cur + std::min<ptrdiff_t>(string.quoteSize, end - cur),
                       [&](char c) { return c == string.quote; }) &&
           end - cur >= static_cast<ptrdiff_t>(string.quoteSize);
  };

  while (!atQuote()) {
    if (atEnd() || (string.quoteSize == 1 && atNewline())) {
      if (inSpecifier && !atEnd()) {
        // The rest of the field is on the next line, where only its closing brace makes sense.
        string.inText = false;
        break;
      }
      const char *quote = std::find(string.start, cur, string.quote);
      return failUnterminated(string.start, quote,
                              string.quoteSize == 3 ? "triple-quoted f-string" : "f-string");
    }
    if (*cur == '{' || *cur == '}') {
      if (cur[1] == *cur && !inSpecifier) {
        cur += 2;
        continue;
      }
      string.inText = false;
      if (*cur == '{' && ++string.fieldDepth >= maximumFieldDepth)
        return fail(cur, "f-string: expressions nested too deeply");
      break;
    }
    if (*cur != '\\') {
      ++cur;
      continue;
    }
    ++cur;
    if (atEnd() || *cur == '{' || *cur == '}')
      continue;
    // \N{DASH}: these braces are no field.
    if (!string.isRaw && *cur == 'N' && cur[1] == '{') {
      cur += 2;
      while (!atEnd() && *cur != '}' && *cur != '{' && *cur != string.quote && !atNewline())
        ++cur;
      if (*cur == '}')
        ++cur;
      continue;
    }
    if (!skipNewline())
      ++cur;
  }
  if (cur != start)
    add(TokenKind::FStringMiddle, start);
  if (!string.inText)
    return true;

  const char *closing = cur;
  cur += string.quoteSize;
  fstrings.pop_back();
  add(TokenKind::FStringEnd, closing);
  return true;
}

} // namespace nereid::python
