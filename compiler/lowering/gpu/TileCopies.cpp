// Tiles that the hardware copies by a tensor map (TMA), and the barriers in shared memory that count their
// bytes.
//
// The map, which the host has encoded or the program has made, says where the tensor is, how large it is and
// how large a box of it one copy moves; the kernel gives the box's first element. In memory, rows of a
// swizzled tile are no longer than the swizzle (SharedLayouts.cpp), so a wider tile is several boxes beside
// each other, one behind the other in memory:
//
//     64 x 128 of f16, swizzled by 128 bytes      box 64 x 64 at columns 0 … 63      bytes 0 … 8191
//                                                 box 64 x 64 at columns 64 … 127    bytes 8192 … 16383
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

using namespace mlir;

namespace nereid::gpu {

static llvm::Value *getBarrier(Emitter &e, Value barrier) { return e.getSharedAddress(e.get(barrier)[0]); }

static LogicalResult emitInit(Emitter &e, ttng::InitBarrierOp op) {
  e.target.beginTileBarrier(e.b, e.threadId(), getBarrier(e, op.getAlloc()), op.getCount());
  return success();
}

static LogicalResult emitInval(Emitter &e, ttng::InvalBarrierOp op) {
  e.target.endTileBarrier(e.b, e.threadId(), getBarrier(e, op.getAlloc()));
  return success();
}

static LogicalResult emitExpect(Emitter &e, ttng::BarrierExpectOp op) {
  e.target.expectTileBytes(e.b, e.threadId(), getBarrier(e, op.getAlloc()), op.getSize(),
                           e.getScalar(op.getPred()));
  return success();
}

static LogicalResult emitArrive(Emitter &e, ttng::ArriveBarrierOp op) {
  e.target.arriveAtTileBarrier(e.b, op.getEachWarp() ? nullptr : e.threadId(), getBarrier(e, op.getAlloc()),
                               op.getCount(), op.getPred() ? e.getScalar(op.getPred()) : nullptr);
  return success();
}

static LogicalResult emitWait(Emitter &e, ttng::WaitBarrierOp op) {
  if (op.getPred())
    return op.emitError("a wait under a condition can't be lowered yet");
  e.target.waitForTiles(e.b, getBarrier(e, op.getAlloc()), e.getScalar(op.getPhase()));
  return success();
}

/// Calls `copy` with each box's place in shared memory and its coordinates in the tensor, innermost first.
static LogicalResult forEachBox(Emitter &e, Operation *op, tt::TensorDescType descriptor,
                                TypedValue<ttg::MemDescType> tile, ValueRange coord,
                                llvm::function_ref<void(llvm::Value *, const Registers &)> copy) {
  ttg::MemDescType memory = tile.getType();
  const Registers &place = e.get(tile);
  auto *part = dyn_cast<llvm::ConstantInt>(place[1]);
  if (!part || !part->isZero())
    return op->emitError("a copy of a part of a buffer can't be lowered yet");
  if (memory.getRank() != 2)
    return op->emitError("a copy of memory of other than two axes can't be lowered yet");
  if (auto matrix = dyn_cast<ttg::NVMMASharedEncodingAttr>(memory.getEncoding());
      matrix && matrix.getTransposed())
    return op->emitError("a copy of memory whose columns are contiguous can't be lowered");
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(memory.getElementType()));
  llvm::SmallVector<int64_t> shape(descriptor.getBlockType().getShape());
  llvm::SmallVector<int64_t> box = getTileBox(shape, memory.getEncoding()), first(shape.size(), 0);
  shape.back() = memory.getDimSize(1); // all columns, or those of one piece
  if (shape.back() % box.back())
    return op->emitError("a copy of a part of a tensor map's box can't be lowered");
  unsigned rank = shape.size(), offset = 0, boxBytes = elementBytes;
  for (int64_t size : box)
    boxBytes *= size;
  // In memory, boxes that lie below each other come before those beside them.
  for (bool isDone = false; !isDone; offset += boxBytes) {
    Registers coordinates;
    for (unsigned axis = rank; axis--;)
      coordinates.push_back(first[axis] ? e.b.CreateAdd(e.getScalar(coord[axis]), e.b.getInt32(first[axis]))
                                        : e.getScalar(coord[axis]));
    copy(e.getSharedAddress(e.b.CreateAdd(place[0], e.b.getInt32(offset))), coordinates);
    // The innermost axis is stepped last.
    isDone = true;
    for (unsigned step = 1; step <= rank && isDone; ++step) {
      unsigned axis = (2 * rank - 1 - step) % rank;
      first[axis] += box[axis];
      isDone = first[axis] == shape[axis];
      if (isDone)
        first[axis] = 0;
    }
  }
  return success();
}

