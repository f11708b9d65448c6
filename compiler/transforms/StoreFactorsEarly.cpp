// Puts warp groups' factors into memory on chip as soon as they are known.
//
// ChooseMatrixInstructions stores a factor right before its product. Until then all of it is in registers: a
// tile of 128x128 f32, loaded before a loop of 4 warps that multiplies by it in each round, takes 128 of a
// thread's 255, and is stored anew in each round.
//
//     %b = tt.load                           %b = tt.load
//     scf.for … {                            %m = ttg.local_alloc %b
//       %m = ttg.local_alloc %b       →      ttng.fence_async_shared
//       ttng.fence_async_shared              ttg.local_barrier
//       ttng.warp_group_dot …, %m            scf.for … {
//     }                                        ttng.warp_group_dot …, %m
//                                            }
//
// The barrier before the loop is what every round would have otherwise. In a block a factor is stored before
// the first operation behind it that computes: loads that stand together start together. A factor that
// several products take in the same form is stored once. All of this only as long as there is memory for it,
// and no block of a multiprocessor is lost.
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct StoreFactorsEarly : mlir::PassWrapper<StoreFactorsEarly, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreFactorsEarly)

  StoreFactorsEarly() = default;
  StoreFactorsEarly(const StoreFactorsEarly &other) : PassWrapper(other) {}
  explicit StoreFactorsEarly(const Target &aTarget) { target = aTarget.str(); }

  llvm::StringRef getArgument() const final { return "nereid-ttg-store-factors-early"; }
  llvm::StringRef getDescription() const final { return "Store factors as soon as they are known"; }
  void runOnOperation() final;

private:
  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90a"),
                             llvm::cl::init("cuda:90a")};
};

/// The products that read a buffer, itself or through views.
llvm::SmallVector<ttng::WarpGroupDotOp> findProducts(Value memory) {
  llvm::SmallVector<ttng::WarpGroupDotOp> products;
  for (Operation *user : memory.getUsers()) {
    if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(user))
      products.push_back(product);
    else if (auto trans = mlir::dyn_cast<ttg::MemDescTransOp>(user))
      llvm::append_range(products, findProducts(trans.getResult()));
  }
  return products;
}

/// Whether the operation may be passed on the way up to where a factor is known: loads and their addresses.
bool isLight(Operation *op) {
  if (mlir::isa<tt::LoadOp>(op))
    return true;
  if (op->getNumRegions() || !mlir::isMemoryEffectFree(op) || mlir::isa<ttg::ConvertLayoutOp>(op))
    return false;
  return llvm::all_of(op->getResultTypes(), [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    return !tensor || !mlir::isa<mlir::FloatType>(tensor.getElementType()) || tensor.getNumElements() <= 1;
  });
}

class Stores {
public:
  Stores(tt::FuncOp function, const Target &target)
      : function(function), target(target), bytes(estimateSharedMemory(function.getBody().front())) {}
  void run();

private:
  bool fits();
  void leaveLoops(ttg::LocalAllocOp alloc);
  bool moveUp(ttg::LocalAllocOp alloc);
  bool shareWithOthers(ttg::LocalAllocOp alloc);

  tt::FuncOp function;
  const Target &target;
  unsigned bytes; // that the function takes with the stores that were moved
};

/// Whether there is memory for the stores where they are now, and for as many blocks as before.
bool Stores::fits() {
  // The rest is for what the estimate leaves out: gaps, and rings of loads.
  unsigned limit = getSharedMemoryLimit(target) / 4 * 3;
  auto countBlocks = [&](unsigned bytes) {
    return countResidentBlocks({ttg::getNumWarps(function), getRegisterLimit(function), bytes}, target);
  };
  unsigned now = estimateSharedMemory(function.getBody().front());
  if (now > limit || countBlocks(now) < countBlocks(bytes))
    return false;
  bytes = now;
  return true;
}

/// Between a store and the product there may be barriers that others need; then no other is placed. The fence
/// must come before it, so it stays with the store.
void addFence(ttg::LocalAllocOp alloc) {
  for (Operation *op = alloc->getNextNode(); op && op->getNumRegions() == 0; op = op->getNextNode())
    if (mlir::isa<ttng::FenceAsyncSharedOp>(op) &&
        (op == alloc->getNextNode() || mlir::isa_and_nonnull<ttg::LocalBarrierOp>(op->getNextNode())))
      return;
  mlir::OpBuilder builder(alloc->getContext());
  builder.setInsertionPointAfter(alloc);
  ttng::FenceAsyncSharedOp::create(builder, alloc.getLoc());
}

