// What the compiler asks of a target: passes to run on the tt IR, a lowering to LLVM IR, and the way from
// there to an image. One subclass a file in this folder, listed in Registry.cpp; what is data rather than
// code is in the table of compiler/model/Backends.h.
#ifndef NEREID_COMPILER_TARGETS_TARGETBACKEND_H
#define NEREID_COMPILER_TARGETS_TARGETBACKEND_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"
#include "compiler/model/Diagnostics.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace nereid {

class TargetBackend {
public:
  virtual ~TargetBackend();

  /// Adds the passes that take optimized tt IR to what lower() wants: ttg IR on GPUs, tt IR on the CPU.
  virtual void addPasses(mlir::OpPassManager &passes, const CompileRequest &request) const = 0;

  /// Lowers the one kernel of `module` to LLVM IR, and fills in the resources of `info`. Reports through
  /// MLIR's diagnostics and returns null if something cannot be lowered.
  virtual std::unique_ptr<llvm::Module> lower(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              const CompileRequest &request, KernelInfo &info) const = 0;

  /// Links device libraries, optimizes, and generates code. Fills in result.images, or result.stageOutput if
  /// request.emit names one of this target's own stages (or LLIR, which is printed after optimization), and
  /// the stages that request.keptStages asks for.
  virtual bool generate(std::unique_ptr<llvm::Module> module, const CompileRequest &request,
                        CompileResult &result, Diagnostics &diagnostics) const = 0;
};

const TargetBackend &getTargetBackend(Backend backend);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_TARGETBACKEND_H
