// One walk through each block, counting buffers from where they are made to their last use.
#include "compiler/transforms/LoopMemory.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/StorePieces.h"
#include "compiler/transforms/TensorMaps.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

/// The last operation of the buffer's block that needs it, through views. A warp group's product reads its
/// operands until its result is needed.
static Operation *findLastUse(ttg::LocalAllocOp alloc) {
  mlir::Block *block = alloc->getBlock();
  Operation *last = alloc;
  llvm::SetVector<Value> views;
  views.insert(alloc.getResult());
  auto extendTo = [&](Operation *user) {
    Operation *op = block->findAncestorOpInBlock(*user);
    if (op && last->isBeforeInBlock(op))
      last = op;
  };
  for (size_t i = 0; i != views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      extendTo(user);
      if (mlir::isa<ttng::WarpGroupDotOp>(user))
        llvm::for_each(user->getUsers(), extendTo);
      for (Value result : user->getResults())
        if (mlir::isa<ttg::MemDescType>(result.getType()))
          views.insert(result);
    }
  return last;
}

static unsigned estimate(mlir::Block &block, llvm::function_ref<bool(Operation *)> isLeftOut) {
  unsigned inUse = 0, most = 0;
  llvm::DenseMap<Operation *, unsigned> freedBehind;
  for (Operation &op : block) {
    unsigned inside = 0;
    if (isLeftOut(&op))
      continue;
    if (auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(&op)) {
      unsigned bytes = getBufferBytes(alloc.getType());
      inUse += bytes;
      freedBehind[findLastUse(alloc)] += bytes;
    } else if (auto tile = mlir::dyn_cast<tt::DescriptorLoadOp>(&op)) {
      inside = getBufferBytes(getTileMemory(tile.getDesc().getType())); // see LowerTileAccesses.cpp
    } else if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(&op)) {
      inside = getStoreBytes(store);
    } else {
      inside = getScratchBytes(&op);
    }
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        inside = std::max(inside, estimate(inner, isLeftOut));
    most = std::max(most, inUse + inside);
    inUse -= freedBehind.lookup(&op);
  }
  return most;
}

unsigned estimateSharedMemory(mlir::Block &block) {
  return estimate(block, [](Operation *) { return false; });
}

unsigned estimateSharedMemory(mlir::scf::ForOp loop, llvm::function_ref<bool(Operation *)> isLeftOut) {
  unsigned bytes = estimate(*loop.getBody(), isLeftOut);
  // What is alive around the loop, used in it or not: in the blocks that it is nested in, what begins before
  // and ends behind.
  for (Operation *around = loop; around->getBlock(); around = around->getParentOp()) {
    for (auto alloc : around->getBlock()->getOps<ttg::LocalAllocOp>())
      if (alloc->isBeforeInBlock(around) && !findLastUse(alloc)->isBeforeInBlock(around))
        bytes += getBufferBytes(alloc.getType());
    if (!around->getParentOp() || around->getParentOp()->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
      break;
  }
  return bytes;
}

} // namespace nereid
