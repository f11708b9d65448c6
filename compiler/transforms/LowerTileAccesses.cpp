// Accesses of tiles by tensor maps, but for the loads that a loop starts ahead. A load becomes a copy that
// the threads wait for:
//
//     %x = tt.descriptor_load %d[%i, %j]
//
//     %buffer = ttg.local_alloc, %barrier = ttg.local_alloc
//     ttng.init_barrier %barrier, 1
//     ttng.barrier_expect %barrier, 16384
//     ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier
//     ttng.wait_barrier %barrier, 0
//     ttng.inval_barrier %barrier
//     %x = ttg.local_load %buffer
//
// Loads that follow one another start together, and one barrier waits for all of them.
//
// A store goes through memory on chip, to which each thread writes its elements in whatever layout they have:
//
//     tt.descriptor_store %d[%i, %j], %x
//
//     %buffer = ttg.local_alloc %x
//     ttng.fence_async_shared                              (and a barrier of the block)
//     ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer
//     ttng.async_tma_store_wait {pendings = 0}             the buffer is read, the tensor may not be written
//     yet
//
// In pieces (StorePieces.h) it takes buffers that last as long as the loop around it, in turns. A piece waits
// until its buffer has been read, and what the last ones hold is read while the next tile is computed:
//
//     ttng.async_tma_store_wait {pendings = 1}             for two buffers; and a barrier of the block
//     ttg.local_store %piece, %buffer
//     ttng.fence_async_shared                              (and a barrier of the block)
//     ttng.async_tma_copy_local_to_global %d[%i, %j + 64] %buffer
//
// Threads and the unit that copies see each other's accesses of global memory late. Where a kernel has both
// for one tensor, the copy is "ordered" (LiftDescriptors.cpp): the fence before it is one of global memory,
// and behind a store all threads wait until the tensor is written.
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedBuffers.h"
#include "compiler/transforms/StorePieces.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Value;

namespace {

struct LowerTileAccesses : mlir::PassWrapper<LowerTileAccesses, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTileAccesses)

  llvm::StringRef getArgument() const final { return "nereid-ttg-lower-tile-accesses"; }
  llvm::StringRef getDescription() const final { return "Copy tiles by tensor maps"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttng::TTNGDialect>();
  }
  void runOnOperation() final;
};

/// Orders what threads have done to memory before what the unit that copies does behind the next barrier.
void createFence(OpBuilder &builder, mlir::Location location, bool isGlobal) {
  auto fence = ttng::FenceAsyncSharedOp::create(builder, location);
  fence.setGlobal(isGlobal);
}

/// Loads that one barrier waits for, in the order of the program.
using LoadGroup = llvm::SmallVector<tt::DescriptorLoadOp>;

unsigned countBytes(llvm::ArrayRef<tt::DescriptorLoadOp> loads) {
  unsigned bytes = 0;
  for (tt::DescriptorLoadOp load : loads)
    bytes += getBufferBytes(getTileMemory(load.getDesc().getType()));
  return bytes;
}

/// Whether a load may start where the group does, so that one does not wait for the other. In loops memory on
/// chip may be short.
bool mayJoin(const LoadGroup &group, tt::DescriptorLoadOp load) {
  constexpr unsigned mostBytes = 64 << 10;
  tt::DescriptorLoadOp first = group.front();
  mlir::Block *block = first->getBlock();
  if (load->getBlock() != block || load->getParentOfType<mlir::LoopLikeOpInterface>() ||
      countBytes(group) + countBytes(load) > mostBytes)
    return false;
  for (Value index : load.getIndices())
    if (mlir::Operation *op = index.getDefiningOp();
        op && op->getBlock() == block && !op->isBeforeInBlock(first))
      return false;
  for (mlir::Operation *op = first->getNextNode(); op != load; op = op->getNextNode())
    if (op->getNumRegions() || mlir::isa<tt::CallOp>(op) || mayWriteGlobal(op))
      return false;
  return true;
}

/// Lets the users of a load have the tile that has come to `buffer`.
void replace(tt::DescriptorLoadOp load, Value buffer) {
  OpBuilder builder(load);
  auto memory = mlir::cast<ttg::MemDescType>(buffer.getType());
  // Products that want the tile in memory, just so, have it there.
  bool staysInMemory = false;
  for (mlir::Operation *user : llvm::make_early_inc_range(load->getUsers())) {
    auto alloc = mlir::dyn_cast<ttg::LocalAllocOp>(user);
    if (!alloc || alloc.getType().getEncoding() != memory.getEncoding() || alloc.getType().getMutableMemory())
      continue;
    replaceMemory(alloc.getResult(), buffer);
    alloc.erase();
    staysInMemory = true;
  }
  if (!load->use_empty())
    load.replaceAllUsesWith(
        ttg::LocalLoadOp::create(builder, load.getLoc(), load.getType(), buffer).getResult());
  if (!staysInMemory)
    ttg::LocalDeallocOp::create(builder, load.getLoc(), buffer);
  load.erase();
}

