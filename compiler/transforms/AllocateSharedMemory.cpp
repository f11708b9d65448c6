// Places what operations keep in shared memory: the scratch of conversions and reductions, and the buffers of
// ttg.local_alloc.
//
// Pieces that are alive at the same operation must not share bytes; others may. Scratch is alive while its
// operation runs. A buffer is alive
//
//  - wherever a descriptor that may lead to it will still be used, be it a view of it, or what a loop or a
//    branch has handed on. A buffer that a loop yields is thus alive to the end of the body, at its beginning
//    up to the last use of the loop's argument, and behind the loop;
//  - while an asynchronous copy to it may be under way (AsyncCopies.h), even if nobody will read what it
//    brings;
//  - while any region of a ttg.warp_specialize runs whose partitions may use it.
//
// There is one of each buffer: a loop that makes one again while that of the iteration before is in use is
// refused.
//
// Larger pieces are placed first, each at the lowest offset that is free. Sharing has a price: the second
// user must wait until all threads are done with the first, at a barrier. Reductions mostly need a few dozen
// bytes each, so the smallest pieces are kept apart, within a limit, and if no block of a multiprocessor is
// lost by it. The two reductions of a softmax then need one barrier each, even in a loop. A small factor of a
// product by threads is kept until the next such product, before which there is a barrier anyway, as its own
// factors have to be seen: a chain of products then needs one barrier each, not two.
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/AsyncCopies.h"
#include "compiler/transforms/FlowGraph.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedBuffers.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

constexpr unsigned smallBytes = 4096;      // pieces up to here are kept apart
constexpr unsigned smallBytesInAll = 8192; // as long as they come to no more than this

struct AllocateSharedMemory : mlir::PassWrapper<AllocateSharedMemory, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateSharedMemory)

  llvm::StringRef getArgument() const final { return "nereid-ttg-allocate-shared-memory"; }
  llvm::StringRef getDescription() const final { return "Place scratch memory and buffers in shared memory"; }
  void runOnOperation() final;
};

struct Piece {
  Operation *op;
  unsigned bytes;
  unsigned alignment;
  unsigned number;       // of the operation, in program order
  bool isEverywhere;     // alive as long as the function runs
  llvm::BitVector alive; // a buffer's: the numbers of the operations at which it is
  unsigned offset = 0;
  bool isKeptFactor = false; // until the next product by threads

  bool isAliveWith(const Piece &other) const {
    if (isEverywhere || other.isEverywhere)
      return true;
    if (alive.empty())
      return !other.alive.empty() && other.alive.test(number);
    return other.alive.empty() ? alive.test(other.number) : alive.anyCommon(other.alive);
  }
};

class Allocation {
public:
  Allocation(tt::FuncOp function, FunctionEffectsCache &effects);
  /// The bytes needed in all; nothing after an error, which has been reported.
  std::optional<unsigned> place(tt::FuncOp function);

private:
  void addPieces(tt::FuncOp function);
  mlir::LogicalResult findUses();
  void keepFactors();
  void findCopies();
  void findPartitions(tt::FuncOp function);
  void visitCopies(Operation *op, AsyncCopies &copies);
  void markAlive(const llvm::BitVector &live, Operation *at);
  bool leadsTo(Value descriptor, ttg::LocalAllocOp alloc);

  FlowGraph graph;
  SharedBuffers buffers;
  FunctionEffectsCache &effects;
  std::vector<Piece> pieces;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Operation *, unsigned> pieceOf; // of a ttg.local_alloc
  /// The descriptors of the function, numbered.
  llvm::SetVector<Value> descriptors;
};

Allocation::Allocation(tt::FuncOp function, FunctionEffectsCache &effects)
    : graph(function.getBody()), buffers(function), effects(effects) {
  addPieces(function);
}

void Allocation::addPieces(tt::FuncOp function) {
  unsigned next = 0;
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = next++; });
  function.walk([&](Operation *op) {
    if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op)) {
      pieceOf[op] = pieces.size();
      pieces.push_back({op, getBufferBytes(alloc.getType()),
                        unsigned(std::max(16, alloc.getAlignmentOrDefault())), numbers[op], false,
                        llvm::BitVector(next)});
      return;
    }
    unsigned bytes = getScratchBytes(op);
    if (bytes == 0)
      return;
    // A callee may leave copies to its memory under way.
    auto call = mlir::dyn_cast<tt::CallOp>(op);
    // Nor is it known when all of a partition's warps have taken what they are handed.
    bool isEverywhere = (call && effects.get(call).hasAsyncCopies) || mlir::isa<ttg::WarpSpecializeOp>(op);
    pieces.push_back({op, bytes, /*alignment=*/bytes >= 128 ? 128u : 16u, numbers[op], isEverywhere, {}});
  });
}

