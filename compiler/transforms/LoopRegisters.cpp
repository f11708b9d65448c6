// Tiles that live through a loop, counted by their elements: layouts may not be chosen yet. With 256 threads,
// attention's loop over keys for 128 queries and heads of 128 elements needs
//
//     sums     128x128 f32, carried             64 registers
//     scores   128x128 f32, a product's         64
//     queries  128x128 f16, only in a product    -
//     largest  128 f32, carried                  1
#include "compiler/transforms/LoopRegisters.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Occupancy.h"
#include "compiler/transforms/FactorSource.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/ModuleTarget.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

unsigned getRegisters(RankedTensorType tile, unsigned numThreads) {
  unsigned bits = tt::getElementBits(tile.getElementType());
  return llvm::divideCeil(tile.getNumElements() * bits, uint64_t(32) * numThreads);
}

unsigned getRegisterLimit(Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  unsigned limit = mostRegistersOfThread;
  if (auto asked = module->getAttrOfType<mlir::IntegerAttr>(ttg::maxRegistersName))
    limit = std::min<unsigned>(limit, asked.getInt());
  if (std::optional<Target> target = getModuleTarget(op); target && target->isGPU()) {
    Multiprocessor sm = getMultiprocessor(*target);
    unsigned ofWarp = sm.partitions * sm.registersOfPartition / ttg::getNumWarps(module);
    limit = std::min<unsigned>(limit, llvm::alignDown(ofWarp, sm.registerUnit) / sm.warpSize);
  }
  return limit;
}

unsigned getRegistersForTiles(Operation *op) {
  constexpr unsigned ofRest = 55;
  unsigned limit = getRegisterLimit(op);
  return limit - std::min(ofRest, limit / 2);
}

/// Tiles of addresses are kept as a few numbers, from which elements' follow.
static bool isCheap(Value value) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || type.getElementType().isInteger(32) || type.getElementType().isInteger(64))
    return true;
  if (mlir::isa<tt::BroadcastOp, tt::ExpandDimsOp>(op))
    return isCheap(op->getOperand(0));
  return mlir::matchPattern(op, mlir::m_Constant()) || mlir::isa<tt::SplatOp, tt::MakeRangeOp>(op);
}

/// Whether what is left of the value's uses are products, which read it out of memory.
static bool feedsOnlyProducts(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (mlir::isa<tt::DotOp, tt::DotScaledOp, ttng::WarpGroupDotOp>(user))
      return true;
    if (mlir::isa<ttg::LocalAllocOp>(user))
      return true;
    return mlir::isa<ttg::ConvertLayoutOp, tt::TransOp>(user) && feedsOnlyProducts(user->getResult(0));
  });
}

/// The loop's counter is no tile, so that all tiles among the arguments are carried.
static llvm::SmallVector<Value> getCarried(Operation *loop) {
  llvm::SmallVector<Value> carried;
  for (mlir::Region &region : loop->getRegions())
    if (!region.empty())
      llvm::append_range(carried, region.front().getArguments());
  return carried;
}

static bool startsAtZero(Value sum) { return mlir::matchPattern(withoutConversion(sum), mlir::m_Constant()); }

unsigned estimateRegisters(Operation *loop) {
  unsigned numThreads = ttg::getNumWarps(loop) * 32, registers = 0;
  llvm::DenseSet<Value> counted;
  auto add = [&](Value value) {
    auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    if (type && !mlir::isa<tt::PointerType>(type.getElementType()) && !type.getElementType().isInteger(1) &&
        counted.insert(value).second)
      registers += getRegisters(type, numThreads);
  };
  mlir::Liveness liveness(loop->getParentOfType<tt::FuncOp>());
  for (Operation *around = loop; !mlir::isa<tt::FuncOp>(around); around = around->getParentOp()) {
    llvm::for_each(
        mlir::isa<mlir::LoopLikeOpInterface>(around) ? getCarried(around) : llvm::SmallVector<Value>(), add);
    const mlir::LivenessBlockInfo *block = liveness.getLiveness(around->getBlock());
    for (Value value : block->currentlyLiveValues(around)) {
      bool isUsedInside = llvm::any_of(
          value.getUsers(), [&](Operation *user) { return user != around && around->isAncestor(user); });
      bool isLive = value.getDefiningOp() != around && (isUsedInside || !liveness.isDeadAfter(value, around));
      if (isLive && !isCheap(value) && !feedsOnlyProducts(value))
        add(value);
    }
  }
  loop->walk([&](Operation *op) {
    if (auto product = mlir::dyn_cast<tt::DotOp>(op); product && startsAtZero(product.getC()))
      add(product.getResult());
    if (auto product = mlir::dyn_cast<ttng::WarpGroupDotOp>(op); product && startsAtZero(product.getC()))
      add(product.getResult());
  });
  return registers;
}

} // namespace nereid
