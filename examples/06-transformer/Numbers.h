// The number types of the model, as the host sees them: f16 and bf16, which not every C++ compiler has, as
// bits.
#ifndef NUMBERS_H
#define NUMBERS_H

#include "kernels.h" // written by CMake: the libraries' functions, in the namespace `kernels`

#include <cmath>
#include <cstdint>
#include <cstring>

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float toFloat(float value) { return value; }
inline float toFloat(nrd_bf16 value) { return floatOfBits(uint32_t(value.bits) << 16); }
inline float toFloat(nrd_f16 value) {
  int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? std::ldexp(float(fraction), -24)
                               : std::ldexp(float(fraction + 1024), exponent - 25);
  return value.bits & 0x8000 ? -size : size;
}

// To the nearest number of the type, of two the even one.
template <typename T> T fromFloat(float value);
template <> inline float fromFloat<float>(float value) { return value; }
template <> inline nrd_bf16 fromFloat<nrd_bf16>(float value) {
  uint32_t bits = bitsOf(value);
  nrd_bf16 result;
  result.bits = value != value ? 0x7fc0 : uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  return result;
}
template <> inline nrd_f16 fromFloat<nrd_f16>(float value) {
  nrd_f16 result;
  uint16_t sign = uint16_t(bitsOf(value) >> 16 & 0x8000);
  float size = std::fabs(value);
  if (value != value) {
    result.bits = 0x7e00;
  } else if (size >= 65520.0f) {
    result.bits = uint16_t(sign | 0x7c00);
  } else if (size < 0x1p-14f) {
    result.bits = uint16_t(sign | uint16_t(std::nearbyint(size * 0x1p24f)));
  } else {
    uint32_t bits = bitsOf(size);
    bits += 0xfff + (bits >> 13 & 1);
    result.bits = uint16_t(sign | ((bits >> 13) - (112u << 10)));
  }
  return result;
}

// Half a unit in the last place of a number of the type, as a part of it.
inline double halfUnit(float) { return 0x1p-24; }
inline double halfUnit(nrd_f16) { return 0x1p-11; }
inline double halfUnit(nrd_bf16) { return 0x1p-8; }

#endif
