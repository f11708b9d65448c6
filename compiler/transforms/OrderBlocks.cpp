// Keeps the blocks of a cluster in order where they share global memory: puts ttg.cluster_barriers.
//
// A program sees what it has stored before, and loads before it stores. When several blocks run it, one may
// be at the store already while another has yet to load:
//
//     %n = tt.load %counter            by each block
//     ttg.cluster_barrier              placed here
//     tt.store %counter, %n + 1        by the first block
//
// What is done through the same pointers to tiles that are divided alike is done by one block. Otherwise an
// access is kept apart from a write that may go through the same argument, and a tile of which blocks load
// all, or other parts than are written, from any write: that is our own doing, and two arguments may be the
// same array.
//
// The kernel's own barriers are for all of its threads, so each is one of the cluster's. An atomic access
// that releases says that all blocks have done what came before. The ttg.exchange_blocks that brings what the
// first block has heard to the others is a barrier itself; others have no effects and may still move.
//
// What is pending is handed on from step to step of the control flow until nothing is added, as in
// PlaceBarriers.cpp, which does the same for the threads of a block.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/BlockOrder.h"
#include "compiler/transforms/BlockParts.h"
#include "compiler/transforms/FlowGraph.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/BitVector.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

struct OrderBlocks : mlir::PassWrapper<OrderBlocks, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderBlocks)

  llvm::StringRef getArgument() const final { return "nereid-tt-order-blocks"; }
  llvm::StringRef getDescription() const final {
    return "Put barriers of the cluster between its blocks' accesses of global memory";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect>();
  }
  void runOnOperation() final;
};

struct Access {
  PointerRoots roots;
  Value pointer;                    // the descriptor, for one
  llvm::SmallVector<int64_t> shape; // of a block's part; empty for scalars
  int axis = wholeTensor;
  bool reads = false, writes = false;
  /// Nothing is known of it.
  bool isOpaque = false;
};

/// Accesses since the last barrier of the cluster.
using Pending = llvm::SmallSetVector<Operation *, 8>;

class Order {
public:
  explicit Order(tt::FuncOp function) : graph(function.getBody()), roots(function) {}
  void run();

private:
  void visit(Operation *op, Pending &pending);
  const Access &getAccess(Operation *op);
  bool conflict(const Access &earlier, const Access &later) const;

  FlowGraph graph;
  PointerRootAnalysis roots;
  llvm::DenseMap<Operation *, Access> known;
  llvm::SetVector<Operation *> guarded, guardedBehind;
};

mlir::RankedTensorType getTile(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType()))
      return type;
  if (op->getNumResults() != 0)
    return mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return {};
}

const Access &Order::getAccess(Operation *op) {
  auto [it, isNew] = known.try_emplace(op);
  Access &access = it->second;
  if (!isNew)
    return access;
  if (op->getNumOperands() != 0)
    access.pointer = op->getOperand(0);
  access.isOpaque = mlir::isa<tt::CallOp, tt::ElementwiseInlineAsmOp, tt::ExternElementwiseOp>(op);
  access.roots = access.isOpaque ? PointerRoots::anywhere() : roots.getOfOperands(op);
  if (access.roots.empty())
    access.roots = PointerRoots::anywhere();
  if (mlir::RankedTensorType tile = getTile(op))
    access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.axis = getBlockAxis(op);
  access.writes = mayWriteGlobal(op) || access.isOpaque;
  access.reads =
      mlir::isa<tt::LoadOp, tt::DescriptorLoadOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op) || access.isOpaque;
  return access;
}

