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
// of a loop that needs about all there are, for all such factors and for addresses of rows that it finds by
// what it loads. In such a loop it may take nearly all memory, as it has no other place. It also pays where
// the factor is converted in each round, because the product stands in a branch, from which nothing is moved
// out of the loop: the conversion would write memory anew each time, between barriers. Warp groups' factors
// are not loaded again: ChooseMatrixInstructions.cpp leaves them in memory, where the product reads them
// itself, if registers are short. With attention's queries loaded again in each round, an H200 reached 435
// TFLOP/s, with them in registers 533, in memory 456 (heads of 128 elements, 128x128 tiles).
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/LoadsOfRound.h"
#include "compiler/transforms/LoopMemory.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/OutermostLoop.h"
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

void reloadFactor(mlir::OpOperand &factor, const Origin &origin, bool isStuck) {
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
  // The rest is for what the estimate leaves out: gaps, and rings of loads. A factor that has no other place
  // goes before rings.
  auto fits = [&] {
    constexpr unsigned gaps = 8192;
    auto function = product->getParentOfType<tt::FuncOp>();
    unsigned limit = getMemoryLimit(product);
    return estimateSharedMemory(function.getBody().front()) <= (isStuck ? limit - gaps : limit / 4 * 3);
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

/// The registers that a factor takes of a thread. Rows that are there several times, as products of less than
/// 16 have them, share registers.
unsigned getDistinctWords(RankedTensorType type) {
  return getWords(type) >> llvm::popcount(ttg::toLinearLayout(type).getFreeVariableMask(Dim::Register));
}

/// What all factors of the loop's products take that it does not change, and that are not loaded in it.
unsigned countWordsOfFactors(mlir::scf::ForOp loop) {
  llvm::SetVector<Value> factors;
  loop->walk([&](tt::DotOp product) {
    for (Value factor : {product.getA(), product.getB()})
      if (isMatrixUnitProduct(product) && loop.isDefinedOutsideOfLoop(factor))
        factors.insert(factor);
  });
  unsigned words = 0;
  for (Value factor : factors)
    words += getDistinctWords(mlir::cast<RankedTensorType>(factor.getType()));
  return words;
}

/// What the addresses of rows take that the loop finds by what it loads, such as tokens by their numbers:
/// each is one of its own. Loads that lie alike mostly take other columns of the same rows.
unsigned countWordsOfRows(mlir::scf::ForOp loop) {
  constexpr unsigned wordsOfAddress = 2;
  llvm::MapVector<mlir::Attribute, unsigned> rows; // by layout
  for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
    auto type = mlir::dyn_cast<RankedTensorType>(load.getPtr().getType());
    if (!type || type.getRank() != 2 || !isLoadedInRound(loop, load.getPtr()))
      continue;
    unsigned &most = rows[type.getEncoding()];
    Dim row = tensorDim(getOrder(load.getResult()).back());
    most = std::max(most, 1u << ttg::toLinearLayout(type).sublayout({Dim::Register}, {row}).rank());
  }
  unsigned words = 0;
  for (auto [layout, number] : rows)
    words += wordsOfAddress * number;
  return words;
}

/// What the tiles take that a round computes, where most of them are there at once. Results of products that
/// start at zero are among what the loop is known to need.
unsigned countWordsOfRound(mlir::scf::ForOp loop) {
  unsigned threads = ttg::getNumWarps(loop) * ttg::getThreadsPerWarp(loop), words = 0, most = 0;
  llvm::DenseMap<Value, unsigned> live;
  auto isTile = [](Value value) {
    auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() >= 2 && type.getElementType().isFloat();
  };
  auto die = [&](Value value) {
    if (auto found = live.find(value); found != live.end()) {
      words -= found->second;
      live.erase(found);
    }
  };
  for (mlir::Operation &op : llvm::reverse(*loop.getBody())) {
    most = std::max(most, words);
    llvm::for_each(op.getResults(), die);
    for (Value operand : op.getOperands()) {
      mlir::Operation *source = operand.getDefiningOp();
      bool isComputed = source && source->getBlock() == loop.getBody() && isTile(operand) &&
                        !mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, tt::BroadcastOp>(source);
      bool isCounted = mlir::isa<tt::DotOp, ttng::WarpGroupDotOp, mlir::scf::YieldOp>(op);
      if (!isComputed || isCounted)
        continue;
      unsigned size = nereid::getRegisters(mlir::cast<RankedTensorType>(operand.getType()), threads);
      if (live.insert({operand, size}).second)
        words += size;
    }
  }
  return most;
}

/// Whether the loop, which does not change the factor, needs about all registers that there are.
bool needsAllRegisters(mlir::OpOperand &factor) {
  auto product = mlir::cast<tt::DotOp>(factor.getOwner());
  auto loop = product->getParentOfType<mlir::scf::ForOp>();
  if (!loop || !loop.isDefinedOutsideOfLoop(factor.get()))
    return false;
  unsigned limit = getRegisterLimit(product), words = estimateRegisters(loop) + countWordsOfFactors(loop) +
                                                      countWordsOfRows(loop) + registersOfAddresses;
  // What is computed of a product's result is about as much as that. Not all of what a round computes has to
  // be there at once: where it was too much by 41, triton-sigmoid's _bwd_dense_dkdv_kernel lost 9 % by a
  // factor that was loaded again; where it was by 44 and more, jvp-flash-attention's _attn_fwd spilled 8
  // bytes, and none, and flashrnn's _backward_sequence_kernel 216, and 72.
  constexpr unsigned maybeLater = 43;
  return words + getWords(product.getType()) > limit || words + countWordsOfRound(loop) > limit + maybeLater;
}

/// Whether a factor takes so many registers that it pays to load it again.
bool isLarge(mlir::OpOperand &factor) {
  constexpr unsigned many = 64, some = 32;
  auto type = mlir::cast<RankedTensorType>(factor.get().getType());
  return getWords(type) >= many || (getDistinctWords(type) >= some && needsAllRegisters(factor));
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
        reloadFactor(*factor, origin, needsAllRegisters(*factor));
}

} // namespace

std::unique_ptr<mlir::Pass> createReloadFactorsPass() { return std::make_unique<ReloadFactors>(); }

} // namespace nereid
