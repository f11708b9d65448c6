// Drops what loops carry around for nothing: a value whose only use is to compute its own next value. Such
// values keep themselves alive, so ordinary dead-code elimination does not see them. They are left behind by
// layout changes (the old copy of a loop-carried pointer) and by kernels that count what they never read.
//
// A carried value is needed if the loop's result is used, or if its block argument takes part in computing
// anything that is needed: an effect, a condition, or another carried value that is needed. The rest gets its
// initial value yielded back, and canonicalization then removes it from the loop.
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

struct DropDeadLoopValues : mlir::PassWrapper<DropDeadLoopValues, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropDeadLoopValues)

  llvm::StringRef getArgument() const final { return "nereid-drop-dead-loop-values"; }
  llvm::StringRef getDescription() const final {
    return "Drop loop-carried values that only feed themselves";
  }
  void runOnOperation() final;
};

/// Marks everything needed, from effects backwards.
class Needed {
public:
  explicit Needed(mlir::ModuleOp module);
  bool contains(Value value) const { return values.contains(value); }

private:
  void need(Value value) {
    if (values.insert(value).second)
      work.push_back(value);
  }
  void needAll(mlir::ValueRange range) {
    for (Value value : range)
      need(value);
  }
  void visit(Value value);

  llvm::DenseSet<Value> values;
  llvm::SmallVector<Value> work;
};

/// A loop's or branch's terminator hands on values one by one; everything else that stays needs all its
/// operands.
bool handsOnOneByOne(Operation *op) {
  return mlir::isa<mlir::scf::YieldOp>(op) && mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp>(op->getParentOp());
}

Needed::Needed(mlir::ModuleOp module) {
  module.walk([&](Operation *op) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
      needAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      return;
    }
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
      need(branch.getCondition());
      return;
    }
    bool stays =
        op->hasTrait<mlir::OpTrait::IsTerminator>() || op->getNumRegions() || !mlir::isMemoryEffectFree(op);
    if (stays && !handsOnOneByOne(op))
      needAll(op->getOperands());
  });
  while (!work.empty())
    visit(work.pop_back_val());
}

void Needed::visit(Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    if (argument == loop.getInductionVar())
      return;
    unsigned carried =
        argument ? argument.getArgNumber() - 1 : mlir::cast<mlir::OpResult>(value).getResultNumber();
    need(loop.getInitArgs()[carried]);
    need(loop.getRegionIterArg(carried));
    need(loop.getBody()->getTerminator()->getOperand(carried));
    return;
  }
  if (argument)
    return;
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    unsigned index = mlir::cast<mlir::OpResult>(value).getResultNumber();
    need(branch.thenYield().getOperand(index));
    need(branch.elseYield().getOperand(index));
    return;
  }
  needAll(op->getOperands());
}

void DropDeadLoopValues::runOnOperation() {
  Needed needed(getOperation());
  getOperation().walk([&](mlir::scf::ForOp loop) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (!needed.contains(argument) && !needed.contains(loop.getResult(i)))
        yield->setOperand(i, argument);
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createDropDeadLoopValuesPass() { return std::make_unique<DropDeadLoopValues>(); }

} // namespace nereid