bool Order::conflict(const Access &earlier, const Access &later) const {
  if (!earlier.writes && !later.writes)
    return false;
  if (earlier.isOpaque || later.isOpaque)
    return true;
  bool areAlike = earlier.shape == later.shape && earlier.axis == later.axis;
  if (areAlike && earlier.axis != wholeTensor)
    return earlier.pointer != later.pointer && earlier.roots.meets(later.roots);
  bool isOnlyWritten = !(earlier.reads && !earlier.writes) && !(later.reads && !later.writes);
  // By the first block alone, one after the other.
  if (isOnlyWritten && earlier.axis == wholeTensor && later.axis == wholeTensor)
    return false;
  const Access &load = earlier.writes ? later : earlier;
  bool isOwnDoing = !isOnlyWritten && !load.shape.empty();
  return isOwnDoing || earlier.roots.meets(later.roots);
}

/// What the first block does alone stands in a branch, before which there is room for a barrier.
Operation *getAlone(Operation *op) {
  return op->hasAttr(firstBlockAttr) ? &mlir::cast<mlir::scf::IfOp>(op).thenBlock()->front() : nullptr;
}

bool isKernelsBarrier(Operation *op) {
  return mlir::isa<ttg::LocalBarrierOp>(op) || op->getName().getStringRef() == "gpu.barrier";
}

std::optional<tt::MemSemantic> getSemantic(Operation *op) {
  if (auto atomic = mlir::dyn_cast<tt::AtomicRMWOp>(op))
    return atomic.getSem();
  if (auto exchange = mlir::dyn_cast<tt::AtomicCASOp>(op))
    return exchange.getSem();
  return std::nullopt;
}

void Order::visit(Operation *place, Pending &pending) {
  if (place->getParentOp()->hasAttr(firstBlockAttr))
    return; // with the branch
  Operation *op = place;
  if (Operation *alone = getAlone(place))
    op = alone;
  auto exchange = mlir::dyn_cast<ttg::ExchangeBlocksOp>(op);
  if (mlir::isa<ttg::ClusterBarrierOp>(op) || (exchange && exchange.getFromFirst()))
    return pending.clear();
  if (isKernelsBarrier(op)) {
    guarded.insert(place);
    return pending.clear();
  }
  if (!mayAccessGlobal(op))
    return;
  const Access &access = getAccess(op);
  std::optional<tt::MemSemantic> semantic = getSemantic(op);
  bool releases = semantic == tt::MemSemantic::RELEASE || semantic == tt::MemSemantic::ACQUIRE_RELEASE;
  bool acquires = semantic == tt::MemSemantic::ACQUIRE || semantic == tt::MemSemantic::ACQUIRE_RELEASE;
  bool isHeld = releases && !pending.empty();
  for (Operation *earlier : pending)
    isHeld |= conflict(Access(getAccess(earlier)), getAccess(op));
  if (isHeld || guarded.contains(place)) {
    guarded.insert(place);
    pending.clear();
  }
  // What the first block hears reaches the others by an exchange.
  if (acquires && op == place && !op->use_empty()) {
    guardedBehind.insert(place);
    return pending.clear();
  }
  if (access.reads || access.writes)
    pending.insert(op);
}

void Order::run() {
  graph.propagate<Pending>([&](Operation *op, Pending &pending) { visit(op, pending); },
                           [](Pending &into, const Pending &pending) {
                             size_t before = into.size();
                             into.insert_range(pending);
                             return into.size() != before;
                           });
  for (Operation *op : guarded) {
    mlir::OpBuilder builder(op);
    ttg::ClusterBarrierOp::create(builder, op->getLoc());
  }
  for (Operation *op : guardedBehind) {
    mlir::OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    ttg::ClusterBarrierOp::create(builder, op->getLoc());
  }
}

void OrderBlocks::runOnOperation() {
  if (ttg::getNumCTAs(getOperation()) == 1)
    return;
  getOperation().walk([&](tt::FuncOp function) {
    if (!function.isExternal())
      Order(function).run();
  });
  getOperation().walk([](Operation *op) {
    removeBlockAxis(op);
    op->removeAttr(firstBlockAttr);
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createOrderBlocksPass() { return std::make_unique<OrderBlocks>(); }

} // namespace nereid
