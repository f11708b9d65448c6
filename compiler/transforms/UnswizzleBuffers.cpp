// Lays buffers out row by row where nobody needs them permuted.
//
// Where a tile is to be read in several layouts, PipelineLoads has its rows permuted (FactorMemory.h), with
// which fragments of products are read without bank conflicts. Once all readers are known, it may be that
// none reads across rows. Then the permutation only costs registers: an address in it is one exclusive or
// away from its neighbour's, and has to be computed and kept, where in plain rows it is a constant away, and
// part of the instruction:
//
//     4x512 bf16, 16 of whose columns a lane reads one by one, of all four rows
//     permuted    an address for each row and each place in 16 bytes     255 registers, 208 bytes spilled
//     plain       one address                                            204 registers
//
// (transformer-engine's _mhc_expand_combine_bwd, of one warp.) Readers and writers are counted in banks'
// waves and instructions (SharedAccessCost.h); a buffer stays as it is where plain rows would cost more, and
// where a product, a tensor map or a transposed view looks at it.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/layouts/MatrixLoadPlan.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlainMemory.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedAccessCost.h"

#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct UnswizzleBuffers : mlir::PassWrapper<UnswizzleBuffers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnswizzleBuffers)

  llvm::StringRef getArgument() const final { return "nereid-ttg-unswizzle-buffers"; }
  llvm::StringRef getDescription() const final {
    return "Lay out buffers in plain rows where that is as fast";
  }
  void runOnOperation() final;
};

ttg::MemDescType withEncoding(ttg::MemDescType type, mlir::Attribute encoding) {
  return ttg::MemDescType::get(type.getShape(), type.getElementType(), encoding, type.getMemorySpace(),
                               type.getMutableMemory(), type.getAllocShape());
}

/// A buffer, or a ring of them, that only tensors are read from and written to.
class Buffer {
public:
  explicit Buffer(ttg::LocalAllocOp alloc) : alloc(alloc) {}

  /// Whether all that looks at it is known here.
  bool collect();
  /// Whether it takes some reader many instructions, each of one word or less.
  bool isReadByWords() const;
  unsigned getCost(mlir::Attribute encoding) const;
  void setEncoding(mlir::Attribute encoding);

private:
  struct Access {
    Operation *op;
    RankedTensorType tensor;
    ttg::MemDescType memory;
    bool isRead;
  };

  void add(Operation *op, mlir::Type tensor, ttg::MemDescType memory, bool isRead) {
    auto type = mlir::cast<RankedTensorType>(tensor);
    // Of a copy, the tensor has addresses.
    accesses.push_back({op,
                        RankedTensorType::get(type.getShape(), memory.getElementType(), type.getEncoding()),
                        memory, isRead});
  }

  ttg::LocalAllocOp alloc;
  llvm::SmallVector<Value, 4> views;
  llvm::SmallVector<Access, 4> accesses;
};

bool Buffer::collect() {
  views.push_back(alloc);
  if (alloc.getSrc())
    add(alloc, alloc.getSrc().getType(), alloc.getType(), /*isRead=*/false);
  for (unsigned i = 0; i != views.size(); ++i) {
    auto memory = mlir::cast<ttg::MemDescType>(views[i].getType());
    for (Operation *user : views[i].getUsers()) {
      if (auto index = mlir::dyn_cast<ttg::MemDescIndexOp>(user))
        views.push_back(index);
      else if (auto load = mlir::dyn_cast<ttg::LocalLoadOp>(user))
        add(load, load.getType(), memory, /*isRead=*/true);
      else if (auto store = mlir::dyn_cast<ttg::LocalStoreOp>(user))
        add(store, store.getSrc().getType(), memory, /*isRead=*/false);
      else if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(user))
        add(copy, copy.getSrc().getType(), memory, /*isRead=*/false);
      else if (!mlir::isa<ttg::LocalDeallocOp>(user))
        return false;
    }
  }
  return true;
}

bool Buffer::isReadByWords() const {
  constexpr unsigned many = 32, wordBytes = 4;
  return llvm::any_of(accesses, [&](const Access &access) {
    if (!access.isRead)
      return false;
    LinearLayout offsets = getSharedOffsets(access.tensor, access.memory);
    unsigned elementBytes = getSharedElementBytes(tt::getElementBits(access.tensor.getElementType()));
    unsigned width = offsets.getNumConsecutive(Dim::Register, Dim::Offset);
    return width * elementBytes <= wordBytes && offsets.getInSize(Dim::Register) / width >= many &&
           !planMatrixLoads(offsets, elementBytes);
  });
}

unsigned Buffer::getCost(mlir::Attribute encoding) const {
  unsigned cost = 0;
  for (const Access &access : accesses) {
    LinearLayout offsets = getSharedOffsets(access.tensor, withEncoding(access.memory, encoding));
    unsigned elementBytes = getSharedElementBytes(tt::getElementBits(access.tensor.getElementType()));
    bool mayUseMatrices = !mlir::isa<ttg::AsyncCopyGlobalToLocalOp>(access.op) && hasMatrixStores(access.op);
    cost += access.isRead ? getReadCost(offsets, elementBytes)
                          : getWriteCost(offsets, elementBytes, mayUseMatrices);
  }
  return cost;
}

void Buffer::setEncoding(mlir::Attribute encoding) {
  for (Value view : views)
    view.setType(withEncoding(mlir::cast<ttg::MemDescType>(view.getType()), encoding));
}

void UnswizzleBuffers::runOnOperation() {
  getOperation().walk([](ttg::LocalAllocOp alloc) {
    auto layout = mlir::dyn_cast<ttg::SwizzledSharedEncodingAttr>(alloc.getType().getEncoding());
    Buffer buffer(alloc);
    if (!layout || layout.getMaxPhase() == 1 || !buffer.collect() || !buffer.isReadByWords())
      return;
    mlir::Attribute plain = getPlainLayout(alloc.getContext(), layout.getOrder());
    if (buffer.getCost(plain) <= buffer.getCost(layout))
      buffer.setEncoding(plain);
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createUnswizzleBuffersPass() { return std::make_unique<UnswizzleBuffers>(); }

} // namespace nereid
