// Parameters that are tensor maps, and the memory that their tiles need. See TensorMaps.h.
#include "compiler/transforms/TensorMaps.h"

namespace nereid {

using mlir::Value;

bool isTensorMap(Value descriptor) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(descriptor);
  auto function = argument ? mlir::dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), tensorMapAttr);
}

Value getTensorMapBase(Value descriptor) {
  auto argument = mlir::cast<mlir::BlockArgument>(descriptor);
  auto function = mlir::cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  auto parts = function.getArgAttrOfType<mlir::DictionaryAttr>(argument.getArgNumber(), tensorMapAttr);
  return function.getArgument(parts.getAs<mlir::IntegerAttr>(tensorMapBaseName).getInt());
}

ttg::MemDescType getTileMemory(tt::TensorDescType descriptor) {
  mlir::RankedTensorType tile = descriptor.getSignlessBlockType();
  return ttg::MemDescType::get(tile.getShape(), tile.getElementType(), tile.getEncoding(),
                               ttg::SharedMemorySpaceAttr::get(tile.getContext()), /*mutableMemory=*/true);
}

ttg::MemDescType getTileBarriers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape) {
  auto plain = ttg::SwizzledSharedEncodingAttr::get(context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1,
                                                    /*order=*/{0}, llvm::ArrayRef<int32_t>());
  return ttg::MemDescType::get(shape, mlir::IntegerType::get(context, 64), plain,
                               ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
}

} // namespace nereid
