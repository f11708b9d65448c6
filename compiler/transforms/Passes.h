// The passes on tt and ttg IR, a file each in this folder, and the pipelines that targets put together from
// them.
#ifndef NEREID_COMPILER_TRANSFORMS_PASSES_H
#define NEREID_COMPILER_TRANSFORMS_PASSES_H

#include "compiler/model/FormUse.h"
#include "compiler/model/Target.h"

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
} // namespace mlir

namespace nereid {

/// What every frontend's output goes through, whatever the target: inlining, combining, canonical forms,
/// hoisting.
void addTTPasses(mlir::OpPassManager &passes);

/// For which tensor descriptors the GPU's own unit copies tiles, where it has one: for none; for those that
/// the launch can make (LiftDescriptors.cpp); also for others, which programs make (MakeTensorMaps.cpp).
enum class TensorMapUse { None, OfLaunch, All };

/// From tt IR to ttg IR that a GPU lowering takes: layouts chosen, accesses coalesced, conversions removed
/// where they can be, scratch memory allocated (attributes `allocation.offset` on operations, `ttg.shared` on
/// the module) and barriers placed.
/// `specializesWarps`: give copies of tiles a warp of their own wherever that can be, or nowhere; without a
/// word, in loops that ask for it (LoopSpecialization.cpp).
/// `form`: for which grids, which decides how much memory a program takes for itself (RingSizes.cpp).
void addTTGPasses(mlir::OpPassManager &passes, const Target &target, unsigned numWarps, unsigned numStages,
                  TensorMapUse tensorMaps = TensorMapUse::None,
                  std::optional<bool> specializesWarps = std::nullopt, FormUse form = FormUse::Other);

/// The last of these passes alone, for ttg IR whose layouts, waits and buffers are all there: upstream's own.
void addPlacementPasses(mlir::OpPassManager &passes);

/// Makes every pass known to nereid-opt by name.
void registerPasses();

// The passes themselves, all on modules. Each file says what its pass does.
std::unique_ptr<mlir::Pass> createUseAssumptionsPass();
std::unique_ptr<mlir::Pass> createCombinePass();
std::unique_ptr<mlir::Pass> createDropDeadLoopValuesPass();
std::unique_ptr<mlir::Pass> createBranchForOneRoundPass();
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();
std::unique_ptr<mlir::Pass> createNestConditionsPass();
std::unique_ptr<mlir::Pass> createMergeLoadsPass();
std::unique_ptr<mlir::Pass> createForwardStoresPass();
std::unique_ptr<mlir::Pass> createMergeNeighboursPass();
std::unique_ptr<mlir::Pass> createHoistInvariantsPass();
std::unique_ptr<mlir::Pass> createReplaceForeignOperationsPass();
std::unique_ptr<mlir::Pass> createAdoptTensorMapsPass();
std::unique_ptr<mlir::Pass> createMergeBranchLoadsPass();
std::unique_ptr<mlir::Pass> createHoistConditionalLoadsPass();
std::unique_ptr<mlir::Pass> createLiftDescriptorsPass();
std::unique_ptr<mlir::Pass> createMakeTensorMapsPass();
std::unique_ptr<mlir::Pass> createRewriteBlockPointersPass();
std::unique_ptr<mlir::Pass> createSplitOverBlocksPass();
std::unique_ptr<mlir::Pass> createOrderBlocksPass();
std::unique_ptr<mlir::Pass> createMoveReshapesPass();
std::unique_ptr<mlir::Pass> createReduceAxesTogetherPass();
std::unique_ptr<mlir::Pass> createLoadIndicesAheadPass();
std::unique_ptr<mlir::Pass> createLoadRepeatedOncePass();
std::unique_ptr<mlir::Pass> createNarrowFactorsPass();
std::unique_ptr<mlir::Pass> createRewriteScaledProductsPass();
std::unique_ptr<mlir::Pass> createRewriteScaledProductsPass(const Target &target);
std::unique_ptr<mlir::Pass> createConvertToTTGPass();
std::unique_ptr<mlir::Pass> createConvertToTTGPass(const Target &target, unsigned numWarps);
std::unique_ptr<mlir::Pass> createTurnProductsPass();
std::unique_ptr<mlir::Pass> createChooseMatrixInstructionsPass();
std::unique_ptr<mlir::Pass> createChooseMatrixInstructionsPass(const Target &target);
std::unique_ptr<mlir::Pass> createChooseThreadProductsPass();
std::unique_ptr<mlir::Pass> createChooseThreadProductsPass(const Target &target);
std::unique_ptr<mlir::Pass> createCoalescePass();
std::unique_ptr<mlir::Pass> createAssignLayoutsPass();
std::unique_ptr<mlir::Pass> createRematerializeLayoutsPass(bool beforePipelining = false);
std::unique_ptr<mlir::Pass> createStartLoadsEarlyPass();
std::unique_ptr<mlir::Pass> createMarkColumnLoadsPass();
std::unique_ptr<mlir::Pass> createMarkLastLoadsPass();
std::unique_ptr<mlir::Pass> createSinkPastLoopsPass();
std::unique_ptr<mlir::Pass> createGatherFromMemoryPass();
std::unique_ptr<mlir::Pass> createShareComputedFactorsPass();
std::unique_ptr<mlir::Pass> createStageGathersPass();
std::unique_ptr<mlir::Pass> createStoreFactorsEarlyPass();
std::unique_ptr<mlir::Pass> createStoreFactorsEarlyPass(const Target &target);
std::unique_ptr<mlir::Pass> createReloadFactorsPass();
std::unique_ptr<mlir::Pass> createJoinReductionsPass();
std::unique_ptr<mlir::Pass> createReducePastLoopsPass();
std::unique_ptr<mlir::Pass> createResetSumsPass();
std::unique_ptr<mlir::Pass> createPipelineLoadsPass();
std::unique_ptr<mlir::Pass> createPipelineLoadsPass(const Target &target, unsigned numStages,
                                                    std::optional<bool> specializesWarps,
                                                    FormUse form = FormUse::Other);
std::unique_ptr<mlir::Pass> createLowerTileAccessesPass();
std::unique_ptr<mlir::Pass> createConvertThroughBuffersPass();
std::unique_ptr<mlir::Pass> createConvertThroughBuffersPass(const Target &target);
std::unique_ptr<mlir::Pass> createUnswizzleBuffersPass();
std::unique_ptr<mlir::Pass> createExchangeWithoutBarriersPass();
std::unique_ptr<mlir::Pass> createPlaceProductWaitsPass();
std::unique_ptr<mlir::Pass> createAllocateGlobalScratchPass();
std::unique_ptr<mlir::Pass> createAllocateSharedMemoryPass();
std::unique_ptr<mlir::Pass> createPlaceBarriersPass();
std::unique_ptr<mlir::Pass> createPrintAxisInfoPass();

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_PASSES_H
