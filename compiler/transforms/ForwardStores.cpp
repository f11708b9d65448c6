// Takes from registers what the program has just stored.
//
// Triton has no way to exchange elements of a tile but tl.gather, which is young. Kernels that transform rows
// store them and load them again at other places, as the butterflies of a Hadamard transform do:
//
//     tt.store (%p + %i), %x                     %i = make_range 0 … 64
//     gpu.barrier
//     %y = tt.load (%p + %i)              →      %x
//     %z = tt.load (%p + (%i ^ 4))        →      tt.gather %x[%i ^ 4]      lanes exchange it
//     tt.store (%p + %i), %x + %z
//
// A program is one thread of control: what it loads is what it stored there last, and which of the machine's
// threads did that is nobody's concern. Then the first of two stores of the same tile is for nothing if no
// load is left between them, and of barriers with no access of memory between them one is enough.
//
// Only a block's last store is looked at, as any other may have been to the same place. It must store a whole
// row, all elements of which are at places of their own, and what is loaded must lie within it, whatever the
// program's arguments are (IntegerRangeAnalysis). Memory through which programs talk to each other
// (ContestedMemory) is left alone.
//
// On an H200, us (before, now; Triton's code, which exchanges through memory):
//
//     torchao's hadamard_single_phase1_kernel    189, 105    180
//     torchao's _inverse_hadamard_kernel         194, 105    177
//     fused-turboquant's _rht_kernel, two        187, 162    163
//                                                257, 163    256
//     fused-turboquant's _fused_decode_kernel    127,  84    125
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/ContestedMemory.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::ConstantIntRanges;
using mlir::IntegerValueRange;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::dataflow::IntegerValueRangeLattice;

namespace {

struct ForwardStores : mlir::PassWrapper<ForwardStores, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForwardStores)

  llvm::StringRef getArgument() const final { return "nereid-tt-forward-stores"; }
  llvm::StringRef getDescription() const final {
    return "Take from registers what the program has just stored";
  }
  void runOnOperation() final;
};

/// A tensor's range is that of all its elements.
class TileRanges : public mlir::dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  mlir::LogicalResult visitOperation(Operation *op, llvm::ArrayRef<const IntegerValueRangeLattice *> operands,
                                     llvm::ArrayRef<IntegerValueRangeLattice *> results) override {
    std::optional<IntegerValueRange> range;
    if (auto numbers = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
      unsigned bits = tt::getElementBits(numbers.getType());
      range = ConstantIntRanges::fromSigned(llvm::APInt(bits, numbers.getStart(), /*isSigned=*/true),
                                            llvm::APInt(bits, numbers.getEnd() - 1, /*isSigned=*/true));
    } else if (mlir::isa<tt::SplatOp>(op)) {
      range = operands[0]->getValue();
    }
    if (!range)
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    propagateIfChanged(results[0], results[0]->join(*range));
    return mlir::success();
  }
};

/// `base + offsets`, where all elements have one base.
struct Row {
  Value base, offsets;
};

std::optional<Row> getRow(Value pointer) {
  auto add = pointer.getDefiningOp<tt::AddPtrOp>();
  auto splat = add ? add.getPtr().getDefiningOp<tt::SplatOp>() : tt::SplatOp();
  auto type = mlir::dyn_cast<RankedTensorType>(pointer.getType());
  if (!splat || !type || type.getRank() != 1)
    return std::nullopt;
  return Row{splat.getSrc(), add.getOffset()};
}

/// Whether it is a row whose elements lie one behind the other, from the base on.
bool isWholeRow(const Row &row) {
  auto numbers = row.offsets.getDefiningOp<tt::MakeRangeOp>();
  return numbers && numbers.getStart() == 0;
}

bool isBarrier(Operation &op) { return op.getName().getStringRef() == "gpu.barrier"; }

class BlockForwarder {
public:
  BlockForwarder(mlir::DataFlowSolver &solver, const ContestedMemory &contested)
      : solver(solver), contested(contested) {}

