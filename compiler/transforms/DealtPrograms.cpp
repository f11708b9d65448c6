// A loop deals work out if it begins where the program's number says, ends where no program's number matters,
// and has a constant step. A kernel whose programs have numbers along other axes, too, may have many for each
// number along this one. See DealtPrograms.h.
#include "compiler/transforms/DealtPrograms.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

/// Whether the number of the program is one of the things that the value is computed from.
static bool dependsOnProgram(Value value) {
  llvm::SetVector<Operation *> sources;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  return mlir::succeeded(mlir::getBackwardSlice(value, &sources, options)) &&
         llvm::any_of(sources, llvm::IsaPred<tt::GetProgramIdOp>);
}

static bool hasOneAxis(tt::FuncOp kernel) {
  std::optional<tt::ProgramIDDim> axis;
  return !kernel
              ->walk([&](tt::GetProgramIdOp op) {
                bool isOther = axis && *axis != op.getAxis();
                axis = op.getAxis();
                return isOther ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

std::optional<unsigned> countDealtPrograms(mlir::scf::ForOp loop) {
  auto kernel = loop->getParentOfType<tt::FuncOp>();
  if (!kernel || !hasOneAxis(kernel))
    return std::nullopt;
  for (; loop; loop = loop->getParentOfType<mlir::scf::ForOp>()) {
    llvm::APInt step;
    if (mlir::matchPattern(loop.getStep(), mlir::m_ConstantInt(&step)) && step.sgt(1) &&
        dependsOnProgram(loop.getLowerBound()) && !dependsOnProgram(loop.getUpperBound()))
      return step.getLimitedValue(std::numeric_limits<unsigned>::max());
  }
  return std::nullopt;
}

} // namespace nereid