static LogicalResult emitLoad(Emitter &e, ttng::AsyncTMACopyGlobalToLocalOp op) {
  return forEachBox(e, op, op.getDesc().getType(), op.getResult(), op.getCoord(),
                    [&](llvm::Value *to, const Registers &coordinates) {
                      e.target.copyTile(e.b, e.threadId(), to, e.getScalar(op.getDesc()), coordinates,
                                        getBarrier(e, op.getBarrier()), e.getScalar(op.getPred()));
                    });
}

static LogicalResult emitStore(Emitter &e, ttng::AsyncTMACopyLocalToGlobalOp op) {
  return forEachBox(e, op, op.getDesc().getType(), op.getSrc(), op.getCoord(),
                    [&](llvm::Value *from, const Registers &coordinates) {
                      e.target.storeTile(e.b, e.threadId(), from, e.getScalar(op.getDesc()), coordinates);
                    });
}

static LogicalResult emitStoreWait(Emitter &e, ttng::AsyncTMAStoreWaitOp op) {
  e.target.waitForStoredTiles(e.b, op.getPendings(), op.getWritten());
  return success();
}

/// The address of a map that the program has made, as copies take it.
static llvm::Value *getMap(Emitter &e, Value pointer) {
  return e.b.CreateAddrSpaceCast(e.getScalar(pointer), e.b.getPtrTy());
}

static LogicalResult emitCreate(Emitter &e, ttng::TensormapCreateOp op) {
  if (!e.target.canMakeTensorMaps())
    return op.emitError(
        "a tensor map is made by the program here, which this target can't do; those whose names end "
        "in 'a' can, such as cuda:90a");
  auto get = [&](ValueRange values) {
    llvm::SmallVector<llvm::Value *, 5> scalars;
    for (Value value : values)
      scalars.push_back(e.getScalar(value));
    return scalars;
  };
  TargetLowering::TensorMapFields fields{
      e.b.CreateAddrSpaceCast(e.getScalar(op.getGlobalAddress()), e.b.getPtrTy()),
      get(op.getBoxDim()),
      get(op.getGlobalDim()),
      get(op.getGlobalStride()),
      get(op.getElementStride()),
      op.getElemType(),
      op.getInterleaveLayout(),
      op.getSwizzleMode(),
      op.getFillMode()};
  e.target.makeTensorMap(e.b, e.getScratch(op), getMap(e, op.getDescPtr()), fields);
  e.target.barrier(e.b);
  return success();
}

static LogicalResult emitAcquire(Emitter &e, ttng::TensormapFenceproxyAcquireOp op) {
  if (!e.target.canMakeTensorMaps())
    return op.emitError("this target's programs make no tensor maps");
  e.target.acquireTensorMap(e.b, getMap(e, op.getDescPtr()));
  return success();
}

static LogicalResult emitReinterpret(Emitter &e, ttng::ReinterpretTensorDescOp op) {
  e.set(op.getResult(), getMap(e, op.getRawDesc()));
  return success();
}

void addTileCopyEmitters(EmitterTable &table) {
  table.add<ttng::InitBarrierOp, emitInit>();
  table.add<ttng::InvalBarrierOp, emitInval>();
  table.add<ttng::BarrierExpectOp, emitExpect>();
  table.add<ttng::ArriveBarrierOp, emitArrive>();
  table.add<ttng::WaitBarrierOp, emitWait>();
  table.add<ttng::AsyncTMACopyGlobalToLocalOp, emitLoad>();
  table.add<ttng::AsyncTMACopyLocalToGlobalOp, emitStore>();
  table.add<ttng::AsyncTMAStoreWaitOp, emitStoreWait>();
  table.add<ttng::TensormapCreateOp, emitCreate>();
  table.add<ttng::TensormapFenceproxyAcquireOp, emitAcquire>();
  table.add<ttng::ReinterpretTensorDescOp, emitReinterpret>();
}

} // namespace nereid::gpu
