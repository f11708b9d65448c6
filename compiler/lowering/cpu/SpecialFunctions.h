// Functions that the C library lacks and GPU libraries have, over double and vectors of double.
//
// Each is written in terms of C's own functions (called for each lane) and of plain arithmetic, so that the
// results are good to a few units in the last place of double; for float the caller widens and rounds once,
// which makes those correct in nearly every case. Infinities, NaN and the ends of domains give what CUDA's
// libdevice documents.
#ifndef NEREID_COMPILER_LOWERING_CPU_SPECIALFUNCTIONS_H
#define NEREID_COMPILER_LOWERING_CPU_SPECIALFUNCTIONS_H

#include "compiler/lowering/cpu/VectorMath.h"

namespace nereid::cpu {

class SpecialFunctions {
public:
  SpecialFunctions(llvm::IRBuilder<> &builder, VectorMath &math, const VectorTarget &target)
      : b(builder), math(math), target(target) {}

  /// The named function (libdevice's name without prefix and suffix) of these doubles; null if the name is
  /// not known. With `forFloat` only float's precision is needed.
  llvm::Value *emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments, bool forFloat);

private:
  llvm::Value *sinOrCosPi(llvm::Value *x, bool isCos);
  llvm::Value *norm(llvm::ArrayRef<llvm::Value *> components);
  llvm::Value *erfcx(llvm::Value *x);
  llvm::Value *normcdf(llvm::Value *x);
  llvm::Value *erfinv(llvm::Value *x, bool forFloat);
  llvm::Value *erfcinv(llvm::Value *y, bool forFloat);
  llvm::Value *inverseTail(llvm::Value *y, bool forFloat);
  llvm::Value *startInverse(llvm::Value *logarithm);
  llvm::Value *bessel(llvm::Value *x, unsigned order);

  llvm::Value *call(llvm::StringRef name, llvm::Value *x) { return math.callLibrary(name, {x}); }
  llvm::Value *real(double value);
  llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  llvm::Value *abs(llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  llvm::Value *withSign(llvm::Value *x, llvm::Value *sign) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
  }

  llvm::IRBuilder<> &b;
  VectorMath &math;
  const VectorTarget &target;
  llvm::Type *type = nullptr;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_SPECIALFUNCTIONS_H
