// Puts a condition under an earlier one that it implies, and with it what is computed for both alone.
//
//     %r = …four random numbers…                   scf.if %n > 0 {
//     scf.if %n > 0 { … %r#0 … }                     %r = …four random numbers…
//     scf.if %n > 1 { … %r#1 … }            →        … %r#0 …
//                                                    scf.if %n > 1 { … %r#1 … }
//                                                  }
//
// Where the first condition does not hold, the numbers are not made. LLVM would sink them as well, but only
// into a branch that is their one user; and it would find the nesting by threading jumps, which it leaves
// alone on GPUs, as threads might part there. These conditions are the same for all threads.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/ConstantRange.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;
using mlir::scf::IfOp;

namespace {

struct NestConditions : mlir::PassWrapper<NestConditions, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NestConditions)

  llvm::StringRef getArgument() const final { return "nereid-tt-nest-conditions"; }
  llvm::StringRef getDescription() const final { return "Put conditions under earlier ones that they imply"; }
  void runOnOperation() final;
};

/// For which values of what it compares with a constant the comparison holds.
std::optional<std::pair<Value, llvm::ConstantRange>> getRange(Value condition) {
  auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
  llvm::APInt bound;
  if (!compare || !mlir::matchPattern(compare.getRhs(), mlir::m_ConstantInt(&bound)))
    return std::nullopt;
  auto predicate = [&] {
    switch (compare.getPredicate()) {
    case mlir::arith::CmpIPredicate::eq:
      return llvm::CmpInst::ICMP_EQ;
    case mlir::arith::CmpIPredicate::ne:
      return llvm::CmpInst::ICMP_NE;
    case mlir::arith::CmpIPredicate::slt:
      return llvm::CmpInst::ICMP_SLT;
    case mlir::arith::CmpIPredicate::sle:
      return llvm::CmpInst::ICMP_SLE;
    case mlir::arith::CmpIPredicate::sgt:
      return llvm::CmpInst::ICMP_SGT;
    case mlir::arith::CmpIPredicate::sge:
      return llvm::CmpInst::ICMP_SGE;
    case mlir::arith::CmpIPredicate::ult:
      return llvm::CmpInst::ICMP_ULT;
    case mlir::arith::CmpIPredicate::ule:
      return llvm::CmpInst::ICMP_ULE;
    case mlir::arith::CmpIPredicate::ugt:
      return llvm::CmpInst::ICMP_UGT;
    case mlir::arith::CmpIPredicate::uge:
      return llvm::CmpInst::ICMP_UGE;
    }
    llvm_unreachable("a predicate without a meaning");
  }();
  return std::pair(compare.getLhs(), llvm::ConstantRange::makeExactICmpRegion(predicate, bound));
}

/// Whether `second` never holds where `first` does not.
bool implies(Value second, Value first) {
  if (second == first)
    return true;
  auto inner = getRange(second), outer = getRange(first);
  return inner && outer && inner->first == outer->first && outer->second.contains(inner->second);
}

/// Whether the `if` does nothing where its condition does not hold.
bool hasThenAlone(IfOp op) { return !op.elseBlock() || op.elseBlock()->without_terminator().empty(); }

/// The operations between the two that `second` needs; nothing if one of them needs results of `first`, or if
/// one may not be passed by.
std::optional<llvm::SetVector<Operation *>> findNeededBetween(IfOp first, IfOp second) {
  llvm::SetVector<Operation *> between, needed;
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || !mlir::isMemoryEffectFree(op))
      return std::nullopt;
    between.insert(op);
  }
  auto need = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && between.contains(source))
        needed.insert(source);
  };
  second->walk(need);
  for (size_t i = 0; i < needed.size(); ++i) { // which grows
    if (llvm::any_of(needed[i]->getOperands(),
                     [&](Value operand) { return operand.getDefiningOp() == first; }))
      return std::nullopt;
    need(needed[i]);
  }
  return needed;
}

