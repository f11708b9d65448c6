// The lines of a file: indentation, joining, names, punctuation and brackets. Numbers are in
// LexerNumbers.cpp, strings in LexerStrings.cpp.
#include "compiler/frontends/python/syntax/Lexer.h"

#include "compiler/frontends/python/syntax/UnicodeIdentifiers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace llvm;

namespace nereid::python {

// CPython's limits, so that what it refuses is refused here.
constexpr unsigned maximumBlocks = 99;
constexpr unsigned maximumBrackets = 200;

StringRef getSpelling(TokenKind kind) {
  switch (kind) {
#define PUNCTUATION(NAME, SPELLING)                                                                          \
  case TokenKind::NAME:                                                                                      \
    return SPELLING;
#define KEYWORD(NAME, SPELLING) PUNCTUATION(Kw##NAME, SPELLING)
#include "compiler/frontends/python/syntax/Tokens.def"
  default:
    return "";
  }
}

static TokenKind classifyName(StringRef name) {
  return StringSwitch<TokenKind>(name)
#define KEYWORD(NAME, SPELLING) .Case(SPELLING, TokenKind::Kw##NAME)
#include "compiler/frontends/python/syntax/Tokens.def"
      .Default(TokenKind::Name);
}

bool Lexer::fail(const char *from, const char *to, const Twine &message) {
  failed = true;
  error = {SMRange(SMLoc::getFromPointer(from), SMLoc::getFromPointer(std::min(std::max(from, to), end))),
           message.str()};
  return false;
}

void Lexer::add(TokenKind kind, const char *from) {
  tokens.push_back({kind, static_cast<uint8_t>(openBrackets.size()), from, cur});
}

unsigned Lexer::lineOf(const char *loc) const {
  unsigned line = 1;
  for (const char *at = begin; at < loc; ++at)
    if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
      ++line;
  return line;
}

/// Moves over "\n", "\r\n" or "\r".
bool Lexer::skipNewline() {
  if (atEnd() || !atNewline())
    return false;
  cur += *cur == '\r' && cur[1] == '\n' ? 2 : 1;
  return true;
}

void Lexer::lex() {
  // A token takes four characters on average.
  tokens.reserve((end - begin) / 4 + 8);
  while (lexToken())
    ;
  if (!failed && openBrackets.empty()) {
    if (!tokens.empty() && !tokens.back().is(TokenKind::Newline))
      add(TokenKind::Newline, cur);
    for (; indents.size() > 1; indents.pop_back())
      add(TokenKind::Dedent, cur);
  }
  add(TokenKind::EndMarker, cur);
}

/// Adds the next token or tokens, false at the end and after an error.
bool Lexer::lexToken() {
  if (!fstrings.empty() && fstrings.back().inText)
    return lexFStringText(fstrings.back());

  if (atLineStart) {
    atLineStart = false;
    if (!lexIndentation())
      return false;
  }
  for (;;) {
    while (*cur == ' ' || *cur == '\t' || *cur == '\f')
      ++cur;
    if (*cur == '#')
      while (!atEnd() && !atNewline())
        ++cur;
    if (*cur != '\\')
      break;
    if (!lexContinuation())
      return false;
  }
  if (atEnd())
    return false;

  const char *start = cur;
  if (skipNewline()) {
    // Only a line that holds something, outside of brackets, ends a statement.
    if (!openBrackets.empty())
      return true;
    atLineStart = true;
    if (!tokens.empty() && !tokens.back().is(TokenKind::Newline) && !tokens.back().is(TokenKind::Indent) &&
        !tokens.back().is(TokenKind::Dedent)) {
      const char *next = cur;
      cur = start + 1;
      add(TokenKind::Newline, start);
      cur = next;
    }
    return true;
  }

  unsigned char c = *cur;
  if (isAlpha(c) || c == '_' || c >= 0x80)
    return lexNameOrString();
  if (isDigit(c) || (c == '.' && isDigit(cur[1])))
    return lexNumber();
  if (c == '"' || c == '\'')
    return lexString(start, /*isF=*/false, /*isRaw=*/false);
  return lexPunctuation();
}

/// At the start of a line outside of brackets: opens or closes blocks, unless the line is blank.
bool Lexer::lexIndentation() {
  Column column = {0, 0};
  // A backslash may join the next line before anything was written; the indentation of the first line counts
  // then.
  Column joined = {0, 0};
  for (;; ++cur) {
    if (*cur == ' ') {
      ++column.wide;
      ++column.narrow;
    } else if (*cur == '\t') {
      column.wide = (column.wide / 8 + 1) * 8;
      ++column.narrow;
    } else if (*cur == '\f') {
      column = {0, 0};
    } else if (*cur == '\\') {
      if (!joined.wide)
        joined = column;
      if (!lexContinuation())
        return false;
      --cur;
    } else {
      break;
    }
  }
  if (atEnd() || *cur == '#' || atNewline())
    return true;
  if (joined.wide)
    column = joined;

  auto failTabs = [&] { return failLayout(cur, "inconsistent use of tabs and spaces in indentation"); };
  if (column.wide > indents.back().wide) {
    if (indents.size() > maximumBlocks)
      return failLayout(cur, "too many levels of indentation");
    if (column.narrow <= indents.back().narrow)
      return failTabs();
    indents.push_back(column);
    add(TokenKind::Indent, cur);
    return true;
  }
  while (column.wide < indents.back().wide) {
    indents.pop_back();
    if (column.wide > indents.back().wide)
      return failLayout(cur, "unindent does not match any outer indentation level");
    add(TokenKind::Dedent, cur);
  }
  return column.narrow == indents.back().narrow || failTabs();
}

/// Moves over a backslash and the end of its line.
bool Lexer::lexContinuation() {
  const char *backslash = cur++;
  if (atEnd())
    return failLayout(backslash, "unexpected EOF while parsing");
  if (!skipNewline())
    return failLayout(cur, "unexpected character after line continuation character");
  if (atEnd())
    return failLayout(backslash, "unexpected EOF while parsing");
  return true;
}

static std::string formatCodePoint(char32_t c) {
  std::string digits = utohexstr(c);
  return "U+" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

/// As Python sees it: no space but the ordinary one is printable.
static bool isPrintable(char32_t c) {
  bool isSpace =
      c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
  return !isSpace && sys::unicode::isPrintable(c);
}

bool Lexer::lexNameOrString() {
  const char *start = cur;
  // Letters before a quote say what string it is: any of r, u, b, f, br, fr, in either order and case.
  bool hasB = false, hasU = false, hasR = false, hasF = false;
  for (;; ++cur) {
    char c = toLower(*cur);
    if (c == 'b' && !hasB && !hasU && !hasF)
      hasB = true;
    else if (c == 'u' && !hasU && !hasB && !hasR && !hasF)
      hasU = true;
    else if (c == 'r' && !hasR && !hasU)
      hasR = true;
    else if (c == 'f' && !hasF && !hasB && !hasU)
      hasF = true;
    else
      break;
  }
  if (*cur == '"' || *cur == '\'')
    return lexString(start, hasF, hasR);

  cur = start;
  bool isAscii = true;
  for (;; ++cur) {
    if (static_cast<unsigned char>(*cur) >= 0x80)
      isAscii = false;
    else if (!isAlnum(*cur) && *cur != '_')
      break;
  }
  if (!isAscii) {
    const char *behind = cur;
    for (const char *at = start; at < behind;) {
      const char *here = at;
      char32_t c = readCharacter(at);
      if (here == start ? isIdentifierStart(c) : isIdentifierPart(c))
        continue;
      if (!isPrintable(c))
        return fail(here, at, "invalid non-printable character " + formatCodePoint(c));
      return fail(here, at,
                  "invalid character '" + StringRef(here, at - here) + "' (" + formatCodePoint(c) + ")");
    }
    add(TokenKind::Name, start);
    return true;
  }
  add(classifyName(StringRef(start, cur - start)), start);
  return true;
}

bool Lexer::lexPunctuation() {
  const char *start = cur;
  char c = *cur;

  // In a replacement field, a colon outside of the expression's own brackets starts the format specifier.
  if (!fstrings.empty() && c == ':' && fstrings.back().fieldDepth >= 0 &&
      fstrings.back().bracketDepth - 1 == fstrings.back().fieldDepth) {
    ++cur;
    add(TokenKind::Colon, start);
    fstrings.back().inText = true;
    return true;
  }

  TokenKind kind = TokenKind::EndMarker;
  unsigned longest = 0;
#define PUNCTUATION(NAME, SPELLING)                                                                          \
  if (StringRef(SPELLING).size() > longest && StringRef(start, end - start).starts_with(SPELLING)) {         \
    kind = TokenKind::NAME;                                                                                  \
    longest = StringRef(SPELLING).size();                                                                    \
  }
#include "compiler/frontends/python/syntax/Tokens.def"
  if (!longest) {
    if (!isPrint(c))
      return fail(cur, "invalid non-printable character " + formatCodePoint(c));
    // The obsolete `<>`, `!` and the like: the parser will say "invalid syntax".
    kind = TokenKind::Unknown;
    longest = 1;
  }
  cur += longest;
  switch (c) {
  case '(':
  case '[':
  case '{':
    return openBracket(c);
  case ')':
  case ']':
  case '}':
    return closeBracket(c);
  default:
    add(kind, start);
    return true;
  }
}

static TokenKind bracketKind(char c) {
  switch (c) {
  case '(':
    return TokenKind::LeftParen;
  case ')':
    return TokenKind::RightParen;
  case '[':
    return TokenKind::LeftBracket;
  case ']':
    return TokenKind::RightBracket;
  case '{':
    return TokenKind::LeftBrace;
  default:
    return TokenKind::RightBrace;
  }
}

bool Lexer::openBracket(char c) {
  const char *start = cur - 1;
  if (openBrackets.size() >= maximumBrackets)
    return fail(start, "too many nested parentheses");
  openBrackets.push_back({c, start});
  if (!fstrings.empty())
    ++fstrings.back().bracketDepth;
  add(bracketKind(c), start);
  return true;
}

bool Lexer::closeBracket(char c) {
  const char *start = cur - 1;
  FString *string = fstrings.empty() ? nullptr : &fstrings.back();
  if (string && string->bracketDepth == 0 && c == '}')
    return fail(start, "f-string: single '}' is not allowed");
  if (openBrackets.empty())
    return fail(start, Twine("unmatched '") + Twine(c) + "'");
  Bracket opening = openBrackets.back();
  char expected = opening.character == '(' ? ')' : opening.character == '[' ? ']' : '}';
  if (c != expected) {
    if (string && opening.character == '{' && string->bracketDepth - 1 == string->fieldDepth)
      return fail(start, Twine("f-string: unmatched '") + Twine(c) + "'");
    std::string message = (Twine("closing parenthesis '") + Twine(c) +
                           "' does not match opening parenthesis '" + Twine(opening.character) + "'")
                              .str();
    unsigned line = lineOf(opening.loc);
    if (line != lineOf(start))
      message += " on line " + utostr(line);
    return fail(start, message);
  }
  openBrackets.pop_back();
  add(bracketKind(c), start);
  if (string) {
    --string->bracketDepth;
    if (c == '}' && string->bracketDepth == string->fieldDepth) {
      --string->fieldDepth;
      string->inText = true;
    }
  }
  return true;
}

} // namespace nereid::python
