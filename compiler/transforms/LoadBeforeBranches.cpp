// Starts loads before operations that ptxas makes branches of.
//
// A correctly rounded quotient is computed by a few instructions or, of subnormal numbers and the like, by a
// function; so are square roots, and quotients of 64-bit integers. ptxas starts loads early within a block of
// its code, and moves none over such a branch. A round that loads, divides and loads again so waits for
// memory twice:
//
//     %h = tt.load …                           %h = tt.load …
//     %s = tt.precise_divf %a, %h              %p = tt.addptr …
//     %p = tt.addptr …                  →      %g = tt.load %p
//     %g = tt.load %p                          %s = tt.precise_divf %a, %h
//
// spikingjelly's _backward_kernel, some steps of many neurons, takes 135 us by that on an H200, and 141
// without.
//
// No load passes anything that writes, a barrier, an assertion, a loop or a product, and only as many pass as
// take few registers meanwhile. What their addresses are computed with goes along.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct LoadBeforeBranches : mlir::PassWrapper<LoadBeforeBranches, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadBeforeBranches)

  llvm::StringRef getArgument() const final { return "nereid-ttg-load-before-branches"; }
  llvm::StringRef getDescription() const final {
    return "Start loads before operations that ptxas makes branches of";
  }
  void runOnOperation() final;
};

bool becomesBranch(Operation *op) {
  if (op->getNumResults() != 1 || !mlir::isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (mlir::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return tt::getElementBits(op->getResult(0).getType()) == 64;
  return mlir::isa<tt::PreciseDivFOp, tt::PreciseSqrtOp>(op);
}

/// Whether no load passes the operation: it writes memory, waits for somebody or checks something, or what is
/// loaded would be kept through a loop or a product.
bool endsStretch(Operation *op) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return looksAtOthers(load);
  return mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp, mlir::scf::IfOp, tt::DotOp, ttng::WarpGroupDotOp,
                   ttg::LocalDotOp>(op) ||
         (!mlir::isMemoryEffectFree(op) && !mlir::isa<ttg::LocalLoadOp>(op));
}

/// What has to go along with an operation that goes before `place`, in the order of the block; nothing if
/// some of it cannot.
llvm::SmallVector<Operation *> collect(Operation *op, Operation *place) {
  constexpr size_t most = 32;
  llvm::SetVector<Operation *> chain;
  chain.insert(op);
  for (size_t i = 0; i != chain.size(); ++i) // which grows
    for (Value operand : chain[i]->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != op->getBlock() || source->isBeforeInBlock(place))
        continue;
      if (source == place || source->getNumRegions() || !mlir::isPure(source) || becomesBranch(source) ||
          mlir::isa<ttg::ConvertLayoutOp>(source) || chain.size() == most)
        return {};
      chain.insert(source);
    }
  llvm::SmallVector<Operation *> ordered(chain.begin(), chain.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

void startEarly(mlir::Block &block) {
  constexpr unsigned mostRegisters = 16;
  Operation *branch = nullptr; // the first that loads may pass
  unsigned registers = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (endsStretch(&op)) {
      branch = nullptr;
      registers = 0;
      continue;
    }
    if (!branch && becomesBranch(&op))
      branch = &op;
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    auto type = load ? mlir::dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
    if (!branch || !type)
      continue;
    unsigned words = getRegisters(type, ttg::getNumWarps(load) * ttg::getThreadsPerWarp(load));
    llvm::SmallVector<Operation *> chain = collect(load, branch);
    if (chain.empty() || registers + words > mostRegisters)
      continue;
    registers += words;
    for (Operation *moved : chain)
      moved->moveBefore(branch);
  }
}

void LoadBeforeBranches::runOnOperation() {
  llvm::SmallVector<mlir::Block *> blocks;
  getOperation().walk([&](mlir::Block *block) { blocks.push_back(block); });
  llvm::for_each(blocks, [](mlir::Block *block) { startEarly(*block); });
}

} // namespace

std::unique_ptr<mlir::Pass> createLoadBeforeBranchesPass() { return std::make_unique<LoadBeforeBranches>(); }

} // namespace nereid
