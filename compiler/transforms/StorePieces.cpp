// A tile is halved again and again, by operations that move nothing where the halves lie in different
// registers of each thread:
//
//     tensor<128x256>  reshape  tensor<128x2x128>  trans  tensor<128x128x2>  split  two of tensor<128x128>
#include "compiler/transforms/StorePieces.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/IR/Matchers.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

constexpr llvm::StringLiteral piecesAttr = "nereid.piece_buffers";

/// Whether all elements are the same, so that there is nothing to convert.
static bool isSplat(Value value) {
  return value.getDefiningOp<tt::SplatOp>() || mlir::matchPattern(value, mlir::m_Constant());
}

/// What a tile is computed from element by element, beside splats, behind the last conversions of its layout:
/// the sums of a product, as a rule. `steps` gets the operations between, the last first.
static Value findSource(Value tile, llvm::SmallVectorImpl<Operation *> &steps) {
  while (true) {
    Operation *op = tile.getDefiningOp();
    if (auto convert = mlir::dyn_cast_or_null<ttg::ConvertLayoutOp>(op)) {
      tile = convert.getSrc();
      continue;
    }
    if (!op || !op->hasTrait<mlir::OpTrait::Elementwise>() || !mlir::isPure(op) || op->getNumResults() != 1)
      return tile;
    auto sources = llvm::make_filter_range(op->getOperands(), std::not_fn(isSplat));
    if (!llvm::hasSingleElement(sources) || !mlir::isa<RankedTensorType>((*sources.begin()).getType()))
      return tile;
    steps.push_back(op);
    tile = *sources.begin();
  }
}

void storeWhereItIs(tt::DescriptorStoreOp store) {
  mlir::OpBuilder builder(store);
  Value tile = store.getSrc();
  llvm::SmallVector<Operation *> steps;
  Value source = findSource(tile, steps);
  mlir::Attribute layout = getLayout(source);
  for (Operation *step : llvm::reverse(steps)) {
    Operation *again = builder.clone(*step);
    for (mlir::OpOperand &operand : again->getOpOperands())
      if (!isSplat(operand.get()))
        operand.set(source);
      else if (mlir::isa<RankedTensorType>(operand.get().getType()))
        operand.set(ttg::ConvertLayoutOp::create(builder, tile.getLoc(),
                                                 withLayout(operand.get().getType(), layout), operand.get()));
    source = again->getResult(0);
    setLayout(source, layout);
  }
  store.getSrcMutable().set(source);
  while (tile != source && tile.use_empty()) {
    Operation *op = tile.getDefiningOp();
    tile = *llvm::find_if(op->getOperands(), std::not_fn(isSplat));
    op->erase();
  }
}

unsigned countPieces(tt::DescriptorStoreOp store) {
  llvm::SmallVector<Operation *> steps;
  auto type = mlir::cast<RankedTensorType>(
      withLayout(store.getSrc().getType(), getLayout(findSource(store.getSrc(), steps))));
  if (type.getRank() != 2 || !isTensorMap(store.getDesc()) || isOrderedTensorMap(store.getDesc()))
    return 1;
  llvm::SmallVector<int64_t> box =
      getTileBox(type.getShape(), getTileMemory(store.getDesc().getType()).getEncoding());
  unsigned count = type.getDimSize(1) / box[1];
  LinearLayout layout = ttg::toLinearLayout(type);
  Dim rows = tensorDim(0), columns = tensorDim(1);
  for (unsigned step = box[1]; step != type.getDimSize(1); step *= 2) {
    bool isInRegisters = false;
    for (const LinearLayout::DimBits &in : layout.getInDims())
      for (unsigned bit = 0; bit != in.bits; ++bit) {
        uint32_t column = layout.getBasis(in.dim, bit, columns);
        if (in.dim == Dim::Register && column == step && layout.getBasis(in.dim, bit, rows) == 0)
          isInRegisters = true;
        else if (column & step)
          return 1;
      }
    if (!isInRegisters)
      return 1;
  }
  return count;
}

void storeInPieces(tt::DescriptorStoreOp store, unsigned buffers) {
  if (buffers)
    store->setAttr(piecesAttr, mlir::Builder(store.getContext()).getI32IntegerAttr(buffers));
  else
    store->removeAttr(piecesAttr);
}

unsigned getPieceBuffers(tt::DescriptorStoreOp store) {
  auto buffers = store->getAttrOfType<mlir::IntegerAttr>(piecesAttr);
  return buffers ? buffers.getInt() : 0;
}

unsigned getStoreBytes(tt::DescriptorStoreOp store) {
  unsigned whole = getBufferBytes(getTileMemory(store.getDesc().getType()));
  unsigned buffers = getPieceBuffers(store);
  return buffers ? whole / countPieces(store) * buffers : whole;
}

llvm::SmallVector<Value> cutColumns(mlir::OpBuilder &builder, Value tile, unsigned count) {
  if (count == 1)
    return {tile};
  mlir::Location location = tile.getLoc();
  auto type = mlir::cast<RankedTensorType>(tile.getType());
  int64_t rows = type.getDimSize(0), half = type.getDimSize(1) / 2;
  auto halves =
      tt::ReshapeOp::create(builder, location, RankedTensorType::get({rows, 2, half}, type.getElementType()),
                            tile, mlir::UnitAttr(), mlir::UnitAttr());
  setLayout(halves, inferResultLayout(halves, type.getEncoding()));
  Value turned = tt::TransOp::create(builder, location, halves, llvm::ArrayRef<int32_t>{0, 2, 1});
  auto split = tt::SplitOp::create(builder, location, turned);
  llvm::SmallVector<Value> pieces = cutColumns(builder, split.getOutLHS(), count / 2);
  llvm::append_range(pieces, cutColumns(builder, split.getOutRHS(), count / 2));
  return pieces;
}

} // namespace nereid
