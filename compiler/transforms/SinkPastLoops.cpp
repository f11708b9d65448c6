// Makes what is needed only behind a loop there, rather than keep it in registers through the loop.
//
//     %g = tt.load %p, %mask                            %s = scf.for … { … tt.dot … }
//     %k = ttg.local_load %ring                         %g = tt.load %p, %mask
//     %s = scf.for … { … tt.dot … }            →        ttg.local_load …
//     … %s, %g, %k …                                    … %s, %g, %k …
//
// A tile of 64x64 f32 takes 64 registers of each thread of two warps, while the loop's sums of products want
// all there are. What is moved are loads, reads of buffers, and what masks and addresses are computed with;
// the latter from the last to the first, so that whole chains go. Loads stay before everything that writes
// global memory, and before barriers.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct SinkPastLoops : mlir::PassWrapper<SinkPastLoops, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SinkPastLoops)

  llvm::StringRef getArgument() const final { return "nereid-ttg-sink-past-loops"; }
  llvm::StringRef getDescription() const final { return "Make what is needed behind loops there"; }
  void runOnOperation() final;
};

/// The first operation of the block that needs a result, itself or in its regions; null if others do, too.
Operation *findFirstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor)
      return nullptr;
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

bool hasProductLoopBetween(Operation *op, Operation *end) {
  for (Operation *between = op->getNextNode(); between != end; between = between->getNextNode())
    if (mlir::isa<mlir::LoopLikeOpInterface>(between) &&
        between
            ->walk([](Operation *inner) {
              return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(inner)
                         ? mlir::WalkResult::interrupt()
                         : mlir::WalkResult::advance();
            })
            .wasInterrupted())
      return true;
  return false;
}

/// Whether no operation from `op` to `end` is one of those that `stops` it.
bool isFreeTo(Operation *op, Operation *end, llvm::function_ref<bool(Operation *)> stops) {
  for (Operation *between = op->getNextNode(); between != end; between = between->getNextNode())
    if (between
            ->walk([&](Operation *inner) {
              return stops(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
            })
            .wasInterrupted())
      return false;
  return true;
}

/// The buffer that a view shows; null where it is not known.
Value getBuffer(Value memory) {
  while (true) {
    if (auto index = memory.getDefiningOp<ttg::MemDescIndexOp>())
      memory = index.getSrc();
    else if (auto trans = memory.getDefiningOp<ttg::MemDescTransOp>())
      memory = trans.getSrc();
    else
      return memory.getDefiningOp<ttg::LocalAllocOp>() ? memory : Value();
  }
}

/// Whether the operation may be made right before `end`, where a result of it is first needed.
bool canMove(Operation *op, Operation *end) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    // Two arguments may be the same memory.
    return !looksAtOthers(load) && isFreeTo(op, end, [](Operation *other) {
      return mayWriteGlobal(other) || mlir::isa<mlir::CallOpInterface>(other) ||
             mlir::isa<ttg::LocalBarrierOp, ttg::ClusterBarrierOp>(other);
    });
  if (auto load = mlir::dyn_cast<ttg::LocalLoadOp>(op)) {
    Value buffer = getBuffer(load.getSrc());
    return buffer && isFreeTo(op, end, [&](Operation *other) {
             bool isReader =
                 mlir::isa<ttg::LocalLoadOp, ttg::MemDescIndexOp, ttg::MemDescTransOp, ttg::LocalDotOp,
                           ttg::LocalGatherOp, ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp>(other);
             return !isReader && llvm::any_of(other->getOperands(), [&](Value operand) {
               return mlir::isa<ttg::MemDescType>(operand.getType()) && getBuffer(operand) == buffer;
             });
           });
  }
  // Of floating point, operands would be kept in place of results.
  mlir::Type type = op->getResult(0).getType();
  bool isOfFloats = mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  return mlir::isPure(op) && op->getNumRegions() == 0 && !mlir::isa<ttg::ConvertLayoutOp>(op) &&
         (!isOfFloats || mlir::isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op));
}

void SinkPastLoops::runOnOperation() {
  getOperation().walk([](mlir::Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
      if (op.getNumResults() != 1 || !mlir::isa<RankedTensorType>(op.getResult(0).getType()))
        continue;
      Operation *user = findFirstUser(&op);
      if (user && hasProductLoopBetween(&op, user) && canMove(&op, user))
        op.moveBefore(user);
    }
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createSinkPastLoopsPass() { return std::make_unique<SinkPastLoops>(); }

} // namespace nereid
