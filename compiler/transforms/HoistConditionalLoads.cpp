// Makes loads that stand under a condition masked ones beside it, so that they can be started rounds ahead.
//
//     scf.for … {                                  scf.for … {
//       scf.if %c {                                  %m = tt.splat %c
//         %x = tt.load %p, %mask                     %x = tt.load %p, (%mask and %m)
//         %d = tt.dot %x, …               →          scf.if %c {
//       }                                              %d = tt.dot %x, …
//
// PipelineLoads takes the loads of a loop's own block alone. What is under a condition there may be under it
// in a round that has not begun, if the condition can be told before: then nothing is read in a round in
// which it does not hold, as before. An `if` that gives a tile or zeros, which is what a masked copy leaves,
// goes altogether:
//
//     %x = scf.if %c { yield (tt.load %p) } else { yield zeros }    →    %x = tt.load %p, %m, zeros
//
// Moved are loads of products' factors, if nothing before them under the condition writes global memory, and
// what their addresses are computed from: operations without effects, and loads of single numbers, which
// become masked, too. Neither they nor the condition may come from a product of the loop. Loads stay where
// they are if the loop looks up in memory whether it multiplies in a round.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LoopPipeline.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct HoistConditionalLoads : mlir::PassWrapper<HoistConditionalLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistConditionalLoads)

  llvm::StringRef getArgument() const final { return "nereid-tt-hoist-conditional-loads"; }
  llvm::StringRef getDescription() const final {
    return "Make loads under a condition masked ones beside it";
  }
  void runOnOperation() final;
};

/// Whether a product takes what is loaded as a factor, as it is or transposed, or what a condition makes of
/// it and something else. Where factors are computed from it, registers are what is short: two kernels that
/// solve triangles in one warp spilled half as much again with these loads rounds ahead.
bool isFactor(tt::LoadOp load) {
  llvm::SetVector<Value> values;
  values.insert(load.getResult());
  for (size_t i = 0; i < values.size(); ++i) // which grows
    for (mlir::OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (mlir::isa<tt::DotOp>(user) && use.getOperandNumber() < 2)
        return true;
      auto branch = mlir::dyn_cast<mlir::scf::IfOp>(user->getParentOp());
      if (branch && user->hasTrait<mlir::OpTrait::IsTerminator>())
        values.insert(branch.getResult(use.getOperandNumber()));
      else if (mlir::isa<tt::TransOp>(user))
        values.insert(user->getResult(0));
    }
  return false;
}

bool isNumberLoad(Operation *op) {
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  return load && !mlir::isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
         load.getCache() != tt::CacheModifier::CV;
}

bool isTileLoad(Operation *op) {
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  return load && mlir::isa<RankedTensorType>(load.getType()) && !load.getIsVolatile() &&
         load.getCache() != tt::CacheModifier::CV && !tt::isTensorPointerType(load.getPtr().getType());
}

/// The operations of a block that an operation of it needs, in their order and itself last; nothing if one of
/// them must stay.
std::optional<llvm::SmallVector<Operation *>> findMoved(Operation *load) {
  mlir::Block *block = load->getBlock();
  llvm::SetVector<Operation *> needed;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return block->findAncestorOpInBlock(*op) != nullptr; };
  if (mlir::failed(mlir::getBackwardSlice(load, &needed, options)))
    return std::nullopt;
  llvm::SmallVector<Operation *> moved;
  for (Operation &op : *block) {
    if (!needed.contains(&op))
      continue;
    bool mayMove = &op == load || isNumberLoad(&op) || (op.getNumRegions() == 0 && mlir::isPure(&op));
    if (!mayMove)
      return std::nullopt;
    moved.push_back(&op);
  }
  return moved;
}

