// The functions of CUDA's libdevice (and ROCm's OCML), which kernels call by name, as code for a CPU.
#ifndef NEREID_COMPILER_LOWERING_CPU_DEVICELIBRARY_H
#define NEREID_COMPILER_LOWERING_CPU_DEVICELIBRARY_H

#include "compiler/lowering/cpu/VectorMath.h"

namespace nereid::cpu {

/// A function of a device library by its parts: `__nv_fadd_rd` is fadd with the suffix rd.
struct DeviceFunctionName {
  llvm::StringRef base;
  /// rn, rz, rd, ru or empty.
  llvm::StringRef rounding;
};

/// Takes a symbol such as `__nv_erfinvf` or `__ocml_erfinv_f32` apart; the base is empty if it is none.
/// `isFloat`: it works on float, so that an f at its end is not part of the name.
DeviceFunctionName parseDeviceFunction(llvm::StringRef symbol, bool isFloat);

class DeviceLibrary {
public:
  DeviceLibrary(llvm::IRBuilder<> &builder, VectorMath &math, const VectorTarget &target)
      : b(builder), math(math), target(target) {}

  /// Emits what has no operation of its own elsewhere in the lowering; null if the symbol is not one of
  /// those. The result's element has the type `element`.
  llvm::Value *emit(llvm::StringRef symbol, llvm::ArrayRef<llvm::Value *> operands, llvm::Type *element);

private:
  llvm::Value *emitBits(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitInteger(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitFloat(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitRounded(DeviceFunctionName name, llvm::ArrayRef<llvm::Value *> operands,
                           llvm::Type *element);
  llvm::Value *emitUnderMode(llvm::StringRef operation, llvm::StringRef mode,
                             llvm::ArrayRef<llvm::Value *> operands, llvm::Type *result);
  llvm::Value *callWithInteger(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands,
                               llvm::Type *element);
  llvm::Type *like(llvm::Value *value, llvm::Type *element);
  llvm::Value *multiplyHigh(llvm::Value *x, llvm::Value *y, bool isSigned);
  llvm::Value *toInteger(llvm::Value *x, llvm::Type *element, bool isSigned);

  llvm::IRBuilder<> &b;
  VectorMath &math;
  const VectorTarget &target;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_DEVICELIBRARY_H
