// A slice that ends at the loop and at what it carries. See LoadsOfRound.h.
#include "compiler/transforms/LoadsOfRound.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace nereid {

bool isLoadedInRound(mlir::Operation *loop, mlir::Value value) {
  llvm::SetVector<mlir::Operation *> sources;
  mlir::BackwardSliceOptions options;
  options.filter = [&](mlir::Operation *op) { return loop->isProperAncestor(op); };
  options.omitBlockArguments = true;
  options.inclusive = true;
  return mlir::succeeded(mlir::getBackwardSlice(value, &sources, options)) &&
         llvm::any_of(sources, llvm::IsaPred<tt::LoadOp, tt::DescriptorLoadOp>);
}

} // namespace nereid
