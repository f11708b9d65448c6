// Computes with what kernels promise (tl.assume).
//
// What is promised to be a number is that number behind the promise, so that shapes, masks and rounds of
// loops are known; what is promised to be a multiple lets vectors be loaded:
//
//     llvm.intr.assume (%n == 4)              uses of %n behind it are uses of 4
//     llvm.intr.assume (%stride % 16 == 0)    %stride has a divisibility of 16, as by tl.multiple_of
//
// transformer-engine's kernels say so of the sizes that they are written for. The promises stay, for what
// comes later. Of other comparisons, such as that a stride is not negative, nothing is made.
//
// A multiple is one wherever the value is, if the promise is sure to be reached: in the block that the value
// is of. Of an argument it is no part of the signature, and no variant is chosen by it.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/AxisInfo.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

struct UseAssumptions : mlir::PassWrapper<UseAssumptions, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UseAssumptions)

  llvm::StringRef getArgument() const final { return "nereid-tt-use-assumptions"; }
  llvm::StringRef getDescription() const final { return "Compute with what kernels promise"; }
  void runOnOperation() final;

private:
  void take(Operation *promise, Value condition);
  void takeNumber(Operation *promise, Value value, llvm::APInt number);
  void takeMultiple(Operation *promise, Value value, const llvm::APInt &divisor);
};

/// `value` has this number in all uses behind the promise; so has what it was widened from.
void UseAssumptions::takeNumber(Operation *promise, Value value, llvm::APInt number) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(value.getType());
  if (!type || mlir::matchPattern(value, mlir::m_Constant()))
    return;
  OpBuilder builder(promise->getContext());
  builder.setInsertionPointAfter(promise);
  Value constant =
      arith::ConstantOp::create(builder, promise->getLoc(), builder.getIntegerAttr(type, number));
  mlir::DominanceInfo dominance(promise->getParentOfType<tt::FuncOp>());
  value.replaceUsesWithIf(
      constant, [&](mlir::OpOperand &use) { return dominance.properlyDominates(promise, use.getOwner()); });
  bool isSigned = value.getDefiningOp<arith::ExtSIOp>() != nullptr;
  if (!isSigned && !value.getDefiningOp<arith::ExtUIOp>())
    return;
  Value narrow = value.getDefiningOp()->getOperand(0);
  unsigned width = narrow.getType().getIntOrFloatBitWidth();
  if (isSigned ? number.isSignedIntN(width) : number.isIntN(width))
    takeNumber(promise, narrow, number.trunc(width));
}

void UseAssumptions::takeMultiple(Operation *promise, Value value, const llvm::APInt &divisor) {
  constexpr llvm::StringLiteral name = "tt.divisibility";
  if (!divisor.isStrictlyPositive() || divisor.getActiveBits() > 31 ||
      value.getParentBlock() != promise->getBlock())
    return;
  int64_t multiple = int64_t(1) << divisor.countr_zero();
  auto raise = [&](mlir::Attribute known) -> mlir::Attribute {
    auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(known);
    if (known && (!number || number.getInt() % multiple == 0))
      return {};
    return OpBuilder(promise).getI32IntegerAttr(multiple);
  };
  if (Operation *op = value.getDefiningOp()) {
    if (mlir::Attribute more = raise(op->getAttr(name)); more && op->getNumResults() == 1)
      op->setAttr(name, more);
  } else if (auto function = mlir::dyn_cast<tt::FuncOp>(promise->getParentOp())) {
    unsigned number = mlir::cast<mlir::BlockArgument>(value).getArgNumber();
    if (mlir::Attribute more = raise(function.getArgAttr(number, name)))
      function.setArgAttr(number, promisedDivisibilityName, more);
  }
}

void UseAssumptions::take(Operation *promise, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    take(promise, both.getLhs());
    take(promise, both.getRhs());
    return;
  }
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  llvm::APInt number;
  if (!comparison)
    return takeNumber(promise, condition, llvm::APInt(1, 1));
  if (comparison.getPredicate() != arith::CmpIPredicate::eq)
    return;
  Value left = comparison.getLhs();
  if (!mlir::matchPattern(comparison.getRhs(), mlir::m_ConstantInt(&number)))
    return;
  llvm::APInt divisor;
  if (number.isZero() && mlir::isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(left.getDefiningOp()) &&
      mlir::matchPattern(left.getDefiningOp()->getOperand(1), mlir::m_ConstantInt(&divisor)))
    takeMultiple(promise, left.getDefiningOp()->getOperand(0), divisor);
  takeNumber(promise, left, number);
}

void UseAssumptions::runOnOperation() {
  llvm::SmallVector<Operation *> promises; // known by name, as in ReplaceForeignOperations.cpp
  getOperation().walk([&](Operation *op) {
    if (op->getName().getStringRef() == "llvm.intr.assume" && op->getNumOperands() == 1 &&
        op->getParentOfType<tt::FuncOp>())
      promises.push_back(op);
  });
  for (Operation *promise : promises)
    take(promise, promise->getOperand(0));
}

} // namespace

std::unique_ptr<mlir::Pass> createUseAssumptionsPass() { return std::make_unique<UseAssumptions>(); }

} // namespace nereid
