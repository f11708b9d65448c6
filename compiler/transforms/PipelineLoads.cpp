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
// much where fewer blocks found room, so it is done where none is lost.
//
// What is moved ahead are the copies and what they need: addresses, masks, counters. MLIR's loop pipeliner
// does the moving (scf::pipelineForLoop): it makes the rounds before the loop, carries what later stages
// need, and masks off the copies of rounds that there are not.
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
// and stay in registers.
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
// A load takes part if a product is computed from it, its mask fills in zeros or nothing, its addresses allow
// copies of 4 bytes or more, which is the least that the hardware does, and nothing in the loop may write
// what it reads. Products read the buffers themselves where nothing or a transposition lies between;
// everything else that needs what was loaded reads it back, in the threads that would have made the load.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/AccessWidth.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedBuffers.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
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
  PipelineLoads(const Target &aTarget, unsigned aNumStages) {
    target = aTarget.str();
    numStages = aNumStages;
  }

  llvm::StringRef getArgument() const final { return "nereid-ttg-pipeline-loads"; }
  llvm::StringRef getDescription() const final { return "Start loads for products some rounds ahead"; }
  void runOnOperation() final;

private:
  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
  Option<unsigned> numStages{
      *this, "num-stages", llvm::cl::desc("Rounds of a loop that are under way together"), llvm::cl::init(3)};
};

/// Of shared memory, for small scratch memory, which AllocateSharedMemory keeps apart.
constexpr unsigned spareBytes = 8192;

bool isZero(Value value) {
  llvm::APFloat number(0.0);
  llvm::APInt integer;
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) || mlir::matchPattern(value, mlir::m_Zero());
}

/// What a load becomes.
struct PipelinedLoad {
  /// A tt.load, or a tt.descriptor_load of a tensor map.
  Operation *load;
  /// The layout of the buffers.
  mlir::Attribute memory;
  /// Products read the buffers. Otherwise the threads read back what they have loaded, each its own elements.
  bool isDirect;

  bool isTile() const { return mlir::isa<tt::DescriptorLoadOp>(load); }
  Value getResult() const { return load->getResult(0); }
  unsigned getBytes() const {
    auto type = mlir::cast<RankedTensorType>(getResult().getType());
    return type.getNumElements() * getSharedElementBytes(tt::getElementBits(type.getElementType()));
  }
};

/// For what products do not read themselves. Tiles may still be read as fragments, to compute factors.
mlir::Attribute getPlainLayout(RankedTensorType type) {
  auto blocked = mlir::cast<ttg::BlockedEncodingAttr>(type.getEncoding());
  if (type.getRank() == 2)
    return chooseFactorMemory(type, blocked.getOrder());
  return ttg::SwizzledSharedEncodingAttr::get(type.getContext(), /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
                                              blocked.getOrder(), llvm::ArrayRef<int32_t>());
}

/// The layout that products which read memory want their operand to have there: those of warp groups, and of
/// threads.
mlir::Attribute getOperandLayout(Operation *load) {
  mlir::Attribute layout;
  for (Operation *user : load->getUsers()) {
    auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
    if (!alloc)
      continue;
    if (alloc->getBlock() != load->getBlock() || alloc.getType().getMutableMemory())
      return {};
    mlir::Attribute wanted = alloc.getType().getEncoding();
    if (layout && wanted != layout)
      return {};
    layout = wanted;
  }
  return layout;
}

/// Whether this makes matrix fragments of a value, in the same round. (Products whose threads take their
/// operands through scratch memory are left alone.)
bool makesFragments(Operation *op, mlir::Block *block) {
  auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op);
  auto layout = convert ? mlir::dyn_cast<ttg::DotOperandEncodingAttr>(convert.getType().getEncoding())
                        : ttg::DotOperandEncodingAttr();
  return layout && !isScalarProductOperand(layout) && convert->getBlock() == block;
}

/// The same of a transposition of two axes: its fragments are read from another view of the memory.
bool makesTransposedFragments(Operation *op, mlir::Block *block) {
  auto trans = mlir::dyn_cast<tt::TransOp>(op);
  return trans && trans.getOrder().size() == 2 && trans->getBlock() == block && !trans->use_empty() &&
         llvm::all_of(trans->getUsers(), [&](Operation *user) { return makesFragments(user, block); });
}

/// Whether products read the buffers of a load themselves. Others that need what was loaded read it back.
bool feedsProductsDirectly(Operation *load) {
  return getOperandLayout(load) || llvm::any_of(load->getUsers(), [&](Operation *user) {
           return makesFragments(user, load->getBlock()) || makesTransposedFragments(user, load->getBlock());
         });
}

/// Whether a product of the same round is computed from what is loaded.
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

