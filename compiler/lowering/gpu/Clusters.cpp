// What the blocks of a cluster have to do with each other: their numbers, their barrier, and exchanges of
// parts of tensors through their shared memory.
//
// For an exchange each block writes what it has to its own memory, in row-major order; all of the cluster
// meet; each thread reads its elements of the result where they are, mostly in another block's memory; and
// all meet again, so that nobody writes anew, or leaves and takes the memory along, while others read. In a
// cluster of two, rows divided before and columns behind:
//
//     block 0 writes rows 0 to 31 of 64      element (40, 3) of the result, which block 0 reads:
//     block 1 writes rows 32 to 63           block 40 / 32 = 1, place (40 % 32, 3) in its memory
//
// If each block has all that it needs, the threads of the block exchange it among themselves.
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/BlockParts.h"

using namespace mlir;

namespace nereid::gpu {

static LogicalResult emitBlockInCluster(Emitter &e, ttg::BlockInClusterOp op) {
  e.set(op.getResult(), e.target.blockInCluster(e.b));
  return success();
}

static LogicalResult emitClusterBarrier(Emitter &e, ttg::ClusterBarrierOp) {
  e.target.clusterBarrier(e.b);
  return success();
}

/// How many registers in a row lie side by side along the last axis, and fit a vector.
static unsigned getVectorWidth(Emitter &e, RankedTensorType type, int64_t longest) {
  constexpr unsigned vectorBytes = 16;
  unsigned width = e.getLayout(type).getNumConsecutive(Dim::Register, tensorDim(type.getRank() - 1));
  return std::min<int64_t>({int64_t(width), int64_t(vectorBytes / e.getElementBytes(type)), longest});
}

static void writePart(Emitter &e, ttg::ExchangeBlocksOp op, RankedTensorType type) {
  unsigned bytes = e.getElementBytes(type), width = getVectorWidth(e, type, type.getShape().back());
  llvm::SmallVector<Registers> coordinates = e.getCoordinates(type);
  const Registers &registers = e.get(op.getSrc());
  auto [owner, copies] = e.getOwnership(type);
  for (unsigned first = 0; first < registers.size(); first += width) {
    if (first & copies)
      continue;
    llvm::Value *value = e.toMemory(registers[first]);
    if (width > 1) {
      auto *vector = llvm::FixedVectorType::get(value->getType(), width);
      value = llvm::PoisonValue::get(vector);
      for (unsigned i = 0; i < width; ++i)
        value = e.b.CreateInsertElement(value, e.toMemory(registers[first + i]), i);
    }
    e.target.storeShared(e.b, value, e.getScratchElement(op, type.getShape(), coordinates[first], bytes),
                         owner);
  }
}

static void readPart(Emitter &e, ttg::ExchangeBlocksOp op, RankedTensorType from, RankedTensorType to) {
  llvm::IRBuilder<> &b = e.b;
  unsigned bytes = e.getElementBytes(to);
  unsigned width = getVectorWidth(e, to, from.getShape().back());
  llvm::Type *element = e.getMemoryType(to);
  llvm::Type *accessed = width == 1 ? element : llvm::FixedVectorType::get(element, width);
  int fromAxis = int32_t(op.getFrom()), toAxis = int32_t(op.getTo());
  Registers results;
  llvm::SmallVector<Registers> coordinates = e.getCoordinates(to);
  for (unsigned first = 0; first < coordinates.size(); first += width) {
    Registers place = coordinates[first];
    if (toAxis != wholeTensor) {
      llvm::Value *begin = b.CreateMul(e.target.blockInCluster(b), b.getInt32(to.getDimSize(toAxis)));
      place[toAxis] = b.CreateAdd(place[toAxis], begin);
    }
    llvm::Value *block = b.getInt32(0);
    if (fromAxis != wholeTensor) {
      llvm::Value *size = b.getInt32(from.getDimSize(fromAxis));
      block = b.CreateUDiv(place[fromAxis], size);
      place[fromAxis] = b.CreateURem(place[fromAxis], size);
    }
    llvm::Value *address = e.getScratchElement(op, from.getShape(), place, bytes);
    llvm::Value *loaded = op.crosses() ? e.target.loadFromBlock(b, accessed, address, block)
                                       : b.CreateAlignedLoad(accessed, address, llvm::Align(width * bytes));
    for (unsigned i = 0; i < width; ++i)
      results.push_back(e.fromMemory(width == 1 ? loaded : b.CreateExtractElement(loaded, i), to));
  }
  e.set(op.getResult(), std::move(results));
}

static LogicalResult emitExchangeBlocks(Emitter &e, ttg::ExchangeBlocksOp op) {
  auto meet = [&] { op.crosses() ? e.target.clusterBarrier(e.b) : e.barrierForOthers(); };
  auto from = dyn_cast<RankedTensorType>(op.getSrc().getType());
  if (!from) {
    llvm::Value *value = e.toMemory(e.getScalar(op.getSrc())), *place = e.getScratch(op);
    e.target.storeShared(e.b, value, place, e.getOwnership(op.getSrc().getType()).predicate);
    meet();
    llvm::Value *loaded = e.target.loadFromBlock(e.b, value->getType(), place, e.b.getInt32(0));
    e.set(op.getResult(), e.fromMemory(loaded, op.getType()));
    meet();
    return success();
  }
  writePart(e, op, from);
  meet();
  readPart(e, op, from, cast<RankedTensorType>(op.getType()));
  if (op.crosses())
    meet();
  return success();
}

void addClusterEmitters(EmitterTable &table) {
  table.add<ttg::BlockInClusterOp, emitBlockInCluster>();
  table.add<ttg::ClusterBarrierOp, emitClusterBarrier>();
  table.add<ttg::ExchangeBlocksOp, emitExchangeBlocks>();
}

} // namespace nereid::gpu
