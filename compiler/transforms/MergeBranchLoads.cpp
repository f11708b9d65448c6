// Loads before a condition what both of its branches load, each under its own mask.
//
//     %x = scf.if %even {                          %m = select %even, true, (%offsets < %n)
//       yield (tt.load %p)                         %x = tt.load %p, %m, 0
//     } else {                             →
//       yield (tt.load %p, (%offsets < %n), 0)
//     }
//
// This is how kernels spare themselves masks where a length is a multiple of their tile. Two loads of a
// factor are two rings, and a choice between two tiles in registers that has to be stored once more before a
// product can take it; one load is a factor like any other.
//
// Merged are loads of the same addresses, which may be computed in each branch, with nothing before them in
// their branches that changes memory. Where a load leaves nothing out, its value for what is left out does
// not matter, nor where there is none; other values have to be the same.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct MergeBranchLoads : mlir::PassWrapper<MergeBranchLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeBranchLoads)

  llvm::StringRef getArgument() const final { return "nereid-tt-merge-branch-loads"; }
  llvm::StringRef getDescription() const final {
    return "Load before a condition what both of its branches load";
  }
  void runOnOperation() final;
};

/// Tells whether values are computed alike, by operations without effects.
class ValueComparison {
public:
  bool isSame(Value a, Value b) {
    if (a == b)
      return true;
    if (!a || !b)
      return false;
    if (auto known = results.find({a, b}); known != results.end())
      return known->second;
    bool same = isSameResult(mlir::dyn_cast<mlir::OpResult>(a), mlir::dyn_cast<mlir::OpResult>(b));
    results.insert({{a, b}, same});
    return same;
  }

private:
  bool isSameResult(mlir::OpResult a, mlir::OpResult b) {
    return a && b && a.getResultNumber() == b.getResultNumber() && a.getOwner()->getNumRegions() == 0 &&
           mlir::isPure(a.getOwner()) &&
           mlir::OperationEquivalence::isEquivalentTo(
               a.getOwner(), b.getOwner(), [&](Value x, Value y) { return mlir::success(isSame(x, y)); },
               /*markEquivalent=*/nullptr, mlir::OperationEquivalence::IgnoreLocations);
  }

  llvm::DenseMap<std::pair<Value, Value>, bool> results;
};

/// The loads of tiles that may leave the block's start: nothing before them changes memory.
llvm::SmallVector<tt::LoadOp> findLoads(mlir::Block &block) {
  llvm::SmallVector<tt::LoadOp> loads;
  for (Operation &op : block) {
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op)) {
      if (looksAtOthers(load))
        break;
      if (mlir::isa<RankedTensorType>(load.getType()) && !tt::isTensorPointerType(load.getPtr().getType()))
        loads.push_back(load);
    } else if (!mlir::isMemoryEffectFree(&op)) {
      break;
    }
  }
  return loads;
}

/// What has to move before a condition for some values of its branches to be known there, in order.
class Moved {
public:
  explicit Moved(mlir::scf::IfOp branch) : branch(branch) {}

  /// Whether the value, which may be none, can be computed before the condition.
  bool add(Value value) {
    if (!value || !isInside(value))
      return true;
    mlir::BackwardSliceOptions options;
    options.inclusive = true;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *op) { return branch->isProperAncestor(op); };
    return mlir::succeeded(mlir::getBackwardSlice(value, &operations, options)) &&
           llvm::all_of(operations,
                        [](Operation *op) { return op->getNumRegions() == 0 && mlir::isPure(op); });
  }

  void move() {
    for (Operation *op : mlir::topologicalSort(operations))
      op->moveBefore(branch);
  }

private:
  bool isInside(Value value) { return branch->isAncestor(value.getParentBlock()->getParentOp()); }

  mlir::scf::IfOp branch;
  llvm::SetVector<Operation *> operations;
};

/// The value that a load gives for what is left out, if there is one that does for both.
struct Other {
  bool exists = false;
  Value value; // none: any does
};

Other mergeOthers(tt::LoadOp first, tt::LoadOp second, ValueComparison &comparison) {
  Value a = first.getMask() ? first.getOther() : Value(), b = second.getMask() ? second.getOther() : Value();
  if (!a || !b)
    return {true, a ? a : b};
  return {comparison.isSame(a, b), a};
}

/// The mask of one load for both branches. No mask stands for one that leaves nothing out.
Value mergeMasks(OpBuilder &builder, mlir::scf::IfOp branch, Value first, Value second) {
  if (first == second)
    return first;
  mlir::Location loc = branch.getLoc();
  auto type = mlir::cast<RankedTensorType>((first ? first : second).getType());
  auto orTrue = [&](Value mask) {
    if (mask)
      return mask;
    return Value(mlir::arith::ConstantOp::create(builder, loc, mlir::DenseElementsAttr::get(type, true)));
  };
  return mlir::arith::SelectOp::create(builder, loc, branch.getCondition(), orTrue(first), orTrue(second));
}

bool merge(mlir::scf::IfOp branch, tt::LoadOp first, tt::LoadOp second) {
  ValueComparison comparison;
  if (first.getCache() != second.getCache() || first.getEvict() != second.getEvict() ||
      first->getDiscardableAttrDictionary() != second->getDiscardableAttrDictionary() ||
      !comparison.isSame(first.getPtr(), second.getPtr()))
    return false;
  Other other = mergeOthers(first, second, comparison);
  Moved moved(branch);
  if (!other.exists || !moved.add(first.getPtr()) || !moved.add(first.getMask()) ||
      !moved.add(second.getMask()) || !moved.add(other.value))
    return false;
  moved.move();
  OpBuilder builder(branch);
  Value mask = mergeMasks(builder, branch, first.getMask(), second.getMask());
  first->moveBefore(branch);
  first.getMaskMutable().assign(mask ? mlir::ValueRange(mask) : mlir::ValueRange());
  first.getOtherMutable().assign(mask && other.value ? mlir::ValueRange(other.value) : mlir::ValueRange());
  second.replaceAllUsesWith(first.getResult());
  second.erase();
  return true;
}

void MergeBranchLoads::runOnOperation() {
  // Inner conditions first, whose loads may then leave outer ones.
  getOperation().walk([](mlir::scf::IfOp branch) {
    if (!branch.elseBlock())
      return;
    llvm::SmallVector<tt::LoadOp> others = findLoads(*branch.elseBlock());
    for (tt::LoadOp load : findLoads(*branch.thenBlock())) {
      auto *same = llvm::find_if(others, [&](tt::LoadOp other) { return merge(branch, load, other); });
      if (same != others.end())
        others.erase(same);
    }
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createMergeBranchLoadsPass() { return std::make_unique<MergeBranchLoads>(); }

} // namespace nereid