/// Whether a round of the loop may write what a load from `pointer` reads in a later one: through the same
/// argument, or where an atomic operation's result tells that somebody else has written.
bool mayReadWhatIsWritten(mlir::scf::ForOp loop, Value pointer, const PointerRootAnalysis &roots) {
  PointerRoots read = roots.get(pointer);
  mlir::WalkResult result = loop->walk([&](Operation *op) {
    bool isAnswer = mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op) && !op->use_empty();
    if (isAnswer || mlir::isa<tt::CallOp>(op))
      return mlir::WalkResult::interrupt();
    if (!mayWriteGlobal(op))
      return mlir::WalkResult::advance();
    PointerRoots written = roots.getOfOperands(op);
    return written.empty() || written.meets(read) ? mlir::WalkResult::interrupt()
                                                  : mlir::WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether what this gives may be known rounds before it is needed: if it has no effects, or loads a few
/// numbers that nothing in the loop writes.
bool mayRunAhead(mlir::scf::ForOp loop, Operation *op, const PointerRootAnalysis &roots) {
  constexpr unsigned fewRegisters = 16;
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  if (!load)
    return mlir::isPure(op);
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  bool looksAtOthers = load.getIsVolatile() || load.getCache() == tt::CacheModifier::CV;
  return !looksAtOthers && !tt::isTensorPointerType(load.getPtr().getType()) &&
         (!type || ttg::toLinearLayout(type).getInSize(Dim::Register) <= fewRegisters) &&
         !mayReadWhatIsWritten(loop, load.getPtr(), roots);
}

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

std::optional<PipelinedLoad> asPipelined(mlir::scf::ForOp loop, tt::LoadOp load, const AxisInfoAnalysis &axes,
                                         const PointerRootAnalysis &roots) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  if (!type || load->use_empty() || load.getIsVolatile() || !feedsProduct(load) ||
      !mlir::isa<ttg::BlockedEncodingAttr>(type.getEncoding()) ||
      (load.getOther() && !isZero(load.getOther())) || mayReadWhatIsWritten(loop, load.getPtr(), roots))
    return std::nullopt;
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  bool isDirect = feedsProductsDirectly(load);
  mlir::Attribute memory = getOperandLayout(load);
  if (!memory)
    memory =
        isDirect
            ? chooseFactorMemory(type, mlir::cast<ttg::BlockedEncodingAttr>(type.getEncoding()).getOrder())
            : getPlainLayout(type);
  // Neighbours that a thread loads are not always neighbours in the buffer.
  auto buffer = ttg::MemDescType::get(type.getShape(), type.getElementType(), memory,
                                      ttg::SharedMemorySpaceAttr::get(type.getContext()));
  LinearLayout offsets = ttg::toLinearLayout(type).compose(ttg::toSharedLayout(buffer).invert());
  constexpr unsigned leastBytes = 4;
  // Of one copy, in elements.
  unsigned width = std::min(offsets.getNumConsecutive(Dim::Register, Dim::Offset),
                            getAccessElements(axes, load.getPtr(), load.getMask()));
  if (width * elementBytes < leastBytes)
    return std::nullopt;
  return PipelinedLoad{load, memory, isDirect};
}

/// All operations of the loop's body that values are computed from, round after round: through the loop's
/// arguments to what the round before yields.
void collectSources(mlir::scf::ForOp loop, Value value, llvm::SetVector<Operation *> &sources) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      value = loop.getTiedLoopYieldedValue(argument)->get();
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !sources.insert(op))
    return;
  // What branches and the like take from around them, too.
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion()->isAncestor(loop.getBody()->getParent()))
        collectSources(loop, operand, sources);
  });
}

/// The loop's operations that an operation of it is computed from, itself included only where it leads back
/// to itself.
llvm::SetVector<Operation *> getSources(mlir::scf::ForOp loop, Operation *op) {
  llvm::SetVector<Operation *> sources;
  for (Value operand : op->getOperands())
    collectSources(loop, operand, sources);
  return sources;
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

/// The other loads of the loop that can be made a round ahead and take few registers until then.
llvm::SmallVector<Operation *> findSmallLoads(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> rings,
                                              const PointerRootAnalysis &roots) {
  constexpr unsigned mostWords = 4;
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
    unsigned bits = tt::getElementBits(load.getType());
    if (auto type = mlir::dyn_cast<RankedTensorType>(load.getType()))
      bits *= ttg::toLinearLayout(type).getInSize(Dim::Register);
    if (!taken.contains(load) && bits <= 32 * mostWords && mayRunAhead(loop, load, roots) &&
        llvm::all_of(getSources(loop, load), [&](Operation *source) {
          return canBeKnown(source) && mlir::isPure(source) && source->getNumRegions() == 0 &&
                 !mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(source);
        }))
      small.push_back(load);
  }
  return small;
}

/// How many loads, one after another, the result of this one takes.
unsigned countLoadsUpTo(mlir::scf::ForOp loop, Operation *load) {
  unsigned count = 0;
  for (Operation *op : getSources(loop, load))
    if (mlir::isa<tt::LoadOp>(op))
      count = std::max(count, countLoadsUpTo(loop, op));
  return count + 1;
}

