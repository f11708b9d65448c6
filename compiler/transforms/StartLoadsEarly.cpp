// Starts loads before what ptxas moves none over: branches, and in loops barriers.
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
// So it does where threads meet to exchange numbers, for a conversion or a sum across warps. On an H200, us:
//
//     spikingjelly's _backward_kernel               141  to 135     steps of neurons, with quotients
//     mamba's _layer_norm_bwd_kernel                60.2 to 55.4    rounds of rows, with sums
//     mamba's angle_dt_bwd_kernel                   43.0 to 39.2
//     exllamav3's _causal_conv1d_update_slotted     73.5 to 70.0    a conversion in each round
//
// Without a loop there are other programs to load meanwhile, as many as registers leave room for, and a row's
// weights that wait in registers for its sum may cost one of them: esm's _quantize_rows_kernel took 80.7 us
// in place of 77.6, with 48 registers in place of 40.
//
// Nor are there registers to spare beside products. Of a tile that went before an exchange there, ptxas wrote
// others to local memory: fla's chunk_precond_kda_bwd_kernel_wy_dqkg took 429 us in place of 350. A vector
// may pass.
//
// No load passes anything that writes, a barrier that the kernel asks for, an assertion, a loop or a product,
// and only as many pass as take few registers meanwhile. What their addresses are computed with goes along.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct StartLoadsEarly : mlir::PassWrapper<StartLoadsEarly, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StartLoadsEarly)

  llvm::StringRef getArgument() const final { return "nereid-ttg-start-loads-early"; }
  llvm::StringRef getDescription() const final {
    return "Start loads before branches and barriers that ptxas moves none over";
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

/// Whether the threads of a block meet in it to exchange numbers, in each round of a loop.
bool meetsInLoop(Operation *op) {
  return mlir::isa<ttg::ConvertLayoutOp, tt::ReduceOp, tt::ScanOp>(op) &&
         op->getParentOfType<mlir::LoopLikeOpInterface>() && getScratchBytes(op);
}

bool holdsLoadsBack(Operation *op) { return becomesBranch(op) || meetsInLoop(op); }

bool isProduct(Operation *op) { return mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, ttg::LocalDotOp>(op); }

/// Whether no load passes the operation: it writes memory, waits for somebody or checks something, or what is
/// loaded would be kept through a loop or a product.
bool endsStretch(Operation *op) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
    return looksAtOthers(load);
  return mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp, mlir::scf::IfOp>(op) || isProduct(op) ||
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
      if (source == place || source->getNumRegions() || !mlir::isPure(source) || holdsLoadsBack(source) ||
          mlir::isa<ttg::ConvertLayoutOp>(source) || chain.size() == most)
        return {};
      chain.insert(source);
    }
  llvm::SmallVector<Operation *> ordered(chain.begin(), chain.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

bool multiplies(mlir::LoopLikeOpInterface loop) {
  return loop
      ->walk([](Operation *op) {
        return isProduct(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The registers that what is loaded may take meanwhile. Beside products and their sums that is one.
unsigned getMostRegisters(Operation *holder) {
  constexpr unsigned many = 16;
  bool isShort = meetsInLoop(holder) && multiplies(holder->getParentOfType<mlir::LoopLikeOpInterface>());
  return isShort ? 1 : many;
}

void startEarly(mlir::Block &block) {
  Operation *holder = nullptr; // the first that loads may pass
  unsigned registers = 0, mostRegisters = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (endsStretch(&op)) {
      holder = nullptr;
      registers = 0;
      continue;
    }
    if (!holder && holdsLoadsBack(&op)) {
      holder = &op;
      mostRegisters = getMostRegisters(holder);
    }
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    auto type = load ? mlir::dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
    if (!holder || !type)
      continue;
    unsigned words = getRegisters(type, ttg::getNumWarps(load) * ttg::getThreadsPerWarp(load));
    llvm::SmallVector<Operation *> chain = collect(load, holder);
    if (chain.empty() || registers + words > mostRegisters)
      continue;
    registers += words;
    for (Operation *moved : chain)
      moved->moveBefore(holder);
  }
}

void StartLoadsEarly::runOnOperation() {
  llvm::SmallVector<mlir::Block *> blocks;
  getOperation().walk([&](mlir::Block *block) { blocks.push_back(block); });
  llvm::for_each(blocks, [](mlir::Block *block) { startEarly(*block); });
}

} // namespace

std::unique_ptr<mlir::Pass> createStartLoadsEarlyPass() { return std::make_unique<StartLoadsEarly>(); }

} // namespace nereid
