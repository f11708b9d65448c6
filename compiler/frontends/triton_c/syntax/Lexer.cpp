// See Lexer.h.
#include "compiler/frontends/triton_c/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::triton_c {

static bool startsName(char c) { return isAlpha(c) || c == '_' || c == '$'; }
static bool continuesName(char c) { return isAlnum(c) || c == '_' || c == '$'; }

static SMRange rangeOf(const char *begin, const char *end) {
  return {SMLoc::getFromPointer(begin), SMLoc::getFromPointer(end)};
}

/// The bytes of a backslash and the end of line behind it; 0 for anything else.
static unsigned spliceLength(const char *position, const char *end) {
  if (position == end || *position != '\\')
    return 0;
  const char *next = position + 1;
  if (next != end && *next == '\r')
    ++next;
  return next != end && *next == '\n' ? static_cast<unsigned>(next + 1 - position) : 0;
}

void Lexer::skipSpace(bool &space) {
  while (position != end) {
    if (*position == '\n') {
      startsLine = true;
      ++position;
    } else if (isSpace(*position)) {
      ++position;
    } else if (unsigned length = spliceLength(position, end)) {
      position += length;
    } else if (*position == '/' && end - position > 1 && position[1] == '/') {
      while (position != end && *position != '\n') {
        unsigned length = spliceLength(position, end);
        position += length ? length : 1;
      }
    } else if (*position == '/' && end - position > 1 && position[1] == '*') {
      StringRef rest(position, end - position);
      size_t close = rest.find("*/", 2);
      if (close == StringRef::npos)
        throw Refusal{rangeOf(position, position + 2), "this comment does not end"};
      position += close + 2;
    } else {
      return;
    }
    space = true;
  }
}

void Lexer::skipLine() {
  startsLine = false;
  for (bool space = false; position != end; ++position) {
    skipSpace(space);
    if (startsLine || position == end)
      return;
    // What looks like a comment in a string is none.
    if (*position == '"' || *position == '\'') {
      StringRef rest(position + 1, end - position - 1);
      size_t close = rest.find_first_of(*position == '"' ? "\"\n" : "'\n");
      if (close != StringRef::npos && rest[close] == *position)
        position += close + 1;
    }
  }
}

bool Lexer::skipToDirective() {
  while (true) {
    bool space = false;
    skipSpace(space);
    if (position == end)
      return false;
    if (startsLine && *position == '#') {
      startsLine = false;
      ++position;
      return true;
    }
    skipLine();
  }
}

void Lexer::lexLiteral(char quote) {
  const char *begin = position++;
  while (position != end && *position != quote && *position != '\n') {
    bool escapes = *position == '\\' && end - position > 1 && position[1] != '\n';
    position += escapes ? 2 : 1;
  }
  if (position == end || *position != quote)
    throw Refusal{rangeOf(begin, begin + 1), Twine("this ")
                                                 .concat(quote == '"' ? "string" : "character")
                                                 .concat(" does not end in its line")
                                                 .str()};
  ++position;
}

void Lexer::lexNumber(const char *begin) {
  // In 0x1e+2 the e is a digit.
  bool isHex = *begin == '0' && end - begin > 1 && toLower(begin[1]) == 'x';
  for (; position != end; ++position) {
    if (StringRef(position, end - position).starts_with(".."))
      return;
    if (*position == '+' || *position == '-') {
      if (toLower(position[-1]) != (isHex ? 'p' : 'e'))
        return;
    } else if (!continuesName(*position) && *position != '.') {
      return;
    }
  }
}

unsigned Lexer::getPunctuatorLength() const {
  static constexpr StringLiteral longOnes[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                               "<=",  ">=",  "==",  "!=", "&&", "||", "*=", "/=",
                                               "%=",  "+=",  "-=",  "&=", "^=", "|=", "##", "@="};
  StringRef rest(position, end - position);
  for (StringRef candidate : longOnes)
    if (rest.starts_with(candidate))
      return static_cast<unsigned>(candidate.size());
  return StringRef("[](){}.&*+-~!/%<>^|?:;=,#@").contains(*position) ? 1 : 0;
}

Token Lexer::next() {
  Token token;
  bool space = false;
  skipSpace(space);
  token.startsLine = startsLine;
  token.afterSpace = space;
  startsLine = false;
  const char *begin = position;
  if (position == end) {
    token.startsLine = true;
    startsLine = true;
    token.place = {position, position, 0};
    return token;
  }
  char c = *position;
  if (startsName(c)) {
    token.kind = TokenKind::Identifier;
    while (position != end && continuesName(*position))
      ++position;
  } else if (isDigit(c) || (c == '.' && end - position > 1 && isDigit(position[1]))) {
    token.kind = TokenKind::Number;
    ++position;
    lexNumber(begin);
  } else if (c == '"' || c == '\'') {
    token.kind = c == '"' ? TokenKind::String : TokenKind::Character;
    lexLiteral(c);
  } else if (unsigned length = getPunctuatorLength()) {
    token.kind = TokenKind::Punctuator;
    position += length;
  } else {
    token.kind = TokenKind::Other;
    ++position;
    // All of a character beyond ASCII.
    while (position != end && (static_cast<unsigned char>(*position) & 0xC0) == 0x80)
      ++position;
  }
  token.text = StringRef(begin, position - begin);
  token.place = {begin, position, 0};
  return token;
}

} // namespace nereid::triton_c
