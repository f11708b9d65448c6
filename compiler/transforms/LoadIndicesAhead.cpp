// Loads what addresses are computed from a round before it is needed.
//
// A round that looks up where its rows are waits for memory twice, one time after the other: for the tokens
// of a page, the neighbours of a point, the columns of a sparse row; then for what is there. Numbers are few,
// and stay in a register until the next round:
//
//     scf.for %i … {                                 %first = tt.load (indices + 0), (0 < n)
//       %j = tt.load (indices + %i)                  scf.for %i … iter_args(%j = %first) {
//       %x = tt.load (rows + %j * stride)      →       %next = tt.load (indices + %i + 1), (%i + 1 < n)
//       …                                              %x = tt.load (rows + %j * stride)
//     }                                                …
//                                                      scf.yield %next
//                                                    }
//
// Loops whose loads go to rings have that from PipelineLoads, and others are left alone if a round loads but
// little: ptxas unrolls those, and starts the lookups of four rounds together (LeaveUnrolling.h).
//
// spconv's _maxpool_fwd_kernel, which looks up the neighbours of 64 points a round, takes 53.5 us by it on an
// H200, and 65.7 without.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LoopPipeline.h"
#include "compiler/transforms/LoopSchedule.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"
#include "compiler/transforms/RoundsAhead.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

struct LoadIndicesAhead : mlir::PassWrapper<LoadIndicesAhead, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadIndicesAhead)

  llvm::StringRef getArgument() const final { return "nereid-ttg-load-indices-ahead"; }
  llvm::StringRef getDescription() const final {
    return "Load what addresses are computed from a round before";
  }
  void runOnOperation() final;
};

/// Whether a later load of the round has an address that is computed from this one.
bool isIndex(tt::LoadOp load) {
  llvm::SetVector<Value> values;
  values.insert(load.getResult());
  for (size_t i = 0; i != values.size(); ++i) // which grows
    for (mlir::OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      auto other = mlir::dyn_cast<tt::LoadOp>(user);
      if (other && use.get() == other.getPtr() && use.getOperandNumber() == 0)
        return true;
      if (!other && mlir::isPure(user) && user->getNumRegions() == 0)
        values.insert_range(user->getResults());
    }
  return false;
}

/// Whether the loop is an innermost one that multiplies no matrices and copies nothing in the background.
/// MLIR's pipeliner takes no unsigned bounds.
bool isPlain(mlir::scf::ForOp loop) {
  return !loop.getUnsignedCmp() &&
         !loop->walk([&](Operation *op) {
                bool isOther = mlir::isa<mlir::LoopLikeOpInterface, tt::DotOp, tt::CallOp>(op) && op != loop;
                bool isOfUnit = mlir::isa<ttng::TTNGDialect>(op->getDialect()) ||
                                mlir::isa<ttg::AsyncCopyGlobalToLocalOp, ttg::LocalDotOp>(op);
                return isOther || isOfUnit ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

/// What a thread loads in a round, in bits.
unsigned countBitsOfRound(mlir::scf::ForOp loop) {
  unsigned bits = 0;
  loop->walk([&](tt::LoadOp load) { bits += countLoadedBits(load); });
  return bits;
}

/// Whether a round may write elements of the index's type. A caller may pass one array twice, so that another
/// argument says nothing.
bool writesSuchElements(mlir::scf::ForOp loop, tt::LoadOp index) {
  auto getElement = [](Value pointer) {
    auto type = mlir::dyn_cast<tt::PointerType>(mlir::getElementTypeOrSelf(pointer.getType()));
    return type ? type.getPointeeType() : mlir::Type();
  };
  mlir::Type read = getElement(index.getPtr());
  return loop
      ->walk([&](Operation *op) {
        if (!mayWriteGlobal(op))
          return mlir::WalkResult::advance();
        mlir::Type written = op->getNumOperands() ? getElement(op->getOperand(0)) : mlir::Type();
        return !written || written == read ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::SmallVector<tt::LoadOp> findIndices(mlir::scf::ForOp loop, const PointerRootAnalysis &roots) {
  llvm::SmallVector<tt::LoadOp> indices;
  for (auto load : loop.getBody()->getOps<tt::LoadOp>())
    if (isSmall(load) && !looksAtOthers(load) && isIndex(load) && mayRunAhead(loop, load, roots) &&
        !writesSuchElements(loop, load) && llvm::all_of(getSources(loop, load), [](Operation *source) {
          return mlir::isPure(source) && source->getNumRegions() == 0;
        }))
      indices.push_back(load);
  return indices;
}

/// Gives the loads addresses of their own, so that what a round computes for both is not handed on in
/// registers. What goes from round to round by itself is the same for all.
void copySources(mlir::scf::ForOp loop, llvm::ArrayRef<tt::LoadOp> indices,
                 llvm::SetVector<Operation *> &early) {
  for (tt::LoadOp load : indices) {
    early.insert_range(getSources(loop, load));
    early.insert(load);
  }
  auto isCarried = [&](Value value) { return llvm::is_contained(loop.getRegionIterArgs(), value); };
  if (llvm::any_of(early, [&](Operation *op) { return llvm::any_of(op->getOperands(), isCarried); }))
    return;
  mlir::IRMapping mapping;
  llvm::SetVector<Operation *> copies;
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    if (!early.contains(&op))
      continue;
    OpBuilder builder(&op);
    if (mlir::isa<tt::LoadOp>(op)) {
      for (mlir::OpOperand &operand : op.getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
      copies.insert(&op);
    } else {
      copies.insert(builder.clone(op, mapping));
    }
  }
  early = std::move(copies);
}

void LoadIndicesAhead::runOnOperation() {
  constexpr unsigned fewBits = 256; // that ptxas unrolls rounds of
  PointerRootAnalysis roots(getOperation());
  llvm::SmallVector<mlir::scf::ForOp> loops;
  getOperation().walk([&](mlir::scf::ForOp loop) {
    std::optional<llvm::APInt> rounds = loop.getStaticTripCount();
    if (isPlain(loop) && !(rounds && rounds->ule(1)) && countBitsOfRound(loop) > fewBits)
      loops.push_back(loop);
  });
  for (mlir::scf::ForOp loop : loops) {
    llvm::SmallVector<tt::LoadOp> indices = findIndices(loop, roots);
    if (indices.empty())
      continue;
    yieldNoArguments(loop);
    llvm::SetVector<Operation *> early;
    copySources(loop, indices, early);
    LoopSchedule schedule;
    for (bool isLate : {false, true})
      for (Operation &op : loop.getBody()->without_terminator())
        if (early.contains(&op) != isLate)
          schedule.push_back({&op, isLate});
    if (mlir::failed(runSchedule(loop, schedule))) {
      getOperation().emitError("internal compiler error: a loop's indices could not be loaded ahead");
      return signalPassFailure();
    }
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createLoadIndicesAheadPass() { return std::make_unique<LoadIndicesAhead>(); }

} // namespace nereid
