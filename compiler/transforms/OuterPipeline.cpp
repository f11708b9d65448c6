// A kernel whose programs take tile after tile has a loop in a loop:
//
//     scf.for %tile = … {
//       %row, %column = …                        which tile
//       copies of rounds 0 and 1                 LoopPipeline.cpp has put them there
//       %sums = scf.for %k = … { copies of round k + 2; product of round k }
//       tt.descriptor_store %c[%row, %column], %sums
//     }
//
// The matrix unit stands still while the sums are stored, and again until the next tile's first copies are
// there. So those start before the sums are stored, and the outer loop becomes
//
//     %row, %column = …, copies of rounds 0 and 1           of the first tile
//     scf.for %tile = … iter_args(%row, %column) {
//       %sums = scf.for %k = …
//       %row', %column' = …, copies of rounds 0 and 1       of the next tile, if there is one
//       tt.descriptor_store %c[%row, %column], %sums
//       scf.yield %row', %column'
//     }
//
// That is a pipeline of two stages, and MLIR's pipeliner makes it as it makes the inner loop's. For it, the
// buffers have to outlive the inner loop, and their numbers and phases go on counting from tile to tile.
//
// Copies that the threads make, each its own elements, have tiles of addresses and masks in place of a few
// coordinates, and the inner loop needs those as well. They are not kept until the next round: it computes
// them once more.
#include "compiler/transforms/OuterPipeline.h"

#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/LoopSchedule.h"

#include "mlir/IR/IRMapping.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

namespace {

/// What can be computed a round of the outer loop earlier.
class EarlierOperations {
public:
  EarlierOperations(mlir::scf::ForOp outer, mlir::scf::ForOp inner) : outer(outer), inner(inner) {}

  /// Adds all of the outer loop's body that the value is computed from. False if that can't be earlier.
  bool addSourcesOf(Value value) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getOwner() != outer.getBody() || argument == outer.getInductionVar())
        return outer.isDefinedOutsideOfLoop(value) || argument == outer.getInductionVar();
      if (!arguments.insert(argument).second)
        return true;
      // The inner loop's results are there when the next round's operations come, but nothing behind it is.
      value = outer.getTiedLoopYieldedValue(argument)->get();
      if (value.getDefiningOp() == inner)
        return true;
      if (mlir::isa<mlir::BlockArgument>(value))
        return addSourcesOf(value);
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != outer.getBody())
      return outer.isDefinedOutsideOfLoop(value);
    return operations.contains(op) || (op != inner && (mlir::isPure(op) || isDivision(op)) && add(op));
  }

  /// Adds an operation of the outer loop's body, with what it is computed from.
  bool add(Operation *op) {
    operations.insert(op);
    mlir::WalkResult result = op->walk([&](Operation *nested) {
      return mlir::WalkResult(mlir::success(llvm::all_of(nested->getOperands(), [&](Value operand) {
        return op->isAncestor(operand.getParentBlock()->getParentOp()) || addSourcesOf(operand);
      })));
    });
    return !result.wasInterrupted();
  }

  bool contains(Operation *op) const { return operations.contains(op); }

  /// Gives what the round needs of tiles that are computed earlier, too, operations of its own, so that a
  /// tile need not be kept for a round: tens of registers of each thread.
  void computeTilesTwice();

private:
  mlir::scf::ForOp outer, inner;
  llvm::DenseSet<Operation *> operations;
  llvm::DenseSet<mlir::BlockArgument> arguments;
};

void EarlierOperations::computeTilesTwice() {
  auto isTile = [](Operation *op) {
    return llvm::any_of(op->getResultTypes(), llvm::IsaPred<mlir::RankedTensorType>);
  };
  auto findInBody = [&](Operation *user) { return outer.getBody()->findAncestorOpInBlock(*user); };
  llvm::SetVector<Operation *> neededLater; // users before what they use
  for (Operation &op : llvm::reverse(*outer.getBody()))
    if (contains(&op) && isTile(&op) && mlir::isPure(&op) &&
        llvm::any_of(op.getUsers(), [&](Operation *user) {
          user = findInBody(user);
          return !contains(user) || neededLater.contains(user);
        }))
      neededLater.insert(&op);
  mlir::IRMapping again;
  for (Operation *op : llvm::reverse(neededLater)) {
    Operation *copy = mlir::OpBuilder(op).clone(*op, again);
    operations.erase(op);
    operations.insert(copy);
    op->replaceUsesWithIf(copy, [&](mlir::OpOperand &use) {
      Operation *user = findInBody(use.getOwner());
      return contains(user) && !neededLater.contains(user);
    });
  }
}

} // namespace

bool canStartEarlier(mlir::scf::ForOp outer, mlir::scf::ForOp inner, llvm::ArrayRef<PipelinedLoad> loads) {
  if (outer.getUnsignedCmp()) // which MLIR's pipeliner does not take
    return false;
  EarlierOperations earlier(outer, inner);
  auto mayBeEarlier = [&](Value value) { return earlier.addSourcesOf(value); };
  if (!llvm::all_of(mlir::ValueRange{inner.getLowerBound(), inner.getUpperBound(), inner.getStep()},
                    mayBeEarlier))
    return false;
  for (const PipelinedLoad &pipelined : loads) {
    llvm::SetVector<Operation *> sources = getSources(inner, pipelined.load);
    sources.insert(pipelined.load);
    for (Operation *source : sources) {
      bool areEarlier = source == pipelined.load || mlir::isPure(source) || isDivision(source);
      source->walk([&](Operation *op) {
        for (Value operand : op->getOperands()) {
          if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(operand);
              argument && argument.getOwner() == inner.getBody() && argument != inner.getInductionVar())
            operand = inner.getTiedLoopInit(argument)->get();
          areEarlier &= !inner.isDefinedOutsideOfLoop(operand) || mayBeEarlier(operand);
        }
      });
      if (!areEarlier)
        return false;
    }
  }
  return true;
}

mlir::LogicalResult startEarlier(mlir::scf::ForOp outer, mlir::scf::ForOp inner) {
  constexpr unsigned earlierStage = 0, laterStage = 1;
  yieldNoArguments(outer);
  EarlierOperations earlier(outer, inner);
  for (Operation &op : llvm::make_range(outer.getBody()->begin(), inner->getIterator()))
    if (mlir::isa<ttng::BarrierExpectOp, ttng::AsyncTMACopyGlobalToLocalOp, ttg::AsyncCopyGlobalToLocalOp,
                  ttg::AsyncCommitGroupOp>(op) &&
        !earlier.add(&op))
      return mlir::failure();
  earlier.computeTilesTwice();
  LoopSchedule order;
  auto add = [&](bool isEarlier, Operation *first, Operation *last) {
    for (Operation *op = first; op != last; op = op->getNextNode())
      if (earlier.contains(op) == isEarlier)
        order.push_back({op, isEarlier ? earlierStage : laterStage});
  };
  Operation *begin = &outer.getBody()->front(), *behind = inner->getNextNode(),
            *end = outer.getBody()->getTerminator();
  add(/*isEarlier=*/false, begin, behind);
  add(/*isEarlier=*/true, begin, end);
  add(/*isEarlier=*/false, behind, end);
  return runSchedule(outer, order);
}

} // namespace nereid
