// Arithmetic on indices (never negative) with constants, without the operations that change nothing: a tile
// of eight dimensions would otherwise begin every loop with hundreds of them.
#ifndef NEREID_COMPILER_LOWERING_CPU_INDEXMATH_H
#define NEREID_COMPILER_LOWERING_CPU_INDEXMATH_H

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace nereid::cpu {

inline llvm::Value *indexTimes(llvm::IRBuilder<> &b, llvm::Value *index, int64_t factor) {
  return factor == 1 ? index : b.CreateMul(index, llvm::ConstantInt::get(index->getType(), factor));
}

inline bool isZeroIndex(llvm::Value *index) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(index);
  return constant && constant->isNullValue();
}

/// Null stands for nothing added up yet.
inline llvm::Value *indexPlus(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  if (!x || isZeroIndex(x))
    return y;
  return isZeroIndex(y) ? x : b.CreateAdd(x, y);
}

inline llvm::Value *indexOver(llvm::IRBuilder<> &b, llvm::Value *index, int64_t divisor) {
  if (divisor == 1)
    return index;
  if (llvm::isPowerOf2_64(divisor))
    return b.CreateLShr(index, llvm::Log2_64(divisor));
  return b.CreateUDiv(index, llvm::ConstantInt::get(index->getType(), divisor));
}

inline llvm::Value *indexModulo(llvm::IRBuilder<> &b, llvm::Value *index, int64_t divisor) {
  if (llvm::isPowerOf2_64(divisor))
    return b.CreateAnd(index, llvm::ConstantInt::get(index->getType(), divisor - 1));
  return b.CreateURem(index, llvm::ConstantInt::get(index->getType(), divisor));
}

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_INDEXMATH_H
