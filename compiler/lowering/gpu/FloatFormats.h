// Floating-point numbers of any format, one element at a time: the types of 8 bits have no LLVM type, and are
// integers in registers.
#ifndef NEREID_COMPILER_LOWERING_GPU_FLOATFORMATS_H
#define NEREID_COMPILER_LOWERING_GPU_FLOATFORMATS_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// Whether LLVM lacks the type.
bool isSmallFloat(mlir::Type type);

/// A number of type `from` as one of type `to`, rounded to nearest, ties to even, or toward zero.
llvm::Value *convertFloat(Emitter &emitter, llvm::Value *value, mlir::Type from, mlir::Type to,
                          bool towardZero = false);

/// Wraps the emitter of an operation on floating-point numbers: those of 8 bits, which no hardware adds or
/// compares, are widened to f32, and a result of 8 bits is rounded. f32 has more than twice their precision,
/// so a sum, product or quotient that is rounded twice is the one that is rounded once.
template <EmitterTable::ElementFunction compute>
llvm::Value *emitOnFloats(Emitter &emitter, mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands) {
  auto isSmall = [](mlir::Type type) { return isSmallFloat(mlir::getElementTypeOrSelf(type)); };
  if (!llvm::any_of(op->getOperandTypes(), isSmall))
    return compute(emitter, op, operands);
  mlir::Type f32 = mlir::Float32Type::get(op->getContext());
  llvm::SmallVector<llvm::Value *> widened(operands);
  for (auto [value, type] : llvm::zip_equal(widened, op->getOperandTypes()))
    if (isSmall(type))
      value = convertFloat(emitter, value, mlir::getElementTypeOrSelf(type), f32);
  llvm::Value *result = compute(emitter, op, widened);
  mlir::Type resultType = op->getResult(0).getType();
  return result && isSmall(resultType)
             ? convertFloat(emitter, result, f32, mlir::getElementTypeOrSelf(resultType))
             : result;
}

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_FLOATFORMATS_H
