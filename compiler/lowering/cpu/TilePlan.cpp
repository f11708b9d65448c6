// The decisions of TilePlan.h, in three steps: neighbouring roots become groups; values are decided on,
// consumers before producers, so that it is known where each value will be needed; products find the tile
// that they may add to in place.
#include "compiler/lowering/cpu/TilePlan.h"

#include "compiler/lowering/cpu/Elementwise.h"
#include "compiler/lowering/cpu/Overlap.h"
#include "compiler/lowering/cpu/Strides.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace llvm;

namespace nereid::cpu {

static mlir::RankedTensorType getTensor(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

bool mayWrite(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  if (mlir::isa<tt::ReduceOp, tt::ScanOp, tt::PrintOp, tt::AssertOp>(op) ||
      op->hasTrait<mlir::OpTrait::IsTerminator>())
    return false;
  if (op->getNumRegions() != 0) {
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Operation &inner : block)
          if (mayWrite(&inner))
            return true;
    return false;
  }
  return !mlir::isPure(op);
}

/// A conversion that costs no more than reading its result from a buffer: what it converts is buffered in its
/// place.
static bool isCheapCast(mlir::Operation *op) {
  return mlir::isa<mlir::arith::BitcastOp, tt::BitcastOp, mlir::arith::ExtFOp, mlir::arith::ExtSIOp,
                   mlir::arith::ExtUIOp, mlir::arith::TruncIOp>(op);
}

bool TilePlan::isVirtual(mlir::Operation *op) {
  if (op->getNumResults() == 0 || !getTensor(op->getResult(0)))
    return false;
  // Reductions of two elements are computed where they are used.
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op))
    return getTensor(reduce.getSrcs().front()).getDimSize(reduce.getAxis()) <= 2 &&
           isStraightLine(reduce.getCombineOp());
  return mlir::isa<mlir::arith::ConstantOp, mlir::ub::PoisonOp, tt::MakeRangeOp, tt::SplatOp, tt::BroadcastOp,
                   tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp, tt::GatherOp,
                   tt::CatOp, tt::LoadOp>(op) ||
         isElementwise(op);
}

TilePlan::TilePlan(tt::FuncOp function) {
  unsigned number = 0;
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    order[op] = number++;
    if (mayWrite(op))
      writes[op->getBlock()].push_back(op);
  });
  function.walk([&](mlir::Block *block) {
    if (!mlir::isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(block->getParentOp()))
      formGroups(*block);
  });
  // Consumers before producers: when a value is decided, it is known where those computed from it will be.
  SmallVector<mlir::Operation *> operations;
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (isVirtual(op))
      operations.push_back(op);
  });
  for (mlir::Operation *op : llvm::reverse(operations))
    for (mlir::Value result : op->getResults())
      decide(result);
  for (auto &group : groups)
    groupsAt[group->position].push_back(group.get());
  // Values that wait for a group stand behind it, in the order in which the kernel computes them.
  for (auto &entry : groupsAt) {
    SmallVector<std::tuple<unsigned, size_t, RootGroup *>> ranked;
    for (auto [index, group] : enumerate(entry.second)) {
      bool waits = group->roots.empty();
      unsigned rank = waits ? order.lookup(group->materialized.front().getDefiningOp()) + 1 : 0;
      ranked.emplace_back(rank, index, group);
    }
    llvm::sort(ranked);
    for (auto [group, place] : zip_equal(entry.second, ranked))
      group = std::get<2>(place);
  }
  findAccumulators();
}

