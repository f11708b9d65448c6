// Functions of double on vectors, with the precision of double.
//
// What WideMath.h makes of float takes double as its wide type, and there is no wider one for double itself.
// So these carry along what rounding loses where it would show: an argument minus a multiple of pi or ln 2 in
// two parts, a logarithm as a large and a small term. Errors are below 2 units in the last place, 3 for tanh
// (tests/unit/lowering_cpu/DoubleMathTest.cpp). Functions that are not here are calls of the C library for
// each lane.
#ifndef NEREID_COMPILER_LOWERING_CPU_DOUBLEMATH_H
#define NEREID_COMPILER_LOWERING_CPU_DOUBLEMATH_H

#include "compiler/lowering/cpu/VectorMath.h"

namespace nereid::cpu {

class DoubleMath {
public:
  DoubleMath(llvm::IRBuilder<> &builder, VectorMath &math) : b(builder), math(math) {}

  /// C's function of that name, of doubles; null if it is not one of these.
  llvm::Value *emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments);

private:
  llvm::Value *exp(llvm::Value *x);
  llvm::Value *exp2(llvm::Value *x);
  llvm::Value *expm1(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *logarithm(llvm::Value *x, double scaleHigh, double scaleLow, double unitHigh, double unitLow);
  llvm::Value *sinOrCos(llvm::Value *x, bool isCos);

  /// x = n * unit + r, |r| at most half a unit; n as a number, and in the low bits of `sum`.
  struct Reduced {
    llvm::Value *n, *sum, *r;
  };
  Reduced reduceByLn2(llvm::Value *x);
  llvm::Value *expSeries(llvm::Value *r);
  llvm::Value *scaleByPowerOfTwo(llvm::Value *x, llvm::Value *n);
  llvm::Value *powerOfTwo(llvm::Value *sum);
  /// x = 2^exponent (1 + f); `rest` is log(1 + f) - (f - f^2 / 2).
  struct Decomposed {
    llvm::Value *f, *exponent, *halfSquare, *rest;
  };
  Decomposed decompose(llvm::Value *x);
  llvm::Value *fixLogarithm(llvm::Value *x, llvm::Value *result);

  llvm::Value *real(double value);
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  llvm::Value *clamp(llvm::Value *x, double low, double high);
  llvm::Value *abs(llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

  llvm::IRBuilder<> &b;
  VectorMath &math;
  llvm::Type *type = nullptr, *intType = nullptr;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_DOUBLEMATH_H
