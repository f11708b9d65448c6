// The attribute and its absence. See BlockOrder.h.
#include "compiler/transforms/BlockOrder.h"

#include "compiler/transforms/BlockParts.h"
#include "compiler/transforms/FunctionEffects.h"

#include "mlir/IR/Builders.h"

namespace nereid {

static constexpr llvm::StringLiteral blockAxisAttr = "nereid.block_axis";

bool mayAccessGlobal(mlir::Operation *op) {
  return mlir::isa<tt::LoadOp, tt::DescriptorLoadOp, tt::CallOp>(op) || mayWriteGlobal(op);
}

void setBlockAxis(mlir::Operation *op, int axis) {
  op->setAttr(blockAxisAttr, mlir::Builder(op->getContext()).getI32IntegerAttr(axis));
}

int getBlockAxis(mlir::Operation *op) {
  auto axis = op->getAttrOfType<mlir::IntegerAttr>(blockAxisAttr);
  return axis ? int(axis.getInt()) : wholeTensor;
}

void removeBlockAxis(mlir::Operation *op) { op->removeAttr(blockAxisAttr); }

} // namespace nereid