void lower(LoadGroup &group) {
  tt::DescriptorLoadOp first = group.front();
  OpBuilder builder(first);
  mlir::Location location = first.getLoc();
  llvm::SmallVector<Value> buffers;
  for (tt::DescriptorLoadOp load : group)
    buffers.push_back(ttg::LocalAllocOp::create(builder, load.getLoc(),
                                                getTileMemory(load.getDesc().getType()), /*src=*/Value(),
                                                builder.getI32IntegerAttr(tileAlignment)));
  Value barrier = ttg::LocalAllocOp::create(builder, location, getTileBarriers(builder.getContext(), {1}),
                                            /*src=*/Value(), builder.getI32IntegerAttr(16));
  ttng::InitBarrierOp::create(builder, location, barrier, 1);
  // What threads did with the memory before is over when the copies come.
  createFence(builder, location, llvm::any_of(group, [](tt::DescriptorLoadOp load) {
                return isOrderedTensorMap(load.getDesc());
              }));
  ttg::LocalBarrierOp::create(builder, location);
  Value always = mlir::arith::ConstantIntOp::create(builder, location, 1, 1);
  Value phase = mlir::arith::ConstantIntOp::create(builder, location, 0, 32);
  ttng::BarrierExpectOp::create(builder, location, barrier, countBytes(group), always);
  for (auto [load, buffer] : llvm::zip_equal(group, buffers))
    ttng::AsyncTMACopyGlobalToLocalOp::create(builder, load.getLoc(), load.getDesc(), load.getIndices(),
                                              barrier, buffer, always, load.getCache(), load.getEvict(),
                                              /*isVolatile=*/false);
  ttng::WaitBarrierOp::create(builder, location, barrier, phase, /*pred=*/Value(), /*deps=*/buffers);
  ttng::InvalBarrierOp::create(builder, location, barrier);
  ttg::LocalDeallocOp::create(builder, location, barrier);
  for (auto [load, buffer] : llvm::zip_equal(group, buffers))
    replace(load, buffer);
}

void lowerInPieces(tt::DescriptorStoreOp store, unsigned numBuffers) {
  mlir::Operation *loop = store->getParentOp();
  OpBuilder before(loop), builder(store), behind(store.getContext());
  behind.setInsertionPointAfter(loop);
  mlir::Location location = store.getLoc();
  ttg::MemDescType whole = getTileMemory(store.getDesc().getType());
  llvm::SmallVector<Value> pieces = cutColumns(builder, store.getSrc(), countPieces(store));
  auto memory = ttg::MemDescType::get(mlir::cast<mlir::RankedTensorType>(pieces.front().getType()).getShape(),
                                      whole.getElementType(), whole.getEncoding(), whole.getMemorySpace(),
                                      /*mutableMemory=*/true);
  llvm::SmallVector<Value> buffers;
  for (unsigned i = 0; i != numBuffers; ++i)
    buffers.push_back(ttg::LocalAllocOp::create(before, location, memory, /*src=*/Value(),
                                                before.getI32IntegerAttr(tileAlignment)));
  llvm::SmallVector<Value> coordinates(store.getIndices());
  Value first = coordinates.back();
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    Value buffer = buffers[i % numBuffers];
    if (i)
      coordinates.back() = mlir::arith::AddIOp::create(
          builder, location, first,
          mlir::arith::ConstantIntOp::create(builder, location, i * memory.getDimSize(1), 32));
    ttng::AsyncTMAStoreWaitOp::create(builder, location, numBuffers - 1);
    ttg::LocalStoreOp::create(builder, location, piece, buffer);
    createFence(builder, location, /*isGlobal=*/false);
    ttng::AsyncTMACopyLocalToGlobalOp::create(builder, location, store.getDesc(), coordinates, buffer);
  }
  ttng::AsyncTMAStoreWaitOp::create(behind, location, 0);
  for (Value buffer : buffers)
    ttg::LocalDeallocOp::create(behind, location, buffer);
  store.erase();
}

void lower(tt::DescriptorStoreOp store) {
  if (unsigned numBuffers = getPieceBuffers(store))
    return lowerInPieces(store, numBuffers);
  OpBuilder builder(store);
  mlir::Location location = store.getLoc();
  ttg::MemDescType type = getTileMemory(store.getDesc().getType());
  bool isOrdered = isOrderedTensorMap(store.getDesc());
  Value value = withoutConversion(store.getSrc());
  auto memory = ttg::MemDescType::get(type.getShape(), type.getElementType(), type.getEncoding(),
                                      type.getMemorySpace());
  Value buffer =
      ttg::LocalAllocOp::create(builder, location, memory, value, builder.getI32IntegerAttr(tileAlignment));
  createFence(builder, location, isOrdered);
  if (isOrdered) // whatever the warps have read or written there
    ttg::LocalBarrierOp::create(builder, location);
  ttng::AsyncTMACopyLocalToGlobalOp::create(builder, location, store.getDesc(), store.getIndices(), buffer);
  ttng::AsyncTMAStoreWaitOp::create(builder, location, 0).setWritten(isOrdered);
  if (isOrdered) {
    createFence(builder, location, /*isGlobal=*/true);
    ttg::LocalBarrierOp::create(builder, location);
  }
  ttg::LocalDeallocOp::create(builder, location, buffer);
  store.erase();
}

void LowerTileAccesses::runOnOperation() {
  llvm::SmallVector<LoadGroup> loads;
  llvm::SmallVector<tt::DescriptorStoreOp> stores;
  getOperation().walk([&](mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(op); load && isTensorMap(load.getDesc())) {
      if (loads.empty() || !mayJoin(loads.back(), load))
        loads.emplace_back();
      loads.back().push_back(load);
    } else if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(op);
               store && isTensorMap(store.getDesc())) {
      stores.push_back(store);
    }
  });
  for (LoadGroup &group : loads)
    lower(group);
  for (tt::DescriptorStoreOp store : stores)
    lower(store);
}

} // namespace

std::unique_ptr<mlir::Pass> createLowerTileAccessesPass() { return std::make_unique<LowerTileAccesses>(); }

} // namespace nereid
