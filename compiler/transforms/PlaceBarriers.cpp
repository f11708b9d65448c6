// Puts a ttg.local_barrier where the threads of a block might otherwise get in each other's way:
//
//  - In shared memory, between an access and a later one of the same bytes, at least one of which writes.
//  - In global memory, between a write and a load whose elements several warps read, whichever comes first: a
//    warp may be at the write already, or still, while another is at the load. That is so for scalars and for
//    tiles of which the warps hold copies; there, writes count that go through the same argument. And it is
//    so for loads that read other threads' elements because their layout was changed (movedLoadAttr). Those
//    are our own doing, so for them any write counts, wherever it may go: two arguments may be the same
//    array. All other accesses of global memory are up to the kernel's author. A scalar that is only stored
//    again matters to the thread that stores scalars (StoredScalars.h), and what that has written itself it
//    sees.
//
// Every step of a function (FlowGraph.h) begins with the accesses that are pending, that is, made since the
// last barrier on some path that leads there. They are handed on from step to step until nothing is added.
// An operation with scratch memory writes it, passes a barrier of its own and reads it (ScratchMemory.h), so
// it must not overlap with anything pending before, and leaves only its reads pending after.
//
// An asynchronous copy is a write in two parts. When it is issued, nobody may be using the bytes any more: to
// the accesses before, it is a store. What it writes is there only behind the ttg.async_wait that ends its
// group, and only for the thread that issued it: the write becomes pending at the wait, whatever barriers
// there were between, and it takes a barrier behind the wait until the others may read. With two buffers:
//
//     scf.for … {
//       ttg.async_wait {num = 1}            the older copy has arrived: a pending write
//       ttg.local_barrier                   placed before the load
//       ttg.local_load %buffers[%i]         a pending read
//       ttg.local_barrier                   placed before the copy: other threads may still be reading
//       ttg.async_copy … %buffers[%i + 1]   under way; the barrier of the next iteration does not end it
//       ttg.async_commit_group
//     }
//
// A warp group's product goes on reading its operands until a ttng.warp_group_dot_wait, whatever barriers
// there are between. What it reads becomes a pending read at the wait: a warp that has passed it says nothing
// of the others.
//
// What a copy to a tensor reads it goes on reading until its wait, likewise, which only the thread that has
// started it really does.
//
// A tile that the hardware copies by a tensor map is a store too when its copy is started. So is what a
// thread does to the tile's mbarrier when it says how many bytes will come: a slow thread may still be
// waiting for the phase before, and could miss its end. From there on nothing is pending: each thread waits
// at the mbarrier itself, and sees the whole tile behind it.
//
// The regions of a ttg.warp_specialize run side by side, each by threads of its own, and its barriers are for
// those alone. All meet where it begins and behind it. Between, mbarriers say who may do what, so that each
// region is looked at as if it were alone. An arrival by one thread for all of its region
// (ttng.arrive_barrier) says that they are done with what they have read and written; one by each warp says
// no more than that of its own lanes.
//
// Warp groups' products, and copies by a tensor map, read memory behind the threads' backs: what threads have
// stored there takes a fence before the barrier. The passes that make products place it where it costs least;
// here one is added where it is missing.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/AsyncCopies.h"
#include "compiler/transforms/FlowGraph.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedBuffers.h"
#include "compiler/transforms/StoredScalars.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

struct PlaceBarriers : mlir::PassWrapper<PlaceBarriers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceBarriers)

  llvm::StringRef getArgument() const final { return "nereid-ttg-place-barriers"; }
  llvm::StringRef getDescription() const final {
    return "Put barriers between conflicting uses of shared memory";
  }
  void runOnOperation() final;
};

/// What other threads may still be doing.
struct Pending {
  llvm::SmallVector<ByteRange, 4> reads, writes;
  bool movedLoads = false;
  PointerRoots sharedLoads, scalarLoads, globalWrites, otherWrites;
  AsyncCopies copies;
  /// What warp groups' products that may be under way read, whatever barriers there are: until a wait.
  llvm::SmallVector<ByteRange, 4> productReads;
  /// The same of copies to tensors.
  llvm::SmallVector<ByteRange, 4> storeReads;
  /// What threads have written since the last fence.
  llvm::SmallVector<ByteRange, 4> unfenced;

