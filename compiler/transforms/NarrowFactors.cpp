// Multiplies what was loaded as f16 or bf16 as such, also where the kernel widens it before:
//
//     %a = arith.extf %q : tensor<64x64xbf16> to tensor<64x64xf32>
//     %b = arith.extf %k                                                  →    tt.dot %q, %k
//     tt.dot %a, %b, inputPrecision = tf32
//
// A number of 16 bits is one of tf32's, and the product of two of them is exact in f32, so that both ways add
// up the same numbers. Matrix units do the one at twice the rate of the other, and it takes half the memory
// on chip. Kernels widen for what they compute beside the product, or out of caution. Products that the
// kernel wants in full f32 (`ieee`) are left as they are: matrix units do not round their sums as f32
// additions do.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace nereid {

using mlir::Value;

namespace {

struct NarrowFactors : mlir::PassWrapper<NarrowFactors, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowFactors)

  llvm::StringRef getArgument() const final { return "nereid-ttg-narrow-factors"; }
  llvm::StringRef getDescription() const final { return "Multiply widened f16 and bf16 as such"; }
  void runOnOperation() final;
};

/// The 16-bit type that a factor was widened from, perhaps before it was transposed; null for others.
mlir::Type getNarrowType(Value factor) {
  while (auto trans = factor.getDefiningOp<tt::TransOp>())
    factor = trans.getSrc();
  auto widening = factor.getDefiningOp<mlir::arith::ExtFOp>();
  mlir::Type type = widening ? mlir::getElementTypeOrSelf(widening.getIn()) : mlir::Type();
  return type && (type.isF16() || type.isBF16()) ? type : mlir::Type();
}

Value narrow(mlir::OpBuilder &builder, Value factor) {
  if (auto widening = factor.getDefiningOp<mlir::arith::ExtFOp>())
    return widening.getIn();
  auto trans = factor.getDefiningOp<tt::TransOp>();
  return tt::TransOp::create(builder, trans.getLoc(), narrow(builder, trans.getSrc()), trans.getOrder());
}

void NarrowFactors::runOnOperation() {
  constexpr int64_t leastDepth = 16; // of an instruction for 16 bits
  getOperation().walk([](tt::DotOp product) {
    mlir::Type type = getNarrowType(product.getA());
    if (product.getInputPrecision() == tt::InputPrecision::IEEE || !type ||
        type != getNarrowType(product.getB()) || product.getA().getType().getShape().back() < leastDepth)
      return;
    mlir::OpBuilder builder(product);
    product.getAMutable().assign(narrow(builder, product.getA()));
    product.getBMutable().assign(narrow(builder, product.getB()));
  });
}

} // namespace

std::unique_ptr<mlir::Pass> createNarrowFactorsPass() { return std::make_unique<NarrowFactors>(); }

} // namespace nereid
