// Converts what a conversion's source is computed from, where that is less: a tile of halves and a column in
// place of their product in f32, or one tile of bytes in place of two that are computed from it, one of each
// byte's low and one of its high bits:
//
//     %x = arith.extf %half : f16 to f32                 %h = ttg.convert_layout %half
//     %y = arith.mulf %x, %broadcast             →       %c = ttg.convert_layout %column
//     ttg.convert_layout %y                              arith.extf, tt.broadcast, arith.mulf as before
//
// Not where %half converted would have to be kept for another use, in a loop that is short of registers, and
// takes many of them.
//
// What a row is computed from, as one of the sums of a tile's rows, is computed behind the conversion, too,
// where threads hold fewer elements there: each of 16 lanes would divide by all 16 sums that they share.
#include "compiler/transforms/ConversionCut.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopRegisters.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

unsigned getBits(Value value) { return tt::getElementBits(value.getType()); }

int64_t getElements(Value value) { return mlir::cast<RankedTensorType>(value.getType()).getNumElements(); }

} // namespace

void eraseDead(Operation *op) {
  llvm::SmallVector<Operation *> dead;
  if (op)
    dead.push_back(op);
  while (!dead.empty()) {
    Operation *last = dead.pop_back_val();
    if (!mlir::isOpTriviallyDead(last) || mlir::isa<ttg::ConvertLayoutOp>(last))
      continue;
    for (Value operand : last->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && !llvm::is_contained(dead, def))
        dead.push_back(def);
    last->erase();
  }
}

std::optional<Attribute> ConversionCut::mayRepeat(Operation *op, Attribute layout) {
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 || !mlir::isPure(op) ||
      mlir::isa<ttg::ConvertLayoutOp>(op) || !canHaveResultLayout(op, layout))
    return std::nullopt;
  return inferOperandLayout(op, layout);
}

void ConversionCut::count(ttg::ConvertLayoutOp root, Sharers &sharers) {
  constexpr unsigned farthest = 16;
  llvm::SmallVector<Wanted> pending{{root.getSrc(), getLayout(root.getResult())}};
  llvm::DenseSet<Wanted> seen;
  while (!pending.empty() && seen.size() != farthest) {
    auto [value, layout] = pending.pop_back_val();
    if (!mlir::isa<RankedTensorType>(value.getType()) || !seen.insert({value, layout}).second)
      continue;
    ++sharers[{value, layout}];
    Operation *op = value.getDefiningOp();
    if (std::optional<Attribute> ofOperands = mayRepeat(op, layout))
      for (Value operand : op->getOperands())
        pending.push_back({operand, *ofOperands});
  }
}

int64_t ConversionCut::inLoop(Value value, int64_t cost) const {
  auto loop = root->getParentOfType<mlir::LoopLikeOpInterface>();
  return loop && !loop->isAncestor(value.getParentBlock()->getParentOp()) ? cost / roundsOfLoop : cost;
}

int64_t ConversionCut::getCostOfCopy(Operation *op, Attribute layout) const {
  Value result = op->getResult(0);
  int64_t before = dying.contains(op) ? getRegisters(result, getLayout(result)) : 0;
  int64_t more = getRegisters(result, layout) - before;
  // Of a row, what threads need not compute any more is what there is to gain.
  return inLoop(result, getCostPerRegister(op) * (isRow() ? more : std::max<int64_t>(0, more)));
}

int64_t ConversionCut::getCostOfConversion(Value value, Attribute layout) const {
  auto other = known.lookup({value, layout});
  if (other && other != root && other->getBlock() == value.getParentBlock())
    return 0;
  OpBuilder builder(root);
  auto trial =
      ttg::ConvertLayoutOp::create(builder, root.getLoc(), withLayout(value.getType(), layout), value);
  int64_t cost = getConversionCost(trial);
  if (mlir::isa_and_nonnull<ttg::LocalLoadOp, tt::LoadOp>(value.getDefiningOp()))
    if (RematerializedSlice slice(trial, facts, &dying); slice.collect())
      cost = std::min(cost, slice.getCost());
  trial.erase();
  return inLoop(value, llvm::divideCeil(cost, getShare(value, layout)));
}

int64_t ConversionCut::choose(Value value, Attribute layout) {
  constexpr unsigned mostValues = 64;
  constexpr int64_t never = int64_t(1) << 40;
  if (getLayout(value) == layout || isRepeated.contains({value, layout}))
    return 0; // it is there, or was counted
  Operation *op = value.getDefiningOp();
  std::optional<Attribute> ofOperands = mayRepeat(op, layout);
  // Copies that save another conversion the way are as good as the conversion. What a narrowing cast is
  // computed from is not less than its result.
  bool isMore = getBits(value) > getBits(root.getSrc()) && getElements(value) >= getElements(root.getSrc());
  int64_t cost = isMore ? never : getCostOfConversion(value, layout);
  isRepeated[{value, layout}] = false;
  if (!ofOperands || cost == 0 || isRepeated.size() > mostValues)
    return cost;
  bool dies =
      llvm::all_of(op->getUsers(), [&](Operation *user) { return user == root || dying.contains(user); });
  if (dies)
    dying.insert(op);
  int64_t ofCopies = getCostOfCopy(op, layout);
  bool isShared = false;
  for (Value operand : op->getOperands())
    if (mlir::isa<RankedTensorType>(operand.getType())) {
      ofCopies += choose(operand, *ofOperands);
      isShared |= getShare(operand, *ofOperands) > getShare(value, layout);
    }
  if (ofCopies < cost || (isShared && ofCopies == cost)) {
    isRepeated[{value, layout}] = true;
    return ofCopies;
  }
  if (dies)
    dying.erase(op);
  return cost;
}

