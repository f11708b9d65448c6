// Loads a large factor of mma.sync into registers anew in each round of a loop that does not change it:
//
//     scf.for … {                                          %m = ttg.local_alloc %q
//       tt.dot %q, …                               →       scf.for … {
//     }                                                      %r = ttg.local_load %m
//                                                            tt.dot %r, …
//                                                          }
//
// The form on the right leaves more registers to the rest of the loop, and a warp reads a fragment in one
// instruction. It pays where a factor takes at least 64 registers, as in programs of one or two warps, or 32
// of a loop that needs about all there are. It also does where the factor is converted in each round, because
// the product stands in a branch, from which nothing is moved out of the loop: the conversion would write
// memory anew each time, between barriers. Warp groups' factors are not loaded again:
// ChooseMatrixInstructions.cpp leaves them in memory, where the product reads them itself, if registers are
// short. With attention's queries loaded again in each round, an H200 reached 435 TFLOP/s, with them in
// registers 533, in memory 456 (heads of 128 elements, 128x128 tiles).
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
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

/// How a factor is made: from a source, which lies as it was loaded, by casts and conversions.
struct Origin {
  Value source;
  llvm::SmallVector<mlir::Operation *, 2> casts; // the last one first
  /// In each round of the loop around the product, from something that the round does not change.
  bool isMadeInRounds = false;
};

Origin findOrigin(mlir::OpOperand &factor) {
  auto loop = factor.getOwner()->getParentOfType<mlir::LoopLikeOpInterface>();
  Origin origin{factor.get(), {}, false};
  bool isConverted = false;
  while (mlir::Operation *op = origin.source.getDefiningOp()) {
    bool isInLoop = loop && !loop.isDefinedOutsideOfLoop(origin.source);
    bool isCast = mlir::isa<mlir::arith::ExtFOp, mlir::arith::TruncFOp, tt::FpToFpOp>(op);
    if (!mlir::isa<ttg::ConvertLayoutOp>(op) && !(isCast && isInLoop))
      break;
    if (isCast)
      origin.casts.push_back(op);
    else
      isConverted |= isInLoop;
    origin.source = op->getOperand(0);
  }
  origin.isMadeInRounds = isConverted && loop.isDefinedOutsideOfLoop(origin.source);
  return origin;
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

void reloadFactor(mlir::OpOperand &factor, const Origin &origin) {
  auto type = mlir::cast<RankedTensorType>(factor.get().getType());
  mlir::Operation *product = factor.getOwner();
  Value source = origin.source;
  mlir::Operation *outermost = findOutermostLoop(product, source);
  if (!outermost)
    return;
  mlir::OpBuilder before(outermost), atProduct(product);
  mlir::MLIRContext *context = product->getContext();
  for (mlir::Operation *cast : llvm::reverse(origin.casts)) {
    mlir::Operation *earlier = before.clone(*cast);
    earlier->setOperand(0, source);
    auto element = mlir::cast<RankedTensorType>(cast->getResult(0).getType()).getElementType();
    source = earlier->getResult(0);
    source.setType(mlir::cast<RankedTensorType>(earlier->getOperand(0).getType()).clone(element));
  }
  auto memory = ttg::MemDescType::get(type.getShape(), type.getElementType(),
                                      chooseFactorMemory(type, getOrder(origin.source)),
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
  Value old = factor.get();
  factor.set(load.getResult());
  for (mlir::Operation *op = old.getDefiningOp(); op && mlir::isOpTriviallyDead(op);) {
    mlir::Operation *next = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp() : nullptr;
    op->erase();
    op = next;
  }
}

/// Whether a factor takes so many registers that it pays to load it again.
bool isLarge(mlir::OpOperand &factor) {
  constexpr unsigned many = 64, some = 32;
  auto product = mlir::cast<tt::DotOp>(factor.getOwner());
  auto type = mlir::cast<RankedTensorType>(factor.get().getType());
  unsigned words = getWords(type);
  if (words >= many)
    return true;
  // Rows that are there several times, as products of less than 16 have them, share registers.
  words >>= llvm::popcount(ttg::toLinearLayout(type).getFreeVariableMask(Dim::Register));
  auto loop = product->getParentOfType<mlir::scf::ForOp>();
  // What is computed of a product's result is about as much as that.
  return words >= some && loop && loop.isDefinedOutsideOfLoop(factor.get()) &&
         estimateRegisters(loop) + words + getWords(product.getType()) + registersOfAddresses >
             getRegisterLimit(product);
}

void ReloadFactors::runOnOperation() {
  llvm::SmallVector<tt::DotOp> products;
  getOperation().walk([&](tt::DotOp product) {
    if (product.getType().getRank() == 2 && isMatrixUnitProduct(product))
      products.push_back(product);
  });
  for (tt::DotOp product : products)
    for (mlir::OpOperand *factor : {&product.getAMutable(), &product.getBMutable()})
      if (Origin origin = findOrigin(*factor); origin.isMadeInRounds || isLarge(*factor))
        reloadFactor(*factor, origin);
}

} // namespace

std::unique_ptr<mlir::Pass> createReloadFactorsPass() { return std::make_unique<ReloadFactors>(); }

} // namespace nereid