/// Lets the loop yield no argument of its own, which MLIR's loop pipeliner can't take: what is handed on from
/// one variable to another gets an operation, which canonicalization drops again.
void yieldNoArguments(mlir::scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(yield);
  for (mlir::OpOperand &operand : yield->getOpOperands())
    if (mlir::isa<mlir::BlockArgument>(operand.get()))
      operand.set(mlir::UnrealizedConversionCastOp::create(builder, loop.getLoc(), operand.get().getType(),
                                                           operand.get())
                      .getResult(0));
}

/// The memory that a view shows.
Value withoutTranspositions(Value memory) {
  while (auto trans = memory.getDefiningOp<ttg::MemDescTransOp>())
    memory = trans.getSrc();
  return memory;
}

/// Whether what a product reads out of registers is left alone until it is done, though it ends in the next
/// round: it comes from outside the loop, or is computed from another product of its round. Waiting for that
/// one means waiting for all older ones, and only then do new values come.
bool staysInRegisters(mlir::scf::ForOp loop, Value factor) {
  if (loop.isDefinedOutsideOfLoop(factor))
    return true;
  llvm::SetVector<Operation *> sources;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  (void)mlir::getBackwardSlice(factor, &sources, options);
  return llvm::any_of(sources, [&](Operation *op) {
    return mlir::isa<ttng::WarpGroupDotOp>(op) && op->getBlock() == loop.getBody();
  });
}

/// The products of the loop that nothing in their round needs, with operands that stay where they are during
/// the next round: in rings, in memory from outside the loop, or in registers.
llvm::SmallVector<ttng::WarpGroupDotOp> findLateProducts(mlir::scf::ForOp loop,
                                                         llvm::ArrayRef<PipelinedLoad> loads) {
  auto stays = [&](Value operand) {
    if (!mlir::isa<ttg::MemDescType>(operand.getType()))
      return staysInRegisters(loop, operand);
    auto alloc = withoutTranspositions(operand).getDefiningOp<ttg::LocalAllocOp>();
    return alloc && (loop.isDefinedOutsideOfLoop(alloc.getResult()) ||
                     llvm::any_of(loads, [&](const PipelinedLoad &pipelined) {
                       return pipelined.isDirect && alloc.getSrc() == pipelined.getResult();
                     }));
  };
  llvm::SmallVector<ttng::WarpGroupDotOp> products;
  for (auto product : loop.getBody()->getOps<ttng::WarpGroupDotOp>())
    if (llvm::all_of(product->getUsers(), llvm::IsaPred<mlir::scf::YieldOp>) && stays(product.getA()) &&
        stays(product.getB()) && !product.addsInParts())
      products.push_back(product);
  return products;
}

/// How far copies run ahead, and how many buffers a ring has for that: as many as rounds, one more, or two.
struct Rings {
  unsigned roundsAhead = 0, numBuffers = 0;
};

class LoopPipeline {
public:
  LoopPipeline(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads,
               llvm::ArrayRef<Operation *> smallLoads, Rings size)
      : loop(loop), loads(loads), smallLoads(smallLoads), roundsAhead(size.roundsAhead),
        numBuffers(size.numBuffers) {}
  /// Fails where MLIR's pipeliner does, with the loop half done.
  mlir::LogicalResult run();

private:
  void addCounters();
  Value makeBuffers(const PipelinedLoad &pipelined);
  void makeBarriers();
  /// One of a ring's buffers.
  static Value getBuffer(OpBuilder &builder, Value ring, Value number);
  void copyTiles();
  void copyElements();
  void replaceLoads();
  void moveFences();
  bool readsRing(Operation *op);
  std::vector<std::pair<Operation *, unsigned>> schedule();

  mlir::scf::ForOp loop;
  llvm::ArrayRef<PipelinedLoad> loads;
  llvm::ArrayRef<Operation *> smallLoads;
  unsigned roundsAhead, numBuffers;
  /// The buffer that a round's copies go to, and the one that it reads: the same number, counted in two
  /// stages.
  Value copied, read;
  /// How often the ring that is read has gone round, modulo 2.
  Value phase;
  /// The copies and their commit; what they are computed from runs ahead, too.
  llvm::SetVector<Operation *> ahead;
  /// At the beginning of a round: the waits and what they need.
  llvm::SmallVector<Operation *> waits;
  Value token;                    // of the wait for copies of elements
  llvm::SmallVector<Value> rings; // of buffers, one for each load
  Value barriers;                 // a ring of them, for tiles; null where there are none
};

