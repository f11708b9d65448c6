// ttg IR to LLVM IR for a GPU, one thread's share of every tile in registers. See LowerToGPU.cpp for how.
#ifndef NEREID_COMPILER_LOWERING_GPU_LOWERTOGPU_H
#define NEREID_COMPILER_LOWERING_GPU_LOWERTOGPU_H

#include "compiler/model/KernelInfo.h"
#include "compiler/model/SourceInfo.h"
#include "compiler/model/Target.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nereid::gpu {

class TargetLowering;

/// Lowers the public tt.func of `module`, whose tensors all have encodings, to a kernel named info.symbol
/// with the target's calling convention, and sets info.sharedBytes (found by the allocation pass) and
/// info.warpSize. `hooks` is what differs between vendors (compiler/lowering/gpu/TargetLowering.h). Reports
/// through MLIR's diagnostics and returns null on failure.
std::unique_ptr<llvm::Module> lowerToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                          TargetLowering &hooks, KernelInfo &info,
                                          const SourceInfo &sourceInfo = SourceInfo());

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_LOWERTOGPU_H
