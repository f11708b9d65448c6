// Descriptors' loads and stores, and the memory that suits their tiles. See DescriptorUses.h.
#include "compiler/transforms/DescriptorUses.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/transforms/PlainMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

mlir::Attribute chooseTileMemory(mlir::RankedTensorType tile) {
  constexpr int64_t mostBytes = 64 << 10, leastBytes = 128; // so that each buffer of a ring is aligned
  unsigned bits = tt::getElementBits(tile.getElementType());
  int64_t columns = tile.getShape().back(), rows = tile.getNumElements() / columns;
  int64_t rowBytes = columns * bits / 8;
  if (!llvm::is_contained({8u, 16u, 32u}, bits) || tile.getRank() > TensorMap::mostAxes || rowBytes % 16 ||
      rows * rowBytes < leastBytes || rows * rowBytes > mostBytes)
    return {};
  // Boxes that lie one below the other in memory are neighbours along the outermost axis.
  llvm::ArrayRef<int64_t> outer =
      tile.getShape().drop_back().drop_while([](int64_t size) { return size == 1; });
  if (llvm::any_of(outer.drop_front(std::min<size_t>(1, outer.size())),
                   [](int64_t size) { return size > TensorMap::mostBoxElements; }))
    return {};
  // The hardware takes the row that a swizzle goes by from the address: boxes are whole patterns of 8 rows.
  constexpr int64_t rowsOfPattern = 8;
  for (unsigned swizzle : {128u, 64u, 32u})
    if (rows >= rowsOfPattern && rowBytes >= swizzle)
      return ttg::NVMMASharedEncodingAttr::get(tile.getContext(), swizzle, /*transposed=*/false, bits,
                                               /*fp4Padded=*/false, /*rank=*/2, llvm::ArrayRef<int32_t>());
  // Row after row. Boxes side by side would not be.
  if (rows > 1 && columns > TensorMap::mostBoxElements)
    return {};
  return getPlainLayout(tile.getContext(), /*order=*/{1, 0});
}

tt::TensorDescType withMemory(tt::TensorDescType type, mlir::Attribute memory) {
  mlir::RankedTensorType tile = type.getBlockType();
  return tt::TensorDescType::get(type.getContext(),
                                 mlir::RankedTensorType::get(tile.getShape(), tile.getElementType(), memory));
}

std::optional<DescriptorUses> findDescriptorUses(tt::MakeTensorDescOp make) {
  DescriptorUses uses;
  for (mlir::Operation *user : make->getUsers()) {
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(user)) {
      uses.loads.push_back(load);
      uses.isLoadedInLoop |=
          load->getParentOfType<mlir::scf::ForOp>() || load->getParentOfType<mlir::scf::WhileOp>();
    } else if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(user)) {
      uses.stores.push_back(store);
    } else {
      return std::nullopt;
    }
  }
  return uses;
}

Messages findMessages(tt::FuncOp kernel) {
  Messages messages;
  kernel->walk([&](mlir::Operation *op) {
    bool isAtomic = mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op);
    bool isOpaque = mlir::isa<tt::CallOp, tt::ElementwiseInlineAsmOp>(op);
    messages.hears |= isOpaque || (isAtomic && !op->use_empty());
    messages.tells |= isOpaque || isAtomic;
  });
  return messages;
}

void moveMatrices(const DescriptorUses &uses, mlir::RankedTensorType tile) {
  int64_t columns = tile.getShape().back();
  auto matrix =
      mlir::RankedTensorType::get({tile.getNumElements() / columns, columns}, tile.getElementType());
  for (tt::DescriptorLoadOp load : uses.loads) {
    mlir::Type wanted = load.getType();
    if (wanted == matrix)
      continue;
    mlir::OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    load.getResult().setType(matrix);
    auto shaped =
        tt::ReshapeOp::create(builder, load.getLoc(), wanted, load, mlir::UnitAttr(), mlir::UnitAttr());
    load.getResult().replaceAllUsesExcept(shaped, shaped);
  }
  for (tt::DescriptorStoreOp store : uses.stores) {
    if (store.getSrc().getType() == matrix)
      continue;
    mlir::OpBuilder builder(store);
    store.getSrcMutable().assign(tt::ReshapeOp::create(builder, store.getLoc(), matrix, store.getSrc(),
                                                       mlir::UnitAttr(), mlir::UnitAttr()));
  }
}

} // namespace nereid
