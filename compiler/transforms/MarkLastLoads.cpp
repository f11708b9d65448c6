// Says of loads that nobody needs their data again.
//
// Rows that registers do not hold are read twice or more: for their sum, and then to be divided by it.
//
//     scf.for … { %x = tt.load %p … }
//     scf.for … { %x = tt.load %p … ; tt.store %q, … }
//
// What all programs have read in the first loop is often more than the second cache holds, and what is read
// and written in the second one drives it out before its turn comes. What the second loop has read may leave
// first, so that the others' rows stay longer. Results stay, too: who reads them next is not known. On an
// H200, us:
//
//     flag_gems' batch_norm_backward_kernel                     74.6 to 66.1
//     liger's _group_norm_backward_kernel                       29.4 to 26.1
//     torchao's _triton_fp8_colwise_3d_scale_and_cast_kernel    53.8 to 49.0
//     flashnn's _layer_norm_kernel                              94.3 to 90.7
//
// An array is one pointer argument that nothing but loads reaches, all of them in loops side by side: the
// last of those has the loads that count. Each element must be one program's alone, as far as one can tell:
// the address depends on the program's number along each axis that the kernel asks for, and changes in each
// round. Weights of all rows stay. So do lines that programs share; of a column each, by which these loads
// took flag_gems' weight_norm_bwd_kernel_last from 128 to 142.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/AddressSteps.h"
#include "compiler/transforms/LastLoads.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PointerRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;
using mlir::scf::ForOp;

namespace {

struct MarkLastLoads : mlir::PassWrapper<MarkLastLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkLastLoads)

  llvm::StringRef getArgument() const final { return "nereid-ttg-mark-last-loads"; }
  llvm::StringRef getDescription() const final { return "Say of loads that nobody needs their data again"; }
  void runOnOperation() final;
};

/// The values that a value depends on.
llvm::SetVector<Value> findSources(Value value, const ValueFlow &flow) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Value next = reached[i];
    reached.insert_range(flow.getSenders(next));
    if (Operation *op = next.getDefiningOp())
      reached.insert_range(op->getOperands());
    else if (auto loop =
                 mlir::dyn_cast<ForOp>(mlir::cast<mlir::BlockArgument>(next).getOwner()->getParentOp()))
      reached.insert(loop.getLowerBound());
  }
  return reached;
}

/// The loads of one array.
struct ArrayLoads {
  llvm::SmallVector<tt::LoadOp> loads;
  /// Something else reaches it, too.
  bool hasOthers = false;
};

} // namespace

/// The last of several loops side by side that have all of these loads, in the order of the program; null if
/// they are not so.
static ForOp findLastLoop(llvm::ArrayRef<tt::LoadOp> loads) {
  for (auto last = loads.back()->getParentOfType<ForOp>(); last; last = last->getParentOfType<ForOp>()) {
    auto getLoopBeside = [&](tt::LoadOp load) {
      return mlir::dyn_cast_if_present<ForOp>(last->getBlock()->findAncestorOpInBlock(*load));
    };
    if (llvm::all_of(loads, getLoopBeside) &&
        llvm::any_of(loads, [&](tt::LoadOp load) { return getLoopBeside(load) != last; }))
      return last;
  }
  return {};
}

/// Whether an address changes with each round of the loops around it, `outermost` the outermost of them, and
/// with the program's number along all of these axes.
static bool changesAlways(tt::LoadOp load, ForOp outermost, unsigned axes, const ValueFlow &flow) {
  llvm::SetVector<Value> sources = findSources(load.getPtr(), flow);
  for (auto loop = load->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>()) {
    if (llvm::none_of(loop.getBody()->getArguments(), [&](Value value) { return sources.contains(value); }))
      return false;
    if (loop == outermost)
      break;
  }
  for (Value source : sources)
    if (auto program = source.getDefiningOp<tt::GetProgramIdOp>())
      axes &= ~(1u << unsigned(program.getAxis()));
  return axes == 0;
}

/// Whether what a round reads are whole lines, as far as one can tell: of others', programs that read what
/// lies beside it have need, too.
static bool readsLines(tt::LoadOp load, AddressSteps &steps) {
  constexpr int64_t lineBytes = 128;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(load.getType());
  if (!type)
    return false;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (steps.get(load.getPtr(), d) <= 1 &&
        type.getDimSize(d) * tt::getElementBits(type.getElementType()) >= 8 * lineBytes)
      return true;
  return false;
}

static void mark(tt::FuncOp function) {
  bool multiplies = false;
  unsigned axes = 0;
  function.walk([&](Operation *op) {
    multiplies |= mlir::isa<tt::DotOp, tt::DotScaledOp, ttg::LocalDotOp, ttng::WarpGroupDotOp>(op);
    if (auto program = mlir::dyn_cast<tt::GetProgramIdOp>(op))
      axes |= 1u << unsigned(program.getAxis());
  });
  // What products read many programs do.
  if (multiplies || !axes)
    return;
  PointerRootAnalysis roots(function);
  ValueFlow flow(function);
  AxisInfoAnalysis axisInfo(function);
  AddressSteps steps(axisInfo);
  llvm::MapVector<Value, ArrayLoads> arrays;
  function.walk([&](Operation *op) {
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    // Loops only hand pointers on.
    if (!load && (mlir::isMemoryEffectFree(op) || op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>()))
      return;
    PointerRoots of = load ? roots.get(load.getPtr()) : roots.getOfOperands(op);
    for (Value argument : of.arguments) {
      ArrayLoads &array = arrays[argument];
      if (load && of.arguments.size() == 1 && !of.unknown)
        array.loads.push_back(load);
      else
        array.hasOthers = true;
    }
  });
  for (auto &[argument, array] : arrays) {
    ForOp last = array.hasOthers || array.loads.empty() ? ForOp() : findLastLoop(array.loads);
    for (tt::LoadOp load : array.loads)
      if (last && last->isProperAncestor(load) && load.getCache() == tt::CacheModifier::NONE &&
          load.getEvict() == tt::EvictionPolicy::NORMAL && !load.getIsVolatile() &&
          changesAlways(load, last, axes, flow) && readsLines(load, steps))
        load->setAttr(lastLoadAttr, mlir::UnitAttr::get(load.getContext()));
  }
}

void MarkLastLoads::runOnOperation() {
  getOperation().walk([](tt::FuncOp function) {
    if (function.isPublic())
      mark(function);
  });
}

std::unique_ptr<mlir::Pass> createMarkLastLoadsPass() { return std::make_unique<MarkLastLoads>(); }

} // namespace nereid