bool TilePlan::dependsOn(mlir::Value value, ArrayRef<mlir::Operation *> roots) {
  SmallVector<mlir::Value> pending{value};
  DenseSet<mlir::Value> seen;
  while (!pending.empty()) {
    mlir::Value current = pending.pop_back_val();
    mlir::Operation *op = current.getDefiningOp();
    if (!op || !seen.insert(current).second || op->getBlock() != roots.front()->getBlock() ||
        order.lookup(op) < order.lookup(roots.front()))
      continue;
    if (llvm::is_contained(roots, op))
      return true;
    pending.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Neighbouring roots of one kind and shape become one group, which stands where its last root does. Between
/// them there may only be operations that can wait: those that neither touch memory nor use a result of the
/// group.
void TilePlan::formGroups(mlir::Block &block) {
  RootGroup *current = nullptr;
  bool isStoreGroup = false;
  for (mlir::Operation &op : block) {
    bool isStore = mlir::isa<tt::StoreOp>(op), isReduce = mlir::isa<tt::ReduceOp>(op) && !isVirtual(&op);
    mlir::RankedTensorType shaped;
    if (isStore)
      shaped = getTensor(mlir::cast<tt::StoreOp>(op).getPtr());
    else if (isReduce || mlir::isa<tt::ScanOp>(op))
      shaped = getTensor(op.getOperand(0));
    else if (mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::HistogramOp, tt::AssertOp>(op))
      shaped = op.getNumOperands() ? getTensor(op.getOperand(0)) : nullptr;
    if (shaped) {
      bool fits = current && current->shape == shaped.getShape() &&
                  ((isStore && isStoreGroup) || (isReduce && !isStoreGroup));
      if (fits && isReduce)
        for (mlir::Value source : op.getOperands())
          fits = fits && !dependsOn(source, current->roots);
      // Of two stores to one element the second counts.
      if (fits && isStore)
        for (mlir::Operation *root : current->roots)
          fits = fits &&
                 !mayOverlap(mlir::cast<tt::StoreOp>(root).getPtr(), mlir::cast<tt::StoreOp>(op).getPtr());
      if (!fits) {
        groups.push_back(std::make_unique<RootGroup>());
        current = groups.back().get();
        current->shape.assign(shaped.getShape().begin(), shaped.getShape().end());
        isStoreGroup = isStore;
      }
      current->roots.push_back(&op);
      current->position = &op;
      groupOf[&op] = current;
      if (!isStore && !isReduce)
        current = nullptr;
      continue;
    }
    if (!current)
      continue;
    if (isVirtual(&op)) {
      if (isStoreGroup && mlir::isa<tt::LoadOp>(op))
        current = nullptr;
      continue;
    }
    bool usesGroup = llvm::any_of(op.getOperands(),
                                  [&](mlir::Value operand) { return dependsOn(operand, current->roots); });
    if (usesGroup || op.getNumRegions() != 0 || !mlir::isPure(&op))
      current = nullptr;
  }
}

const TilePlan::Consumers &TilePlan::getConsumers(mlir::Value value) {
  auto &entry = consumersOf[value];
  if (entry)
    return *entry;
  auto result = std::make_unique<Consumers>();
  auto add = [&](Consumer consumer) {
    for (Consumer &known : *result)
      if (known.op == consumer.op && known.group == consumer.group) {
        known.sameIndex &= consumer.sameIndex;
        known.expanded |= consumer.expanded;
        known.needsBuffer |= consumer.needsBuffer;
        return;
      }
    result->push_back(consumer);
  };
  for (mlir::OpOperand &use : value.getUses()) {
    mlir::Operation *user = use.getOwner();
    if (!isVirtual(user)) {
      bool isProduct = mlir::isa<tt::DotOp, tt::DotScaledOp>(user);
      bool needsBuffer = isProduct && use.getOperandNumber() < 2;
      if (mlir::isa<tt::DotScaledOp>(user))
        needsBuffer = use.get() != mlir::cast<tt::DotScaledOp>(user).getC();
      add({user, groupOf.lookup(user), !needsBuffer, false, needsBuffer});
      continue;
    }
    bool sameIndex = isElementwise(user) || mlir::isa<tt::LoadOp>(user);
    bool expands = false;
    if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(user))
      expands = broadcast.getType().getNumElements() > getTensor(value).getNumElements();
    bool gathered = mlir::isa<tt::GatherOp>(user) && use.getOperandNumber() == 0;
    // Both sides of a concatenation would be computed for every element.
    gathered |= mlir::isa<tt::CatOp>(user);
    if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(user))
      gathered |= getTensor(value).getDimSize(reduce.getAxis()) > 1;
    for (mlir::Value produced : user->getResults()) {
      auto it = materialized.find(produced);
      if (it != materialized.end()) {
        add({it->second->position, it->second, sameIndex, expands, gathered});
        continue;
      }
      for (Consumer consumer : getConsumers(produced)) {
        consumer.sameIndex &= sameIndex;
        consumer.expanded |= expands;
        consumer.needsBuffer = gathered || (consumer.needsBuffer && isCheapCast(user));
        add(consumer);
      }
    }
  }
  auto &slot = consumersOf[value];
  slot = std::move(result);
  return *slot;
}

