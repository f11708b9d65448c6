// What is stored, and all else that has an effect, demands its operands in the form that it has itself, and
// so on backwards. See BlockForms.h.
#include "compiler/transforms/BlockForms.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

BlockForms::BlockForms(tt::FuncOp function, int64_t numBlocks)
    : function(function), parts(numBlocks), roots(function) {}

mlir::LogicalResult BlockForms::find() {
  collect(function.getBody());
  findOnePlaces();
  findSlots();
  choosePlaces();
  return findDemands();
}

std::optional<llvm::SmallVector<int, 4>> BlockForms::mapToOperands(Operation *op, int axis) const {
  llvm::SmallVector<RankedTensorType> types;
  for (Value operand : op->getOperands())
    types.push_back(getWhole(operand));
  return parts.mapToOperands(op, axis, types, getWhole(op->getResult(0)));
}

int BlockForms::getComputedAxis(Operation *op, int wanted) {
  if (auto it = places.find(op); it != places.end())
    return it->second;
  if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(op)) {
    auto [it, isNew] = descriptorAxes.try_emplace(load.getDesc(), wholeTensor);
    if (isNew && wanted == chooseDescriptorAxis(load.getDesc().getType(), getWhole(load.getResult())))
      it->second = wanted;
    return it->second;
  }
  return mapToOperands(op, wanted) ? wanted : wholeTensor;
}

int BlockForms::getResultAxis(Operation *op, int axis) const {
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op)) {
    int reduced = reduce.getAxis();
    return axis == wholeTensor || axis == reduced ? wholeTensor : axis > reduced ? axis - 1 : axis;
  }
  return axis;
}

llvm::SmallVector<int, 4> BlockForms::getOperandAxes(Operation *op, int axis) const {
  llvm::SmallVector<int, 4> axes(op->getNumOperands(), axis);
  if (axis == wholeTensor)
    return axes;
  if (mlir::isa<tt::DotOp, tt::DotScaledOp>(op)) {
    int rank = getWhole(op->getResult(0)).getRank(), rows = rank - 2, columns = rank - 1;
    if (axis != rows && axis != columns) // batches
      return axes;
    axes[0] = axis == rows ? rows : wholeTensor;
    axes[1] = axis == columns ? columns : wholeTensor;
    if (auto scaled = mlir::dyn_cast<tt::DotScaledOp>(op)) {
      // A scale has a row for each row of the left factor, or column of the right one.
      if (scaled.getAScale())
        axes[3] = axis == rows ? rows : wholeTensor;
      if (scaled.getBScale())
        axes[scaled.getAScale() ? 4 : 3] = axis == columns ? rows : wholeTensor;
    }
    return axes;
  }
  if (places.count(op))
    return axes;
  if (mlir::isa<tt::DescriptorLoadOp>(op))
    return axes; // none are tensors
  return *mapToOperands(op, axis);
}

bool BlockForms::isInPlace(Operation *op) const {
  if (mlir::isa<tt::ReduceOp>(op))
    return false;
  return hasOnePlace(op) || mlir::isa<mlir::RegionBranchOpInterface, tt::CallOp>(op) ||
         llvm::none_of(op->getResults(), [&](Value result) { return bool(getWhole(result)); });
}

void BlockForms::demand(Value value, int axis) {
  RankedTensorType type = getWhole(value);
  if (!type)
    return;
  if (!parts.canSplit(type, axis))
    axis = wholeTensor;
  llvm::SmallVector<int, 2> &known = demands[value];
  if (llvm::is_contained(known, axis))
    return;
  known.push_back(axis);
  worklist.push_back({value, axis});
}

void BlockForms::compute(Operation *op, int axis) {
  llvm::SmallVector<int, 2> &known = computed[op];
  if (llvm::is_contained(known, axis))
    return;
  known.push_back(axis);
  for (auto [operand, operandAxis] : llvm::zip_equal(op->getOperands(), getOperandAxes(op, axis)))
    demand(operand, operandAxis);
}

mlir::LogicalResult BlockForms::findDemands() {
  auto follow = [&] {
    while (!worklist.empty()) {
      auto [value, axis] = worklist.back();
      worklist.pop_back();
      if (auto it = slotOf.find(value); it != slotOf.end()) {
        Slot &slot = slots[it->second];
        if (slot.axis)
          continue;
        slot.axis = getPreferred(value).value_or(axis);
        for (mlir::OpOperand *sender : slot.senders)
          demand(sender->get(), *slot.axis);
      } else if (Operation *op = value.getDefiningOp()) {
        compute(op, getComputedAxis(op, axis));
      }
    }
  };
  for (Operation *op : ops) {
    bool hasTensors = llvm::any_of(op->getOperands(), [&](Value operand) { return bool(getWhole(operand)); });
    bool isTerminator = op->hasTrait<mlir::OpTrait::IsTerminator>() && !mlir::isa<tt::ReturnOp>(op);
    if (mlir::isa<mlir::RegionBranchOpInterface>(op) || isTerminator) // these are slots
      continue;
    bool isScalarReduction = mlir::isa<tt::ReduceOp>(op) && !getWhole(op->getResult(0));
    if (!isInPlace(op) && !isScalarReduction)
      continue;
    if (!places.count(op)) {
      if (hasTensors && !mlir::isMemoryEffectFree(op))
        return op->emitOpError("cannot be divided among the ")
               << parts.getNumBlocks() << " blocks of a cluster (num_ctas)";
      places[op] = wholeTensor;
    }
    // The unit that copies tiles does it for a block's rows, or for the whole by the first block.
    Value descriptor;
    if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(op))
      descriptor = store.getDesc();
    else if (auto reduce = mlir::dyn_cast<tt::DescriptorReduceOp>(op))
      descriptor = reduce.getDesc();
    if (descriptor) {
      Value tile = mlir::isa<tt::DescriptorStoreOp>(op) ? mlir::cast<tt::DescriptorStoreOp>(op).getSrc()
                                                        : mlir::cast<tt::DescriptorReduceOp>(op).getSrc();
      auto type = mlir::cast<tt::TensorDescType>(descriptor.getType());
      places[op] =
          descriptorAxes.try_emplace(descriptor, chooseDescriptorAxis(type, getWhole(tile))).first->second;
    }
    compute(op, places[op]);
    follow();
  }
  // What nobody needs has a form nevertheless.
  for (Slot &slot : slots)
    if (!slot.receivers.empty())
      demand(slot.receivers.front(), wholeTensor);
  follow();
  return mlir::success();
}

} // namespace nereid
