// Starts the loads of a loop's later rounds before the products of the current one.
//
// A round that loads two tiles and multiplies them waits for global memory, then computes while memory is
// idle. Here the loads become asynchronous copies into a ring of buffers on chip, started `num_stages` - 1
// rounds ahead:
//
//     %buffers = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16, …>          for 3 stages
//     copies of rounds 0 and 1
//     scf.for … {
//       ttg.async_wait {num = 1}           this round's copies are there, the next one's may be under way
//       ttg.async_copy …                   for two rounds later, to the buffer that the last round has read
//       %a = ttg.local_load %buffers[round mod 3]
//       tt.dot %a, …
//     }
//     ttg.async_wait {num = 0}             so that other things may have the buffers' memory
//
// One group of copies is committed in each round, in the last ones an empty one, so that the number of groups
// under way is always the same. All threads have left the round before when the first copy of this one
// starts, by the barrier that makes the waited-for copies visible. There is no other.
//
// A warp group's product may still be reading its buffers when the next round begins, so that the matrix unit
// never stands still. PlaceProductWaits.cpp ends it in that round, behind the round's own products. There the
// copies are started, to the buffers that it has read, behind a barrier: the second one of the round. With
// one buffer more, the first barrier does. On an H200 that won up to a quarter for attention, but lost as
// much where fewer blocks found room, so it is done where none is lost. A loop with a single product gains
// nothing from that, but 5 % from copies that use the buffer to run a round further ahead. Where the round
// itself needs all of its products, the first barrier always does.
//
// A loop in a loop, as of a kernel whose programs take tile after tile, starts its first copies before the
// outer loop's round before has ended, if it can (OuterPipeline.cpp).
//
// What is moved ahead (LoopPipeline.cpp) are the copies and what they need: addresses, masks, counters.
// MLIR's loop pipeliner does the moving (scf::pipelineForLoop): it makes the rounds before the loop, carries
// what later stages need, and masks off the copies of rounds that there are not.
//
// Addresses that are loaded themselves (the tokens of an expert, the pages of a cache) are loaded one round
// before the copies that they are for, so that a round does not wait for them. For 3 stages:
//
//     round          0          1          2          3
//     addresses      of 3       of 4       of 5       of 6
//     copies         2          3          4          5
//     product        0          1          2          3
//
// Small loads that go to no ring, such as a number or a row for each round, are made one round ahead, too,
// and stay in registers. Without a ring that is done for recurrences, each round of which multiplies what the
// last one has computed, as a step of a recurrent network does: nothing else hides how long its input takes.
//
// Tiles that the hardware copies by a tensor map (LiftDescriptors.cpp) need no group and no barrier of the
// block to arrive. Each buffer has an mbarrier, which counts the bytes of all tiles of its round, and on
// which each thread waits at the beginning of the round. The barrier's phase is the number of times that the
// ring has gone round, modulo 2:
//
//     scf.for … {
//       ttng.wait_barrier %barriers[round mod 3], %phase
//       ttng.warp_group_dot %buffers[round mod 3], …
//       ttg.local_barrier                       all threads are done with the buffer and its phase
//       ttng.barrier_expect %barriers[…], 32768
//       ttng.async_tma_copy_global_to_local …   for two rounds later
//     }
//
// Where a loop asks for it, or where it pays, the copies of tiles go to a warp of their own instead
// (LoopSpecialization.cpp).
//
// A load takes part if a product is computed from it, or if the loop itself says how many rounds are under
// way (tl.range); if its addresses allow copies of 4 bytes or more, which is the least that the hardware
// does, and nothing in the loop may write what it reads. Products read the buffers themselves where nothing
// or a transposition lies between; everything else that needs what was loaded reads it back, in the threads
// that would have made the load.
//
// A copy leaves zeros where its mask is off. What a load has there instead, such as minus infinity for a
// bias, is put in where the buffer is read, by the mask computed once more:
//
//     %x = tt.load %p, (%offsets < %n), -inf   →   %y = tt.load %p, (%offsets < %n)          becomes a copy
//                                                  %x = select (%offsets < %n), %y, -inf
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/AccessWidth.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LateProducts.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopPipeline.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/LoopSchedule.h"
#include "compiler/transforms/OuterPipeline.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlainMemory.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/RingSizes.h"
#include "compiler/transforms/RoundsAhead.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct PipelineLoads : mlir::PassWrapper<PipelineLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelineLoads)

  PipelineLoads() = default;
  PipelineLoads(const PipelineLoads &other) : PassWrapper(other) {}
  PipelineLoads(const Target &aTarget, unsigned aNumStages, std::optional<bool> aSpecializes, FormUse aForm) {
    target = aTarget.str();
    numStages = aNumStages;
    form = aForm;
    if (aSpecializes)
      specializes = *aSpecializes ? "always" : "never";
  }

  llvm::StringRef getArgument() const final { return "nereid-ttg-pipeline-loads"; }
  llvm::StringRef getDescription() const final { return "Start loads for products some rounds ahead"; }
  void runOnOperation() final;