  void passBarrier() {
    reads.clear();
    writes.clear();
    movedLoads = false;
    sharedLoads = scalarLoads = globalWrites = otherWrites = {};
  }
  bool hasShared() const { return !reads.empty() || !writes.empty(); }
  /// True if something was new.
  bool merge(const Pending &other);
};

/// What one operation does before it meets a barrier of its own, if it does.
struct Accesses {
  llvm::SmallVector<ByteRange, 2> reads, writes;
  bool movedLoads = false;
  /// Loads of which every thread needs what it sees, and those that matter to the thread alone that stores
  /// scalars.
  PointerRoots sharedLoads, scalarLoads;
  /// All writes, and those that other threads make than that one.
  PointerRoots globalWrites, otherWrites;
};

class Placement {
public:
  Placement(tt::FuncOp function, FunctionEffectsCache &effects)
      : graph(function.getBody()), buffers(function), roots(function), scalars(function), effects(effects) {}

  void run();

private:
  void visit(Operation *op, Pending &pending);
  void propagate();
  /// Where the first round of a loop needs a barrier because of what came before, and the others do not need
  /// it, one before the loop does.
  void moveBeforeLoops();
  const Accesses &getAccesses(Operation *op);
  Accesses findAccesses(Operation *op);
  void finishCopies(llvm::ArrayRef<uint64_t> destinations, Pending &pending);

  FlowGraph graph;
  SharedBuffers buffers;
  PointerRootAnalysis roots;
  StoredScalars scalars;
  FunctionEffectsCache &effects;
  /// An operation is visited many times, and its accesses stay the same.
  llvm::DenseMap<Operation *, Accesses> known;
  /// The operations before which there has to be a barrier.
  llvm::SetVector<Operation *> guarded;
  /// Those before which there has to be a fence as well.
  llvm::DenseSet<Operation *> fenced;
};

uint64_t pack(ByteRange range) { return uint64_t(range.begin) << 32 | range.end; }
ByteRange unpack(uint64_t packed) { return {unsigned(packed >> 32), unsigned(packed)}; }

bool add(llvm::SmallVectorImpl<ByteRange> &list, ByteRange range) {
  if (llvm::is_contained(list, range))
    return false;
  list.push_back(range);
  return true;
}

bool Pending::merge(const Pending &other) {
  bool changed = other.movedLoads && !movedLoads;
  movedLoads |= other.movedLoads;
  changed |= sharedLoads.merge(other.sharedLoads);
  changed |= scalarLoads.merge(other.scalarLoads);
  changed |= globalWrites.merge(other.globalWrites);
  changed |= otherWrites.merge(other.otherWrites);
  for (ByteRange range : other.reads)
    changed |= add(reads, range);
  for (ByteRange range : other.writes)
    changed |= add(writes, range);
  for (ByteRange range : other.productReads)
    changed |= add(productReads, range);
  for (ByteRange range : other.storeReads)
    changed |= add(storeReads, range);
  for (ByteRange range : other.unfenced)
    changed |= add(unfenced, range);
  return copies.merge(other.copies) || changed;
}

bool overlap(llvm::ArrayRef<ByteRange> left, llvm::ArrayRef<ByteRange> right) {
  return llvm::any_of(left, [&](ByteRange range) {
    return llvm::any_of(right, [&](ByteRange other) { return range.overlaps(other); });
  });
}

bool conflict(const Pending &pending, const Accesses &accesses) {
  return overlap(accesses.reads, pending.writes) || overlap(accesses.writes, pending.writes) ||
         overlap(accesses.writes, pending.reads) || (accesses.movedLoads && !pending.globalWrites.empty()) ||
         (pending.movedLoads && !accesses.globalWrites.empty()) ||
         accesses.sharedLoads.meets(pending.globalWrites) ||
         accesses.globalWrites.meets(pending.sharedLoads) ||
         accesses.scalarLoads.meets(pending.otherWrites) || accesses.otherWrites.meets(pending.scalarLoads);
}

bool hasScratch(Operation *op) { return getAllocationOffset(op) && !mlir::isa<ttg::LocalAllocOp>(op); }

ByteRange getScratch(Operation *op) {
  unsigned begin = *getAllocationOffset(op);
  return {begin, begin + getScratchBytes(op)};
}