bool hasProduct(Operation *op) {
  return op->walk([](tt::DotOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether a product of the loop decides about this operation, in its round or an earlier one.
bool comesFromProduct(mlir::scf::ForOp loop, Operation *op) {
  return hasProduct(op) || llvm::any_of(getSources(loop, op), hasProduct);
}

bool comesFromProduct(mlir::scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  return op && loop->isProperAncestor(op) && comesFromProduct(loop, op);
}

/// Whether the loop looks up in memory whether there is anything to do in a round. A program does that where
/// there often is not, as in attention to some blocks. Then a round costs the less the less is done ahead for
/// it: with a fifth of the blocks, special-attentions' _fwd_kernel took 164 us so, Triton's without 125.
bool isSparse(mlir::scf::ForOp loop, mlir::scf::IfOp branch) {
  auto isLoad = [](Operation *op) { return mlir::isa<tt::LoadOp>(op); };
  Operation *condition = branch.getCondition().getDefiningOp();
  return hasProduct(branch) && condition && loop->isProperAncestor(condition) &&
         (isLoad(condition) || llvm::any_of(getSources(loop, condition), isLoad));
}

/// Lets the load read nothing where the condition does not hold.
void mask(tt::LoadOp load, Value condition) {
  OpBuilder builder(load);
  Value mask = condition;
  if (auto type = mlir::dyn_cast<RankedTensorType>(load.getType()))
    mask = tt::SplatOp::create(builder, load.getLoc(), type.clone(builder.getI1Type()), condition);
  if (load.getMask())
    mask = mlir::arith::AndIOp::create(builder, load.getLoc(), load.getMask(), mask);
  load.getMaskMutable().assign(mask);
}

/// Where a branch gives what was moved out of it, and the other one zeros, a masked load gives both.
void replaceResults(mlir::scf::IfOp branch, mlir::Block &from, mlir::Block &other) {
  for (auto [result, loaded, otherwise] : llvm::zip_equal(
           branch.getResults(), from.getTerminator()->getOperands(), other.getTerminator()->getOperands())) {
    auto load = loaded.getDefiningOp<tt::LoadOp>();
    if (!load || !isTileLoad(load) || load->getBlock() != branch->getBlock() || !isZero(otherwise) ||
        (load.getOther() && !isZero(load.getOther())))
      continue;
    if (!load.getOther()) {
      OpBuilder builder(load);
      auto type = mlir::cast<RankedTensorType>(load.getType());
      auto zeros = mlir::DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
      load.getOtherMutable().assign(mlir::arith::ConstantOp::create(builder, load.getLoc(), zeros));
    }
    result.replaceAllUsesWith(load.getResult());
  }
}

bool hoistFrom(mlir::scf::ForOp loop, mlir::scf::IfOp branch, mlir::Block &block, bool isElse) {
  llvm::SetVector<Operation *> moved;
  for (Operation &op : block) {
    if (mayWriteGlobal(&op) || mlir::isa<tt::CallOp>(op) ||
        op.walk([](Operation *inner) {
            return mayWriteGlobal(inner) || mlir::isa<tt::CallOp>(inner) ? mlir::WalkResult::interrupt()
                                                                         : mlir::WalkResult::advance();
          }).wasInterrupted())
      break;
    if (!isTileLoad(&op) || !isFactor(mlir::cast<tt::LoadOp>(op)))
      continue;
    auto needed = findMoved(&op);
    if (needed && llvm::none_of(*needed, [&](Operation *source) { return comesFromProduct(loop, source); }))
      moved.insert_range(*needed);
  }
  if (moved.empty())
    return false;
  Value condition = branch.getCondition();
  if (isElse) {
    OpBuilder builder(branch);
    Value yes = mlir::arith::ConstantIntOp::create(builder, branch.getLoc(), 1, 1);
    condition = mlir::arith::XOrIOp::create(builder, branch.getLoc(), condition, yes);
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!moved.contains(&op))
      continue;
    op.moveBefore(branch);
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      mask(load, condition);
  }
  return true;
}

void HoistConditionalLoads::runOnOperation() {
  // Inner conditions first, whose loads may then leave outer ones.
  llvm::SmallVector<mlir::scf::IfOp> branches;
  getOperation().walk([&](mlir::scf::IfOp branch) { branches.push_back(branch); });
  for (mlir::scf::IfOp branch : branches) {
    auto loop = branch->getParentOfType<mlir::scf::ForOp>();
    if (!loop || comesFromProduct(loop, branch.getCondition()) || isSparse(loop, branch))
      continue;
    bool ofThen = hoistFrom(loop, branch, *branch.thenBlock(), /*isElse=*/false);
    bool ofElse = branch.elseBlock() && hoistFrom(loop, branch, *branch.elseBlock(), /*isElse=*/true);
    if (ofThen && branch.elseBlock())
      replaceResults(branch, *branch.thenBlock(), *branch.elseBlock());
    if (ofElse)
      replaceResults(branch, *branch.elseBlock(), *branch.thenBlock());
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createHoistConditionalLoadsPass() {
  return std::make_unique<HoistConditionalLoads>();
}

} // namespace nereid
