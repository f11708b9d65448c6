// A permutation of one phase is none. See PlainMemory.h.
#include "compiler/transforms/PlainMemory.h"

namespace nereid {

ttg::SwizzledSharedEncodingAttr getPlainLayout(mlir::MLIRContext *context, llvm::ArrayRef<unsigned> order) {
  return ttg::SwizzledSharedEncodingAttr::get(context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order,
                                              llvm::ArrayRef<int32_t>());
}

ttg::LocalAllocOp fillPlainMemory(mlir::Operation *place, mlir::Value source,
                                  llvm::ArrayRef<unsigned> order) {
  mlir::OpBuilder builder(place);
  auto type = mlir::cast<mlir::RankedTensorType>(source.getType());
  auto memory = ttg::MemDescType::get(type.getShape(), type.getElementType(),
                                      getPlainLayout(builder.getContext(), order),
                                      ttg::SharedMemorySpaceAttr::get(builder.getContext()));
  return ttg::LocalAllocOp::create(builder, source.getLoc(), memory, source,
                                   builder.getI32IntegerAttr(/*alignment=*/16));
}

} // namespace nereid
