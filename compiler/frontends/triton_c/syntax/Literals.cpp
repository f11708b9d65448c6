// See Literals.h.
#include "compiler/frontends/triton_c/syntax/Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace nereid::triton_c {

[[noreturn]] static void refuse(const Token &token, const Twine &message) {
  throw Refusal{token.place.getRange(), message.str()};
}

static Literal readFloat(const Token &token, StringRef text, bool isHex) {
  Literal literal;
  literal.isFloat = true;
  literal.type = ScalarKind::FP64;
  literal.isPlainDouble = true;
  auto suffix = [&](StringRef name, ScalarKind type) {
    if (!literal.isPlainDouble || !text.ends_with_insensitive(name))
      return;
    text = text.drop_back(name.size());
    literal.type = type;
    literal.isPlainDouble = false;
  };
  suffix("bf16", ScalarKind::BF16);
  suffix("f16", ScalarKind::FP16);
  suffix("f", ScalarKind::FP32);
  suffix("h", ScalarKind::FP16);
  suffix("l", ScalarKind::FP64);
  APFloat value(APFloat::IEEEdouble());
  // A hexadecimal float needs its exponent.
  bool isComplete = !text.empty() && (!isHex || text.contains_insensitive("p"));
  Expected<APFloat::opStatus> status = isComplete
                                           ? value.convertFromString(text, APFloat::rmNearestTiesToEven)
                                           : Expected<APFloat::opStatus>(createStringError("incomplete"));
  if (!status) {
    consumeError(status.takeError());
    refuse(token, "'" + token.text + "' is not a number");
  }
  literal.number = value.convertToDouble();
  return literal;
}

static Literal readInteger(const Token &token) {
  StringRef text = token.text;
  unsigned radix = 10;
  if (text.consume_front_insensitive("0x"))
    radix = 16;
  else if (text.consume_front_insensitive("0b"))
    radix = 2;
  else if (text.size() > 1 && text.front() == '0')
    radix = 8;
  StringRef digits = text.take_while([&](char c) { return radix == 16 ? isHexDigit(c) : isDigit(c); });
  std::string suffix = text.drop_front(digits.size()).lower();
  bool isUnsigned = false, isLong = false;
  if (suffix == "u" || suffix == "ul" || suffix == "lu" || suffix == "ull" || suffix == "llu")
    isUnsigned = true;
  isLong = StringRef(suffix).contains('l');
  if (!suffix.empty() && !isUnsigned && suffix != "l" && suffix != "ll")
    refuse(token, "'" + token.text + "' is not a number");
  Literal literal;
  APInt value;
  if (digits.empty() || digits.getAsInteger(radix, value))
    refuse(token, "'" + token.text + "' is not a number");
  if (value.getActiveBits() > 64)
    refuse(token, "the number " + token.text + " does not fit in 64 bits");
  literal.integer = value.getZExtValue();
  bool mayBeUnsigned = isUnsigned || radix != 10;
  auto fits = [&](unsigned bits) { return value.getActiveBits() <= bits; };
  if (!isLong && !isUnsigned && fits(31))
    literal.type = ScalarKind::Int32;
  else if (!isLong && mayBeUnsigned && fits(32))
    literal.type = ScalarKind::UInt32;
  else if (!isUnsigned && fits(63))
    literal.type = ScalarKind::Int64;
  else
    literal.type = ScalarKind::UInt64;
  return literal;
}

/// The character behind a backslash; `text` goes on after it.
static char readEscape(const Token &token, StringRef &text) {
  char c = text.front();
  text = text.drop_front();
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case 'a':
    return '\a';
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'v':
    return '\v';
  case '\\':
  case '\'':
  case '"':
  case '?':
    return c;
  case 'x': {
    StringRef digits = text.take_while(isHexDigit).take_front(2);
    unsigned value = 0;
    if (digits.empty() || digits.getAsInteger(16, value))
      refuse(token, "\\x needs hexadecimal digits");
    text = text.drop_front(digits.size());
    return static_cast<char>(value);
  }
  default:
    if (c < '0' || c > '7')
      refuse(token, "there is no escape \\" + Twine(c));
    unsigned value = c - '0';
    for (int i = 0; i < 2 && !text.empty() && text.front() >= '0' && text.front() <= '7'; ++i) {
      value = value * 8 + (text.front() - '0');
      text = text.drop_front();
    }
    return static_cast<char>(value);
  }
}

std::string readString(const Token &token) {
  StringRef text = token.text.drop_front().drop_back();
  std::string result;
  while (!text.empty()) {
    char c = text.front();
    text = text.drop_front();
    if (c == '\\' && text.empty())
      refuse(token, "a backslash at the end of the text");
    result += c == '\\' ? readEscape(token, text) : c;
  }
  return result;
}

Literal readLiteral(const Token &token) {
  if (token.kind == TokenKind::Character) {
    std::string text = readString(token);
    if (text.size() != 1)
      refuse(token, "expected one character between the quotes");
    Literal literal;
    literal.integer = static_cast<uint64_t>(static_cast<int64_t>(static_cast<signed char>(text[0])));
    return literal;
  }
  StringRef text = token.text;
  bool isHex = text.starts_with_insensitive("0x");
  bool isFloat =
      text.contains('.') || (isHex ? text.contains_insensitive("p") : text.contains_insensitive("e"));
  // 1f is no number in C either.
  return isFloat ? readFloat(token, text, isHex) : readInteger(token);
}

} // namespace nereid::triton_c