/// Lists operands before their users.
void ConversionCut::listChosen(Value value, Attribute layout) {
  if (getLayout(value) == layout || !mlir::isa<RankedTensorType>(value.getType()))
    return;
  if (!isRepeated.lookup({value, layout})) {
    conversions.insert({value, layout});
    return;
  }
  Operation *op = value.getDefiningOp();
  Attribute ofOperands = *mayRepeat(op, layout);
  for (Value operand : op->getOperands())
    listChosen(operand, ofOperands);
  copies.insert({value, layout});
}

/// Whether the cut shares a conversion with others, and what that makes would have to be kept for them where
/// the loop is short of registers: it is there from the first use to the last. A quarter of a thread's
/// registers, 32 of 128, was stored and loaded again, which took longer than to convert the other value too;
/// 16 paid.
bool ConversionCut::keepsTooMuch() const {
  constexpr unsigned part = 4;
  return llvm::any_of(conversions, [&](const Wanted &wanted) {
    auto [value, layout] = wanted;
    auto other = known.lookup({value, layout});
    auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    return other && other != root && type && other->getBlock() == root->getBlock() &&
           nereid::getRegisters(type, ttg::getNumWarps(root) * ttg::getThreadsPerWarp(root)) * part >=
               getRegisterLimit(root) &&
           isShortOfRegisters(root, facts);
  });
}

bool ConversionCut::isBetter() {
  Attribute layout = getLayout(root.getResult());
  int64_t before = getConversionCost(root);
  if (before == 0)
    return false;
  choose(root.getSrc(), layout);
  if (!isRepeated.lookup({root.getSrc(), layout}))
    return false;
  // What was passed over on the way has not been counted; now it is known what is needed.
  listChosen(root.getSrc(), layout);
  if (keepsTooMuch())
    return false;
  int64_t cost = 0;
  for (auto [value, wanted] : copies)
    cost += getCostOfCopy(value.getDefiningOp(), wanted);
  for (auto [value, wanted] : conversions)
    cost += getCostOfConversion(value, wanted);
  // A row of indices or masks is little either way, and what it is made of is kept for longer. But a
  // division or a logarithm of each of a thread's sums may be one of one sum; and bits that are converted
  // anyway take hardly any registers until then. (32-bit indices kept for 64-bit keys made flashlib's
  // _cagra_traverse_kernel a third slower.)
  constexpr unsigned muchLess = 4;
  constexpr int64_t muchOfRow = 128;
  bool isThere = llvm::all_of(conversions, [&](Wanted wanted) {
    auto other = known.lookup(wanted);
    return other && other != root && other->getBlock() == wanted.first.getParentBlock() &&
           getBits(wanted.first) * muchLess <= getBits(root.getSrc());
  });
  if (isRow() && !isThere)
    return cost + muchOfRow <= before;
  // Registers, which are not counted, may be used for longer: it has to save a quarter.
  return cost * 4 <= before * 3;
}

llvm::SmallVector<ttg::ConvertLayoutOp> ConversionCut::rewrite() {
  llvm::DenseMap<Wanted, Value> made;
  llvm::SmallVector<ttg::ConvertLayoutOp> added;
  known.erase({root.getSrc(), getLayout(root.getResult())});
  for (auto [value, layout] : conversions) {
    Operation *place = getPlace(value);
    ttg::ConvertLayoutOp &convert = known[{value, layout}];
    if (!convert || convert->getBlock() != place->getBlock()) {
      OpBuilder builder(place);
      convert =
          ttg::ConvertLayoutOp::create(builder, root.getLoc(), withLayout(value.getType(), layout), value);
      added.push_back(convert);
    } else if (place->isBeforeInBlock(convert)) {
      convert->moveBefore(place);
    }
    made[{value, layout}] = convert;
  }
  auto lookup = [&](Value value, Attribute layout) {
    return getLayout(value) == layout ? value : made.lookup({value, layout});
  };
  for (auto [value, layout] : copies) {
    Operation *op = value.getDefiningOp();
    Attribute ofOperands = *mayRepeat(op, layout);
    OpBuilder builder(getPlace(value));
    Operation *copy = builder.clone(*op);
    for (mlir::OpOperand &operand : copy->getOpOperands())
      if (mlir::isa<RankedTensorType>(operand.get().getType()))
        operand.set(lookup(operand.get(), ofOperands));
    setLayout(copy->getResult(0), layout);
    made[{value, layout}] = copy->getResult(0);
  }
  Value source = root.getSrc();
  root.getResult().replaceAllUsesWith(made.lookup({source, getLayout(root.getResult())}));
  root.erase();
  eraseDead(source.getDefiningOp());
  return added;
}

} // namespace nereid