private:
  bool specialize(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> found, unsigned stages,
                  const Target &on, const PointerRootAnalysis &roots,
                  llvm::SmallVectorImpl<mlir::scf::ForOp> &loops);

  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
  Option<unsigned> numStages{
      *this, "num-stages", llvm::cl::desc("Rounds of a loop that are under way together"), llvm::cl::init(3)};
  Option<std::string> specializes{
      *this, "warp-specialize",
      llvm::cl::desc("Where copies get a warp of their own: pays (loops that ask for it, and those where it "
                     "is known to pay), always (wherever it can be), never"),
      llvm::cl::init("pays")};
  Option<FormUse> form{
      *this, "form", llvm::cl::desc("For which grids"), llvm::cl::init(FormUse::Other),
      llvm::cl::values(clEnumValN(FormUse::Other, "first", "Save memory where few warps find room otherwise"),
                       clEnumValN(FormUse::FewPrograms, "few-programs",
                                  "All programs find room at a time: save no memory for the sake of others"),
                       clEnumValN(FormUse::FewerTurns, "fewer-turns",
                                  "Save memory wherever more programs find room by that"))};
};

/// For what products do not read themselves. Tiles may still be read as fragments, to compute factors.
mlir::Attribute getReadLayout(RankedTensorType type) {
  auto blocked = mlir::cast<ttg::BlockedEncodingAttr>(type.getEncoding());
  if (type.getRank() == 2)
    return chooseFactorMemory(type, blocked.getOrder());
  return getPlainLayout(type.getContext(), blocked.getOrder());
}

/// The layout that products which read memory want their operand to have there: those of warp groups, and of
/// threads.
mlir::Attribute getOperandLayout(Operation *load) {
  mlir::Attribute layout;
  for (Operation *user : load->getUsers()) {
    auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
    if (!alloc)
      continue;
    bool isGatheredFrom = llvm::any_of(alloc->getUsers(), llvm::IsaPred<ttg::LocalGatherOp>);
    if (!isInRound(alloc, load->getBlock()) || alloc.getType().getMutableMemory() || isGatheredFrom)
      return {};
    mlir::Attribute wanted = alloc.getType().getEncoding();
    if (layout && wanted != layout)
      return {};
    layout = wanted;
  }
  return layout;
}

/// Whether products read the buffers of a load themselves. Others that need what was loaded read it back.
bool feedsProductsDirectly(Operation *load) {
  return getOperandLayout(load) || llvm::any_of(load->getUsers(), [&](Operation *user) {
           return makesFragments(user, load->getBlock()) || makesTransposedFragments(user, load->getBlock());
         });
}

/// Whether a product of the same round is computed from what is loaded, be it by way of what is loaded at
/// addresses that are computed from it.
bool feedsProduct(tt::LoadOp load) {
  mlir::ForwardSliceOptions options;
  options.filter = [&](Operation *op) { return load->getBlock()->findAncestorOpInBlock(*op) != nullptr; };
  llvm::SetVector<Operation *> users;
  mlir::getForwardSlice(load.getOperation(), &users, options);
  return llvm::any_of(users, [&](Operation *user) {
    if (auto dot = mlir::dyn_cast<tt::DotOp>(user))
      return mlir::isa<ttg::NvidiaMmaEncodingAttr>(dot.getType().getEncoding());
    return mlir::isa<ttng::WarpGroupDotOp, ttg::LocalDotOp>(user);
  });
}

/// Whether the loop itself says how many rounds are under way together (tl.range). Then that is meant for all
/// that it loads, also where it multiplies nothing.
bool asksForStages(mlir::scf::ForOp loop) { return loop->hasAttr("tt.num_stages"); }

