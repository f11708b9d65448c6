// Functions of float computed in double, on vectors.
//
// For most of C's functions a float's worth of precision is easily had in double: powers, logarithms of other
// bases, inverse trigonometric and hyperbolic functions are a logarithm, an exponential or an arc tangent and
// a few operations, whose errors of 2^-30 and less disappear when the result is rounded. This takes half the
// lanes of float arithmetic, and a fraction of the time of calling the C library for each lane.
#ifndef NEREID_COMPILER_LOWERING_CPU_WIDEMATH_H
#define NEREID_COMPILER_LOWERING_CPU_WIDEMATH_H

#include "compiler/lowering/cpu/VectorMath.h"

namespace nereid::cpu {

class WideMath {
public:
  WideMath(llvm::IRBuilder<> &builder, VectorMath &math) : b(builder), math(math) {}

  /// C's function of that name, of floats; null if it is not one of these.
  llvm::Value *emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments);

private:
  llvm::Value *power(llvm::Value *x, llvm::Value *y);
  llvm::Value *unary(llvm::StringRef name, llvm::Value *x);
  llvm::Value *log2(llvm::Value *x);
  llvm::Value *log1p(llvm::Value *x);
  llvm::Value *exp2Minus1(llvm::Value *x, bool keepsOne);
  llvm::Value *atan(llvm::Value *x);
  llvm::Value *atan2(llvm::Value *y, llvm::Value *x);

  llvm::Value *real(double value);
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  llvm::Value *abs(llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  llvm::Value *sqrt(llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }
  llvm::Value *withSign(llvm::Value *x, llvm::Value *sign) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
  }

  llvm::IRBuilder<> &b;
  VectorMath &math;
  llvm::Type *type = nullptr;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_WIDEMATH_H