/// Whether the consumer's own nest stores to elements that it would load later.
bool TilePlan::isOverwritten(tt::LoadOp load, const Consumer &consumer) {
  return consumer.group && llvm::any_of(consumer.group->roots, [&](mlir::Operation *root) {
           auto store = mlir::dyn_cast<tt::StoreOp>(root);
           return store && (store.getPtr() == load.getPtr() ? !consumer.sameIndex
                                                            : mayOverlap(load.getPtr(), store.getPtr()));
         });
}

bool TilePlan::isWrittenBetween(mlir::Operation *from, mlir::Operation *to, const RootGroup *group) {
  auto it = writes.find(from->getBlock());
  if (it == writes.end())
    return false;
  unsigned first = order.lookup(from), last = order.lookup(to);
  for (mlir::Operation *write : it->second) {
    unsigned position = order.lookup(write);
    if (position > first && position < last && !(group && llvm::is_contained(group->roots, write)))
      return true;
  }
  return false;
}

/// Addresses, offsets and masks: cheaper to compute again than to read, and their structure is worth more
/// than either.
bool TilePlan::isAddressLike(mlir::Value value) {
  mlir::Type element = getTensor(value).getElementType();
  if (mlir::isa<tt::PointerType>(element))
    return true;
  if (!mlir::isa<mlir::IntegerType>(element))
    return false;
  auto isOpaque = [&](mlir::Value other) { return isMaterialized(other); };
  // Only whether there is a stride counts here, so that two more things have one: a multiple of something
  // address-like by a scalar, whatever it is; and `(start + arange) % n`, an address that may wrap around.
  // What is made of that keeps its structure, while the remainder itself, which is dear, may get a buffer.
  auto structured = [&](mlir::Value other) -> std::optional<int64_t> {
    mlir::Operation *op = other.getDefiningOp();
    if (other == value || !op)
      return std::nullopt;
    Strides strides(isOpaque);
    SmallVector<int64_t> ones(getTensor(other).getRank(), 1);
    auto strideOf = [&](mlir::Value operand) {
      return strides.getLaneStride(operand, ones, getTensor(other).getNumElements());
    };
    if (mlir::isa<mlir::arith::MulIOp>(op))
      for (unsigned i : {0, 1})
        if (strideOf(op->getOperand(i)) == 0 && isAddressLike(op->getOperand(1 - i)))
          return 1;
    if (mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op) && ones.size() == 1 &&
        strideOf(op->getOperand(0)) == 1 && strideOf(op->getOperand(1)) == 0)
      return 1;
    return std::nullopt;
  };
  Strides strides(isOpaque, structured);
  unsigned rank = getTensor(value).getRank();
  for (unsigned d = 0; d < rank; ++d) {
    SmallVector<int64_t> steps(rank, 0);
    steps[d] = 1;
    if (!strides.getLaneStride(value, steps, getTensor(value).getDimSize(d)))
      return false;
  }
  return true;
}

bool TilePlan::isGatheredLoad(tt::LoadOp load) {
  auto type = getTensor(load.getPtr());
  Strides strides([&](mlir::Value other) { return isMaterialized(other); });
  for (unsigned d = 0; d < type.getRank(); ++d) {
    if (type.getDimSize(d) == 1)
      continue;
    SmallVector<int64_t> steps(type.getRank(), 0);
    steps[d] = 1;
    if (auto stride = strides.getLaneStride(load.getPtr(), steps, type.getDimSize(d)); stride && *stride == 1)
      return false;
  }
  return type.getNumElements() > 1;
}

