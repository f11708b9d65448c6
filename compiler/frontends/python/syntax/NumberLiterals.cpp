// Values of numeric literals: integers of any size, floats rounded correctly.
#include "compiler/frontends/python/syntax/Lexer.h"
#include "compiler/frontends/python/syntax/Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <charconv>

using namespace llvm;

namespace nereid::python {

/// CPython's limit, for the same reason: the conversion takes quadratic time.
constexpr size_t maximumDecimalDigits = 4300;

/// Each digit is a few bits.
static SmallVector<uint64_t> readBits(StringRef digits, unsigned bitsPerDigit) {
  SmallVector<uint64_t> words(digits.size() * bitsPerDigit / 64 + 1);
  size_t bit = 0;
  for (char digit : llvm::reverse(digits)) {
    uint64_t value = hexDigitValue(digit);
    words[bit / 64] |= value << bit % 64;
    if (bit % 64 + bitsPerDigit > 64)
      words[bit / 64 + 1] |= value >> (64 - bit % 64);
    bit += bitsPerDigit;
  }
  return words;
}

static SmallVector<uint64_t> readDecimal(StringRef digits) {
  SmallVector<uint64_t> words;
  while (!digits.empty()) {
    // 10^19 is the largest power that fits a word.
    StringRef chunk = digits.take_front(19);
    digits = digits.drop_front(chunk.size());
    uint64_t power = 1, value = 0;
    for (char digit : chunk) {
      power *= 10;
      value = value * 10 + (digit - '0');
    }
    unsigned __int128 carry = value;
    for (uint64_t &word : words) {
      carry += static_cast<unsigned __int128>(word) * power;
      word = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    if (carry)
      words.push_back(static_cast<uint64_t>(carry));
  }
  return words;
}

static double readFloat(StringRef digits) {
  double value = 0;
  auto [end, status] = std::from_chars(digits.begin(), digits.end(), value);
  if (status == std::errc())
    return value;
  // Too large or too small: from_chars does not say which.
  APFloat wide(APFloat::IEEEdouble());
  auto converted = wide.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!converted) {
    consumeError(converted.takeError());
    return 0;
  }
  return wide.convertToDouble();
}

void decodeNumber(AstContext &context, StringRef text, ast::Constant &constant) {
  std::string plain = text.lower();
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  StringRef digits = plain;

  unsigned bitsPerDigit = digits.starts_with("0x")   ? 4
                          : digits.starts_with("0o") ? 3
                          : digits.starts_with("0b") ? 1
                                                     : 0;
  if (!bitsPerDigit && digits.find_first_of(".ej") != StringRef::npos) {
    constant.type = digits.consume_back("j") ? ast::Constant::Type::Complex : ast::Constant::Type::Float;
    constant.number = readFloat(digits);
    return;
  }

  constant.type = ast::Constant::Type::Int;
  SmallVector<uint64_t> words;
  if (bitsPerDigit) {
    words = readBits(digits.drop_front(2), bitsPerDigit);
  } else {
    if (digits.size() > maximumDecimalDigits)
      throw SyntaxError{constant.range,
                        "integer literal has " + utostr(digits.size()) + " digits, more than the " +
                            utostr(maximumDecimalDigits) +
                            " that are allowed; consider hexadecimal for huge integer literals"};
    words = readDecimal(digits);
  }
  while (words.size() > 1 && words.back() == 0)
    words.pop_back();
  if (words.empty())
    words.push_back(0);
  constant.words = context.copy(ArrayRef<uint64_t>(words));
}

} // namespace nereid::python