void Allocation::markAlive(const llvm::BitVector &live, Operation *at) {
  for (unsigned descriptor : live.set_bits())
    for (ttg::LocalAllocOp alloc : buffers.getOrigins(descriptors[descriptor]).allocations)
      pieces[pieceOf[alloc]].alive.set(numbers[at]);
}

bool Allocation::leadsTo(Value descriptor, ttg::LocalAllocOp alloc) {
  return llvm::is_contained(buffers.getOrigins(descriptor).allocations, alloc);
}

/// Backwards from the uses of descriptors, until nothing is added.
mlir::LogicalResult Allocation::findUses() {
  llvm::ArrayRef<FlowGraph::Step> steps = graph.getSteps();
  auto addAll = [&](mlir::ValueRange values) {
    for (Value value : values)
      if (mlir::isa<ttg::MemDescType>(value.getType()))
        descriptors.insert(value);
  };
  for (const FlowGraph::Step &step : steps) {
    addAll(step.arrivals);
    for (Operation *op : step.operations)
      addAll(op->getResults());
  }
  llvm::DenseMap<Value, unsigned> index;
  for (auto [i, descriptor] : llvm::enumerate(descriptors))
    index[descriptor] = i;
  auto set = [&](llvm::BitVector &live, mlir::ValueRange values, bool isLive) {
    for (Value value : values)
      if (auto it = index.find(value); it != index.end())
        live[it->second] = isLive;
  };

  std::vector<llvm::BitVector> atStart(steps.size(), llvm::BitVector(descriptors.size()));
  auto getLiveAtEnd = [&](const FlowGraph::Step &step) {
    llvm::BitVector live(descriptors.size());
    for (unsigned next : step.next)
      live |= atStart[next];
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned number = steps.size(); number--;) {
      const FlowGraph::Step &step = steps[number];
      llvm::BitVector live = getLiveAtEnd(step);
      for (Operation *op : llvm::reverse(step.operations)) {
        set(live, op->getResults(), false);
        set(live, op->getOperands(), true);
      }
      set(live, step.arrivals, false);
      changed |= live != atStart[number];
      atStart[number] = std::move(live);
    }
  }

  for (const FlowGraph::Step &step : steps) {
    llvm::BitVector live = getLiveAtEnd(step);
    for (Operation *op : llvm::reverse(step.operations)) {
      set(live, op->getResults(), false);
      if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op))
        for (unsigned descriptor : live.set_bits())
          if (leadsTo(descriptors[descriptor], alloc))
            return alloc.emitError("this buffer is made again while the one that was made before is still in "
                                   "use, which is not supported: there is only one of it");
      llvm::BitVector here = live;
      set(here, op->getResults(), true);
      set(live, op->getOperands(), true);
      here |= live;
      markAlive(here, op);
    }
  }
  return mlir::success();
}

void Allocation::keepFactors() {
  for (Piece &piece : pieces) {
    auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(piece.op);
    if (!alloc || piece.bytes > smallBytes)
      continue;
    // Views are left alone: they have users of their own.
    ttg::LocalDotOp last;
    for (Operation *user : alloc->getUsers()) {
      auto product = mlir::dyn_cast<ttg::LocalDotOp>(user);
      if (!product || product->getBlock() != alloc->getBlock()) {
        last = {};
        break;
      }
      if (!last || last->isBeforeInBlock(product))
        last = product;
    }
    piece.isKeptFactor = last != nullptr;
    for (Operation *op = last ? last->getNextNode() : nullptr; op; op = op->getNextNode())
      if (mlir::isa<ttg::LocalDotOp>(op)) {
        piece.alive.set(numbers[last], numbers[op] + 1);
        break;
      }
  }
}

