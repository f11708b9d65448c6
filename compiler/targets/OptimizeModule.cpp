// Runs the new pass manager's default pipeline. The target machine adds its own passes to it through the pass
// builder: NVPTX for one resolves libdevice's `__nvvm_reflect` queries at the start, before anything is
// inlined.
#include "compiler/targets/OptimizeModule.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace nereid {

void optimizeModule(Module &module, TargetMachine &machine, StringRef entry, const OptimizeOptions &options) {
  if (module.getFunction(entry))
    internalizeModule(module, [&](const GlobalValue &value) { return value.getName() == entry; });

  PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.vectorize;
  tuning.SLPVectorization = options.vectorize;
  tuning.LoopInterleaving = options.vectorize;
  // One kernel has no call graph worth describing to a linker.
  tuning.CallGraphProfile = false;

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel level = options.isQuick ? OptimizationLevel::O1 : OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

} // namespace nereid
