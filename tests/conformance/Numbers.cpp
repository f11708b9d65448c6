// LLVM's APFloat knows every format but fp8e4b15, whose values tests give and take as bits.
#include "tests/conformance/Numbers.h"

#include "compiler/model/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace nereid::test {

static bool isUnsignedKind(ScalarKind kind) {
  return kind >= ScalarKind::UInt8 && kind <= ScalarKind::UInt64;
}

uint64_t encode(ScalarKind kind, double value) {
  if (const fltSemantics *semantics = getFloatFormat(kind)) {
    APFloat number(value);
    bool lost = false;
    number.convert(*semantics, APFloat::rmNearestTiesToEven, &lost);
    return number.bitcastToAPInt().getZExtValue();
  }
  return isUnsignedKind(kind) ? static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(static_cast<int64_t>(value));
}

double decode(ScalarKind kind, uint64_t bits) {
  unsigned width = getScalarBits(kind);
  if (const fltSemantics *semantics = getFloatFormat(kind)) {
    APFloat number(*semantics, APInt(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true));
    bool lost = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number.convertToDouble();
  }
  APInt integer(width, bits, false, true);
  return isUnsignedKind(kind) || width == 1 ? static_cast<double>(integer.getZExtValue())
                                            : static_cast<double>(integer.getSExtValue());
}

double roundTo(ScalarKind kind, double value) { return decode(kind, encode(kind, value)); }

double spacing(ScalarKind kind, double value) {
  const fltSemantics &semantics = *getFloatFormat(kind);
  int least = APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? least : std::max(least, std::ilogb(value));
  return std::ldexp(1, exponent - static_cast<int>(APFloat::semanticsPrecision(semantics)) + 1);
}

ScalarKind kindOf(const std::string &name) { return *parseScalarKind(name); }

std::vector<double> counting(size_t count, double start, double step) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = start + static_cast<double>(i) * step;
  return values;
}

std::vector<double> randomValues(size_t count, unsigned seed, ScalarKind kind) {
  std::vector<double> values(count);
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (double &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = roundTo(kind, static_cast<double>(static_cast<int32_t>(state >> 32)) / 2147483648.0);
  }
  return values;
}

} // namespace nereid::test
