// Escapes of string literals.
#include "compiler/frontends/python/syntax/Lexer.h"
#include "compiler/frontends/python/syntax/Literals.h"
#include "compiler/frontends/python/syntax/UnicodeIdentifiers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace llvm;

namespace nereid::python {

[[noreturn]] static void fail(const char *from, const char *to, const Twine &message) {
  throw SyntaxError{SMRange(SMLoc::getFromPointer(from), SMLoc::getFromPointer(to)), message.str()};
}

StringLiteral::StringLiteral(StringRef token) {
  for (; isAlpha(token.front()); token = token.drop_front()) {
    char c = toLower(token.front());
    isBytes |= c == 'b';
    isRaw |= c == 'r';
    // As in `ast`, where `kind` is 'u' or nothing.
    hasUnicodePrefix |= token.front() == 'u';
  }
  unsigned quoteSize = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
  body = token.drop_front(quoteSize).drop_back(quoteSize);
}

namespace {

/// Decodes one literal, or one piece of an f-string.
class Decoder {
public:
  Decoder(StringRef text, bool isBytes, bool isRaw, bool foldsBraces)
      : cur(text.begin()), end(text.end()), isBytes(isBytes), isRaw(isRaw), foldsBraces(foldsBraces) {}

  std::string decode();

private:
  void decodeEscape();
  char32_t readHex(const char *escape, unsigned digits, const char *what);
  void decodeName(const char *escape);
  /// A character of a string, or a byte.
  void append(char32_t c) {
    if (isBytes)
      out += static_cast<char>(c);
    else
      appendCharacter(out, c);
  }

  const char *cur;
  const char *end;
  bool isBytes;
  bool isRaw;
  bool foldsBraces;
  std::string out;
};

std::string Decoder::decode() {
  while (cur != end) {
    char c = *cur++;
    if (c == '\r') {
      if (cur != end && *cur == '\n')
        ++cur;
      out += '\n';
    } else if (c == '\\' && !isRaw && cur != end) {
      decodeEscape();
    } else {
      // The lexer left braces of literal text in pairs only.
      if (foldsBraces && (c == '{' || c == '}') && cur != end && *cur == c)
        ++cur;
      out += c;
    }
  }
  return std::move(out);
}

char32_t Decoder::readHex(const char *escape, unsigned digits, const char *what) {
  char32_t value = 0;
  for (unsigned i = 0; i != digits; ++i, ++cur) {
    if (cur == end || !isHexDigit(*cur))
      fail(escape, cur, isBytes ? Twine("invalid \\x escape") : Twine("truncated ") + what + " escape");
    value = value << 4 | hexDigitValue(*cur);
  }
  return value;
}

/// Behind `\N`.
void Decoder::decodeName(const char *escape) {
  const char *closing = std::find(cur, end, '}');
  if (cur == end || *cur != '{' || closing == end || closing == cur + 1)
    fail(escape, cur, "malformed \\N character escape");
  std::string name = StringRef(cur + 1, closing - cur - 1).upper();
  cur = closing + 1;
  auto character = sys::unicode::nameToCodepointStrict(name);
  if (!character)
    fail(escape, cur, "unknown Unicode character name");
  append(*character);
}

/// Behind a backslash.
void Decoder::decodeEscape() {
  const char *escape = cur - 1;
  char c = *cur++;
  switch (c) {
  case '\n':
    return;
  case '\r':
    if (cur != end && *cur == '\n')
      ++cur;
    return;
  case '\\':
  case '\'':
  case '"':
    out += c;
    return;
  case 'a':
    out += '\a';
    return;
  case 'b':
    out += '\b';
    return;
  case 'f':
    out += '\f';
    return;
  case 'n':
    out += '\n';
    return;
  case 'r':
    out += '\r';
    return;
  case 't':
    out += '\t';
    return;
  case 'v':
    out += '\v';
    return;
  case 'x':
    append(readHex(escape, 2, "\\xXX"));
    return;
  default:
    break;
  }
  if (c >= '0' && c <= '7') {
    char32_t value = c - '0';
    for (unsigned i = 1; i != 3 && cur != end && *cur >= '0' && *cur <= '7'; ++i)
      value = value * 8 + (*cur++ - '0');
    append(value);
    return;
  }
  if (!isBytes && c == 'u') {
    append(readHex(escape, 4, "\\uXXXX"));
    return;
  }
  if (!isBytes && c == 'U') {
    char32_t value = readHex(escape, 8, "\\UXXXXXXXX");
    if (value > 0x10FFFF)
      fail(escape, cur, "illegal Unicode character");
    append(value);
    return;
  }
  if (!isBytes && c == 'N') {
    decodeName(escape);
    return;
  }
  // An unknown escape stands for itself. The character may be a brace of an f-string or the first byte of
  // several.
  out += '\\';
  --cur;
}

} // namespace

static StringRef decode(AstContext &context, StringRef text, bool isBytes, bool isRaw, bool foldsBraces) {
  bool isPlain = !text.contains('\r') && (isRaw || !text.contains('\\')) &&
                 (!foldsBraces || text.find_first_of("{}") == StringRef::npos);
  if (isPlain)
    return text;
  return context.copy(StringRef(Decoder(text, isBytes, isRaw, foldsBraces).decode()));
}

StringRef decodeString(AstContext &context, const StringLiteral &literal) {
  if (literal.isBytes)
    for (const char &c : literal.body)
      if (!isASCII(c))
        fail(&c, &c + 1, "bytes can only contain ASCII literal characters");
  return decode(context, literal.body, literal.isBytes, literal.isRaw, /*foldsBraces=*/false);
}

StringRef decodeFStringText(AstContext &context, StringRef text, bool isRaw, bool inSpecifier) {
  return decode(context, text, /*isBytes=*/false, isRaw, !inSpecifier);
}

} // namespace nereid::python
