// The one place of each operation that has one, chosen by what its operands are computed from. See
// BlockForms.h.
#include "compiler/transforms/BlockForms.h"
#include "compiler/transforms/FunctionEffects.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

void BlockForms::collect(mlir::Region &region) {
  auto note = [&](Value value) {
    if (RankedTensorType type = mlir::dyn_cast<RankedTensorType>(value.getType()))
      wholeTypes[value] = type;
  };
  for (mlir::Block &block : region) {
    for (mlir::BlockArgument argument : block.getArguments())
      note(argument);
    for (Operation &op : block) {
      ops.push_back(&op);
      for (Value result : op.getResults())
        note(result);
      if (mlir::isa<mlir::RegionBranchOpInterface>(op))
        for (mlir::Region &inner : op.getRegions())
          collect(inner);
    }
  }
}

void BlockForms::findSlots() {
  llvm::DenseMap<mlir::OpOperand *, unsigned> slotOfSender;
  auto connect = [&](Value receiver, mlir::OpOperand *sender) {
    if (!getWhole(receiver))
      return;
    auto [it, isNew] = slotOf.try_emplace(receiver, slots.size());
    if (isNew)
      slots.push_back({{receiver}, {}, std::nullopt});
    unsigned slot = it->second;
    auto [known, isFirstReceiver] = slotOfSender.try_emplace(sender, slot);
    if (isFirstReceiver) {
      slots[slot].senders.push_back(sender);
      return;
    }
    unsigned other = known->second;
    if (other == slot)
      return;
    for (Value moved : slots[slot].receivers)
      slotOf[moved] = other;
    for (mlir::OpOperand *moved : slots[slot].senders)
      slotOfSender[moved] = other;
    slots[other].receivers.append(slots[slot].receivers);
    slots[other].senders.append(slots[slot].senders);
    slots[slot] = {};
  };
  for (Operation *op : ops) {
    if (auto branching = mlir::dyn_cast<mlir::RegionBranchOpInterface>(op)) {
      mlir::RegionBranchInverseSuccessorMapping mapping;
      branching.getSuccessorInputOperandMapping(mapping);
      // In the order of the text, so that the result does not depend on addresses.
      auto connectAll = [&](mlir::ValueRange receivers) {
        for (Value receiver : receivers)
          for (mlir::OpOperand *sender : mapping.lookup(receiver))
            connect(receiver, sender);
      };
      for (mlir::Region &region : op->getRegions())
        if (!region.empty())
          connectAll(region.getArguments());
      connectAll(op->getResults());
    }
    if (auto branch = mlir::dyn_cast<mlir::BranchOpInterface>(op))
      for (auto [index, successor] : llvm::enumerate(op->getSuccessors())) {
        mlir::SuccessorOperands operands = branch.getSuccessorOperands(index);
        unsigned begin = operands.getProducedOperandCount();
        for (unsigned i = begin; i < operands.size(); ++i)
          connect(successor->getArgument(i), &operands.getMutableForwardedOperands()[i - begin]);
      }
  }
}

