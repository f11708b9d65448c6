// Puts a ttg.local_barrier where threads might otherwise meet in shared memory: between an access and a later
// one of the same bytes, at least one of which writes.
//
// The program is walked in order with the accesses that are pending, that is, made since the last barrier. An
// operation with scratch memory writes it, passes a barrier of its own and reads it (ScratchMemory.h), so it
// must not overlap with anything pending before, and leaves only its reads pending after. A loop is walked
// until what is pending at its end adds nothing to what was pending at its beginning; barriers that were put
// in stay, so that ends. After an if, what either branch leaves is pending.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

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

struct Interval {
  unsigned begin, end;
  bool operator==(const Interval &other) const { return begin == other.begin && end == other.end; }
};

/// Accesses since the last barrier.
struct Pending {
  llvm::SmallVector<Interval, 4> reads, writes;

  static bool overlaps(llvm::ArrayRef<Interval> list, Interval interval) {
    return llvm::any_of(
        list, [&](Interval other) { return interval.begin < other.end && other.begin < interval.end; });
  }
  static void add(llvm::SmallVectorImpl<Interval> &list, Interval interval) {
    if (!llvm::is_contained(list, interval))
      list.push_back(interval);
  }
  /// True if something was new.
  bool merge(const Pending &other) {
    size_t before = reads.size() + writes.size();
    for (Interval interval : other.reads)
      add(reads, interval);
    for (Interval interval : other.writes)
      add(writes, interval);
    return reads.size() + writes.size() != before;
  }
};

class Walk {
public:
  Pending visit(mlir::Region &region, Pending pending);

private:
  void visit(Operation *op, Pending &pending);
  void visitLoop(Operation *op, Pending &pending);
  void access(Operation *op, Pending &pending, std::optional<Interval> read, std::optional<Interval> write);
  void insertBarrier(Operation *before, Pending &pending);
};

/// The bytes that a memory descriptor may reach: those of the allocation it comes from, or all where that is
/// unclear.
Interval getBuffer(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (mlir::isa<ttg::LocalAllocOp>(op)) {
      unsigned begin = getAllocationOffset(op).value_or(0);
      return {begin, begin + getBufferBytes(mlir::cast<ttg::MemDescType>(view.getType()))};
    }
    if (mlir::isa<mlir::RegionBranchOpInterface>(op) || op->getNumOperands() == 0)
      break;
    view = op->getOperand(0);
  }
  return {0, ~0u};
}

void Walk::insertBarrier(Operation *before, Pending &pending) {
  mlir::OpBuilder builder(before);
  ttg::LocalBarrierOp::create(builder, before->getLoc());
  pending = {};
}

void Walk::access(Operation *op, Pending &pending, std::optional<Interval> read,
                  std::optional<Interval> write) {
  bool conflict =
      (read && Pending::overlaps(pending.writes, *read)) ||
      (write && (Pending::overlaps(pending.writes, *write) || Pending::overlaps(pending.reads, *write)));
  if (conflict)
    insertBarrier(op, pending);
  if (read)
    Pending::add(pending.reads, *read);
  if (write)
    Pending::add(pending.writes, *write);
}

void Walk::visit(Operation *op, Pending &pending) {
  if (mlir::isa<ttg::LocalBarrierOp>(op)) {
    pending = {};
    return;
  }
  if (mlir::isa<mlir::LoopLikeOpInterface>(op))
    return visitLoop(op, pending);
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    Pending otherwise = visit(branch.getElseRegion(), pending);
    pending = visit(branch.getThenRegion(), pending);
    pending.merge(otherwise);
    return;
  }
  if (std::optional<unsigned> offset = getAllocationOffset(op); offset && !mlir::isa<ttg::LocalAllocOp>(op)) {
    Interval scratch = {*offset, *offset + getScratchBytes(op)};
    access(op, pending, std::nullopt, scratch);
    // A callee may have no barrier at all, or end with any access of its memory.
    if (mlir::isa<tt::CallOp>(op))
      return;
    pending = {};
    pending.reads.push_back(scratch);
    return;
  }
  if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op)) {
    if (alloc.getSrc())
      access(op, pending, std::nullopt, getBuffer(alloc.getResult()));
  } else if (auto load = mlir::dyn_cast<ttg::LocalLoadOp>(op)) {
    access(op, pending, getBuffer(load.getSrc()), std::nullopt);
  } else if (auto store = mlir::dyn_cast<ttg::LocalStoreOp>(op)) {
    access(op, pending, std::nullopt, getBuffer(store.getDst()));
  } else if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    access(op, pending, std::nullopt, getBuffer(copy.getResult()));
  } else {
    for (mlir::Region &region : op->getRegions())
      if (!region.empty() && !mlir::isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op))
        pending.merge(visit(region, pending));
  }
}

void Walk::visitLoop(Operation *op, Pending &pending) {
  // The body may also not run at all, so what was pending before stays pending after. A while loop's two
  // regions follow each other; the loop is left after the first.
  Pending start = pending;
  for (bool changed = true; changed;) {
    Pending end = start;
    for (mlir::Region &region : op->getRegions()) {
      end = visit(region, end);
      if (&region == &op->getRegion(0))
        pending.merge(end);
    }
    changed = start.merge(end);
  }
  pending.merge(start);
}

Pending Walk::visit(mlir::Region &region, Pending pending) {
  // With several blocks (functions with early returns) every block may follow every other.
  bool isGraph = llvm::hasNItemsOrMore(region, 2);
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::Block &block : region) {
      Pending here = pending;
      for (auto it = block.begin(); it != block.end();) {
        Operation *op = &*it++;
        visit(op, here);
      }
      if (!isGraph)
        return here;
      changed |= pending.merge(here);
    }
  }
  return pending;
}

void PlaceBarriers::runOnOperation() {
  getOperation().walk([](tt::FuncOp function) {
    if (!function.isExternal())
      Walk().visit(function.getBody(), {});
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createPlaceBarriersPass() { return std::make_unique<PlaceBarriers>(); }

} // namespace nereid
