// AMD's answers to the hooks of TargetLowering: CDNA (gfx9…, waves of 64 lanes) and RDNA (gfx10 and later,
// waves of 32).
#ifndef NEREID_COMPILER_LOWERING_AMD_AMDLOWERING_H
#define NEREID_COMPILER_LOWERING_AMD_AMDLOWERING_H

#include "compiler/lowering/gpu/TargetLowering.h"

namespace nereid::amd {

/// Calls to `__ocml_…` and `__ockl_…` in the resulting module are to be resolved against the ROCm device
/// libraries.
class AMDLowering final : public gpu::TargetLowering {
public:
  explicit AMDLowering(const Target &target);

  llvm::StringRef getTriple() const override { return "amdgcn-amd-amdhsa"; }
  void makeKernel(llvm::Function &function, unsigned numThreads) const override;

  std::string getAsmConstraints(llvm::StringRef constraints) const override;
  llvm::Value *threadId(Builder &b) const override;
  llvm::Value *programId(Builder &b, unsigned axis) const override;
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override;

  void barrier(Builder &b) const override;
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override;
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override;

  llvm::Value *math(Builder &b, gpu::MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override;
  llvm::Value *divide(Builder &b, llvm::Value *a, llvm::Value *divisor) const override;

  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override;

private:
  llvm::StringRef getSyncScopeName(gpu::AtomicScope scope) const override;
  void describeAtomic(llvm::AtomicRMWInst &inst) const override;

  /// gfx10 and later, whose instructions differ between lanes of a row and across rows.
  bool isRDNA;
};

} // namespace nereid::amd

#endif // NEREID_COMPILER_LOWERING_AMD_AMDLOWERING_H