/// Two counters of rounds modulo the number of buffers, and one of the times round.
void LoopPipeline::addCounters() {
  OpBuilder before(loop);
  mlir::Location location = loop.getLoc();
  Value zero = mlir::arith::ConstantIntOp::create(before, location, 0, 32);
  Value one = mlir::arith::ConstantIntOp::create(before, location, 1, 32);
  Value count = mlir::arith::ConstantIntOp::create(before, location, numBuffers, 32);
  mlir::IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto yield = [&](OpBuilder &builder, mlir::Location, llvm::ArrayRef<mlir::BlockArgument> added) {
    llvm::SmallVector<Value> next;
    Value isEnd;
    for (Value counter : added.take_front(2)) {
      Value sum = mlir::arith::AddIOp::create(builder, location, counter, one);
      isEnd = mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::eq, sum, count);
      next.push_back(mlir::arith::SelectOp::create(builder, location, isEnd, zero, sum));
    }
    if (added.size() == 3) {
      Value other = mlir::arith::XOrIOp::create(builder, location, added[2], one);
      next.push_back(mlir::arith::SelectOp::create(builder, location, isEnd, other, added[2]));
    }
    return next;
  };
  bool hasTiles = llvm::any_of(loads, std::mem_fn(&PipelinedLoad::isTile));
  llvm::SmallVector<Value> initial(hasTiles ? 3 : 2, zero);
  auto replaced =
      loop.replaceWithAdditionalYields(rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, yield);
  loop = mlir::cast<mlir::scf::ForOp>(replaced->getOperation());
  auto counters = loop.getRegionIterArgs().take_back(initial.size());
  copied = counters[0];
  read = counters[1];
  phase = hasTiles ? Value(counters[2]) : Value();
}

Value LoopPipeline::makeBuffers(const PipelinedLoad &pipelined) {
  OpBuilder before(loop);
  Operation *load = pipelined.load;
  auto type = mlir::cast<RankedTensorType>(pipelined.getResult().getType());
  llvm::SmallVector<int64_t> shape{int64_t(numBuffers)};
  llvm::append_range(shape, type.getShape());
  auto space = ttg::SharedMemorySpaceAttr::get(load->getContext());
  auto ring =
      ttg::MemDescType::get(shape, type.getElementType(), pipelined.memory, space, /*mutableMemory=*/true);
  unsigned alignment = 16;
  if (pipelined.isTile())
    alignment = tileAlignment;
  for (Operation *user : load->getUsers())
    if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user))
      alignment = std::max<unsigned>(alignment, alloc.getAlignmentOrDefault());
  return ttg::LocalAllocOp::create(before, load->getLoc(), ring, /*src=*/Value(),
                                   before.getI32IntegerAttr(alignment));
}

/// An mbarrier for each buffer of the rings. All threads see them before the loop begins.
void LoopPipeline::makeBarriers() {
  OpBuilder before(loop);
  mlir::Location location = loop.getLoc();
  mlir::MLIRContext *context = before.getContext();
  int64_t count = numBuffers;
  barriers = ttg::LocalAllocOp::create(before, location, getTileBarriers(context, {count, 1}),
                                       /*src=*/Value(), before.getI32IntegerAttr(16));
  for (int64_t i = 0; i < count; ++i) {
    Value number = mlir::arith::ConstantIntOp::create(before, location, i, 32);
    ttng::InitBarrierOp::create(before, location, getBuffer(before, barriers, number), 1);
  }
  // What threads did with the buffers' memory before is over when the first copy comes.
  auto fence = ttng::FenceAsyncSharedOp::create(before, location);
  fence.setGlobal(llvm::any_of(loads, [](const PipelinedLoad &pipelined) {
    auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load);
    return load && isOrderedTensorMap(load.getDesc());
  }));
  ttg::LocalBarrierOp::create(before, location);
  OpBuilder behind(context);
  behind.setInsertionPointAfter(loop);
  for (int64_t i = 0; i < count; ++i) {
    Value number = mlir::arith::ConstantIntOp::create(behind, location, i, 32);
    ttng::InvalBarrierOp::create(behind, location, getBuffer(behind, barriers, number));
  }
  ttg::LocalDeallocOp::create(behind, location, barriers);
}

Value LoopPipeline::getBuffer(OpBuilder &builder, Value ring, Value number) {
  auto type = mlir::cast<ttg::MemDescType>(ring.getType());
  auto single = ttg::MemDescType::get(type.getShape().drop_front(), type.getElementType(), type.getEncoding(),
                                      type.getMemorySpace(), type.getMutableMemory(), type.getShape());
  return ttg::MemDescIndexOp::create(builder, ring.getLoc(), single, ring, number);
}

/// All tiles of a round together, behind the last of their loads.
void LoopPipeline::copyTiles() {
  Operation *last = nullptr;
  unsigned bytes = 0;
  for (const PipelinedLoad &pipelined : loads)
    if (pipelined.isTile()) {
      bytes += pipelined.getBytes();
      if (!last || last->isBeforeInBlock(pipelined.load))
        last = pipelined.load;
    }
  if (!last)
    return;
  makeBarriers();
  OpBuilder builder(last);
  Value always = mlir::arith::ConstantIntOp::create(builder, last->getLoc(), 1, 1);
  Value barrier = getBuffer(builder, barriers, copied);
  ahead.insert(ttng::BarrierExpectOp::create(builder, last->getLoc(), barrier, bytes, always));
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings))
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(pipelined.load))
      ahead.insert(ttng::AsyncTMACopyGlobalToLocalOp::create(
          builder, load.getLoc(), load.getDesc(), load.getIndices(), barrier,
          getBuffer(builder, ring, copied), always, load.getCache(), load.getEvict(), /*isVolatile=*/false));
  builder.setInsertionPointToStart(loop.getBody());
  barrier = getBuffer(builder, barriers, read);
  waits.push_back(barrier.getDefiningOp());
  waits.push_back(ttng::WaitBarrierOp::create(builder, last->getLoc(), barrier, phase, /*pred=*/Value(),
                                              /*deps=*/mlir::ValueRange()));
}

