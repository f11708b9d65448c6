// Has conversions exchange elements between lanes, in place of memory, where the barrier would keep more
// loaded numbers waiting than a thread has registers for.
//
// An element that is spread over the lanes of each warp and wanted by all of them goes through memory on chip
// in fewer instructions than by a shuffle for each (ConversionPlan.cpp). But that takes a barrier, past which
// ptxas moves no access of memory. What the kernel loads before it and needs behind it is then in registers
// all at once:
//
//     %x = tt.load …  : tensor<16x4096xbf16>         256 registers of each of 128 threads
//     %y = tt.load …  : tensor<16x4096xbf16>         256 more
//     %mean = tt.load … : tensor<16xf32>
//     %all = ttg.convert_layout %mean                a barrier, or 16 shuffles
//     … (%x - %all) * %y …
//
// Without the barrier ptxas starts each load some way before its numbers are needed, and the next ones in the
// same registers: 72 of them in place of 255 and 1144 bytes of local memory.
//
// Where something else with a barrier stands between a load and the first need of it, nothing is won.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ExchangeWithoutBarriers
    : mlir::PassWrapper<ExchangeWithoutBarriers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExchangeWithoutBarriers)

  llvm::StringRef getArgument() const final { return "nereid-ttg-exchange-without-barriers"; }
  llvm::StringRef getDescription() const final {
    return "Exchange elements between lanes where a barrier would keep many loaded ones waiting";
  }
  void runOnOperation() final;
};

/// Whether it is through memory only because that takes fewer instructions.
bool hasChoice(ttg::ConvertLayoutOp convert) {
  return !isForScalarProducts(convert) && getConversionKind(convert) == ConversionPlan::Kind::Shared &&
         getConversionKind(ttg::toLinearLayout(convert.getSrc().getType()),
                           ttg::toLinearLayout(convert.getType()),
                           ExchangeGoal::NoBarrier) == ConversionPlan::Kind::Lanes;
}

/// Whether threads meet in it, so that loads stay on their side. (Barriers between operations are not placed
/// yet; they are before accesses of memory on chip.)
bool holdsLoads(Operation *op) {
  auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op);
  if (convert && hasChoice(convert))
    return false;
  return op->getNumRegions() == 0 || mlir::isa<tt::ReduceOp, tt::ScanOp>(op)
             ? meetsForMemory(op)
             : true; // a loop, or what stands under a condition: a block of its own
}

/// The first operation of the load's block behind `convert` that needs what was loaded. What changes numbers
/// one by one, such as widening them, before it makes no difference. Null if there is none.
Operation *findFirstNeed(tt::LoadOp load, ttg::ConvertLayoutOp convert) {
  mlir::Block *block = load->getBlock();
  Operation *first = nullptr;
  llvm::SmallVector<Value> values{load.getResult()};
  for (unsigned i = 0; i != values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      if (!inBlock)
        continue;
      if (inBlock->isBeforeInBlock(convert)) {
        if (user->hasTrait<mlir::OpTrait::Elementwise>() && user->getNumResults() == 1)
          values.push_back(user->getResult(0));
      } else if (!first || inBlock->isBeforeInBlock(first)) {
        first = inBlock;
      }
    }
  return first;
}

/// The registers that wait for the conversion's barrier, and for no other.
unsigned countWaitingRegisters(ttg::ConvertLayoutOp convert) {
  unsigned numThreads = ttg::getNumWarps(convert) * ttg::getThreadsPerWarp(convert), registers = 0;
  for (tt::LoadOp load : convert->getBlock()->getOps<tt::LoadOp>()) {
    if (!load->isBeforeInBlock(convert))
      break;
    auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
    Operation *need = type ? findFirstNeed(load, convert) : nullptr;
    if (!need)
      continue;
    bool waitsAnyway = false;
    for (Operation *op = load->getNextNode(); op != need && !waitsAnyway; op = op->getNextNode())
      waitsAnyway = holdsLoads(op);
    if (!waitsAnyway)
      registers += getRegisters(type, numThreads);
  }
  return registers;
}

void ExchangeWithoutBarriers::runOnOperation() {
  llvm::SmallVector<ttg::ConvertLayoutOp> chosen;
  getOperation().walk([&](ttg::ConvertLayoutOp convert) {
    std::optional<Target> target = getModuleTarget(convert);
    if (target && target->backend == Backend::CUDA && hasChoice(convert) &&
        countWaitingRegisters(convert) > getRegisterLimit(convert) / 2)
      chosen.push_back(convert);
  });
  for (ttg::ConvertLayoutOp convert : chosen)
    convert->setAttr(withoutBarrierAttr, mlir::UnitAttr::get(&getContext()));
}

} // namespace

std::unique_ptr<mlir::Pass> createExchangeWithoutBarriersPass() {
  return std::make_unique<ExchangeWithoutBarriers>();
}

} // namespace nereid