void Allocation::visitCopies(Operation *op, AsyncCopies &copies) {
  auto mark = [&] {
    for (auto &[piece, ages] : copies)
      pieces[piece].alive.set(numbers[op]);
  };
  mark();
  if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    for (ttg::LocalAllocOp alloc : buffers.getOrigins(copy.getResult()).allocations)
      copies.issue(pieceOf[alloc]);
  else if (mlir::isa<ttg::AsyncCommitGroupOp>(op))
    copies.commit();
  else if (auto wait = mlir::dyn_cast<ttg::AsyncWaitOp>(op))
    copies.wait(wait.getNum());
  else if (auto call = mlir::dyn_cast<tt::CallOp>(op); call && effects.get(call).hasAsyncCopies)
    copies.loseTrack();
  mark();
}

/// Forwards from the copies to the waits that end them.
void Allocation::findCopies() {
  graph.propagate<AsyncCopies>(
      [&](Operation *op, AsyncCopies &copies) { visitCopies(op, copies); },
      [](AsyncCopies &into, const AsyncCopies &copies) { return into.merge(copies); });
}

/// Regions of a ttg.warp_specialize run at the same time, so what one of its partitions keeps is alive while
/// all of them run. What a partition captures is so, too, but for what the default region does behind the end
/// of it (ttg.local_dealloc), if it says that there: then no partition uses it any more.
void Allocation::findPartitions(tt::FuncOp function) {
  function.walk([&](ttg::WarpSpecializeOp specialize) {
    unsigned first = numbers[specialize], last = first;
    specialize->walk([&](Operation *op) { last = std::max(last, numbers[op]); });
    ttg::WarpSpecializePartitionsOp partitions = specialize.getPartitions();
    auto markAll = [&](Piece &piece, unsigned from) {
      piece.alive.resize(numbers.size());
      piece.alive.set(from, last + 1);
    };
    for (Piece &piece : pieces)
      if (partitions->isProperAncestor(piece.op))
        markAll(piece, first);
    for (Value captured : partitions.getCaptures()) {
      if (!mlir::isa<ttg::MemDescType>(captured.getType()))
        continue;
      for (ttg::LocalAllocOp alloc : buffers.getOrigins(captured).allocations) {
        bool endsEarlier = llvm::any_of(alloc->getUsers(), [&](Operation *user) {
          return mlir::isa<ttg::LocalDeallocOp>(user) &&
                 specialize.getDefaultRegion().isAncestor(user->getParentRegion());
        });
        markAll(pieces[pieceOf[alloc]], endsEarlier ? numbers[partitions] : first);
      }
    }
  });
}

/// Gives the pieces offsets, in this order; returns how many bytes they take together.
static unsigned placeInOrder(llvm::ArrayRef<Piece *> order) {
  unsigned total = 0;
  llvm::SmallVector<Piece *> placed;
  for (Piece *piece : order) {
    piece->offset = 0;
    // Placed pieces are kept by offset; take the first gap that is wide enough.
    for (Piece *other : placed) {
      if (piece->offset < other->offset + other->bytes && other->offset < piece->offset + piece->bytes &&
          piece->isAliveWith(*other))
        piece->offset = llvm::alignTo(other->offset + other->bytes, piece->alignment);
    }
    placed.insert(llvm::upper_bound(placed, piece, [](Piece *a, Piece *b) { return a->offset < b->offset; }),
                  piece);
    total = std::max(total, piece->offset + piece->bytes);
  }
  return total;
}

/// Whether a product of warp groups reads the buffer. In front of each there is a barrier, so that buffers of
/// many in a row may take turns as it is.
static bool isFactorOfWarpGroups(const Piece &piece) {
  return mlir::isa<ttg::LocalAllocOp>(piece.op) && llvm::any_of(piece.op->getUsers(), [](Operation *user) {
           return mlir::isa<ttng::WarpGroupDotOp>(user);
         });
}

