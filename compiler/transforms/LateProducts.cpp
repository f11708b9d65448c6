// A product may outlast its round if nobody needs its sums before, and nobody changes what it reads: a ring's
// buffer is written again some rounds later, memory and registers from outside the loop not at all, and
// registers that are read from a ring piece by piece (LoopPipeline::splitProducts) when each piece is done.
// See LateProducts.h, and PlaceProductWaits.cpp for where such a product is waited for.
#include "compiler/transforms/LateProducts.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

/// Whether what a product reads out of registers is left alone until it is done, though it ends in the next
/// round: it comes from outside the loop, or is computed from another product of its round. Waiting for that
/// one means waiting for all older ones, and only then do new values come.
static bool staysInRegisters(mlir::scf::ForOp loop, Value factor) {
  if (loop.isDefinedOutsideOfLoop(factor))
    return true;
  llvm::SetVector<Operation *> sources;
  mlir::BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  (void)mlir::getBackwardSlice(factor, &sources, options);
  return llvm::any_of(sources, [&](Operation *op) {
    return mlir::isa<ttng::WarpGroupDotOp>(op) && op->getBlock() == loop.getBody();
  });
}

/// Whether the use is in a branch that the round seldom takes, as that in which a tile is stored. There it is
/// waited for.
static bool isInBranch(mlir::scf::ForOp loop, Operation *user) {
  Operation *branch = loop.getBody()->findAncestorOpInBlock(*user);
  return mlir::isa<mlir::scf::IfOp>(branch) && branch != user &&
         !branch->walk([](ttng::WarpGroupDotOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

llvm::SmallVector<ttng::WarpGroupDotOp> findLateProducts(mlir::scf::ForOp loop,
                                                         llvm::ArrayRef<PipelinedLoad> loads) {
  auto stays = [&](Value operand) {
    if (!mlir::isa<ttg::MemDescType>(operand.getType()))
      return staysInRegisters(loop, operand);
    auto alloc = withoutTranspositions(operand).getDefiningOp<ttg::LocalAllocOp>();
    return alloc && (loop.isDefinedOutsideOfLoop(alloc.getResult()) ||
                     llvm::any_of(loads, [&](const PipelinedLoad &pipelined) {
                       return pipelined.isDirect && alloc.getSrc() == pipelined.getResult();
                     }));
  };
  llvm::SmallVector<ttng::WarpGroupDotOp> products;
  // Pairs of sums in f16 would be taken apart from one round to the next, while they are computed.
  for (auto product : loop.getBody()->getOps<ttng::WarpGroupDotOp>())
    if (!product.getType().getElementType().isF16() &&
        llvm::all_of(product->getUsers(),
                     [&](Operation *user) {
                       return user == loop.getBody()->getTerminator() || isInBranch(loop, user);
                     }) &&
        llvm::is_contained(product->getUsers(), loop.getBody()->getTerminator()) &&
        (stays(product.getA()) || (product->hasOneUse() && readsFactorFromRing(product, loads))) &&
        stays(product.getB()) && !product.addsInParts())
      products.push_back(product);
  return products;
}

} // namespace nereid
