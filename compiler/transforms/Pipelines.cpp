// The orders in which passes run, and their names for nereid-opt.
#include "compiler/transforms/Passes.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace nereid {

namespace {

/// Keeps locations small. A pattern that makes one operation of two gives it both locations, and one that
/// goes down a chain of thousands (`a += 1`) would copy ever longer lists; the first few say enough.
class LocationLimit : public mlir::RewriterBase::Listener {
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override {
    constexpr size_t limit = 8;
    auto fused = mlir::dyn_cast<mlir::FusedLoc>(op->getLoc());
    if (fused && fused.getLocations().size() > limit)
      op->setLoc(mlir::FusedLoc::get(op->getContext(), fused.getLocations().take_front(limit / 2),
                                     fused.getMetadata()));
  }
};

} // namespace

static std::unique_ptr<mlir::Pass> createCanonicalizer() {
  static LocationLimit limit; // it has no state
  mlir::GreedyRewriteConfig config;
  config.setListener(&limit);
  return mlir::createCanonicalizerPass(config);
}

static void addCleanup(mlir::OpPassManager &passes) {
  passes.addPass(createCanonicalizer());
  passes.addPass(mlir::createCSEPass());
}

void addTTPasses(mlir::OpPassManager &passes) {
  passes.addPass(createCanonicalizer());
  passes.addPass(createUseAssumptionsPass());
  passes.addPass(createCombinePass());
  passes.addPass(createDropDeadLoopValuesPass());
  addCleanup(passes);
  passes.addPass(createBranchForOneRoundPass());
  passes.addPass(createUnrollLoopsPass());
  addCleanup(passes);
  passes.addPass(createMergeLoadsPass());
  passes.addPass(createForwardStoresPass());
  passes.addPass(createNestConditionsPass());
  addCleanup(passes);
  passes.addPass(createHoistInvariantsPass());
  passes.addPass(mlir::createSymbolDCEPass());
}

void addTTGPasses(mlir::OpPassManager &passes, const Target &target, unsigned numWarps, unsigned numStages,
                  TensorMapUse tensorMaps, std::optional<bool> specializesWarps, FormUse form) {
  if (target.getComputeCapability() >= 90 && tensorMaps != TensorMapUse::None)
    passes.addPass(createLiftDescriptorsPass());
  if (target.getComputeCapability() >= 90 && tensorMaps == TensorMapUse::All)
    passes.addPass(createMakeTensorMapsPass());
  passes.addPass(createRewriteBlockPointersPass());
  passes.addPass(createSplitOverBlocksPass());
  passes.addPass(createOrderBlocksPass());
  passes.addPass(createMoveReshapesPass());
  passes.addPass(createReduceAxesTogetherPass());
  passes.addPass(createLoadRepeatedOncePass());
  // From Ampere on, NVIDIA's matrix units have both types of 16 bits.
  if (target.backend == Backend::CUDA && target.getComputeCapability() >= 80)
    passes.addPass(createNarrowFactorsPass());
  passes.addPass(createRewriteScaledProductsPass(target));
  bool hasRings = target.backend == Backend::CUDA && target.getComputeCapability() >= 80 && numStages > 1;
  if (hasRings) {
    passes.addPass(createMergeBranchLoadsPass());
    passes.addPass(createHoistConditionalLoadsPass());
  }
  addCleanup(passes);
  passes.addPass(createReplaceForeignOperationsPass());
  passes.addPass(createConvertToTTGPass(target, numWarps));
  passes.addPass(createCoalescePass());
  passes.addPass(createTurnProductsPass());
  passes.addPass(createChooseMatrixInstructionsPass(target));
  passes.addPass(createChooseThreadProductsPass(target));
  passes.addPass(createGatherFromMemoryPass());
  if (target.backend == Backend::CUDA)
    passes.addPass(createShareComputedFactorsPass());
  passes.addPass(createAssignLayoutsPass());
  passes.addPass(mlir::createCSEPass()); // each use got a conversion of its own
  passes.addPass(createRematerializeLayoutsPass(/*beforePipelining=*/hasRings));
  passes.addPass(createDropDeadLoopValuesPass());
  addCleanup(passes);
  passes.addPass(createHoistInvariantsPass());
  passes.addPass(createStageGathersPass());
  passes.addPass(createStoreFactorsEarlyPass(target));
  passes.addPass(createReloadFactorsPass());
  passes.addPass(createResetSumsPass());
  passes.addPass(createPipelineLoadsPass(target, numStages, specializesWarps, form));
  passes.addPass(createLowerTileAccessesPass());
  addCleanup(passes);
  passes.addPass(createRematerializeLayoutsPass()); // buffers may be read in any layout
  passes.addPass(createJoinReductionsPass());
  passes.addPass(createReducePastLoopsPass());
  passes.addPass(createLoadIndicesAheadPass());
  addCleanup(passes);
  passes.addPass(createSinkPastLoopsPass());
  if (target.backend == Backend::CUDA)
    passes.addPass(createStartLoadsEarlyPass());
  passes.addPass(createMergeNeighboursPass());
  if (target.backend == Backend::CUDA) {
    passes.addPass(createMarkColumnLoadsPass());
    passes.addPass(createMarkLastLoadsPass());
  }
  passes.addPass(createConvertThroughBuffersPass(target));
  passes.addPass(createUnswizzleBuffersPass());
  passes.addPass(createExchangeWithoutBarriersPass());
  passes.addPass(createPlaceProductWaitsPass());
  passes.addPass(createAllocateGlobalScratchPass());
  passes.addPass(createAllocateSharedMemoryPass());
  passes.addPass(createPlaceBarriersPass());
}