/// What has an effect or may look at others' effects, so that it is not done again for another form. Memory
/// that programs talk through is among that: blocks that load it at different times may see different things.
bool BlockForms::findsOnePlace(Operation *op) const {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return isOneLook(load) || (!contested.empty() && contested.meets(roots.get(load.getPtr())));
  if (mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return true;
  return isElementByElement(op) && !mlir::isMemoryEffectFree(op);
}

void BlockForms::findOnePlaces() {
  for (Operation *op : ops) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    if (load ? load.getIsVolatile() : mlir::isa<tt::CallOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      contested.merge(roots.getOfOperands(op));
  }
  for (Operation *op : ops)
    if (findsOnePlace(op))
      onePlace.insert(op);
}

bool BlockForms::mustChoosePlace(Operation *op) const {
  return hasOnePlace(op) ||
         mlir::isa<tt::DotOp, tt::DotScaledOp, tt::ReduceOp, tt::ScanOp, tt::StoreOp, tt::DescriptorStoreOp,
                   tt::DescriptorReduceOp, tt::PrintOp, tt::AssertOp, tt::CallOp, tt::ReturnOp>(op);
}

std::optional<int> BlockForms::getPreferred(Value value) const {
  if (const Slot *slot = getSlot(value)) {
    for (mlir::OpOperand *sender : slot->senders)
      if (auto it = preferred.find(sender->get()); it != preferred.end())
        return it->second;
    return std::nullopt;
  }
  auto it = preferred.find(value);
  return it == preferred.end() ? std::nullopt : std::optional<int>(it->second);
}

/// Rows, unless that leaves too few for a step of a matrix unit.
int BlockForms::chooseProduct(Operation *op) const {
  constexpr int64_t fewRows = 16, fewColumns = 16;
  RankedTensorType type = getWhole(op->getResult(0));
  int rank = type.getRank(), rows = rank - 2, columns = rank - 1;
  if (rank == 3 && parts.canSplit(type, 0))
    return 0;
  if (type.getDimSize(rows) >= fewRows * parts.getNumBlocks())
    return rows;
  if (type.getDimSize(columns) >= fewColumns * parts.getNumBlocks())
    return columns;
  return parts.canSplit(type, rows) ? rows : parts.canSplit(type, columns) ? columns : wholeTensor;
}

int BlockForms::chooseReduction(tt::ReduceOp op) const {
  RankedTensorType type = getWhole(op.getSrcs().front());
  int reduced = op.getAxis();
  for (Value source : op.getSrcs())
    if (std::optional<int> axis = getPreferred(source))
      return *axis;
  for (int axis = 0; axis != type.getRank(); ++axis)
    if (axis != reduced && parts.canSplit(type, axis))
      return axis;
  return parts.canSplit(type, reduced) ? reduced : wholeTensor;
}

int BlockForms::chooseScan(tt::ScanOp op) const {
  RankedTensorType type = getWhole(op.getSrcs().front());
  int scanned = op.getAxis();
  for (Value source : op.getSrcs())
    if (std::optional<int> axis = getPreferred(source); axis && *axis != scanned)
      return *axis;
  for (int axis = 0; axis != type.getRank(); ++axis)
    if (axis != scanned && parts.canSplit(type, axis))
      return axis;
  return wholeTensor;
}

/// Tiles are divided by rows, if eight are left: their layout in memory stays.
int BlockForms::chooseDescriptorAxis(tt::TensorDescType type, RankedTensorType tile) const {
  constexpr int64_t fewRows = 8;
  RankedTensorType box = type.getSignlessBlockType();
  bool areRowsAlone =
      box.getRank() >= 2 && tile.getRank() == 2 && box.getDimSize(box.getRank() - 2) == tile.getDimSize(0);
  return areRowsAlone && tile.getDimSize(0) >= fewRows * parts.getNumBlocks() ? 0 : wholeTensor;
}

/// Of an operation that has one place: the axis, or wholeTensor.
int BlockForms::choosePlace(Operation *op) const {
  if (mlir::isa<tt::DotOp, tt::DotScaledOp>(op))
    return chooseProduct(op);
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op))
    return chooseReduction(reduce);
  if (auto scan = mlir::dyn_cast<tt::ScanOp>(op))
    return chooseScan(scan);
  if (mlir::isa<tt::PrintOp, tt::CallOp, tt::ReturnOp>(op))
    return wholeTensor;
  // Element by element: as one of the operands lies.
  RankedTensorType type;
  auto findAxis = [&](mlir::ValueRange values) -> std::optional<int> {
    for (Value value : values)
      if (RankedTensorType whole = getWhole(value)) {
        type = whole;
        if (std::optional<int> axis = getPreferred(value))
          return axis;
      }
    return std::nullopt;
  };
  if (auto store = mlir::dyn_cast<tt::StoreOp>(op))
    if (std::optional<int> axis = findAxis(store.getValue()))
      return *axis;
  if (std::optional<int> axis = findAxis(op->getOperands()))
    return *axis;
  if (std::optional<int> axis = findAxis(op->getResults()))
    return *axis;
  return type ? parts.getUsualAxis(type) : wholeTensor;
}

void BlockForms::choosePlaces() {
  // The second round knows what loops hand back.
  for (int round = 0; round != 2; ++round) {
    for (Operation *op : ops) {
      if (mustChoosePlace(op)) {
        int axis = places[op] = choosePlace(op);
        for (Value result : op->getResults())
          if (getWhole(result) && getResultAxis(op, axis) != wholeTensor)
            preferred[result] = getResultAxis(op, axis);
        continue;
      }
      for (Value result : op->getResults()) {
        RankedTensorType type = getWhole(result);
        if (!type || slotOf.count(result))
          continue;
        for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
          std::optional<int> axis = getWhole(operand) ? getPreferred(operand) : std::nullopt;
          std::optional<int> mapped =
              axis ? parts.mapToResult(op, index, *axis, getWhole(operand), type) : std::nullopt;
          if (mapped) {
            preferred[result] = *mapped;
            break;
          }
        }
      }
    }
  }
}

} // namespace nereid