/// By the threads, each its own, in one group a round.
void LoopPipeline::copyElements() {
  llvm::SmallVector<Value> tokens;
  Operation *last = nullptr; // copy in the order of the body
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings)) {
    auto load = mlir::dyn_cast<tt::LoadOp>(pipelined.load);
    if (!load)
      continue;
    OpBuilder builder(load);
    Value buffer = getBuffer(builder, ring, copied);
    auto copy = ttg::AsyncCopyGlobalToLocalOp::create(
        builder, load.getLoc(), load.getPtr(), buffer, load.getMask(), /*other=*/Value(), load.getCache(),
        load.getEvict(), /*isVolatile=*/false, /*contiguity=*/1);
    ahead.insert(copy);
    tokens.push_back(copy.getToken());
    if (!last || last->isBeforeInBlock(copy))
      last = copy;
  }
  if (!last)
    return;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  auto commit = ttg::AsyncCommitGroupOp::create(builder, last->getLoc(), tokens);
  ahead.insert(commit);
  builder.setInsertionPointToStart(loop.getBody());
  auto wait = ttg::AsyncWaitOp::create(builder, last->getLoc(), mlir::ValueRange(), int32_t(roundsAhead) - 1);
  waits.push_back(wait);
  token = wait.getRetToken();
  builder.setInsertionPointAfter(loop);
  ttg::AsyncWaitOp::create(builder, loop.getLoc(), mlir::ValueRange(), 0);
}

/// Another view of a buffer, its two axes exchanged.
static Value transpose(OpBuilder &builder, Value buffer, mlir::DenseI32ArrayAttr order) {
  auto type = mlir::cast<ttg::MemDescType>(buffer.getType());
  mlir::Attribute encoding;
  if (auto matrix = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding())) {
    encoding = ttg::NVMMASharedEncodingAttr::get(
        type.getContext(), matrix.getSwizzlingByteWidth(), !matrix.getTransposed(),
        matrix.getElementBitWidth(), matrix.getFp4Padded(), matrix.getRank(), llvm::ArrayRef<int32_t>());
  } else {
    auto layout = mlir::cast<ttg::SwizzledSharedEncodingAttr>(type.getEncoding());
    unsigned turned[] = {1 - layout.getOrder()[0], 1 - layout.getOrder()[1]};
    encoding = ttg::SwizzledSharedEncodingAttr::get(type.getContext(), layout.getVec(), layout.getPerPhase(),
                                                    layout.getMaxPhase(), turned, llvm::ArrayRef<int32_t>());
  }
  llvm::SmallVector<int64_t> shape(llvm::reverse(type.getShape())), whole(type.getAllocShape());
  std::swap(whole.end()[-1], whole.end()[-2]);
  auto view = ttg::MemDescType::get(shape, type.getElementType(), encoding, type.getMemorySpace(),
                                    type.getMutableMemory(), whole);
  return ttg::MemDescTransOp::create(builder, buffer.getLoc(), view, buffer, order);
}

/// Reads fragments from a view of a buffer, where a conversion made them.
static void readInPlaceOf(ttg::ConvertLayoutOp convert, Value view, Value arrival) {
  OpBuilder builder(convert);
  convert.getResult().replaceAllUsesWith(
      ttg::LocalLoadOp::create(builder, convert.getLoc(), convert.getType(), view, arrival));
  convert.erase();
}

void LoopPipeline::replaceLoads() {
  for (const PipelinedLoad &pipelined : loads)
    rings.push_back(makeBuffers(pipelined));
  copyTiles();
  copyElements();
  for (auto [pipelined, ring] : llvm::zip_equal(loads, rings)) {
    Operation *load = pipelined.load;
    Value result = pipelined.getResult(), arrival = pipelined.isTile() ? Value() : token;
    if (!pipelined.isDirect) {
      OpBuilder atLoad(load);
      Value loaded = ttg::LocalLoadOp::create(atLoad, load->getLoc(), result.getType(),
                                              getBuffer(atLoad, ring, read), arrival);
      result.replaceAllUsesWith(loaded);
      load->erase();
      continue;
    }
    Value readBack; // for everything else
    for (mlir::OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      Operation *user = use.getOwner();
      OpBuilder atUse(user);
      auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
      if (alloc && alloc.getType().getEncoding() == pipelined.memory &&
          alloc->getBlock() == load->getBlock()) {
        replaceMemory(alloc.getResult(), getBuffer(atUse, ring, read));
        alloc.erase();
      } else if (makesFragments(user, load->getBlock())) {
        readInPlaceOf(mlir::cast<ttg::ConvertLayoutOp>(user), getBuffer(atUse, ring, read), arrival);
      } else if (makesTransposedFragments(user, load->getBlock())) {
        auto trans = mlir::cast<tt::TransOp>(user);
        Value view = transpose(atUse, getBuffer(atUse, ring, read), trans.getOrderAttr());
        for (Operation *convert : llvm::make_early_inc_range(trans->getUsers()))
          readInPlaceOf(mlir::cast<ttg::ConvertLayoutOp>(convert), view, arrival);
        trans.erase();
      } else {
        if (!readBack) {
          OpBuilder atLoad(load);
          readBack = ttg::LocalLoadOp::create(atLoad, load->getLoc(), result.getType(),
                                              getBuffer(atLoad, ring, read), arrival);
        }
        use.set(readBack);
      }
    }
    load->erase();
  }
}