/// Whether several warps read the same elements.
bool isSharedByWarps(tt::LoadOp load) {
  if (ttg::getNumWarps(load) == 1)
    return false;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(load.getType());
  return !type || ttg::toLinearLayout(type).getFreeVariableMask(Dim::Warp) != 0;
}

/// Whether one thread tells others that all of the region's are done.
bool arrivesForAll(Operation *op) {
  auto arrive = mlir::dyn_cast<ttng::ArriveBarrierOp>(op);
  return arrive && !arrive.getEachWarp();
}

const Accesses &Placement::getAccesses(Operation *op) {
  auto [it, isNew] = known.try_emplace(op);
  if (isNew)
    it->second = findAccesses(op);
  return it->second;
}

/// Waiting for the grid before, or letting the next one begin (tl.extra.cuda.gdc_wait,
/// gdc_launch_dependents): each thread does it for its own sake, and what it orders is none of this block's
/// threads' doing. Other assembly may access anything.
static bool isBetweenGrids(Operation *op) {
  auto assembly = mlir::dyn_cast<tt::ElementwiseInlineAsmOp>(op);
  return assembly && assembly.getAsmString().starts_with("griddepcontrol.");
}

Accesses Placement::findAccesses(Operation *op) {
  Accesses accesses;
  if (hasScratch(op))
    accesses.writes.push_back(getScratch(op));
  accesses.movedLoads = op->hasAttr(movedLoadAttr);
  if (mayWriteGlobal(op) && !isBetweenGrids(op)) {
    accesses.globalWrites = roots.getOfOperands(op);
    if (accesses.globalWrites.empty())
      accesses.globalWrites = PointerRoots::anywhere();
    if (!StoredScalars::isByOneThread(op))
      accesses.otherWrites = accesses.globalWrites;
  }
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
    if (!isSharedByWarps(load))
      return accesses;
    bool isOnlyStored = !hasScratch(op) && scalars.isOnlyStored(load.getResult());
    (isOnlyStored ? accesses.scalarLoads : accesses.sharedLoads) = roots.get(load.getPtr());
  } else if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op)) {
    if (alloc.getSrc())
      accesses.writes = buffers.getBytes(alloc.getResult());
  } else if (auto load = mlir::dyn_cast<ttg::LocalLoadOp>(op)) {
    accesses.reads = buffers.getBytes(load.getSrc());
  } else if (auto gather = mlir::dyn_cast<ttg::LocalGatherOp>(op)) {
    accesses.reads = buffers.getBytes(gather.getSrc());
  } else if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(op)) {
    for (Value operand : {product.getA(), Value(product.getB())})
      if (mlir::isa<ttg::MemDescType>(operand.getType()))
        llvm::append_range(accesses.reads, buffers.getBytes(operand));
  } else if (auto product = mlir::dyn_cast<ttg::LocalDotOp>(op)) {
    accesses.reads = buffers.getBytes(product.getA());
    llvm::append_range(accesses.reads, buffers.getBytes(product.getB()));
  } else if (auto store = mlir::dyn_cast<ttg::LocalStoreOp>(op)) {
    accesses.writes = buffers.getBytes(store.getDst());
  } else if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    accesses.writes = buffers.getBytes(copy.getResult());
  } else if (auto tile = mlir::dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op)) {
    accesses.writes = buffers.getBytes(tile.getResult());
  } else if (auto tile = mlir::dyn_cast<ttng::AsyncTMACopyLocalToGlobalOp>(op)) {
    accesses.reads = buffers.getBytes(tile.getSrc());
  } else if (auto init = mlir::dyn_cast<ttng::InitBarrierOp>(op)) {
    accesses.writes = buffers.getBytes(init.getAlloc());
  } else if (auto inval = mlir::dyn_cast<ttng::InvalBarrierOp>(op)) {
    accesses.writes = buffers.getBytes(inval.getAlloc());
  } else if (auto expect = mlir::dyn_cast<ttng::BarrierExpectOp>(op)) {
    accesses.writes = buffers.getBytes(expect.getAlloc());
  } else if (auto arrive = mlir::dyn_cast<ttng::ArriveBarrierOp>(op)) {
    accesses.reads = buffers.getBytes(arrive.getAlloc());
  } else if (auto wait = mlir::dyn_cast<ttng::WaitBarrierOp>(op)) {
    accesses.reads = buffers.getBytes(wait.getAlloc());
  } else if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
    FunctionEffects inner = effects.get(call);
    accesses.movedLoads = inner.hasMovedLoads;
    if (inner.readsGlobal)
      accesses.sharedLoads = PointerRoots::anywhere();
    if (inner.writesGlobal)
      accesses.globalWrites = accesses.otherWrites = PointerRoots::anywhere();
    for (Value operand : call.getArgOperands())
      if (mlir::isa<ttg::MemDescType>(operand.getType()))
        llvm::append_range(accesses.writes, buffers.getBytes(operand));
  }
  return accesses;
}