unsigned TilePlan::getCost(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(op) || isMaterialized(value))
    return 1;
  auto it = costs.find(value);
  if (it != costs.end())
    return it->second;
  unsigned cost = 1;
  if (mlir::isa<mlir::arith::ConstantOp, tt::SplatOp, tt::MakeRangeOp>(op))
    return 0;
  if (mlir::isa<tt::ReduceOp>(op))
    return 4; // Of two elements, which will be in a buffer.
  bool isIntegerDivision =
      mlir::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp, mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op);
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    cost = isGatheredLoad(load) ? 20 : 2;
  else if (isIntegerDivision)
    cost = getConstantInteger(op->getOperand(1)) ? 4 : 30;
  else if (mlir::isa<mlir::arith::DivFOp, mlir::math::SqrtOp, mlir::math::RsqrtOp, tt::PreciseDivFOp>(op))
    cost = 5;
  else if (op->getDialect()->getNamespace() == "math" || mlir::isa<tt::ExternElementwiseOp>(op))
    cost = mlir::isa<mlir::math::AbsFOp, mlir::math::FmaOp, mlir::math::FloorOp, mlir::math::CeilOp>(op) ? 1
                                                                                                         : 15;
  else if (mlir::isa<tt::FpToFpOp>(op))
    cost = 8;
  else if (mlir::isa<tt::GatherOp>(op))
    cost = 10;
  for (mlir::Value operand : op->getOperands())
    if (getTensor(operand))
      cost += getCost(operand);
  return costs[value] = std::min(cost, 10000u);
}

/// Both halves of a split are wanted for each element where they are joined again, as a butterfly does; a
/// chain of those, a Hadamard transform, would compute its first value for each of many elements.
unsigned TilePlan::countRepeats(mlir::Value value) {
  unsigned most = 1;
  for (mlir::Operation *user : value.getUsers()) {
    if (!isVirtual(user))
      continue;
    unsigned count = 0;
    for (mlir::Value result : user->getResults()) {
      unsigned ofResult = isMaterialized(result) ? 1 : std::max(1u, repeats.lookup(result));
      count = mlir::isa<tt::SplitOp>(user) ? count + ofResult : std::max(count, ofResult);
    }
    most = std::max(most, std::min(count, 1024u));
  }
  return most;
}

/// Whether the operation does something besides making its results, so that it runs even if nobody wants
/// them: a volatile load, code of the user's own that is not pure.
static bool hasEffects(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  return !mlir::isMemoryEffectFree(op);
}

void TilePlan::decide(mlir::Value value) {
  if (!getTensor(value))
    return;
  const Consumers &consumers = getConsumers(value);
  mlir::Operation *op = value.getDefiningOp();
  if (consumers.empty()) {
    // Nothing would ever compute it.
    if (op->use_empty() && value == op->getResult(0) && hasEffects(op))
      materialize(value, consumers);
    return;
  }
  mlir::Block *block = op->getBlock();
  bool needed = false, expanded = false, inLoop = false;
  SmallVector<const void *, 4> places;
  for (const Consumer &consumer : consumers) {
    needed |= consumer.needsBuffer;
    expanded |= consumer.expanded;
    inLoop |= consumer.op->getBlock() != block;
    const void *place = consumer.group ? static_cast<const void *>(consumer.group) : consumer.op;
    if (!llvm::is_contained(places, place))
      places.push_back(place);
  }
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
    needed |= load.getIsVolatile() || inLoop;
    for (const Consumer &consumer : consumers) {
      mlir::Operation *at = consumer.group ? consumer.group->position : consumer.op;
      needed = needed || isWrittenBetween(op, at, consumer.group) || isOverwritten(load, consumer);
    }
    if (!needed && (places.size() > 1 || expanded))
      needed = isGatheredLoad(load);
  } else if (!needed && (places.size() > 1 || expanded || inLoop)) {
    unsigned threshold = inLoop && !expanded ? 4 : 10;
    needed = getCost(value) >= threshold && !isAddressLike(value);
  }
  unsigned repeated = repeats[value] = countRepeats(value);
  if (!needed && repeated >= 4 && !mlir::isa<tt::LoadOp>(op))
    needed = getCost(value) >= 4 && !isAddressLike(value);
  bool isMultiplied = false;
  for (const Consumer &consumer : consumers)
    isMultiplied |= consumer.needsBuffer && mlir::isa<tt::DotOp>(consumer.op) &&
                    llvm::is_contained(value.getUsers(), consumer.op);
  if (isMultiplied)
    productOperands.insert(value);
  if (needed && (isMultiplied || !isCheapCast(op)))
    materialize(value, consumers);
}

