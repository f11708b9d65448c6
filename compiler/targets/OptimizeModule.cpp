// Runs the new pass manager's default pipeline. The target machine adds its own passes to it through the pass
// builder: NVPTX for one resolves libdevice's `__nvvm_reflect` queries at the start, before anything is
// inlined.
#include "compiler/targets/OptimizeModule.h"

#include "compiler/targets/CrowdedBlocks.h"
#include "compiler/targets/DropMaskedBits.h"
#include "compiler/targets/nvidia/DeviceBranches.h"
#include "compiler/targets/nvidia/LeaveUnrolling.h"
#include "compiler/targets/nvidia/UnrollRemainders.h"
#include "compiler/targets/nvidia/UnrollWholly.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace nereid {

/// Whether the loops, one behind the other, are too many for passes that look back at all the others for
/// each: a sort of 2048 elements has a thousand. Lowerings emit loops as these passes would leave them.
static bool hasManyLoops(const Module &module) {
  constexpr unsigned many = 150;
  unsigned count = 0;
  for (const Function &function : module)
    for (const BasicBlock &block : function)
      if (block.getTerminator()->hasMetadata(LLVMContext::MD_loop) && ++count > many)
        return true;
  return false;
}

namespace {
struct MarkDeviceBranches : PassInfoMixin<MarkDeviceBranches> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    markDeviceBranches(module);
    return PreservedAnalyses::none();
  }
};
} // namespace

bool optimizeModule(Module &module, TargetMachine &machine, StringRef entry, const OptimizeOptions &options) {
  if (module.getFunction(entry))
    internalizeModule(module, [&](const GlobalValue &value) { return value.getName() == entry; });

  PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.vectorize;
  tuning.SLPVectorization = options.vectorize && !hasCrowdedBlock(module);
  tuning.LoopInterleaving = options.vectorize;
  // One kernel has no call graph worth describing to a linker.
  tuning.CallGraphProfile = false;

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks instrumentation;
  if (hasManyLoops(module))
    instrumentation.registerShouldRunOptionalPassCallback([](StringRef pass, Any) {
      return !is_contained({"IndVarSimplifyPass", "LoopFullUnrollPass", "LoopUnrollPass",
                            "LoopLoadEliminationPass", "LoopDistributePass"},
                           pass);
    });
  PassBuilder builder(&machine, tuning, std::nullopt, &instrumentation);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel level = options.level == 1   ? OptimizationLevel::O1
                            : options.level == 2 ? OptimizationLevel::O2
                                                 : OptimizationLevel::O3;
  // Behind what the target machine does at the start.
  if (options.keepsDeviceBranches)
    builder.registerPipelineStartEPCallback(
        [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(MarkDeviceBranches()); });
  if (machine.getTargetTriple().isGPU())
    builder.registerPeepholeEPCallback(
        [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(DropMaskedBits()); });
  if (machine.getTargetTriple().isNVPTX()) {
    builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel) {
      passes.addPass(UnrollWholly());
      passes.addPass(MarkRolledLoops());
      passes.addPass(LeaveUnrolling());
    });
    builder.registerOptimizerLastEPCallback(
        [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
          passes.addPass(createModuleToFunctionPassAdaptor(UnrollRemainders()));
        });
  }
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
  return unmarkDeviceBranches(module);
}

} // namespace nereid
