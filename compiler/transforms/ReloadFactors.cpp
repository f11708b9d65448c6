// Loads a large factor of mma.sync into registers anew in each round of a loop that does not change it:
//
//     scf.for … {                                          %m = ttg.local_alloc %q
//       tt.dot %q, …                               →       scf.for … {
//     }                                                      %r = ttg.local_load %m
//                                                            tt.dot %r, …
//                                                          }
//
// The form on the right leaves more registers to the rest of the loop, and a warp reads a fragment in one
// instruction. It pays where a factor takes at least 64 registers, as in programs of one or two warps. Warp
// groups' factors are not loaded again: ChooseMatrixInstructions.cpp leaves them in memory, where the product
// reads them itself, if registers are short. With attention's queries loaded again in each round, an H200
// reached 435 TFLOP/s, with them in registers 533, in memory 456 (heads of 128 elements, 128x128 tiles).
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

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
    return "Load large factors that a loop does not change in each round";
  }
  void runOnOperation() final;
};

/// What the factor was before it got a fragment's layout.
Value withoutConversion(Value factor) {
  while (auto convert = factor.getDefiningOp<ttg::ConvertLayoutOp>())
    factor = convert.getSrc();
  return factor;
}

/// The registers that a factor takes of a thread.
unsigned getWords(RankedTensorType type) {
  return ttg::toLinearLayout(type).getInSize(Dim::Register) * tt::getElementBits(type.getElementType()) / 32;
}

/// The axes from the one on with neighbours in memory.
llvm::SmallVector<unsigned, 2> getOrder(Value source) {
  auto blocked = mlir::dyn_cast_or_null<ttg::BlockedEncodingAttr>(
      mlir::cast<RankedTensorType>(source.getType()).getEncoding());
  if (blocked && blocked.getOrder()[0] == 0)
    return {0, 1};
  return {1, 0};
}

/// Before all loops around the product that do not change the factor; null if there are none.
mlir::Operation *findOutermostLoop(mlir::Operation *product, Value source) {
  mlir::Operation *outermost = nullptr;
  for (mlir::Operation *op = product->getParentOp(); op; op = op->getParentOp()) {
    auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(op);
    if (loop && !loop.isDefinedOutsideOfLoop(source))
      break;
    if (loop)
      outermost = loop;
  }
  return outermost;
}

void reloadFactor(mlir::OpOperand &factor) {
  auto type = mlir::cast<RankedTensorType>(factor.get().getType());
  mlir::Operation *product = factor.getOwner();
  Value source = withoutConversion(factor.get());
  mlir::Operation *outermost = findOutermostLoop(product, source);
  if (!outermost)
    return;
  mlir::OpBuilder before(outermost), atProduct(product);
  mlir::MLIRContext *context = product->getContext();
  auto memory = ttg::MemDescType::get(type.getShape(), type.getElementType(),
                                      chooseFactorMemory(type, getOrder(source)),
                                      ttg::SharedMemorySpaceAttr::get(context));
  auto buffer = ttg::LocalAllocOp::create(before, product->getLoc(), memory, source,
                                          before.getI32IntegerAttr(/*alignment=*/16));
  auto load = ttg::LocalLoadOp::create(atProduct, product->getLoc(), type, buffer, /*token=*/Value());
  // The rest is for what the estimate leaves out: gaps, and rings of loads.
  auto fits = [&] {
    auto function = product->getParentOfType<tt::FuncOp>();
    return estimateSharedMemory(function.getBody().front()) <= getMemoryLimit(product) / 4 * 3;
  };
  if (!fits()) {
    load.erase();
    buffer.erase();
    return;
  }
  factor.set(load.getResult());
}

void ReloadFactors::runOnOperation() {
  llvm::SmallVector<tt::DotOp> products;
  getOperation().walk([&](tt::DotOp product) {
    if (product.getType().getRank() == 2 && isMatrixUnitProduct(product))
      products.push_back(product);
  });
  constexpr unsigned manyWords = 64;
  for (tt::DotOp product : products)
    for (mlir::OpOperand *factor : {&product.getAMutable(), &product.getBMutable()})
      if (getWords(mlir::cast<RankedTensorType>(factor->get().getType())) >= manyWords)
        reloadFactor(*factor);
}

} // namespace

std::unique_ptr<mlir::Pass> createReloadFactorsPass() { return std::make_unique<ReloadFactors>(); }

} // namespace nereid