void addPlacementPasses(mlir::OpPassManager &passes) {
  passes.addPass(createReplaceForeignOperationsPass());
  passes.addPass(createAdoptTensorMapsPass());
  passes.addPass(createAllocateGlobalScratchPass());
  passes.addPass(createAllocateSharedMemoryPass());
  passes.addPass(createPlaceBarriersPass());
}

void registerPasses() {
  mlir::registerPass(createReplaceForeignOperationsPass);
  mlir::registerPass(createUseAssumptionsPass);
  mlir::registerPass(createCombinePass);
  mlir::registerPass(createDropDeadLoopValuesPass);
  mlir::registerPass(createUnrollLoopsPass);
  mlir::registerPass(createMergeLoadsPass);
  mlir::registerPass(createForwardStoresPass);
  mlir::registerPass(createMergeNeighboursPass);
  mlir::registerPass(createBranchForOneRoundPass);
  mlir::registerPass(createNestConditionsPass);
  mlir::registerPass(createHoistInvariantsPass);
  mlir::registerPass(createAdoptTensorMapsPass);
  mlir::registerPass(createMergeBranchLoadsPass);
  mlir::registerPass(createHoistConditionalLoadsPass);
  mlir::registerPass(createLiftDescriptorsPass);
  mlir::registerPass(createMakeTensorMapsPass);
  mlir::registerPass(createRewriteBlockPointersPass);
  mlir::registerPass(createSplitOverBlocksPass);
  mlir::registerPass(createOrderBlocksPass);
  mlir::registerPass(createMoveReshapesPass);
  mlir::registerPass(createReduceAxesTogetherPass);
  mlir::registerPass(createLoadIndicesAheadPass);
  mlir::registerPass(createLoadRepeatedOncePass);
  mlir::registerPass(createNarrowFactorsPass);
  mlir::registerPass([] { return createRewriteScaledProductsPass(); });
  mlir::registerPass([] { return createConvertToTTGPass(); });
  mlir::registerPass(createTurnProductsPass);
  mlir::registerPass([] { return createChooseMatrixInstructionsPass(); });
  mlir::registerPass([] { return createChooseThreadProductsPass(); });
  mlir::registerPass(createCoalescePass);
  mlir::registerPass(createGatherFromMemoryPass);
  mlir::registerPass(createAssignLayoutsPass);
  mlir::registerPass([] { return createRematerializeLayoutsPass(); });
  mlir::registerPass(createStartLoadsEarlyPass);
  mlir::registerPass(createMarkColumnLoadsPass);
  mlir::registerPass(createMarkLastLoadsPass);
  mlir::registerPass(createSinkPastLoopsPass);
  mlir::registerPass([] { return createStoreFactorsEarlyPass(); });
  mlir::registerPass(createShareComputedFactorsPass);
  mlir::registerPass(createStageGathersPass);
  mlir::registerPass(createReloadFactorsPass);
  mlir::registerPass(createJoinReductionsPass);
  mlir::registerPass(createReducePastLoopsPass);
  mlir::registerPass(createResetSumsPass);
  mlir::registerPass([] { return createPipelineLoadsPass(); });
  mlir::registerPass(createLowerTileAccessesPass);
  mlir::registerPass([] { return createConvertThroughBuffersPass(); });
  mlir::registerPass(createUnswizzleBuffersPass);
  mlir::registerPass(createExchangeWithoutBarriersPass);
  mlir::registerPass(createPlaceProductWaitsPass);
  mlir::registerPass(createAllocateGlobalScratchPass);
  mlir::registerPass(createAllocateSharedMemoryPass);
  mlir::registerPass(createPlaceBarriersPass);
  mlir::registerPass(createPrintAxisInfoPass);
  mlir::PassPipelineRegistration<>("nereid-tt-pipeline", "What every frontend's output goes through",
                                   addTTPasses);
  mlir::PassPipelineRegistration<>(
      "nereid-ttg-pipeline", "From tt to ttg for cuda:90 with 4 warps",
      [](mlir::OpPassManager &passes) { addTTGPasses(passes, Target{Backend::CUDA, "90", 32}, 4, 3); });
  mlir::PassPipelineRegistration<>(
      "nereid-ttg-pipeline-90a", "From tt to ttg for cuda:90a with 4 warps and tensor maps",
      [](mlir::OpPassManager &passes) {
        addTTGPasses(passes, Target{Backend::CUDA, "90a", 32}, 4, 3, TensorMapUse::All);
      });
}

} // namespace nereid