/// A tile that the hardware copies. It goes into memory as its descriptor says, whoever reads it.
std::optional<PipelinedLoad> asPipelinedTile(mlir::scf::ForOp loop, tt::DescriptorLoadOp load,
                                             const PointerRootAnalysis &roots) {
  if (!isTensorMap(load.getDesc()) || load->use_empty() ||
      mayReadWhatIsWritten(loop, getTensorMapBase(load.getDesc()), roots))
    return std::nullopt;
  mlir::Attribute memory = getTileMemory(load.getDesc().getType()).getEncoding(),
                  wanted = getOperandLayout(load);
  return PipelinedLoad{load, memory, wanted ? wanted == memory : feedsProductsDirectly(load)};
}

/// Whether all fragments of a loaded tile have their neighbours along the other axis than the tile has.
bool readsFragmentsAcross(tt::LoadOp load) {
  RankedTensorType type = mlir::cast<RankedTensorType>(load.getType());
  if (type.getRank() != 2)
    return false;
  unsigned contiguous = mlir::cast<ttg::BlockedEncodingAttr>(type.getEncoding()).getOrder()[0];
  auto isAcross = [&](Operation *user, unsigned axis) {
    if (!makesFragments(user, load->getBlock()))
      return false;
    auto layout = mlir::cast<ttg::DotOperandEncodingAttr>(getLayout(user->getResult(0)));
    unsigned summed = layout.getOpIdx() == 0 ? 1 : 0;
    return summed != axis;
  };
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    return makesTransposedFragments(user, load->getBlock())
               ? llvm::all_of(user->getUsers(), [&](Operation *of) { return isAcross(of, 1 - contiguous); })
               : isAcross(user, contiguous);
  });
}

bool hasZerosElsewhere(tt::LoadOp load) { return !load.getOther() || isZero(load.getOther()); }

/// The operations of the round that the load's mask is computed by; nothing if some can't be done twice.
std::optional<llvm::SetVector<Operation *>> findMaskOperations(tt::LoadOp load) {
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return op->getBlock() == load->getBlock(); };
  llvm::SetVector<Operation *> operations;
  if (mlir::failed(mlir::getBackwardSlice(load.getMask(), &operations, options)) ||
      !llvm::all_of(operations, [](Operation *op) { return op->getNumRegions() == 0 && mlir::isPure(op); }))
    return std::nullopt;
  return mlir::topologicalSort(operations);
}

/// Lets the load leave zeros, and puts in its other value by a mask of its own.
mlir::arith::SelectOp putInOther(tt::LoadOp load) {
  OpBuilder builder(load.getContext());
  builder.setInsertionPointAfter(load);
  mlir::IRMapping copies;
  std::optional<llvm::SetVector<Operation *>> operations = findMaskOperations(load);
  for (Operation *op : *operations)
    builder.clone(*op, copies);
  auto select = mlir::arith::SelectOp::create(builder, load.getLoc(), copies.lookupOrDefault(load.getMask()),
                                              load.getResult(), load.getOther());
  load.getResult().replaceAllUsesExcept(select, select);
  load.getOtherMutable().clear();
  return select;
}

/// What putInOther has done, undone.
void takeOtherBack(mlir::arith::SelectOp select) {
  auto load = select.getTrueValue().getDefiningOp<tt::LoadOp>();
  load.getOtherMutable().assign(select.getFalseValue());
  select.getResult().replaceAllUsesWith(load.getResult());
  select.erase();
}

/// Whether each element is at an address of its own that the round has loaded, as in a table of the numbers
/// that codes stand for. Such a table is in the first cache, and by a copy for each element, behind the codes
/// that it waits for, turboquant's prefill kernel took 1177 us on an H200 in place of 531.
bool looksUpElements(mlir::scf::ForOp loop, tt::LoadOp load) {
  int64_t elements = mlir::cast<RankedTensorType>(load.getType()).getNumElements();
  return llvm::any_of(getSources(loop, load), [&](Operation *op) {
    auto type = mlir::isa<tt::LoadOp>(op) ? mlir::dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                          : RankedTensorType();
    return type && type.getNumElements() == elements;
  });
}