/// One `if` for both, which gives the results of both.
IfOp nest(IfOp first, IfOp second) {
  // What the second one gives where the first condition, and so the second, does not hold.
  llvm::SmallVector<Value> otherwise;
  if (second.getNumResults() != 0)
    for (Value value : second.elseYield().getOperands())
      otherwise.push_back(
          value.getDefiningOp() == first
              ? first.elseYield().getOperand(mlir::cast<mlir::OpResult>(value).getResultNumber())
              : value);

  llvm::SmallVector<mlir::Type> types(first.getResultTypes());
  llvm::append_range(types, second.getResultTypes());
  OpBuilder builder(first);
  auto nested = IfOp::create(builder, first.getLoc(), types, first.getCondition(), /*withElseRegion=*/false);
  nested.getThenRegion().takeBody(first.getThenRegion());
  mlir::scf::YieldOp yield = nested.thenYield();
  second->moveBefore(yield);
  for (auto [result, yielded] : llvm::zip_equal(first.getResults(), yield.getOperands()))
    result.replaceUsesWithIf(yielded,
                             [&](mlir::OpOperand &use) { return second->isAncestor(use.getOwner()); });
  yield->insertOperands(yield->getNumOperands(), second.getResults());

  if (first.elseBlock()) {
    nested.getElseRegion().takeBody(first.getElseRegion());
  } else if (!types.empty()) {
    builder.createBlock(&nested.getElseRegion());
    mlir::scf::YieldOp::create(builder, first.getLoc());
  }
  if (!types.empty())
    nested.elseYield()->insertOperands(nested.elseYield()->getNumOperands(), otherwise);

  first.replaceAllUsesWith(nested.getResults().take_front(first.getNumResults()));
  first.erase();
  second.getResults().replaceUsesWithIf(
      nested.getResults().take_back(second.getNumResults()),
      [&](mlir::OpOperand &use) { return !nested->isAncestor(use.getOwner()); });
  return nested;
}

/// Takes into the branches of `op` what one of them alone needs.
void sinkInto(IfOp op) {
  Operation *next = nullptr;
  for (Operation *source = op->getPrevNode(); source; source = next) {
    next = source->getPrevNode();
    // Nobody knows what threads do together in assembly.
    if (source->getNumRegions() != 0 || source->use_empty() || !mlir::isPure(source) ||
        mlir::isa<tt::ElementwiseInlineAsmOp>(source) || source->hasTrait<mlir::OpTrait::ConstantLike>())
      continue;
    for (mlir::Region *region : {&op.getThenRegion(), &op.getElseRegion()})
      if (llvm::all_of(source->getUsers(),
                       [&](Operation *user) { return region->isAncestor(user->getParentRegion()); })) {
        source->moveBefore(&region->front(), region->front().begin());
        break;
      }
  }
}

void NestConditions::runOnOperation() {
  llvm::SmallVector<mlir::Block *> blocks;
  getOperation().walk([&](mlir::Block *block) { blocks.push_back(block); });
  for (mlir::Block *block : blocks) {
    llvm::SetVector<Operation *> changed;
    // From the last to the first, so that of three in a row the third comes under the second.
    auto branches = llvm::to_vector(block->getOps<IfOp>());
    for (size_t i = branches.size(); i-- > 1;) {
      IfOp first = branches[i - 1], second = branches[i];
      if (!hasThenAlone(second) || !implies(second.getCondition(), first.getCondition()))
        continue;
      auto needed = findNeededBetween(first, second);
      if (!needed)
        continue;
      for (Operation &op : llvm::make_early_inc_range(
               llvm::make_range(std::next(first->getIterator()), second->getIterator())))
        if (needed->contains(&op))
          op.moveBefore(first);
      changed.remove(second);
      branches[i - 1] = nest(first, second);
      changed.insert(branches[i - 1]);
    }
    for (Operation *op : changed)
      mlir::cast<IfOp>(op)->walk<mlir::WalkOrder::PreOrder>([](IfOp branch) { sinkInto(branch); });
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createNestConditionsPass() { return std::make_unique<NestConditions>(); }

} // namespace nereid
