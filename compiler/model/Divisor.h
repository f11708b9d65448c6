// What an argument may be promised to be divisible by: a power of two, up to the size of a page.
#ifndef NEREID_COMPILER_MODEL_DIVISOR_H
#define NEREID_COMPILER_MODEL_DIVISOR_H

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstdint>

namespace nereid {

inline constexpr unsigned mostDivisor = 4096;

inline constexpr bool isDivisor(uint64_t number) {
  return llvm::has_single_bit(number) && number <= mostDivisor;
}

/// The greatest that is part of a number, which is not 0.
inline unsigned getDivisor(uint64_t number) {
  return 1u << std::min(llvm::countr_zero(number), llvm::countr_zero(mostDivisor));
}

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_DIVISOR_H
