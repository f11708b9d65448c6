// Numeric literals: where they end, and what is wrong with those that are none. NumberLiterals.cpp computes
// the values.
#include "compiler/frontends/python/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::python {

static bool isDigitOf(unsigned radix, char c) {
  unsigned value = hexDigitValue(c);
  return value < radix;
}

/// A number must not run into a name: `1x` is refused, but `1if` (as in `0x1for x in y`) has always been
/// allowed.
bool Lexer::checkEndOfNumber(const char *start, StringRef what) {
  StringRef rest(cur, end - cur);
  for (StringRef keyword : {"and", "else", "for", "if", "in", "is", "or", "not"})
    if (rest.starts_with(keyword))
      return true;
  unsigned char c = *cur;
  if (!atEnd() && (isAlnum(c) || c == '_'))
    return fail(start, cur + 1, "invalid " + what + " literal");
  return true;
}

/// The digits behind 0x, 0o or 0b, with single underscores between them.
bool Lexer::lexRadixDigits(const char *start, unsigned radix) {
  StringRef what = radix == 16 ? "hexadecimal" : radix == 8 ? "octal" : "binary";
  do {
    if (*cur == '_')
      ++cur;
    if (!isDigitOf(radix, *cur)) {
      if (isDigit(*cur))
        return fail(start, cur + 1, Twine("invalid digit '") + Twine(*cur) + "' in " + what + " literal");
      return fail(start, cur, "invalid " + what + " literal");
    }
    while (isDigitOf(radix, *cur))
      ++cur;
  } while (*cur == '_');
  if (isDigit(*cur))
    return fail(start, cur + 1, Twine("invalid digit '") + Twine(*cur) + "' in " + what + " literal");
  if (!checkEndOfNumber(start, what))
    return false;
  add(TokenKind::Number, start);
  return true;
}

/// At a digit: digits with single underscores between them.
bool Lexer::lexDecimalDigits() {
  const char *start = cur;
  for (;;) {
    while (isDigit(*cur))
      ++cur;
    if (*cur != '_')
      return true;
    ++cur;
    if (!isDigit(*cur))
      return fail(start, cur, "invalid decimal literal");
  }
}

bool Lexer::lexNumber() {
  const char *start = cur;
  if (*cur == '0') {
    char marker = toLower(cur[1]);
    if (unsigned radix = marker == 'x' ? 16 : marker == 'o' ? 8 : marker == 'b' ? 2 : 0) {
      cur += 2;
      return lexRadixDigits(start, radix);
    }
  }

  bool isInteger = true;
  if (*cur != '.' && !lexDecimalDigits())
    return false;
  const char *integerEnd = cur;
  if (*cur == '.') {
    isInteger = false;
    ++cur;
    if (isDigit(*cur) && !lexDecimalDigits())
      return false;
  }
  if (toLower(*cur) == 'e') {
    const char *exponent = cur + 1;
    if (*exponent == '+' || *exponent == '-')
      ++exponent;
    if (isDigit(*exponent)) {
      isInteger = false;
      cur = exponent;
      if (!lexDecimalDigits())
        return false;
    } else if (exponent != cur + 1) {
      return fail(start, exponent, "invalid decimal literal");
    }
    // Otherwise it is `1else`.
  }
  bool isImaginary = toLower(*cur) == 'j';
  if (isImaginary)
    ++cur;
  if (isInteger && !isImaginary && *start == '0') {
    // 0 and 00 are numbers, 0.5 and 09.5 too; 07 was octal once.
    for (const char *at = start; at != integerEnd; ++at)
      if (*at != '0' && *at != '_')
        return fail(start, integerEnd,
                    "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal "
                    "integers");
  }
  if (!checkEndOfNumber(start, isImaginary ? "imaginary" : "decimal"))
    return false;
  add(TokenKind::Number, start);
  return true;
}

} // namespace nereid::python
