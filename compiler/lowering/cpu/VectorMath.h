// Elementary functions over float and vectors of float, as straight-line code.
//
// The C library has them for one number at a time; a tile needs them for a vector. Each is a range reduction,
// a polynomial, and selections for what lies outside (sine and cosine also branch, for huge arguments).
// Errors are below 2 units in the last place over the whole range, infinities, NaN, subnormal numbers and
// signed zeros included (tests/unit/lowering_cpu/VectorMathTest.cpp measures them).
#ifndef NEREID_COMPILER_LOWERING_CPU_VECTORMATH_H
#define NEREID_COMPILER_LOWERING_CPU_VECTORMATH_H

#include "compiler/lowering/cpu/VectorTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

class VectorMath {
public:
  VectorMath(llvm::IRBuilder<> &builder, const VectorTarget &target) : b(builder), target(target) {}

  // Of float or <N x float>.
  llvm::Value *exp(llvm::Value *x);
  llvm::Value *exp2(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *log2(llvm::Value *x);
  llvm::Value *sin(llvm::Value *x) { return sinOrCos(x, false); }
  llvm::Value *cos(llvm::Value *x) { return sinOrCos(x, true); }
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *erf(llvm::Value *x);
  llvm::Value *rsqrt(llvm::Value *x);

  /// Calls a function of the C library for each lane. `name` is the function for double; that for float has
  /// an f more.
  llvm::Value *callLibrary(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments);

  /// Replaces `result` by what the C library gives where `isLarge` is set, which is rare.
  llvm::Value *callWhereLarge(llvm::StringRef name, llvm::Value *isLarge, llvm::Value *x,
                              llvm::Value *result);

  /// a * b + c, with one rounding where that is an instruction, with two where it is not.
  llvm::Value *multiplyAdd(llvm::Value *a, llvm::Value *b, llvm::Value *c);

private:
  llvm::Value *constant(llvm::Value *like, double value);
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<float> coefficients);
  llvm::Value *scaleByPowerOfTwo(llvm::Value *x, llvm::Value *exponent);
  llvm::Value *sinOrCos(llvm::Value *x, bool isCos);
  /// x = (1 + fraction) * 2^exponent with the fraction in [sqrt(1/2) - 1, sqrt(2) - 1]; the exponent as a
  /// float.
  struct Decomposed {
    llvm::Value *fraction, *exponent;
  };
  Decomposed decompose(llvm::Value *x);
  llvm::Value *fixLogarithm(llvm::Value *x, llvm::Value *result);
  llvm::Value *abs(llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

  llvm::IRBuilder<> &b;
  const VectorTarget &target;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_VECTORMATH_H
