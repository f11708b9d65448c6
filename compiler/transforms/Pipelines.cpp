// The orders in which passes run, and their names for nereid-opt.
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace nereid {

static void addCleanup(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
}

void addTTPasses(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(createCombinePass());
  passes.addPass(createDropDeadLoopValuesPass());
  addCleanup(passes);
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  passes.addPass(mlir::createSymbolDCEPass());
}

void addTTGPasses(mlir::OpPassManager &passes, const Target &target, unsigned numWarps, unsigned numStages) {
  passes.addPass(createRewriteBlockPointersPass());
  passes.addPass(createRewriteScaledProductsPass());
  addCleanup(passes);
  passes.addPass(createConvertToTTGPass(target, numWarps));
  passes.addPass(createCoalescePass());
  passes.addPass(createAssignLayoutsPass());
  passes.addPass(createRematerializeLayoutsPass());
  passes.addPass(createDropDeadLoopValuesPass());
  addCleanup(passes);
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  passes.addPass(createAllocateSharedMemoryPass());
  passes.addPass(createPlaceBarriersPass());
}

void registerPasses() {
  mlir::registerPass(createCombinePass);
  mlir::registerPass(createDropDeadLoopValuesPass);
  mlir::registerPass(createRewriteBlockPointersPass);
  mlir::registerPass(createRewriteScaledProductsPass);
  mlir::registerPass([] { return createConvertToTTGPass(); });
  mlir::registerPass(createCoalescePass);
  mlir::registerPass(createAssignLayoutsPass);
  mlir::registerPass(createRematerializeLayoutsPass);
  mlir::registerPass(createAllocateSharedMemoryPass);
  mlir::registerPass(createPlaceBarriersPass);
  mlir::registerPass(createPrintAxisInfoPass);
  mlir::PassPipelineRegistration<>("nereid-tt-pipeline", "What every frontend's output goes through",
                                   addTTPasses);
  mlir::PassPipelineRegistration<>(
      "nereid-ttg-pipeline", "From tt to ttg for cuda:90 with 4 warps",
      [](mlir::OpPassManager &passes) { addTTGPasses(passes, Target{Backend::CUDA, "90", 32}, 4, 3); });
}

} // namespace nereid
