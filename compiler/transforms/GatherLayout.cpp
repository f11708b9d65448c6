// The way from loaded indices to addresses. See GatherLayout.h.
#include "compiler/transforms/GatherLayout.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LayoutPropagation.h"

#include "llvm/ADT/SetVector.h"

namespace nereid {

using mlir::Attribute;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

bool isOnlyReduced(Value tile, std::optional<unsigned> axis, llvm::function_ref<bool(tt::LoadOp)> isLookup) {
  llvm::SetVector<Value> tiles;
  tiles.insert(tile);
  for (unsigned i = 0; i != tiles.size(); ++i)
    for (Operation *user : tiles[i].getUsers()) {
      if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(user)) {
        if (axis && reduce.getAxis() != *axis)
          return false;
        continue;
      }
      auto load = mlir::dyn_cast<tt::LoadOp>(user);
      // All of a tile, in whatever order.
      if (auto reshape = mlir::dyn_cast<tt::ReshapeOp>(user); reshape && reshape.getAllowReorder() && !axis) {
        tiles.insert(reshape);
        continue;
      }
      bool isOfElements =
          load ? isLookup(load)
               : user->hasTrait<mlir::OpTrait::Elementwise>() ||
                     mlir::isa<mlir::arith::SelectOp, tt::AddPtrOp, ttg::ConvertLayoutOp>(user);
      if (!isOfElements || user->getNumResults() != 1)
        return false;
      tiles.insert(user->getResult(0));
    }
  return true;
}

llvm::SmallVector<tt::LoadOp, 2> findIndices(tt::LoadOp gather) {
  auto shape = mlir::cast<RankedTensorType>(gather.getType()).getShape();
  llvm::SmallVector<tt::LoadOp, 2> indices;
  llvm::SetVector<Value> ways;
  ways.insert(gather.getPtr());
  for (unsigned i = 0; i != ways.size(); ++i) {
    Operation *op = ways[i].getDefiningOp();
    auto type = mlir::dyn_cast<RankedTensorType>(ways[i].getType());
    if (!op || !type || type.getShape() != shape)
      continue;
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      indices.push_back(load);
    else if (op->hasTrait<mlir::OpTrait::Elementwise>() ||
             mlir::isa<tt::AddPtrOp, mlir::arith::SelectOp, ttg::ConvertLayoutOp>(op))
      ways.insert(op->operand_begin(), op->operand_end());
  }
  return indices;
}

/// With an axis of one element more.
static LinearLayout expand(const LinearLayout &source, unsigned axis) {
  unsigned rank = source.getOutDims().size();
  LinearLayout result = source;
  for (unsigned d = rank; d-- > axis;)
    result = result.renameOut(tensorDim(d), tensorDim(d + 1));
  result *= LinearLayout::zeros1D(1, Dim::Register, tensorDim(axis));
  llvm::SmallVector<Dim, 4> order;
  for (unsigned d = 0; d <= rank; ++d)
    order.push_back(tensorDim(d));
  return result.reorderOuts(order);
}

/// With the elements of axes that grow from one in registers, next to one another along the last of them.
static LinearLayout broadcast(const LinearLayout &source, RankedTensorType type) {
  LinearLayout result;
  for (unsigned d = type.getRank(); d--;)
    if (source.getOutSize(tensorDim(d)) == 1 && type.getDimSize(d) != 1)
      result *= LinearLayout::identity1D(type.getDimSize(d), Dim::Register, tensorDim(d));
  result *= source;
  llvm::SmallVector<Dim, 4> order;
  for (unsigned d = 0; d != type.getRank(); ++d)
    order.push_back(tensorDim(d));
  return result.reorderOuts(order);
}

static Attribute infer(Value value, const llvm::DenseMap<Operation *, Attribute> &layouts) {
  Operation *op = value.getDefiningOp();
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type)
    return {};
  if (mlir::isa<tt::LoadOp>(op)) {
    bool isForAll = type.getNumElements() >= int64_t(ttg::getNumWarps(op)) * ttg::getThreadsPerWarp(op);
    return isForAll ? layouts.lookup(op) : Attribute();
  }
  bool isWay = op->hasTrait<mlir::OpTrait::Elementwise>() ||
               mlir::isa<tt::AddPtrOp, mlir::arith::SelectOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp,
                         tt::ReshapeOp, tt::JoinOp, ttg::ConvertLayoutOp>(op);
  for (Value operand : op->getOperands()) {
    Attribute layout = isWay ? infer(operand, layouts) : Attribute();
    if (!layout || !ttg::hasLinearLayout(layout))
      continue;
    auto from = mlir::cast<RankedTensorType>(operand.getType());
    if (auto expanded = mlir::dyn_cast<tt::ExpandDimsOp>(op))
      return ttg::toLinearEncoding(op->getContext(),
                                   expand(ttg::toLinearLayout(from.getShape(), layout), expanded.getAxis()));
    if (mlir::isa<tt::BroadcastOp>(op))
      return ttg::toLinearEncoding(op->getContext(),
                                   broadcast(ttg::toLinearLayout(from.getShape(), layout), type));
    return inferResultLayout(op, layout);
  }
  return {};
}

Attribute inferAddressLayout(tt::LoadOp gather, const llvm::DenseMap<Operation *, Attribute> &layouts) {
  return infer(gather.getPtr(), layouts);
}

} // namespace nereid