/// Warp groups' products read memory behind the threads' backs, so that what threads have stored needs a
/// fence. What cp.async has copied is there behind its wait and a barrier: CUTLASS's and Triton's loops have
/// no fence for it either, and it would wait for the copies of later rounds. So products that read nothing
/// else that was written in the loop need none in the loop.
void LoopPipeline::moveFences() {
  bool readsOlderMemory = false;
  for (auto product : loop.getBody()->getOps<ttng::WarpGroupDotOp>()) {
    // The product's own fence stands before it, perhaps with conversions of its other operands between.
    Operation *before = product->getPrevNode();
    while (before && !mlir::isa<ttng::FenceAsyncSharedOp, ttng::WarpGroupDotOp>(before))
      before = before->getPrevNode();
    auto fence = mlir::dyn_cast_or_null<ttng::FenceAsyncSharedOp>(before);
    bool readsNewMemory = false;
    for (Value operand : product->getOperands()) {
      auto alloc = withoutTranspositions(operand).getDefiningOp<ttg::LocalAllocOp>();
      if (!alloc)
        continue;
      bool isOlder = loop.isDefinedOutsideOfLoop(alloc.getResult());
      readsOlderMemory |= isOlder;
      readsNewMemory |= !isOlder;
    }
    if (fence && !readsNewMemory)
      fence.erase();
  }
  if (readsOlderMemory) {
    OpBuilder builder(loop);
    ttng::FenceAsyncSharedOp::create(builder, loop.getLoc());
  }
}

/// An operation with all of its block that has to come before it: what it is computed from, and what changes
/// memory.
static llvm::SetVector<Operation *> findWhatLeadsTo(Operation *op) {
  llvm::SetVector<Operation *> found;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *source) { return source->getBlock() == op->getBlock(); };
  auto add = [&](Operation *needed) { (void)mlir::getBackwardSlice(needed, &found, options); };
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      break;
    auto effects = mlir::getEffectsRecursively(&other);
    if (!effects || llvm::any_of(*effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
          return !mlir::isa<mlir::MemoryEffects::Read>(effect.getEffect());
        }))
      add(&other);
  }
  add(op);
  return found;
}

/// Whether the operation, or one in it, reads a ring, itself or through views.
bool LoopPipeline::readsRing(Operation *op) {
  auto isView = [](Operation *op) {
    return mlir::isa_and_nonnull<ttg::MemDescIndexOp, ttg::MemDescTransOp>(op);
  };
  if (isView(op))
    return false;
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          while (isView(operand.getDefiningOp()))
            operand = operand.getDefiningOp()->getOperand(0);
          if (llvm::is_contained(rings, operand))
            return mlir::WalkResult::interrupt();
        }
        return mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Loads of addresses for later rounds, the waits, small loads for the next round, then what runs ahead, then