void Placement::finishCopies(llvm::ArrayRef<uint64_t> destinations, Pending &pending) {
  for (uint64_t destination : destinations)
    add(pending.writes, unpack(destination));
}

void Placement::visit(Operation *op, Pending &pending) {
  Accesses accesses = getAccesses(op);
  if (conflict(pending, accesses) || (arrivesForAll(op) && pending.hasShared()))
    guarded.insert(op);
  bool isBehindThreads = mlir::isa<ttng::WarpGroupDotOp, ttng::AsyncTMACopyLocalToGlobalOp>(op);
  if (isBehindThreads && overlap(accesses.reads, pending.unfenced)) {
    guarded.insert(op);
    fenced.insert(op);
  }
  if (fenced.contains(op) || mlir::isa<ttng::FenceAsyncSharedOp>(op))
    pending.unfenced.clear();
  if (mlir::isa<ttg::AsyncCopyGlobalToLocalOp, ttng::AsyncTMACopyGlobalToLocalOp>(op))
    llvm::erase_if(pending.unfenced, [&](ByteRange range) { return overlap(accesses.writes, range); });
  if (mlir::isa<ttg::LocalAllocOp, ttg::LocalStoreOp>(op))
    for (ByteRange range : accesses.writes)
      add(pending.unfenced, range);
  // All threads of the block meet where partitions begin, and behind them.
  if (guarded.contains(op) ||
      mlir::isa<ttg::LocalBarrierOp, ttg::ClusterBarrierOp, ttg::WarpSpecializeOp, ttg::WarpYieldOp>(op))
    pending.passBarrier();

  if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    for (ByteRange range : accesses.writes)
      pending.copies.issue(pack(range));
    return;
  }
  if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(op); product && product.getIsAsync()) {
    for (ByteRange range : accesses.reads)
      add(pending.productReads, range);
    return;
  }
  if (mlir::isa<ttng::AsyncTMACopyLocalToGlobalOp>(op)) {
    for (ByteRange range : accesses.reads)
      add(pending.storeReads, range);
    return;
  }
  if (auto wait = mlir::dyn_cast<ttng::AsyncTMAStoreWaitOp>(op)) {
    for (ByteRange range : pending.storeReads)
      add(pending.reads, range);
    if (wait.getPendings() == 0)
      pending.storeReads.clear();
    return;
  }
  if (auto wait = mlir::dyn_cast<ttng::WarpGroupDotWaitOp>(op)) {
    // They may have read until here. Which of them go on is not known, so all may.
    for (ByteRange range : pending.productReads)
      add(pending.reads, range);
    if (wait.getPendings() == 0)
      pending.productReads.clear();
    return;
  }
  // Both end at a ttng.wait_barrier, for each thread that passes it.
  if (mlir::isa<ttng::AsyncTMACopyGlobalToLocalOp, ttng::BarrierExpectOp>(op))
    return;
  if (mlir::isa<ttg::AsyncCommitGroupOp>(op))
    return pending.copies.commit();
  if (auto wait = mlir::dyn_cast<ttg::AsyncWaitOp>(op))
    return finishCopies(pending.copies.wait(wait.getNum()), pending);

  if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
    // It may have no barrier at all, or end with any access of its memory, or with copies to it under way.
    if (effects.get(call).hasAsyncCopies) {
      finishCopies(pending.copies.loseTrack(), pending);
      for (ByteRange range : accesses.writes)
        pending.copies.issue(pack(range));
    }
  } else if (hasScratch(op)) {
    pending.passBarrier();
    accesses.reads = std::move(accesses.writes);
    accesses.writes.clear();
    // Which other blocks have read as well: all meet behind that.
    if (auto exchange = mlir::dyn_cast<ttg::ExchangeBlocksOp>(op); exchange && exchange.crosses())
      accesses.reads.clear();
    // One thread has loaded, and that is done behind the operation's own barrier.
    if (mlir::isa<tt::LoadOp>(op))
      accesses.sharedLoads = {};
  }
  for (ByteRange range : accesses.reads)
    add(pending.reads, range);
  for (ByteRange range : accesses.writes)
    add(pending.writes, range);
  pending.movedLoads |= accesses.movedLoads;
  pending.sharedLoads.merge(accesses.sharedLoads);
  pending.scalarLoads.merge(accesses.scalarLoads);
  pending.globalWrites.merge(accesses.globalWrites);
  pending.otherWrites.merge(accesses.otherWrites);
}

