// Parameters that are tensor maps, and the memory that their tiles need. See TensorMaps.h.
#include "compiler/transforms/TensorMaps.h"

namespace nereid {

using mlir::Value;

bool isTensorMap(Value descriptor) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(descriptor);
  auto function = argument ? mlir::dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), tensorMapAttr);
}

static mlir::DictionaryAttr getParts(mlir::BlockArgument argument) {
  auto function = mlir::cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  return function.getArgAttrOfType<mlir::DictionaryAttr>(argument.getArgNumber(), tensorMapAttr);
}

Value getTensorMapBase(Value descriptor) {
  auto argument = mlir::cast<mlir::BlockArgument>(descriptor);
  return argument.getOwner()->getArgument(
      getParts(argument).getAs<mlir::IntegerAttr>(tensorMapBaseName).getInt());
}

bool isOrderedTensorMap(Value descriptor) {
  return getParts(mlir::cast<mlir::BlockArgument>(descriptor)).contains(tensorMapOrderedName);
}

ttg::MemDescType getTileMemory(tt::TensorDescType descriptor) {
  mlir::RankedTensorType tile = descriptor.getSignlessBlockType();
  int64_t columns = tile.getShape().back(), rows = tile.getNumElements() / columns;
  return ttg::MemDescType::get({rows, columns}, tile.getElementType(), tile.getEncoding(),
                               ttg::SharedMemorySpaceAttr::get(tile.getContext()), /*mutableMemory=*/true);
}

llvm::SmallVector<int64_t> getTileBox(llvm::ArrayRef<int64_t> shape, mlir::Attribute memory) {
  constexpr int64_t most = 256;
  llvm::SmallVector<int64_t> box;
  for (int64_t size : shape)
    box.push_back(std::min(size, most));
  if (auto matrix = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(memory))
    box.back() =
        std::min<int64_t>(box.back(), matrix.getSwizzlingByteWidth() * 8 / matrix.getElementBitWidth());
  return box;
}

ttg::MemDescType getTileBarriers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape) {
  auto plain = ttg::SwizzledSharedEncodingAttr::get(context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
                                                    /*order=*/{0}, llvm::ArrayRef<int32_t>());
  return ttg::MemDescType::get(shape, mlir::IntegerType::get(context, 64), plain,
                               ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
}

} // namespace nereid
