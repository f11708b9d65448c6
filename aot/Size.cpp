// See Size.h.
#include "aot/Size.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace nereid {

std::optional<uint64_t> parseSize(StringRef text) {
  text = text.trim();
  StringRef number = text.take_while([](char c) { return isDigit(c) || c == '.'; });
  std::string unit = text.drop_front(number.size()).trim().lower();
  double value = 0;
  if (number.empty() || number == "." || number.getAsDouble(value))
    return std::nullopt;
  StringRef letters = unit;
  letters.consume_back("b");
  letters.consume_back("i");
  constexpr StringLiteral prefixes = "kmgt";
  size_t power = 0;
  if (!letters.empty()) {
    power = prefixes.find(letters) + 1;
    if (letters.size() != 1 || power == 0)
      return std::nullopt;
  } else if (unit.size() > 1) {
    return std::nullopt;
  }
  value *= std::pow(1024.0, static_cast<double>(power));
  return value < std::ldexp(1.0, 62) ? std::optional(static_cast<uint64_t>(value)) : std::nullopt;
}

std::string checkSize(const std::string &text) {
  return parseSize(text) ? std::string() : "'" + text + "' is no size: expected one such as 500M or 5G";
}

} // namespace nereid