void Placement::propagate() {
  graph.propagate<Pending>([&](Operation *op, Pending &pending) { visit(op, pending); },
                           [](Pending &into, const Pending &pending) { return into.merge(pending); });
}

/// How many of these operations each loop runs in its rounds, those of loops in it apart.
llvm::MapVector<Operation *, unsigned> countInRounds(const llvm::SetVector<Operation *> &operations) {
  llvm::MapVector<Operation *, unsigned> counts;
  for (Operation *op : operations)
    if (auto loop = op->getParentOfType<mlir::scf::ForOp>())
      ++counts[loop];
  return counts;
}

void Placement::moveBeforeLoops() {
  llvm::MapVector<Operation *, unsigned> before = countInRounds(guarded);
  if (before.empty())
    return;
  llvm::SetVector<Operation *> kept = guarded;
  llvm::DenseSet<Operation *> keptFences = fenced;
  auto tryLoops = [&](llvm::ArrayRef<Operation *> loops) {
    guarded.clear();
    guarded.insert_range(loops);
    fenced.clear();
    propagate();
  };
  llvm::SmallVector<Operation *> loops, better;
  for (auto &[loop, count] : before)
    loops.push_back(loop);
  tryLoops(loops);
  llvm::MapVector<Operation *, unsigned> after = countInRounds(guarded);
  for (Operation *loop : loops)
    if (after.lookup(loop) < before.lookup(loop))
      better.push_back(loop);
  if (better.empty()) {
    guarded = std::move(kept);
    fenced = std::move(keptFences);
  } else if (better.size() < loops.size()) {
    tryLoops(better);
  }
}

void Placement::run() {
  propagate();
  moveBeforeLoops();
  for (Operation *op : guarded) {
    mlir::OpBuilder builder(op);
    if (fenced.contains(op))
      ttng::FenceAsyncSharedOp::create(builder, op->getLoc());
    ttg::LocalBarrierOp::create(builder, op->getLoc());
  }
}

/// Whether a fence behind `op` does what one before it would: the threads don't meet there, and nobody but
/// them reads or writes memory on chip.
bool isAlikeForFences(Operation *op) {
  return op->getNumRegions() == 0 && !hasScratch(op) &&
         (mlir::isMemoryEffectFree(op) ||
          mlir::isa<tt::LoadOp, tt::StoreOp, ttg::LocalAllocOp, ttg::LocalStoreOp, ttg::LocalLoadOp,
                    ttng::WarpGroupDotWaitOp>(op));
}

/// Each factor that is stored early has a fence of its own. Of several that come before the barrier one is
/// enough.
void dropRepeatedFences(tt::FuncOp function) {
  function.walk([&](ttng::FenceAsyncSharedOp fence) {
    Operation *next = fence->getNextNode();
    while (next && isAlikeForFences(next))
      next = next->getNextNode();
    if (auto other = mlir::dyn_cast_or_null<ttng::FenceAsyncSharedOp>(next);
        other && (other.getGlobal() || !fence.getGlobal()))
      fence.erase();
  });
}

void PlaceBarriers::runOnOperation() {
  FunctionEffectsCache effects;
  getOperation().walk([&](tt::FuncOp function) {
    if (function.isExternal())
      return;
    Placement(function, effects).run();
    dropRepeatedFences(function);
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createPlaceBarriersPass() { return std::make_unique<PlaceBarriers>(); }

} // namespace nereid
