// NVIDIA's answers to the hooks of TargetLowering: PTX through LLVM's NVPTX back end.
#ifndef NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H
#define NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H

#include "compiler/lowering/gpu/TargetLowering.h"

namespace nereid::nvidia {

/// Calls to `__nv_…` in the resulting module are to be resolved against libdevice.
class NVIDIALowering final : public gpu::TargetLowering {
public:
  explicit NVIDIALowering(const Target &target);

  llvm::StringRef getTriple() const override { return "nvptx64-nvidia-cuda"; }
  void makeKernel(llvm::Function &function, unsigned numThreads) const override;

  llvm::Value *threadId(Builder &b) const override;
  llvm::Value *programId(Builder &b, unsigned axis) const override;
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override;

  void barrier(Builder &b) const override;
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override;
  llvm::Value *reduceWarp(Builder &b, llvm::Value *value, gpu::WarpReduction kind) const override;

  llvm::Value *loadGlobal(Builder &b, llvm::Type *type, llvm::Value *pointer, llvm::Value *predicate,
                          llvm::Value *other, const gpu::AccessHints &hints) const override;
  void storeGlobal(Builder &b, llvm::Value *value, llvm::Value *pointer, llvm::Value *predicate,
                   const gpu::AccessHints &hints) const override;
  llvm::Value *atomicReadModifyWrite(Builder &b, gpu::AtomicOperation operation, llvm::Value *pointer,
                                     llvm::Value *value, llvm::Value *predicate, gpu::AtomicOrder order,
                                     gpu::AtomicScope scope) const override;
  llvm::Value *atomicCompareExchange(Builder &b, llvm::Value *pointer, llvm::Value *expected,
                                     llvm::Value *value, llvm::Value *predicate, gpu::AtomicOrder order,
                                     gpu::AtomicScope scope) const override;
  void storeShared(Builder &b, llvm::Value *value, llvm::Value *pointer,
                   llvm::Value *predicate) const override;

  llvm::Value *math(Builder &b, gpu::MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override;
  llvm::Value *divide(Builder &b, llvm::Value *a, llvm::Value *divisor) const override;

  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override;

private:
  llvm::StringRef getSyncScopeName(gpu::AtomicScope scope) const override;

  unsigned computeCapability;
};

} // namespace nereid::nvidia

#endif // NEREID_COMPILER_LOWERING_NVIDIA_NVIDIALOWERING_H
