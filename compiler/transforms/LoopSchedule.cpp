// MLIR's pipeliner moves operations and hands on what later stages need. What it asks of us is how to leave
// out an operation whose round does not exist: the pipeliner gives the condition.
#include "compiler/transforms/LoopSchedule.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

void yieldNoArguments(mlir::scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(yield);
  for (mlir::OpOperand &operand : yield->getOpOperands())
    if (mlir::isa<mlir::BlockArgument>(operand.get()))
      operand.set(mlir::UnrealizedConversionCastOp::create(builder, loop.getLoc(), operand.get().getType(),
                                                           operand.get())
                      .getResult(0));
}

bool isDivision(Operation *op) {
  return mlir::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp, mlir::arith::RemSIOp, mlir::arith::RemUIOp>(
      op);
}

/// Lets a division be defined in a round that there is not, where `condition` does not hold: there it may
/// divide by 0.
static void divideAnyway(mlir::RewriterBase &rewriter, Operation *division, Value condition) {
  Value divisor = division->getOperand(1);
  // A constant is the same in every round, and known to divide multiples of itself: addresses of k // 8
  // keep their alignment.
  if (mlir::matchPattern(divisor, mlir::m_Constant()) && mlir::isSpeculatable(division))
    return;
  rewriter.setInsertionPoint(division);
  mlir::TypedAttr one = rewriter.getOneAttr(divisor.getType());
  Value always = mlir::arith::ConstantOp::create(rewriter, division->getLoc(), one);
  division->setOperand(
      1, mlir::arith::SelectOp::create(rewriter, division->getLoc(), condition, divisor, always));
}

/// A copy or a load that only happens where `condition` holds, or divisions that are defined elsewhere, too,
/// by themselves or in branches. Everything else that runs ahead has no effects.
static Operation *predicate(mlir::RewriterBase &rewriter, Operation *op, Value condition) {
  mlir::OpOperand *decision = nullptr;
  if (auto expect = mlir::dyn_cast<ttng::BarrierExpectOp>(op))
    decision = &expect.getPredMutable();
  else if (auto tile = mlir::dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    decision = &tile.getPredMutable();
  if (decision) {
    rewriter.setInsertionPoint(op);
    decision->set(mlir::arith::AndIOp::create(rewriter, op->getLoc(), decision->get(), condition));
    return op;
  }
  if (isDivision(op) || mlir::isa<mlir::scf::IfOp>(op)) {
    op->walk([&](Operation *nested) {
      if (isDivision(nested))
        divideAnyway(rewriter, nested, condition);
    });
    return op;
  }
  auto addMask = [&](Value pointer, mlir::MutableOperandRange masks) {
    rewriter.setInsertionPoint(op);
    Value mask = condition;
    if (auto type = mlir::dyn_cast<RankedTensorType>(tt::getMaskType(pointer.getType())))
      mask = tt::SplatOp::create(rewriter, op->getLoc(), type, condition);
    if (!masks.empty())
      mask = mlir::arith::AndIOp::create(rewriter, op->getLoc(), mask, masks.begin()->get());
    masks.assign(mask);
  };
  if (auto copy = mlir::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    addMask(copy.getSrc(), copy.getMaskMutable());
  else if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    addMask(load.getPtr(), load.getMaskMutable());
  return op;
}

mlir::FailureOr<mlir::scf::ForOp> runSchedule(mlir::scf::ForOp loop, const LoopSchedule &schedule) {
  mlir::scf::PipeliningOption options;
  options.getScheduleFn = [&](mlir::scf::ForOp, LoopSchedule &result) { result = schedule; };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.predicateFn = predicate;
  mlir::IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  return mlir::scf::pipelineForLoop(rewriter, loop, options);
}

} // namespace nereid
