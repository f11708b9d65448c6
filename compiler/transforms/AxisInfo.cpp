// The walk over the IR: arguments, control flow and the questions of memory accesses. What single operations
// do to the information is in AxisInfoOps.cpp.
#include "compiler/transforms/AxisInfo.h"

#include "compiler/dialects/tt/Dialect.h"

#include <numeric>

namespace nereid {

using mlir::Operation;
using mlir::Value;

static unsigned rankOf(Value value) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return tensor ? std::max<unsigned>(tensor.getRank(), 1) : 1;
}

// ---- AxisInfo ----

int64_t AxisInfo::getDivisibilityOfRuns(unsigned d, int64_t run) const {
  // Runs of a length that contiguity does not reach begin inside of a run that we know: at a multiple of
  // `run` from its start. Longer ones begin where known ones do.
  if (contiguity[d] == 1 || run >= contiguity[d])
    return divisibility[d];
  return std::min(divisibility[d], run * (unit & -unit));
}

int64_t AxisInfo::getDivisibilityOfAll() const {
  int64_t best = 1;
  for (unsigned d = 0; d != getRank(); ++d)
    best = std::max(best, getDivisibilityOfRuns(d, 1));
  return best;
}

AxisInfo AxisInfo::unknown(unsigned rank) {
  AxisInfo info;
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

AxisInfo AxisInfo::unknown(Value value) { return unknown(rankOf(value)); }

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = a;
  for (unsigned d = 0; d != a.getRank(); ++d) {
    info.contiguity[d] = std::min(a.contiguity[d], b.contiguity[d]);
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = std::min(a.getDivisibilityOfRuns(d, info.contiguity[d]),
                                    b.getDivisibilityOfRuns(d, info.contiguity[d]));
  }
  if (a.constant != b.constant)
    info.constant.reset();
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

// ---- The walk ----

/// Bytes from one element to the next where `value` is a pointer or a tensor of pointers; 1 for all else.
static int64_t unitOf(Value value) {
  auto pointer = mlir::dyn_cast<tt::PointerType>(mlir::getElementTypeOrSelf(value.getType()));
  if (!pointer || mlir::isa<mlir::RankedTensorType>(pointer.getPointeeType()))
    return 1;
  return std::max(1u, tt::getElementBits(pointer.getPointeeType()) / 8);
}

bool AxisInfoAnalysis::set(Value value, AxisInfo info, bool merge) {
  info.unit = unitOf(value);
  auto [found, isNew] = infos.try_emplace(value, info);
  if (isNew)
    return true;
  if (merge)
    info = AxisInfo::join(found->second, info);
  if (found->second == info)
    return false;
  found->second = std::move(info);
  return true;
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto found = infos.find(value);
  return found == infos.end() ? AxisInfo::unknown(value) : found->second;
}

/// Raises what `info` says by the promises of the attributes tt.contiguity, tt.divisibility and tt.constancy:
/// an integer, or one number a dimension.
static void applyPromises(AxisInfo &info, llvm::function_ref<mlir::Attribute(llvm::StringRef)> getAttr) {
  auto raise = [&](llvm::StringRef name, AxisInfo::Dims &dims) {
    mlir::Attribute attr = getAttr(name);
    AxisInfo::Dims promised;
    if (auto integer = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attr))
      promised.assign(dims.size(), integer.getInt());
    else if (auto list = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attr))
      for (const llvm::APInt &value : list.getValues<llvm::APInt>())
        promised.push_back(value.getSExtValue());
    if (promised.size() != dims.size())
      return false;
    for (auto [dim, promise] : llvm::zip(dims, promised))
      if (promise > 0) // only the power of two in it is of use
        dim = std::max(dim, promise & -promise);
    return true;
  };
  raise("tt.contiguity", info.contiguity);
  raise("tt.constancy", info.constancy);
  raise("tt.divisibility", info.divisibility);
}

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root) {
  root->walk([&](tt::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments()) {
      AxisInfo info = AxisInfo::unknown(argument);
      unsigned number = argument.getArgNumber();
      applyPromises(info, [&](llvm::StringRef name) { return function.getArgAttr(number, name); });
      applyPromises(info, [&](llvm::StringRef name) {
        return name == "tt.divisibility" ? function.getArgAttr(number, promisedDivisibilityName)
                                         : mlir::Attribute();
      });
      set(argument, info);
    }
    visit(function.getBody());
    return mlir::WalkResult::skip();
  });
}