void Stores::leaveLoops(ttg::LocalAllocOp alloc) {
  Operation *outermost = nullptr;
  for (Operation *op = alloc->getParentOp(); op; op = op->getParentOp()) {
    // Under a condition a factor may not be needed in each round; but once it is, in one.
    auto condition = mlir::dyn_cast<mlir::scf::IfOp>(op);
    if (condition && !condition->isAncestor(alloc.getSrc().getParentRegion()->getParentOp()))
      continue;
    auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(op);
    if (!loop || !loop.isDefinedOutsideOfLoop(alloc.getSrc()))
      break;
    outermost = op;
  }
  if (!outermost)
    return;
  Operation *next = alloc->getNextNode();
  alloc->moveBefore(outermost);
  if (!fits())
    return alloc->moveBefore(next);
  mlir::OpBuilder builder(outermost);
  ttng::FenceAsyncSharedOp::create(builder, alloc.getLoc());
  ttg::LocalBarrierOp::create(builder, alloc.getLoc());
  // A product that reads nothing else that the loop writes needs no fence of its own.
  for (ttng::WarpGroupDotOp product : findProducts(alloc.getResult())) {
    auto isOlder = [&](Value operand) {
      while (auto trans = operand.getDefiningOp<ttg::MemDescTransOp>())
        operand = trans.getSrc();
      return !mlir::isa<ttg::MemDescType>(operand.getType()) ||
             !outermost->isAncestor(operand.getParentRegion()->getParentOp());
    };
    if (!llvm::all_of(product->getOperands(), isOlder))
      continue;
    Operation *before = product->getPrevNode();
    while (before && !mlir::isa<ttng::FenceAsyncSharedOp, ttng::WarpGroupDotOp>(before))
      before = before->getPrevNode();
    if (mlir::isa_and_nonnull<ttng::FenceAsyncSharedOp>(before))
      before->erase();
  }
}

/// Whether it did.
bool Stores::moveUp(ttg::LocalAllocOp alloc) {
  Operation *known = alloc.getSrc().getDefiningOp();
  if (!known || known->getBlock() != alloc->getBlock())
    return false;
  Operation *place = known->getNextNode();
  while (place != alloc && isLight(place))
    place = place->getNextNode();
  if (place == alloc)
    return false;
  Operation *next = alloc->getNextNode();
  alloc->moveBefore(place);
  if (fits())
    return true;
  alloc->moveBefore(next);
  return false;
}

/// Whether an earlier buffer holds the same, which then serves the products of this one.
bool Stores::shareWithOthers(ttg::LocalAllocOp alloc) {
  for (Operation *user : alloc.getSrc().getUsers()) {
    auto other = mlir::dyn_cast<ttg::LocalAllocOp>(user);
    if (!other || other == alloc || other.getType() != alloc.getType())
      continue;
    Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*alloc);
    if (!ancestor || !other->isBeforeInBlock(ancestor))
      continue;
    llvm::SmallVector<mlir::OpOperand *> uses;
    for (mlir::OpOperand &use : alloc->getUses())
      uses.push_back(&use);
    auto giveTo = [&](ttg::LocalAllocOp buffer) {
      for (mlir::OpOperand *use : uses)
        use->set(buffer.getResult());
    };
    giveTo(other);
    if (fits()) {
      addFence(other);
      alloc.erase();
      return true;
    }
    giveTo(alloc);
  }
  return false;
}

void Stores::run() {
  llvm::SmallVector<ttg::LocalAllocOp> allocs;
  function.walk([&](ttg::LocalAllocOp alloc) {
    if (alloc.getSrc() && !alloc.getType().getMutableMemory() && !findProducts(alloc.getResult()).empty())
      allocs.push_back(alloc);
  });
  for (ttg::LocalAllocOp alloc : allocs) {
    if (shareWithOthers(alloc))
      continue;
    leaveLoops(alloc);
    if (moveUp(alloc))
      addFence(alloc);
  }
}

void StoreFactorsEarly::runOnOperation() {
  llvm::Expected<Target> parsed = Target::parse(target);
  if (!parsed) {
    getOperation().emitError(llvm::toString(parsed.takeError()));
    return signalPassFailure();
  }
  if (parsed->backend != Backend::CUDA)
    return;
  for (auto function : getOperation().getOps<tt::FuncOp>())
    if (!function.isExternal())
      Stores(function, *parsed).run();
}

} // namespace

std::unique_ptr<mlir::Pass> createStoreFactorsEarlyPass() { return std::make_unique<StoreFactorsEarly>(); }

std::unique_ptr<mlir::Pass> createStoreFactorsEarlyPass(const Target &target) {
  return std::make_unique<StoreFactorsEarly>(target);
}

} // namespace nereid