std::optional<PipelinedLoad> asPipelined(mlir::scf::ForOp loop, tt::LoadOp load, const AxisInfoAnalysis &axes,
                                         const PointerRootAnalysis &roots) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  if (!type || load->use_empty() || load.getIsVolatile() || !(feedsProduct(load) || asksForStages(loop)) ||
      !mlir::isa<ttg::BlockedEncodingAttr>(type.getEncoding()) ||
      (!hasZerosElsewhere(load) && ((isSmall(load) && !asksForStages(loop)) || !findMaskOperations(load))) ||
      mayReadWhatIsWritten(loop, load.getPtr(), roots))
    return std::nullopt;
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  // A select stands between what is copied and the product otherwise.
  bool isFactor = hasZerosElsewhere(load), isDirect = isFactor && feedsProductsDirectly(load);
  mlir::Attribute memory = isFactor ? getOperandLayout(load) : mlir::Attribute();
  if (!memory)
    memory =
        isDirect
            ? chooseFactorMemory(type, mlir::cast<ttg::BlockedEncodingAttr>(type.getEncoding()).getOrder(),
                                 readsFragmentsAcross(load))
            : getReadLayout(type);
  // Neighbours that a thread loads are not always neighbours in the buffer.
  auto buffer = ttg::MemDescType::get(type.getShape(), type.getElementType(), memory,
                                      ttg::SharedMemorySpaceAttr::get(type.getContext()));
  LinearLayout offsets = ttg::toLinearLayout(type).compose(ttg::toSharedLayout(buffer).invert());
  constexpr unsigned leastBytes = 4;
  // Of one copy, in elements.
  unsigned width = std::min(offsets.getNumConsecutive(Dim::Register, Dim::Offset),
                            getAccessElements(axes, load.getPtr(), load.getMask()));
  if (width * elementBytes < leastBytes || (width == 1 && looksUpElements(loop, load)))
    return std::nullopt;
  return PipelinedLoad{load, memory, isDirect};
}

/// Leaves the loads whose addresses can be known rounds before. What others' addresses are loaded with gets
/// no ring of its own.
void keepLoadsThatCanRunAhead(mlir::scf::ForOp loop, llvm::SmallVectorImpl<PipelinedLoad> &loads,
                              const PointerRootAnalysis &roots) {
  llvm::DenseSet<Operation *> inProducts;
  for (const PipelinedLoad &pipelined : loads)
    if (pipelined.isDirect)
      inProducts.insert(pipelined.load);
  llvm::erase_if(loads, [&](const PipelinedLoad &pipelined) {
    return llvm::any_of(getSources(loop, pipelined.load), [&](Operation *op) {
      return !mayRunAhead(loop, op, roots) || inProducts.contains(op) ||
             (mlir::isa<tt::LoadOp>(op) && getSources(loop, op).contains(op));
    });
  });
  llvm::SetVector<Operation *> sources;
  for (const PipelinedLoad &pipelined : loads)
    sources.insert_range(getSources(loop, pipelined.load));
  llvm::erase_if(loads, [&](const PipelinedLoad &pipelined) { return sources.contains(pipelined.load); });
}

/// The loads of the loop that a ring could be for.
llvm::SmallVector<PipelinedLoad> findPipelined(mlir::scf::ForOp loop, const AxisInfoAnalysis &axes,
                                               const PointerRootAnalysis &roots) {
  llvm::SmallVector<PipelinedLoad> found;
  for (Operation &op : *loop.getBody()) {
    std::optional<PipelinedLoad> pipelined;
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      pipelined = asPipelined(loop, load, axes, roots);
    else if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(op))
      pipelined = asPipelinedTile(loop, load, roots);
    if (pipelined)
      found.push_back(*pipelined);
  }
  if (!found.empty()) {
    yieldNoArguments(loop);
    keepLoadsThatCanRunAhead(loop, found, roots);
  }
  return found;
}

/// The other loads of the loop that can be made a round ahead and take few registers until then.
llvm::SmallVector<Operation *> findSmallLoads(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> rings,
                                              const PointerRootAnalysis &roots) {
  llvm::SetVector<Operation *> taken; // by rings, for themselves and their addresses
  for (const PipelinedLoad &pipelined : rings) {
    taken.insert(pipelined.load);
    taken.insert_range(getSources(loop, pipelined.load));
  }
  auto canBeKnown = [&](Operation *source) {
    return !taken.contains(source) || !mlir::isa<tt::LoadOp>(source);
  };
  llvm::SmallVector<Operation *> small;
  for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
    if (!taken.contains(load) && isSmall(load) && mayRunAhead(loop, load, roots) &&
        llvm::all_of(getSources(loop, load), [&](Operation *source) {
          return canBeKnown(source) && mlir::isPure(source) && source->getNumRegions() == 0 &&
                 !mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(source);
        }))
      small.push_back(load);
  }
  return small;
}