/// The small pieces, if there is room to keep all of them apart; of more the smallest, where factors that are
/// kept need it least. `order` has the largest first.
static llvm::SmallVector<Piece *> choosePiecesApart(llvm::ArrayRef<Piece *> order) {
  llvm::SmallVector<Piece *> apart;
  unsigned bytes = 0;
  for (Piece *piece : order)
    if (piece->bytes <= smallBytes) {
      bytes += llvm::alignTo(piece->bytes, piece->alignment);
      apart.push_back(piece);
    }
  if (bytes <= smallBytesInAll)
    return apart;
  // One warp has its barriers for next to nothing.
  if (ttg::getNumWarps(order.front()->op) == 1)
    return {};
  apart.clear();
  bytes = 0;
  for (Piece *piece : llvm::reverse(order)) {
    if (piece->isKeptFactor || piece->isEverywhere || isFactorOfWarpGroups(*piece))
      continue;
    bytes += llvm::alignTo(piece->bytes, piece->alignment);
    if (piece->bytes > smallBytes || bytes > smallBytesInAll)
      break;
    apart.push_back(piece);
  }
  return apart;
}

/// Keeps small pieces apart if no block of a multiprocessor is lost by it.
static unsigned placeSmallestApart(llvm::ArrayRef<Piece *> order) {
  constexpr unsigned reservedBytes = 1024, manyWarps = 32;
  unsigned total = placeInOrder(order);
  llvm::SmallVector<Piece *> apart =
      llvm::filter_to_vector(choosePiecesApart(order), [](Piece *piece) { return !piece->isEverywhere; });
  if (apart.empty())
    return total;
  for (Piece *piece : apart)
    piece->isEverywhere = true;
  unsigned totalApart = placeInOrder(order);
  Operation *first = order.front()->op;
  auto countBlocks = [&](unsigned bytes) {
    unsigned byMemory = (getMemoryLimit(first) + reservedBytes) / (bytes + reservedBytes);
    return std::min<unsigned>(byMemory, manyWarps / ttg::getNumWarps(first));
  };
  if (countBlocks(totalApart) == countBlocks(total))
    return totalApart;
  for (Piece *piece : apart)
    piece->isEverywhere = false;
  return placeInOrder(order);
}

std::optional<unsigned> Allocation::place(tt::FuncOp function) {
  if (!pieceOf.empty()) {
    if (mlir::failed(findUses()))
      return std::nullopt;
    keepFactors();
    findCopies();
  }
  findPartitions(function);
  llvm::SmallVector<Piece *> order;
  for (Piece &piece : pieces)
    order.push_back(&piece);
  if (order.empty())
    return 0;
  llvm::sort(order, [](const Piece *a, const Piece *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  unsigned total = placeSmallestApart(order);
  for (Piece *piece : order)
    piece->op->setAttr(
        allocationOffsetAttr,
        mlir::IntegerAttr::get(mlir::IntegerType::get(piece->op->getContext(), 32), piece->offset));
  return total;
}

/// The allocation of a module, functions after those that they call.
class ModuleAllocation {
public:
  mlir::LogicalResult allocate(tt::FuncOp function);
  unsigned getBytes() const { return most; }

private:
  llvm::DenseSet<Operation *> done;
  FunctionEffectsCache effects;
  unsigned most = 0;
};

mlir::LogicalResult ModuleAllocation::allocate(tt::FuncOp function) {
  if (function.isExternal() || !done.insert(function).second)
    return mlir::success();
  mlir::WalkResult callees = function.walk([&](tt::CallOp call) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
    return callee ? mlir::WalkResult(allocate(callee)) : mlir::WalkResult::advance();
  });
  if (callees.wasInterrupted())
    return mlir::failure();
  std::optional<unsigned> bytes = Allocation(function, effects).place(function);
  if (!bytes)
    return mlir::failure();
  most = std::max(most, *bytes);
  if (!function.isPublic())
    function->setAttr(ttg::sharedName,
                      mlir::IntegerAttr::get(mlir::IntegerType::get(function.getContext(), 32), *bytes));
  return mlir::success();
}

void AllocateSharedMemory::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  module.walk([](Operation *op) { op->removeAttr(allocationOffsetAttr); });
  ModuleAllocation allocation;
  for (auto function : module.getOps<tt::FuncOp>())
    if (mlir::failed(allocation.allocate(function)))
      return signalPassFailure();
  module->setAttr(ttg::sharedName,
                  mlir::IntegerAttr::get(mlir::IntegerType::get(&getContext(), 32), allocation.getBytes()));
}

} // namespace

std::unique_ptr<mlir::Pass> createAllocateSharedMemoryPass() {
  return std::make_unique<AllocateSharedMemory>();
}

} // namespace nereid