  void run(mlir::Block &block);

private:
  std::optional<ConstantIntRanges> getRange(Value value) const {
    auto *known = solver.lookupState<IntegerValueRangeLattice>(value);
    if (!known || known->getValue().isUninitialized())
      return std::nullopt;
    return known->getValue().getValue();
  }
  bool isTrue(Value mask) const {
    if (!mask)
      return true;
    std::optional<ConstantIntRanges> range = getRange(mask);
    return range && range->umin().isOne();
  }
  bool isWithin(Value offsets, int64_t size) const {
    std::optional<ConstantIntRanges> range = getRange(offsets);
    return range && !range->smin().isNegative() && range->smax().slt(size);
  }
  /// What the last store has put where the load reads; null if that is not known.
  Value find(tt::LoadOp load);
  void visitStore(tt::StoreOp store);
  void mergeBarriers(mlir::Block &block) const;

  mlir::DataFlowSolver &solver;
  const ContestedMemory &contested;
  tt::StoreOp last; // none if something else may have been written since
  bool isRead = false;
  bool changed = false;
};

Value BlockForwarder::find(tt::LoadOp load) {
  std::optional<Row> stored = last ? getRow(last.getPtr()) : std::nullopt;
  if (!stored)
    return {};
  if (load.getPtr() == last.getPtr() && load.getMask() == last.getMask())
    return last.getValue();
  std::optional<Row> loaded = getRow(load.getPtr());
  int64_t size = mlir::cast<RankedTensorType>(last.getPtr().getType()).getNumElements();
  if (!loaded || loaded->base != stored->base || !isTrue(last.getMask()) ||
      !isWithin(loaded->offsets, size) || tt::getElementBits(load.getType()) < 8)
    return {};
  OpBuilder builder(load);
  return loaded->offsets == stored->offsets
             ? last.getValue()
             : tt::GatherOp::create(builder, load.getLoc(), last.getValue(), loaded->offsets, 0).getResult();
}

void BlockForwarder::visitStore(tt::StoreOp store) {
  std::optional<Row> row = getRow(store.getPtr());
  bool isKnown = row && isWholeRow(*row) && !contested.mayHold(store.getPtr());
  if (isKnown && last && !isRead && last.getPtr() == store.getPtr() && last.getMask() == store.getMask() &&
      last.getCache() == store.getCache()) {
    last.erase();
    changed = true;
  }
  last = isKnown ? store : tt::StoreOp();
  isRead = false;
}

/// Of barriers with nothing between them that accesses memory, the first is enough.
void BlockForwarder::mergeBarriers(mlir::Block &block) const {
  bool isAfterBarrier = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isBarrier(op)) {
      isAfterBarrier &= mlir::isMemoryEffectFree(&op);
      continue;
    }
    if (isAfterBarrier)
      op.erase();
    isAfterBarrier = true;
  }
}

void BlockForwarder::run(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (mlir::isMemoryEffectFree(&op) || isBarrier(op))
      continue;
    if (auto store = mlir::dyn_cast<tt::StoreOp>(op)) {
      visitStore(store);
      continue;
    }
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    if (!load || looksAtOthers(load)) {
      last = {};
      continue;
    }
    Value known = find(load);
    if (!known) {
      isRead = true;
      continue;
    }
    OpBuilder builder(load);
    // Where there is no other value, any is good.
    if (load.getMask() && load.getOther())
      known = arith::SelectOp::create(builder, load.getLoc(), load.getMask(), known, load.getOther());
    load.replaceAllUsesWith(known);
    solver.eraseState(load.getResult()); // another value may come to lie in its place
    load.erase();
    changed = true;
  }
  if (changed)
    mergeBarriers(block);
}

void ForwardStores::runOnOperation() {
  llvm::DenseSet<Value> stored;
  getOperation().walk([&](tt::StoreOp store) {
    if (std::optional<Row> row = getRow(store.getPtr()))
      stored.insert(row->base);
  });
  bool isWorthALook = false;
  getOperation().walk([&](tt::LoadOp load) {
    std::optional<Row> row = getRow(load.getPtr());
    isWorthALook |= row && stored.contains(row->base);
  });
  if (!isWorthALook)
    return;
  mlir::DataFlowSolver solver;
  mlir::dataflow::loadBaselineAnalyses(solver);
  solver.load<TileRanges>();
  if (mlir::failed(solver.initializeAndRun(getOperation())))
    return signalPassFailure();
  ContestedMemory contested(getOperation());
  getOperation().walk([&](mlir::Block *block) { BlockForwarder(solver, contested).run(*block); });
}

} // namespace

std::unique_ptr<mlir::Pass> createForwardStoresPass() { return std::make_unique<ForwardStores>(); }

} // namespace nereid