/// Whether the round multiplies what a product of the round before has led to, as each step of a recurrent
/// network does with the state that the last one has left. Then no round can begin before.
bool isRecurrence(mlir::scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [&](Operation &op) {
    return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(op) &&
           getSources(loop, op.getOperands().take_front(2)).contains(&op);
  });
}

/// Makes what a recurrence without rings loads, such as a step's input, a round ahead: flashrnn's
/// _forward_sequence_kernel 579 to 436 us on an H200. Elsewhere other rounds' work hides how long loads take,
/// and registers are worth more. It takes no memory on chip, so a kernel of one stage has it, too, if the
/// loop itself does not ask for one. Fails where MLIR's pipeliner does.
mlir::LogicalResult loadStepsAhead(mlir::scf::ForOp loop, const PointerRootAnalysis &roots) {
  constexpr unsigned mostWords = 24;
  if (loop.getUnsignedCmp() || !isRecurrence(loop))
    return mlir::success();
  llvm::SetVector<Operation *> ahead;
  unsigned bits = 0;
  for (Operation *load : findSmallLoads(loop, /*rings=*/{}, roots)) {
    llvm::SetVector<Operation *> sources = getSources(loop, load);
    // What every round loads anew has no place in registers (ReloadFactors.cpp).
    if (sources.empty())
      continue;
    bits += countLoadedBits(mlir::cast<tt::LoadOp>(load));
    ahead.insert(load);
    ahead.insert_range(sources);
  }
  if (ahead.empty() || bits > 32 * mostWords)
    return mlir::success();
  yieldNoArguments(loop);
  LoopSchedule schedule;
  for (unsigned stage : {0u, 1u})
    for (Operation &op : loop.getBody()->without_terminator())
      if (ahead.contains(&op) == (stage == 0))
        schedule.push_back({&op, stage});
  return runSchedule(loop, schedule);
}

/// The number of stages that the loop itself asks for (tl.range), or the kernel's; but no more than it has
/// rounds, if that is known: a third buffer in a loop over two halves of a row would stay empty.
unsigned getNumStages(mlir::scf::ForOp loop, unsigned otherwise) {
  auto wanted = loop->getAttrOfType<mlir::IntegerAttr>("tt.num_stages");
  unsigned stages = wanted ? wanted.getInt() : otherwise;
  std::optional<llvm::APInt> rounds = loop.getStaticTripCount();
  return rounds ? rounds->getLimitedValue(stages) : stages;
}

/// The loop around this one, if this one's first copies can start while a round of it ends: if the round does
/// not write what they copy, and no other loop in it needs buffers.
mlir::scf::ForOp findOuter(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads,
                           const PointerRootAnalysis &roots) {
  auto outer = mlir::dyn_cast<mlir::scf::ForOp>(loop->getParentOp());
  if (!outer || !canStartEarlier(outer, loop, loads))
    return {};
  for (const PipelinedLoad &pipelined : loads) {
    auto tile = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load);
    if (tile && isOrderedTensorMap(tile.getDesc()))
      return {};
    Value pointer = tile ? getTensorMapBase(tile.getDesc()) : mlir::cast<tt::LoadOp>(pipelined.load).getPtr();
    if (mayReadWhatIsWritten(outer, pointer, roots))
      return {};
  }
  // Loads that threads copy may be those of the outer loop's own products, which then have a ring.
  bool areTiles = llvm::all_of(loads, std::mem_fn(&PipelinedLoad::isTile));
  bool hasOtherProducts = outer
                              ->walk([&](Operation *op) {
                                bool isProduct =
                                    mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(op);
                                return isProduct && !loop->isAncestor(op) ? mlir::WalkResult::interrupt()
                                                                          : mlir::WalkResult::advance();
                              })
                              .wasInterrupted();
  if (!areTiles && hasOtherProducts)
    return {};
  bool hasOtherLoops = outer
                           ->walk([&](mlir::LoopLikeOpInterface other) {
                             return other == outer || other == loop || loop->isAncestor(other)
                                        ? mlir::WalkResult::advance()
                                        : mlir::WalkResult::interrupt();
                           })
                           .wasInterrupted();
  return hasOtherLoops ? mlir::scf::ForOp() : outer;
}

