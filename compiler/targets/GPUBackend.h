// What the back ends of GPUs share before LLVM IR: the layout passes, the lowering, and a check that a block
// fits.
#ifndef NEREID_COMPILER_TARGETS_GPUBACKEND_H
#define NEREID_COMPILER_TARGETS_GPUBACKEND_H

#include "compiler/targets/CodeGeneratingBackend.h"

namespace nereid {

namespace gpu {
class TargetLowering;
} // namespace gpu

class GPUBackend : public CodeGeneratingBackend {
public:
  void addPasses(mlir::OpPassManager &passes, const CompileRequest &request) const final;
  std::unique_ptr<llvm::Module> lower(mlir::ModuleOp module, llvm::LLVMContext &context,
                                      const CompileRequest &request, KernelInfo &info) const final;

protected:
  using CodeGeneratingBackend::CodeGeneratingBackend;
  /// What the vendor does differently.
  virtual std::unique_ptr<gpu::TargetLowering> createLowering(const Target &target) const = 0;
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_GPUBACKEND_H