void AxisInfoAnalysis::visit(mlir::Region &region) {
  // Blocks beyond the first have arguments from branches that may come from below; nothing is known of them.
  for (mlir::Block &block : region)
    for (Operation &op : block)
      visit(&op);
}

void AxisInfoAnalysis::visit(Operation *op) {
  if (mlir::isa<mlir::scf::ForOp>(op))
    return visitFor(op);
  if (mlir::isa<mlir::scf::WhileOp>(op))
    return visitWhile(op);
  if (mlir::isa<mlir::scf::IfOp>(op))
    return visitBranches(op);
  for (mlir::Region &region : op->getRegions())
    visit(region);
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return;
  llvm::SmallVector<AxisInfo, 4> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  AxisInfo info = inferAxisInfo(op, operands);
  applyPromises(info, [&](llvm::StringRef name) { return op->getAttr(name); });
  set(op->getResult(0), info);
}

void AxisInfoAnalysis::visitFor(Operation *op) {
  auto loop = mlir::cast<mlir::scf::ForOp>(op);
  AxisInfo lower = get(loop.getLowerBound()), step = get(loop.getStep());
  AxisInfo induction = AxisInfo::unknown(1);
  induction.divisibility[0] = std::min(lower.divisibility[0], step.divisibility[0]);
  induction.nonNegative = lower.nonNegative && step.nonNegative;
  set(loop.getInductionVar(), induction);
  // Merged with what an earlier visit found, if the loop stands in another: what is known only becomes less,
  // so that the end is the same, and each visit but the first begins near it. Beginning anew would take 2^n
  // visits n loops down.
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init), /*merge=*/true);
  for (bool changed = true; changed;) {
    visit(loop.getRegion());
    changed = false;
    for (auto [argument, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands()))
      changed |= set(argument, get(yielded), /*merge=*/true);
  }
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    set(result, get(argument));
}

void AxisInfoAnalysis::visitWhile(Operation *op) {
  auto loop = mlir::cast<mlir::scf::WhileOp>(op);
  for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    set(argument, get(init), /*merge=*/true);
  for (bool changed = true; changed;) {
    visit(loop.getBefore());
    for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      set(argument, get(value));
    visit(loop.getAfter());
    changed = false;
    for (auto [argument, yielded] : llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      changed |= set(argument, get(yielded), /*merge=*/true);
  }
  for (auto [result, value] : llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
    set(result, get(value));
}

void AxisInfoAnalysis::visitBranches(Operation *op) {
  auto branch = mlir::cast<mlir::scf::IfOp>(op);
  visit(branch.getThenRegion());
  visit(branch.getElseRegion());
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    set(result, AxisInfo::join(get(branch.thenYield().getOperand(i)), get(branch.elseYield().getOperand(i))));
}

// ---- Questions of memory accesses ----

int64_t AxisInfoAnalysis::getContiguousElements(Value pointer, unsigned d) const {
  AxisInfo info = get(pointer);
  int64_t bytes = unitOf(pointer);
  int64_t run = std::min(info.contiguity[d], int64_t(1) << 20);
  while (run > 1 && info.getDivisibilityOfRuns(d, run) < run * bytes)
    run /= 2;
  return run;
}

int64_t AxisInfoAnalysis::getAlignment(Value pointer, unsigned d, int64_t run) const {
  // Every pointer is aligned to its element.
  return std::max(get(pointer).getDivisibilityOfRuns(d, run), unitOf(pointer));
}

int64_t AxisInfoAnalysis::getMaskRun(Value mask, unsigned d) const { return get(mask).constancy[d]; }

} // namespace nereid
