// Floating-point numbers of 16 and 8 bits on processors that compute in 32 and 64.
//
// In the code generator a narrow number is the integer of its bits (i16 for f16 and bf16, i8 for the fp8
// kinds), alone or in a vector. Arithmetic widens to float, computes, and rounds back after every operation,
// which for +, -, *, / and square root gives the correctly rounded narrow result. LLVM never sees its own
// half or bfloat types except in the conversions that are one instruction, so no run-time library with
// conversion functions is needed.
#ifndef NEREID_COMPILER_LOWERING_CPU_FLOATFORMATS_H
#define NEREID_COMPILER_LOWERING_CPU_FLOATFORMATS_H

#include "compiler/lowering/cpu/VectorTarget.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

enum class NarrowFloat { F16, BF16, E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ };

enum class Rounding { NearestEven, TowardZero };

class FloatFormats {
public:
  FloatFormats(llvm::IRBuilder<> &builder, const VectorTarget &target) : b(builder), target(target) {}

  /// `bits` (integers, or a vector of them) as float. Exact.
  llvm::Value *widen(llvm::Value *bits, NarrowFloat format);

  /// Rounds float. Values beyond the largest become infinity in f16 and bf16, the largest number in the fp8
  /// kinds; toward zero they become the largest number, and infinity stays what it is where the format has
  /// it.
  llvm::Value *narrow(llvm::Value *value, NarrowFloat format, Rounding rounding = Rounding::NearestEven);

  /// Rounds double to float so that rounding that again to a narrow format gives what one rounding would have
  /// given: towards zero, with the last bit set if anything was lost ("round to odd").
  llvm::Value *roundToOdd(llvm::Value *value);

  /// `converted`, or the canonical NaN of its format where `value`, a float or double, is not a number; f16
  /// and bf16 are integers, as everywhere here.
  llvm::Value *withCanonicalNaN(llvm::Value *value, llvm::Value *converted);

private:
  llvm::Type *like(llvm::Value *value, llvm::Type *element);

  llvm::IRBuilder<> &b;
  const VectorTarget &target;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_FLOATFORMATS_H
