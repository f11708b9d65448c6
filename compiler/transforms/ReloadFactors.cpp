// Loads a warp group's left factor into registers anew in each round of a loop that does not change it, as
// the queries in attention:
//
//     scf.for … {                                          %m = ttg.local_alloc %q
//       ttng.warp_group_dot %q, …               →          scf.for … {
//     }                                                      %r = ttg.local_load %m
//                                                            ttng.warp_group_dot %r, …
//                                                          }
//
// ptxas (13.0) miscompiles the form on the left: with few registers left it takes those of the factor for
// other things behind the product, although the next round needs them. Seen with the package
// flash-linear-attention: in parallel_path_bwd_intra_chunk_kernel the first round was right and all others
// wrong. The form on the right also leaves more registers to the rest of the loop, and a warp reads a
// fragment in one instruction.
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ReloadFactors : mlir::PassWrapper<ReloadFactors, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReloadFactors)

  llvm::StringRef getArgument() const final { return "nereid-ttg-reload-factors"; }
  llvm::StringRef getDescription() const final {
    return "Load factors that a loop does not change in each round";
  }
  void runOnOperation() final;
};

/// What the factor was before it got a fragment's layout.
Value withoutConversion(Value factor) {
  while (auto convert = factor.getDefiningOp<ttg::ConvertLayoutOp>())
    factor = convert.getSrc();
  return factor;
}

void reloadFactor(ttng::WarpGroupDotOp product) {
  Value factor = product.getA();
  auto type = mlir::dyn_cast<RankedTensorType>(factor.getType());
  if (!type)
    return;
  Value source = withoutConversion(factor);
  // Before all loops around the product that do not change it.
  mlir::Operation *outermost = nullptr;
  for (mlir::Operation *op = product->getParentOp(); op; op = op->getParentOp()) {
    auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(op);
    if (loop && !loop.isDefinedOutsideOfLoop(source))
      break;
    if (loop)
      outermost = loop;
  }
  if (!outermost)
    return;
  mlir::OpBuilder before(outermost), atProduct(product);
  mlir::MLIRContext *context = product.getContext();
  auto memory =
      ttg::MemDescType::get(type.getShape(), type.getElementType(), chooseFactorMemory(type, {1, 0}),
                            ttg::SharedMemorySpaceAttr::get(context));
  Value buffer = ttg::LocalAllocOp::create(before, product.getLoc(), memory, source,
                                           before.getI32IntegerAttr(/*alignment=*/16));
  product.getAMutable().assign(
      ttg::LocalLoadOp::create(atProduct, product.getLoc(), type, buffer, /*token=*/Value()).getResult());
}

void ReloadFactors::runOnOperation() {
  llvm::SmallVector<ttng::WarpGroupDotOp> products;
  getOperation().walk([&](ttng::WarpGroupDotOp product) { products.push_back(product); });
  for (ttng::WarpGroupDotOp product : products)
    reloadFactor(product);
}

} // namespace

std::unique_ptr<mlir::Pass> createReloadFactorsPass() { return std::make_unique<ReloadFactors>(); }

} // namespace nereid
