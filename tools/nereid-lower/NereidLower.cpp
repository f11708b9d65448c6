// Reads ttg IR, lowers its kernel for one target and prints the LLVM IR, before any optimization:
//
//     nereid-lower FILE.mlir cuda:90a
//
// The IR tests drive it; `nereid compile --emit llir` shows the same kernel after optimization.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/amd/AMDLowering.h"
#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: nereid-lower FILE.mlir TARGET\n";
    return 2;
  }
  llvm::Expected<nereid::Target> target = nereid::Target::parse(argv[2]);
  if (!target) {
    llvm::errs() << llvm::toString(target.takeError()) << "\n";
    return 2;
  }
  if (!target->isGPU()) {
    llvm::errs() << target->str() << " is not a GPU\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<nereid::tt::TTDialect, nereid::ttg::TTGDialect, nereid::ttng::TTNGDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::ub::UBDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], sources, mlir::ParserConfig(&context));
  if (!module)
    return 1;

  std::unique_ptr<nereid::gpu::TargetLowering> hooks;
  if (target->backend == nereid::Backend::CUDA)
    hooks = std::make_unique<nereid::nvidia::NVIDIALowering>(*target);
  else
    hooks = std::make_unique<nereid::amd::AMDLowering>(*target);
  llvm::LLVMContext llvmContext;
  nereid::KernelInfo info;
  std::unique_ptr<llvm::Module> lowered = nereid::gpu::lowerToLLVM(*module, llvmContext, *hooks, info);
  if (!lowered)
    return 1;
  llvm::outs() << *lowered;
  return 0;
}
