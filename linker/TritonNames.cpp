// Texts of numbers are Python's, as the names have always had them: 16, 0.5, 1e-05.
#include "linker/TritonNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace llvm;

namespace nereid {

/// The fewest digits that read back as the same number; with an exponent below 0.0001 and from 1e16 on.
static std::string printNumber(double value) {
  char text[64];
  bool hasExponent = value != 0 && !(std::abs(value) >= 1e-4 && std::abs(value) < 1e16);
  for (int digits = 1; digits <= 25; ++digits) {
    snprintf(text, sizeof text, hasExponent ? "%.*g" : "%.*f", digits, value);
    if (strtod(text, nullptr) == value)
      break;
  }
  return text;
}

static std::string printValue(const ParameterSpec &spec) {
  if (const double *number = std::get_if<double>(&*spec.constant))
    return printNumber(*number);
  if (const bool *truth = std::get_if<bool>(&*spec.constant))
    return *truth ? "True" : "False";
  return spec.str();
}

TritonNames nameForTriton(StringRef text, const Specialization &signature, unsigned numWarps,
                          unsigned numStages) {
  std::string options = formatv("warps{0}xstages{1}", numWarps, numStages);
  SmallVector<StringRef> pieces;
  text.split(pieces, ',');
  std::string hashed;
  for (StringRef piece : pieces)
    hashed += (piece.trim(' ') + " ").str();
  hashed += options;
  TritonNames names;
  names.hash = toHex(SHA256::hash(arrayRefFromStringRef(hashed)), /*LowerCase=*/true).substr(0, 8);
  // What is 1 comes behind the other values.
  std::vector<std::string> values;
  for (const ParameterSpec &spec : signature.parameters)
    if (spec.constant)
      values.push_back(printValue(spec));
  for (const auto &[index, spec] : enumerate(signature.parameters)) {
    names.suffix += std::to_string(index);
    if (spec.constant)
      continue;
    if (spec.equalsOne) {
      values.push_back("1");
      names.suffix += 'c';
    } else if (spec.divisibleBy == 16) {
      names.suffix += 'd';
    }
  }
  names.algorithm = spellAlgorithm(join(values, "x") + "_" + options);
  return names;
}

std::string spellAlgorithm(StringRef algorithm) {
  std::string result;
  for (char c : algorithm)
    if (isAlnum(c) || c == '_')
      result += c;
    else if (c == '-')
      result += 'm';
    else if (c == '.')
      result += 'p';
    else if (c != '+')
      result += '_';
  return result;
}

std::string replaceSuffix(StringRef path, StringRef suffix) {
  size_t name = path.rfind('/') == StringRef::npos ? 0 : path.rfind('/') + 1;
  size_t point = path.rfind('.');
  bool hasSuffix = point != StringRef::npos && point > name && point + 1 < path.size();
  return (path.take_front(hasSuffix ? point : path.size()) + suffix).str();
}

} // namespace nereid