/// the rest of the round. Warp groups' products go before what runs ahead: those of the round before have to
/// be done with the buffers. So does everything that reads the buffers if copies go to those of the same
/// round.
///
/// With a buffer to spare, products need not be done. Then only the round's first is started before, so that
/// the copies' addresses do not hold it up; but not where it is the only one: it would be waited for in front
/// of the copies, and the one of the round before keeps the matrix unit busy.
std::vector<std::pair<Operation *, unsigned>> LoopPipeline::schedule() {
  llvm::SetVector<Operation *> early = ahead;
  for (Operation *op : ahead)
    early.insert_range(getSources(loop, op));
  // Each load of an address is a stage before what needs it.
  llvm::DenseMap<Operation *, unsigned> stages;
  unsigned copyStage = 0;
  for (Operation *op : early)
    if (mlir::isa<tt::LoadOp>(op))
      copyStage = std::max(copyStage, countLoadsUpTo(loop, op));
  for (Operation *op : early)
    stages[op] = copyStage;
  for (Operation *load : early)
    if (mlir::isa<tt::LoadOp>(load)) {
      unsigned stage = countLoadsUpTo(loop, load) - 1;
      stages[load] = std::min(stages[load], stage);
      for (Operation *op : getSources(loop, load))
        stages[op] = std::min(stages[op], stage);
    }
  unsigned lastStage = copyStage + roundsAhead;
  llvm::SetVector<Operation *> oneAhead;
  for (Operation *load : smallLoads) {
    oneAhead.insert(load);
    oneAhead.insert_range(getSources(loop, load));
  }

  llvm::SmallVector<Operation *> ofAddresses, ofSmallLoads, ofCopies, rest;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (early.contains(&op) && stages[&op] < copyStage)
      ofAddresses.push_back(&op);
    else if (oneAhead.contains(&op))
      ofSmallLoads.push_back(&op);
    else if (early.contains(&op))
      ofCopies.push_back(&op);
    else if (!llvm::is_contained(waits, &op))
      rest.push_back(&op);
  }
  std::vector<std::pair<Operation *, unsigned>> order;
  for (Operation *op : ofAddresses)
    order.push_back({op, stages[op]});
  auto add = [&](llvm::ArrayRef<Operation *> ops, unsigned stage) {
    for (Operation *op : ops)
      order.push_back({op, stage});
  };
  for (Operation *op : ofSmallLoads)
    order.push_back({op, early.contains(op) ? copyStage : lastStage - 1});
  auto products = llvm::make_filter_range(rest, llvm::IsaPred<ttng::WarpGroupDotOp>);
  bool hasProducts = !products.empty(), hasSpareBuffer = numBuffers > roundsAhead + 1;
  llvm::SetVector<Operation *> before;
  if (numBuffers == roundsAhead || (hasProducts && !hasSpareBuffer))
    before.insert(rest.begin(), rest.end());
  else if (llvm::hasNItemsOrMore(products, 2))
    before = findWhatLeadsTo(*products.begin());
  auto isBefore = [&](Operation *op) { return before.contains(op); };
  llvm::SmallVector<Operation *> first = llvm::filter_to_vector(rest, isBefore);
  // Where the round begins with other things, such as storing sums of the last one, copies go on meanwhile.
  auto firstReader = llvm::find_if(first, [&](Operation *op) { return readsRing(op); });
  add(llvm::ArrayRef(first.begin(), firstReader), lastStage);
  add(waits, lastStage);
  add(llvm::ArrayRef(firstReader, first.end()), lastStage);
  add(ofCopies, copyStage);
  add(llvm::filter_to_vector(rest, std::not_fn(isBefore)), lastStage);
  return order;
}

