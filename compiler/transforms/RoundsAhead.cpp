// A load may be made rounds ahead if no round between changes what it reads. Divisions may, too, though a
// round that there is not may divide by 0: the pipeliner sees to that (LoopSchedule.cpp).
#include "compiler/transforms/RoundsAhead.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/FunctionEffects.h"
#include "compiler/transforms/LoopSchedule.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;

bool mayReadWhatIsWritten(mlir::scf::ForOp loop, mlir::Value pointer, const PointerRootAnalysis &roots) {
  PointerRoots read = roots.get(pointer);
  mlir::WalkResult result = loop->walk([&](Operation *op) {
    bool isAnswer = mlir::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op) && !op->use_empty();
    auto load = mlir::dyn_cast<tt::LoadOp>(op);
    if (isAnswer || (load && isOneLook(load)) || mlir::isa<tt::CallOp>(op))
      return mlir::WalkResult::interrupt();
    if (!mayWriteGlobal(op))
      return mlir::WalkResult::advance();
    PointerRoots written = roots.getOfOperands(op);
    return written.empty() || written.meets(read) ? mlir::WalkResult::interrupt()
                                                  : mlir::WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether branches have no effects but divisions (LoopSchedule.h), which few rounds take. A division of each
/// round had better be where its quotient is needed: of vllm's triton_w4a16_gemm_kernel, whose zero points'
/// row is one, 74 us in place of 61 on an H100.
static bool dividesSeldom(Operation *op) {
  return mlir::isa<mlir::scf::IfOp>(op) &&
         !op->walk([&](Operation *nested) {
              bool isHarmless = nested == op || mlir::isPure(nested) || isDivision(nested);
              return isHarmless ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
            }).wasInterrupted();
}

bool mayRunAhead(mlir::scf::ForOp loop, Operation *op, const PointerRootAnalysis &roots) {
  constexpr unsigned fewRegisters = 16;
  auto load = mlir::dyn_cast<tt::LoadOp>(op);
  if (!load)
    return mlir::isPure(op) || dividesSeldom(op);
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  return !isOneLook(load) && !tt::isTensorPointerType(load.getPtr().getType()) &&
         (!type || ttg::toLinearLayout(type).getInSize(Dim::Register) <= fewRegisters) &&
         !mayReadWhatIsWritten(loop, load.getPtr(), roots);
}

unsigned countLoadedBits(tt::LoadOp load) {
  auto type = mlir::dyn_cast<RankedTensorType>(load.getType());
  unsigned registers = type ? ttg::toLinearLayout(type).getInSize(Dim::Register) : 1;
  return registers * tt::getElementBits(load.getType());
}

bool isSmall(tt::LoadOp load) {
  constexpr unsigned mostWords = 4;
  return countLoadedBits(load) <= 32 * mostWords;
}

} // namespace nereid