/// Whether the loop, or one around it, asks for warps that do different things (tl.range).
bool asksForSpecialization(mlir::scf::ForOp loop) {
  for (; loop; loop = mlir::dyn_cast<mlir::scf::ForOp>(loop->getParentOp()))
    if (loop->hasAttr("tt.warp_specialize"))
      return true;
  return false;
}

/// Whether a product of warp groups takes what threads have made in this round of the result of another one,
/// as attention's second product takes the softmax of the first.
bool computesBetweenProducts(mlir::scf::ForOp loop) {
  auto isProduct = [](Operation *op) { return mlir::isa<ttng::WarpGroupDotOp>(op); };
  return llvm::any_of(loop.getBody()->getOps<ttng::WarpGroupDotOp>(), [&](ttng::WarpGroupDotOp product) {
    Operation *factor = product.getA().getDefiningOp();
    return mlir::isa<RankedTensorType>(product.getA().getType()) && factor &&
           llvm::any_of(getSources(loop, factor), isProduct);
  });
}

/// Whether a warp of its own for the copies is sure to pay. It does for groups of warps that compute between
/// their products: no barrier holds them together any more, so that they drift apart until one multiplies
/// while the other computes. That takes two groups, and no fewer blocks in a multiprocessor than without the
/// warp. On an H200, attention by 8 warps over 128 queries, in TFLOP/s:
///
///     head, keys of a round   128, 128    128, 64    64, 128    64, 64
///     plain                      561        502        440        463 (2 blocks)
///     specialized                611        531        462        384 (1 block)
bool paysToSpecialize(mlir::scf::ForOp loop, mlir::scf::ForOp around, llvm::ArrayRef<PipelinedLoad> loads,
                      Rings rings, const std::optional<RegistersBesideProducer> &registers,
                      const Target &target) {
  constexpr unsigned twoGroups = 8;
  return registers && ttg::getNumWarps(loop) >= twoGroups && computesBetweenProducts(loop) &&
         registers->blocks >= countBlocks(loop, around, loads, rings, target);
}

/// Hands the loop's copies to a warp of their own, where that is wanted and possible.
bool PipelineLoads::specialize(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> found, unsigned stages,
                               const Target &on, const PointerRootAnalysis &roots,
                               llvm::SmallVectorImpl<mlir::scf::ForOp> &loops) {
  // A cluster's blocks meet with all of their threads, which such warps do not come to.
  if (specializes == "never" || ttg::getNumCTAs(loop) > 1)
    return false;
  llvm::SmallVector<PipelinedLoad> tiles(found);
  mlir::scf::ForOp outer = findOuter(loop, tiles, roots);
  if (!canSpecialize(loop, outer, tiles))
    return false;
  mlir::scf::ForOp around = outer ? outer : loop;
  Rings rings =
      outer ? chooseRingsAround(loop, outer, tiles, stages, on) : chooseRings(loop, tiles, stages, form, on);
  if (!rings.roundsAhead || tiles.size() != found.size())
    return false;
  auto lateProducts = findLateProducts(loop, tiles);
  if (!lateProducts.empty())
    addSpareBuffer(loop, around, tiles, on, rings);
  auto registers = chooseRegistersBesideProducer(loop, around, tiles, rings, producerRegisters, on);
  bool isWanted = specializes == "always" || asksForSpecialization(loop);
  if (!isWanted && !paysToSpecialize(loop, around, tiles, rings, registers, on))
    return false;
  for (ttng::WarpGroupDotOp product : lateProducts)
    product.setIsAsync(true);
  if (outer) // it will be another operation
    llvm::erase(loops, outer);
  LoopPipeline(loop, outer, tiles, /*smallLoads=*/{}, rings)
      .specialize(registers ? std::optional(registers->own) : std::nullopt);
  return true;
}

