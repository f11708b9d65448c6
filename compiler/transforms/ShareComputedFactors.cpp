// Lets products of mma.sync that take one computed factor read it from memory on chip.
//
// Attention whose keys are its values, as with latent heads, multiplies the same tile twice: transposed by
// the queries, and by the probabilities. The two products want it in different layouts, and a tile that is
// decoded from a few bits, by a dozen instructions an element, would be decoded in either layout, or wait in
// registers from the first product to the second. So it is computed once, as it is loaded:
//
//     %v = …                                             %v = …
//     %k = tt.trans %v                                   %m = ttg.local_alloc %v
//     %b = ttg.convert_layout %k                         %b = ttg.local_load (ttg.memdesc_trans %m)
//     %s = tt.dot %q, %b                        →        %s = tt.dot %q, %b
//     …                                                  …
//     %c = ttg.convert_layout %v                         %c = ttg.local_load %m
//     tt.dot %p, %c                                      tt.dot %p, %c
//
// On an H200, of exllamav3, with values of a few bits, us: _dsa_attn_kernel 228 to 122,
// _dsa_attn_split_kernel 61 to 57, _mla_prefill_kernel 260 to 220.
//
// ldmatrix reads 16-bit elements along either axis. What takes a few instructions an element, such as a cast
// and a scale, is computed twice, which spares the way through memory and a barrier.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/ConversionCosts.h"
#include "compiler/transforms/FactorMemory.h"
#include "compiler/transforms/FactorSource.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ShareComputedFactors : mlir::PassWrapper<ShareComputedFactors, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareComputedFactors)

  llvm::StringRef getArgument() const final { return "nereid-ttg-share-computed-factors"; }
  llvm::StringRef getDescription() const final {
    return "Let products that take one computed factor read it from memory on chip";
  }
  void runOnOperation() final;
};

struct Factor {
  mlir::OpOperand *operand;
  FactorSource source;
};

/// Instructions for an element, in the block that computes it.
int64_t countInstructions(Value value) {
  constexpr int64_t ofProduct = 64;
  double elements = mlir::cast<RankedTensorType>(value.getType()).getNumElements(), count = 0;
  llvm::SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != value.getParentBlock() || mlir::isa<tt::LoadOp, tt::DescriptorLoadOp>(op) ||
        !seen.insert(op).second)
      continue;
    if (mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op))
      return ofProduct;
    if (op->getNumRegions() || op->getNumResults() != 1)
      continue;
    auto type = mlir::dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      continue;
    if (!mlir::isa<ttg::ConvertLayoutOp>(op))
      count += getCostPerRegister(op) * (type.getNumElements() / elements);
    llvm::append_range(pending, op->getOperands());
  }
  return count;
}

/// With ldmatrix.
bool readsMatrices(mlir::OpOperand &operand) {
  auto type = mlir::cast<RankedTensorType>(operand.get().getType());
  return isMatrixUnitProduct(mlir::cast<tt::DotOp>(operand.getOwner())) && type.getRank() == 2 &&
         tt::getElementBits(type) == 16;
}

void share(llvm::ArrayRef<Factor> factors) {
  Value value = factors.front().source.value;
  auto type = mlir::cast<RankedTensorType>(value.getType());
  unsigned contiguous = factors.front().source.isTransposed ? 1 - factors.front().source.contiguousAxis
                                                            : factors.front().source.contiguousAxis;
  mlir::OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  mlir::Location location = value.getLoc();
  constexpr unsigned vectorBytes = 16;
  auto makeType = [&](llvm::ArrayRef<int64_t> shape, unsigned first) {
    mlir::Attribute layout = chooseFactorMemory(type.clone(shape), {first, 1 - first});
    return ttg::MemDescType::get(shape, type.getElementType(), layout,
                                 ttg::SharedMemorySpaceAttr::get(value.getContext()));
  };
  llvm::SmallVector<int64_t> shape(type.getShape()), transposed{shape[1], shape[0]};
  Value memory = ttg::LocalAllocOp::create(builder, location, makeType(shape, contiguous), value,
                                           builder.getI32IntegerAttr(vectorBytes));
  for (const Factor &factor : factors) {
    builder.setInsertionPoint(factor.operand->getOwner());
    Value view = memory;
    if (factor.source.isTransposed)
      view = ttg::MemDescTransOp::create(builder, location, makeType(transposed, 1 - contiguous), memory,
                                         builder.getDenseI32ArrayAttr({1, 0}));
    factor.operand->set(ttg::LocalLoadOp::create(builder, location, factor.operand->get().getType(), view,
                                                 /*token=*/Value()));
  }
}

void ShareComputedFactors::runOnOperation() {
  constexpr int64_t fewInstructions = 6;
  constexpr int64_t partOfMemory = 3; // leaves room for rings
  llvm::MapVector<Value, llvm::SmallVector<Factor, 2>> bySource;
  getOperation().walk([&](tt::DotOp dot) {
    for (mlir::OpOperand &operand : dot->getOpOperands().take_front(2)) {
      if (!readsMatrices(operand))
        continue;
      FactorSource source = findFactorSource(operand.get());
      if (source.value.getParentBlock() == dot->getBlock() &&
          mlir::isa<mlir::scf::ForOp>(dot->getParentOp()) && source.value.getDefiningOp())
        bySource[source.value].push_back({&operand, source});
    }
  });
  for (auto &[value, factors] : bySource) {
    bool areDifferent = llvm::any_of(factors, [&](const Factor &factor) {
      return factor.source.isTransposed != factors.front().source.isTransposed;
    });
    auto type = mlir::cast<RankedTensorType>(value.getType());
    int64_t bytes = type.getNumElements() * tt::getElementBits(type) / 8;
    if (areDifferent && countInstructions(value) > fewInstructions &&
        bytes * partOfMemory <= getMemoryLimit(factors.front().operand->getOwner()))
      share(factors);
  }
}

} // namespace

std::unique_ptr<mlir::Pass> createShareComputedFactorsPass() {
  return std::make_unique<ShareComputedFactors>();
}

} // namespace nereid