/// Where everything that the operation is computed from is there: at the operation itself, unless that comes
/// before the last root of a group whose results it needs.
mlir::Operation *TilePlan::getFirstPosition(mlir::Operation *op) {
  mlir::Operation *position = op;
  SmallVector<mlir::Value> pending(op->getOperands());
  DenseSet<mlir::Value> seen;
  while (!pending.empty()) {
    mlir::Value current = pending.pop_back_val();
    mlir::Operation *maker = current.getDefiningOp();
    if (!maker || maker->getBlock() != op->getBlock() || !seen.insert(current).second)
      continue;
    if (RootGroup *group = groupOf.lookup(maker);
        group && order.lookup(group->position) > order.lookup(position))
      position = group->position;
    else if (isVirtual(maker))
      pending.append(maker->operand_begin(), maker->operand_end());
  }
  return position;
}

/// The buffer is filled on the way of the first group that consumes the value, if that group's loops are over
/// the value's shape and nothing is written before that the value could be computed from; else by loops of
/// its own.
void TilePlan::materialize(mlir::Value value, const Consumers &consumers) {
  mlir::Operation *op = value.getDefiningOp();
  const Consumer *first = nullptr;
  for (const Consumer &consumer : consumers)
    if (!first || order.lookup(consumer.op) < order.lookup(first->op))
      first = &consumer;
  RootGroup *group = first ? first->group : nullptr;
  bool fits = group && group->position->getBlock() == op->getBlock() &&
              group->shape == getTensor(value).getShape() &&
              !isWrittenBetween(op, group->roots.empty() ? group->position : group->roots.front(), group);
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    fits = fits && !load.getIsVolatile() && !isOverwritten(load, *first);
  for (const Consumer &consumer : consumers) {
    if (consumer.group == group)
      fits = fits && consumer.sameIndex && !consumer.needsBuffer;
    else if (fits && consumer.op->getBlock() == op->getBlock())
      fits = order.lookup(consumer.op) > order.lookup(group->position);
  }
  // Atomics and the like are loops over single elements.
  if (fits && !group->roots.empty())
    fits = mlir::isa<tt::StoreOp, tt::ReduceOp, tt::ScanOp>(group->roots.front());
  if (!fits) {
    groups.push_back(std::make_unique<RootGroup>());
    group = groups.back().get();
    auto shape = getTensor(value).getShape();
    group->shape.assign(shape.begin(), shape.end());
    group->position = getFirstPosition(op);
  }
  group->materialized.push_back(value);
  materialized[value] = group;
}

/// `acc = dot(a, b, acc)` in a loop: the product may add to the carried tile's own buffer if nothing needs
/// the old tile afterwards, and the new one is what the loop carries on.
void TilePlan::findAccumulators() {
  SmallVector<tt::DotOp> products;
  for (auto &[op, number] : order)
    if (auto product = mlir::dyn_cast<tt::DotOp>(op))
      products.push_back(product);
  for (tt::DotOp product : products) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(product->getParentOp());
    if (!loop)
      continue;
    mlir::Operation *yield = loop.getBody()->getTerminator();
    for (mlir::OpOperand &use : product.getD().getUses()) {
      if (use.getOwner() != yield)
        continue;
      mlir::BlockArgument argument = loop.getRegionIterArg(use.getOperandNumber());
      bool fits = true;
      for (const Consumer &consumer : getConsumers(argument)) {
        mlir::Operation *at = consumer.group ? consumer.group->position : consumer.op;
        at = loop.getBody()->findAncestorOpInBlock(*at);
        if (!at) {
          fits = false;
          break;
        }
        if (at == product.getOperation())
          fits = fits && consumer.sameIndex && !consumer.needsBuffer;
        else
          fits = fits && order.lookup(at) < order.lookup(product);
      }
      if (fits)
        accumulators[product] = argument;
      break;
    }
  }
}

} // namespace nereid::cpu
