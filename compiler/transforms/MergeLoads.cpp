// Loads once what is loaded twice with other values for elements that the mask leaves out.
//
//     %x = tt.load %p, %m, inf                         %x = tt.load %p, %m, inf
//     %y = tt.load %p, %m, -inf             →          %y = select %m, %x, -inf
//     … the least of %x, the greatest of %y …
//
// The second load would find its elements in the first cache, but waits for it, and for the registers of what
// came before. Merged are loads with nothing between them that may change memory or wait, be it for other
// threads, as sums do: elements would be kept in registers through that. Loads that are alike altogether CSE
// has merged.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

namespace {

struct MergeLoads : mlir::PassWrapper<MergeLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeLoads)

  llvm::StringRef getArgument() const final { return "nereid-tt-merge-loads"; }
  llvm::StringRef getDescription() const final {
    return "Load once what is loaded with several values for elements left out";
  }
  void runOnOperation() final;
};

bool differInOtherAlone(tt::LoadOp first, tt::LoadOp second) {
  return first.getPtr() == second.getPtr() && first.getMask() == second.getMask() &&
         first.getCache() == second.getCache() && first.getEvict() == second.getEvict() &&
         first->getDiscardableAttrDictionary() == second->getDiscardableAttrDictionary();
}

void mergeLoads(mlir::Block &block) {
  llvm::SmallVector<tt::LoadOp> loads;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    if (op.getNumRegions() != 0 || (!load && !mlir::isMemoryEffectFree(&op)))
      loads.clear();
    if (!load || !load.getMask() || looksAtOthers(load))
      continue;
    auto same = llvm::find_if(loads, [&](tt::LoadOp other) { return differInOtherAlone(other, load); });
    if (same == loads.end()) {
      loads.push_back(load);
      continue;
    }
    OpBuilder builder(load);
    // Where there is no other value, any is good.
    Value merged = same->getResult();
    if (load.getOther())
      merged = mlir::arith::SelectOp::create(builder, load.getLoc(), load.getMask(), merged, load.getOther());
    load.replaceAllUsesWith(merged);
    load.erase();
  }
}

void MergeLoads::runOnOperation() {
  getOperation().walk([](mlir::Block *block) { mergeLoads(*block); });
}

} // namespace

std::unique_ptr<mlir::Pass> createMergeLoadsPass() { return std::make_unique<MergeLoads>(); }

} // namespace nereid