/// Writes down under `name` what was chosen between this program's sake and others', and whether those may be
/// of very different lengths: the loop goes as far as something says that is loaded, as the lengths of packed
/// sequences are.
void noteRings(mlir::scf::ForOp loop, llvm::StringRef name) {
  llvm::SetVector<Operation *> sources;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
    if (mlir::failed(mlir::getBackwardSlice(bound, &sources, options)))
      return;
  bool isUneven = llvm::any_of(sources, [](Operation *op) { return mlir::isa<tt::LoadOp>(op); });
  auto module = loop->getParentOfType<mlir::ModuleOp>();
  if (auto known = module->getAttrOfType<mlir::BoolAttr>(name))
    isUneven |= known.getValue();
  module->setAttr(name, mlir::BoolAttr::get(loop.getContext(), isUneven));
}

void PipelineLoads::runOnOperation() {
  llvm::Expected<Target> parsed = Target::parse(target);
  if (!parsed) {
    getOperation().emitError(llvm::toString(parsed.takeError()));
    return signalPassFailure();
  }
  // Only there do copies go on in the background.
  if (parsed->backend != Backend::CUDA || parsed->getComputeCapability() < 80)
    return;
  auto fail = [&] {
    getOperation().emitError("internal compiler error: a loop's loads could not be started ahead");
    signalPassFailure();
  };
  AxisInfoAnalysis axes(getOperation());
  PointerRootAnalysis roots(getOperation());
  llvm::SmallVector<mlir::scf::ForOp> loops;
  getOperation().walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  for (size_t i = 0; i != loops.size(); ++i) { // fewer become of them
    mlir::scf::ForOp loop = loops[i];
    unsigned stages = getNumStages(loop, numStages);
    if (stages < 2 && loop->hasAttr("tt.num_stages"))
      continue;
    llvm::SmallVector<PipelinedLoad> found;
    if (stages >= 2)
      found = findPipelined(loop, axes, roots);
    if (found.empty()) {
      if (mlir::failed(loadStepsAhead(loop, roots)))
        return fail();
      continue;
    }
    if (specialize(loop, found, stages, *parsed, roots, loops))
      continue;
    if (loop.getUnsignedCmp()) // which MLIR's pipeliner does not take
      continue;
    llvm::SmallVector<mlir::arith::SelectOp> others;
    for (const PipelinedLoad &pipelined : found)
      if (auto load = mlir::dyn_cast<tt::LoadOp>(pipelined.load); load && !hasZerosElsewhere(load))
        others.push_back(putInOther(load));
    Rings rings = chooseRings(loop, found, stages, form, *parsed);
    auto hasRing = [&](Value loaded) {
      return rings.roundsAhead && llvm::any_of(found, [&](const PipelinedLoad &pipelined) {
               return pipelined.getResult() == loaded;
             });
    };
    for (mlir::arith::SelectOp other : others)
      if (!hasRing(other.getTrueValue()))
        takeOtherBack(other);
    if (!rings.roundsAhead)
      continue;
    if (rings.isShortForBlocks)
      noteRings(loop, ttg::shortRingsName);
    if (rings.couldBeShorter)
      noteRings(loop, ttg::longRingsName);
    auto lateProducts = findLateProducts(loop, found);
    for (ttng::WarpGroupDotOp product : lateProducts)
      product.setIsAsync(true);
    mlir::scf::ForOp outer = findOuter(loop, found, roots);
    std::optional<Rings> lasting;
    if (outer)
      lasting = chooseLastingRings(loop, outer, found, stages, rings, !lateProducts.empty(), *parsed);
    if (!lateProducts.empty())
      addSpareBuffer(loop, loop, found, *parsed, rings);
    if (lasting)
      rings = *lasting;
    else
      outer = {};
    if (!outer)
      shortenRings(loop, found, *parsed, rings);
    llvm::SmallVector<Operation *> smallLoads = findSmallLoads(loop, found, roots);
    if (outer) // it will be another operation
      llvm::erase(loops, outer);
    if (mlir::failed(LoopPipeline(loop, outer, found, smallLoads, rings).run()))
      return fail();
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createPipelineLoadsPass() { return std::make_unique<PipelineLoads>(); }

std::unique_ptr<mlir::Pass> createPipelineLoadsPass(const Target &target, unsigned numStages,
                                                    std::optional<bool> specializes, FormUse form) {
  return std::make_unique<PipelineLoads>(target, numStages, specializes, form);
}

} // namespace nereid
