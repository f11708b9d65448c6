// Places what operations keep in shared memory: the scratch of conversions and reductions, and the buffers of
// ttg.local_alloc.
//
// Each of them is alive over a range of operations in program order: scratch while its operation runs, a
// buffer from its allocation to the last use of it or of a view of it, and to the end of a loop that uses it
// from outside. Ranges that overlap must not share bytes; others may. Larger pieces are placed first, each at
// the lowest offset that is free.
//
// Sharing has a price: the second user must wait until all threads are done with the first, at a barrier.
// Reductions mostly need a few dozen bytes each, so small pieces are all kept apart, within a limit. The two
// reductions of a softmax then need one barrier each, even in a loop.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

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
  unsigned first, last; // operations over which it is alive
  unsigned offset = 0;
};

class Allocation {
public:
  explicit Allocation(tt::FuncOp function);
  /// The bytes needed in all.
  unsigned place();

private:
  unsigned getLastUse(ttg::LocalAllocOp alloc);

  llvm::SmallVector<Piece> pieces;
  llvm::DenseMap<Operation *, unsigned>
      numbers; // of an operation; of one with regions, after everything inside
};

Allocation::Allocation(tt::FuncOp function) {
  unsigned next = 0;
  function.walk([&](Operation *op) { numbers[op] = next++; }); // post-order: a loop comes after its body
  function.walk([&](Operation *op) {
    if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(op)) {
      unsigned alignment = std::max(16, alloc.getAlignmentOrDefault());
      pieces.push_back({op, getBufferBytes(mlir::cast<ttg::MemDescType>(alloc.getResult().getType())),
                        alignment, numbers[op], getLastUse(alloc)});
      return;
    }
    if (unsigned bytes = getScratchBytes(op))
      pieces.push_back({op, bytes, /*alignment=*/bytes >= 128 ? 128u : 16u, numbers[op], numbers[op]});
  });
}

unsigned Allocation::getLastUse(ttg::LocalAllocOp alloc) {
  unsigned last = numbers[alloc];
  llvm::SmallVector<Value> views = {alloc.getResult()};
  llvm::DenseSet<Value> seen;
  while (!views.empty()) {
    Value view = views.pop_back_val();
    if (!seen.insert(view).second)
      continue;
    for (Operation *user : view.getUsers()) {
      // In a loop around the user that the allocation is not in, the next iteration uses it again.
      Operation *around = user;
      while (around->getBlock() != alloc->getBlock() && around->getParentOp())
        around = around->getParentOp();
      last = std::max(last, numbers[around]);
      auto addViews = [&](mlir::ValueRange values) {
        for (Value value : values)
          if (mlir::isa<ttg::MemDescType>(value.getType()))
            views.push_back(value);
      };
      addViews(user->getResults());
      if (user->hasTrait<mlir::OpTrait::IsTerminator>())
        addViews(user->getParentOp()->getResults());
      for (mlir::Region &region : user->getRegions())
        if (!region.empty())
          addViews(region.getArguments());
    }
  }
  return last;
}

unsigned Allocation::place() {
  unsigned small = 0;
  for (const Piece &piece : pieces)
    if (piece.bytes <= smallBytes)
      small += llvm::alignTo(piece.bytes, piece.alignment);
  if (small <= smallBytesInAll)
    for (Piece &piece : pieces)
      if (piece.bytes <= smallBytes)
        piece.first = 0, piece.last = ~0u;

  llvm::SmallVector<Piece *> order;
  for (Piece &piece : pieces)
    order.push_back(&piece);
  llvm::sort(order, [](const Piece *a, const Piece *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  unsigned total = 0;
  llvm::SmallVector<Piece *> placed;
  for (Piece *piece : order) {
    // Placed pieces are kept by offset; take the first gap that is wide enough.
    for (Piece *other : placed) {
      bool together = piece->first <= other->last && other->first <= piece->last;
      if (together && piece->offset < other->offset + other->bytes &&
          other->offset < piece->offset + piece->bytes)
        piece->offset = llvm::alignTo(other->offset + other->bytes, piece->alignment);
    }
    placed.insert(llvm::upper_bound(placed, piece, [](Piece *a, Piece *b) { return a->offset < b->offset; }),
                  piece);
    total = std::max(total, piece->offset + piece->bytes);
    piece->op->setAttr(
        allocationOffsetAttr,
        mlir::IntegerAttr::get(mlir::IntegerType::get(piece->op->getContext(), 32), piece->offset));
  }
  return total;
}

/// Places the memory of a function, after that of all functions that it calls.
void allocate(tt::FuncOp function, llvm::DenseSet<Operation *> &done, unsigned &most) {
  if (function.isExternal() || !done.insert(function).second)
    return;
  function.walk([&](tt::CallOp call) {
    if (auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr()))
      allocate(callee, done, most);
  });
  unsigned bytes = Allocation(function).place();
  most = std::max(most, bytes);
  if (!function.isPublic())
    function->setAttr(ttg::sharedName,
                      mlir::IntegerAttr::get(mlir::IntegerType::get(function.getContext(), 32), bytes));
}

void AllocateSharedMemory::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  module.walk([](Operation *op) { op->removeAttr(allocationOffsetAttr); });
  llvm::DenseSet<Operation *> done;
  unsigned most = 0;
  module.walk([&](tt::FuncOp function) { allocate(function, done, most); });
  module->setAttr(ttg::sharedName, mlir::IntegerAttr::get(mlir::IntegerType::get(&getContext(), 32), most));
}

} // namespace

std::unique_ptr<mlir::Pass> createAllocateSharedMemoryPass() {
  return std::make_unique<AllocateSharedMemory>();
}

} // namespace nereid