/// A copy or load that only happens where `condition` holds. Everything else that runs ahead has no effects.
Operation *predicate(mlir::RewriterBase &rewriter, Operation *op, Value condition) {
  mlir::OpOperand *decision = nullptr;
  if (auto expect = mlir::dyn_cast<ttng::BarrierExpectOp>(op))
    decision = &expect.getPredMutable();
  else if (auto tile = mlir::dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    decision = &tile.getPredMutable();
  if (decision) {
    rewriter.setInsertionPoint(op);
    decision->set(mlir::arith::AndIOp::create(rewriter, op->getLoc(), decision->get(), condition));
    return op;
  }
  auto addMask = [&](Value pointer, mlir::MutableOperandRange masks) {
    rewriter.setInsertionPoint(op);
    Value mask = condition;
    if (auto type = mlir::dyn_cast<RankedTensorType>(tt::getMaskType(pointer.getType())))
      mask = tt::SplatOp::create(rewriter, op->getLoc(), type, condition);
    if (!masks.empty())
      mask = mlir::arith::AndIOp::create(rewriter, op->getLoc(), mask, masks.begin()->get());
    masks.assign(mask);
  };
  if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    addMask(copy.getSrc(), copy.getMaskMutable());
  else if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    addMask(load.getPtr(), load.getMaskMutable());
  return op;
}

mlir::LogicalResult LoopPipeline::run() {
  addCounters();
  replaceLoads();
  moveFences();
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(loop);
  // Behind the last wait for what is copied there.
  while (mlir::isa<ttg::AsyncWaitOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  for (Value ring : rings)
    ttg::LocalDeallocOp::create(builder, loop.getLoc(), ring);
  std::vector<std::pair<Operation *, unsigned>> order = schedule();
  mlir::scf::PipeliningOption options;
  options.getScheduleFn = [&](mlir::scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
    schedule = order;
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.predicateFn = predicate;
  mlir::IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  return mlir::scf::pipelineForLoop(rewriter, loop, options);
}

/// The number of stages that the loop itself asks for (tl.range), or the kernel's.
unsigned getNumStages(mlir::scf::ForOp loop, unsigned otherwise) {
  auto wanted = loop->getAttrOfType<mlir::IntegerAttr>("tt.num_stages");
  return wanted ? wanted.getInt() : otherwise;
}

/// The memory on chip that the loop takes without these loads' rings.
unsigned estimateOtherMemory(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads) {
  return spareBytes + estimateSharedMemory(loop, [&](Operation *op) {
           if (llvm::any_of(loads, [&](const PipelinedLoad &pipelined) { return pipelined.load == op; }))
             return true;
           if (!mlir::isa<ttg::LocalAllocOp, ttg::ConvertLayoutOp>(op) || !op->getNumOperands())
             return false;
           Value source = op->getOperand(0);
           if (auto trans = source.getDefiningOp<tt::TransOp>())
             source = trans.getSrc();
           return llvm::any_of(
               loads, [&](const PipelinedLoad &pipelined) { return source == pipelined.getResult(); });
         });
}

/// Fewer rounds ahead, and fewer loads, where memory on chip is short: products' own tiles go first, and of
/// them the largest. No rounds if there is no room for any.
///
/// A ring has a buffer more than there are rounds ahead, so that copies can start at the beginning of a
/// round. Where that leaves a multiprocessor few warps, a round's copies go to the buffers that it has just
/// read.
Rings chooseRings(mlir::scf::ForOp loop, llvm::SmallVectorImpl<PipelinedLoad> &loads, unsigned stages,
                  const Target &target) {
  unsigned limit = getSharedMemoryLimit(target);
  for (; !loads.empty();) {
    unsigned needed = estimateOtherMemory(loop, loads), ofRound = 0;
    for (const PipelinedLoad &pipelined : loads)
      ofRound += pipelined.getBytes();
    unsigned buffers = std::min(stages, (limit - std::min(limit, needed)) / ofRound);
    if (buffers > 1) {
      constexpr unsigned fewWarps = 8;
      unsigned numWarps = ttg::getNumWarps(loop);
      auto countWarps = [&](unsigned buffers) {
        BlockNeeds byMemory{numWarps, /*registers=*/0, needed - spareBytes + buffers * ofRound};
        return countResidentBlocks(byMemory, target) * numWarps;
      };
      bool isSynchronous = llvm::none_of(loads, std::mem_fn(&PipelinedLoad::isTile)) &&
                           loop.getBody()->getOps<ttng::WarpGroupDotOp>().empty();
      bool savesMemory =
          isSynchronous && countWarps(buffers) < fewWarps && countWarps(buffers - 1) > countWarps(buffers);
      return {buffers - 1, savesMemory ? buffers - 1 : buffers};
    }
    auto isDirect = std::mem_fn(&PipelinedLoad::isDirect);
    if (llvm::all_of(loads, isDirect))
      loads.erase(
          std::min_element(loads.begin(), loads.end(), [](const PipelinedLoad &a, const PipelinedLoad &b) {
            return a.getBytes() < b.getBytes();
          }));
    else
      llvm::erase_if(loads, std::not_fn(isDirect));
  }
  return {};
}

/// Where products of a round may still be reading their buffers when the copies of the next begin, those go
/// to another buffer, so that nobody has to wait. That pays unless fewer blocks find room in a
/// multiprocessor.
void addSpareBuffer(mlir::scf::ForOp loop, llvm::ArrayRef<PipelinedLoad> loads, const Target &target,
                    Rings &rings) {
  constexpr unsigned registersOfAddresses = 40, mostRegisters = 255;
  unsigned registers = std::min(mostRegisters, estimateRegisters(loop) + registersOfAddresses);
  unsigned needed = estimateOtherMemory(loop, loads), ofRound = 0;
  for (const PipelinedLoad &pipelined : loads)
    ofRound += pipelined.getBytes();
  auto getBytes = [&](unsigned numBuffers) { return needed + numBuffers * ofRound; };
  auto getBlocks = [&](unsigned numBuffers) {
    return countResidentBlocks({ttg::getNumWarps(loop), registers, getBytes(numBuffers) - spareBytes},
                               target);
  };
  if (getBytes(rings.numBuffers + 1) <= getSharedMemoryLimit(target) &&
      getBlocks(rings.numBuffers + 1) == getBlocks(rings.numBuffers))
    ++rings.numBuffers;
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
  AxisInfoAnalysis axes(getOperation());
  PointerRootAnalysis roots(getOperation());
  llvm::SmallVector<mlir::scf::ForOp> loops;
  getOperation().walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  for (mlir::scf::ForOp loop : loops) {
    unsigned stages = getNumStages(loop, numStages);
    if (stages < 2)
      continue;
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
    if (found.empty())
      continue;
    yieldNoArguments(loop);
    keepLoadsThatCanRunAhead(loop, found, roots);
    if (found.empty())
      continue;
    Rings rings = chooseRings(loop, found, stages, *parsed);
    if (!rings.roundsAhead)
      continue;
    auto lateProducts = findLateProducts(loop, found);
    for (ttng::WarpGroupDotOp product : lateProducts)
      product.setIsAsync(true);
    if (!lateProducts.empty())
      addSpareBuffer(loop, found, *parsed, rings);
    llvm::SmallVector<Operation *> smallLoads = findSmallLoads(loop, found, roots);
    if (mlir::failed(LoopPipeline(loop, found, smallLoads, rings).run())) {
      getOperation().emitError("internal compiler error: a loop's loads could not be started ahead");
      return signalPassFailure();
    }
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createPipelineLoadsPass() { return std::make_unique<PipelineLoads>(); }

std::unique_ptr<mlir::Pass> createPipelineLoadsPass(const Target &target, unsigned numStages) {
  return std::make_unique<PipelineLoads>(target, numStages);
}

} // namespace nereid
