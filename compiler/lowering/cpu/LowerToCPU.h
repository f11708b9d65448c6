// tt IR to LLVM IR for a CPU: tiles become loops over vectors. See LowerToCPU.cpp for how.
#ifndef NEREID_COMPILER_LOWERING_CPU_LOWERTOCPU_H
#define NEREID_COMPILER_LOWERING_CPU_LOWERTOCPU_H

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

namespace nereid::cpu {

/// Lowers the public tt.func of `module` to an LLVM function named info.symbol, with the entry point of
/// compiler/model/KernelInfo.h, and sets info.scratchBytes. Reports through MLIR's diagnostics and returns
/// null on failure.
std::unique_ptr<llvm::Module> lowerToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                          const Target &target, KernelInfo &info,
                                          const SourceInfo &sourceInfo = SourceInfo());

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_LOWERTOCPU_H
