// See GPUBackend.h.
#include "compiler/targets/GPUBackend.h"

#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/lowering/gpu/TargetLowering.h"
#include "compiler/targets/GPULimits.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"

namespace nereid {

void GPUBackend::addPasses(mlir::OpPassManager &passes, const CompileRequest &request) const {
  TensorMapUse maps = !request.useTensorMaps                     ? TensorMapUse::None
                      : request.target.hasInstructionsOfItsOwn() ? TensorMapUse::All
                                                                 : TensorMapUse::OfLaunch;
  addTTGPasses(passes, request.target, request.numWarps, request.numStages, maps, request.warpSpecialize,
               request.form);
}

std::unique_ptr<llvm::Module> GPUBackend::lower(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const CompileRequest &request, KernelInfo &info) const {
  std::unique_ptr<gpu::TargetLowering> hooks = createLowering(request.target);
  std::unique_ptr<llvm::Module> lowered = gpu::lowerToLLVM(module, context, *hooks, info, request.sourceInfo);
  if (lowered && !checkLimits(module, request.target, info))
    return nullptr;
  return lowered;
}

} // namespace nereid
