// Computes a product's transpose where Hopper's matrix units read its factors better so.
//
// A warp group's product (wgmma) reads its right factor from memory on chip, where one of 32-bit elements has
// to lie along the axis that is summed over; the left factor may also be in registers, which threads can fill
// from either axis. So x @ w in f32, with both as rows in memory, as most kernels have them, needs w turned
// on its way through the chip, element by element, which takes longer than the product. But
//
//     x @ w = (wᵀ @ xᵀ)ᵀ
//
// and there the factor in memory is xᵀ, whose columns, the rows of x, do lie along that axis; and the one
// that threads read into registers is wᵀ:
//
//     scf.for … iter_args(%s = %zeros)               scf.for … iter_args(%t = %zeros')
//       %x = tt.load …   // rows of k                  %x, %w = …
//       %w = tt.load …   // rows of n          →       %left = tt.trans %w
//       %r = tt.dot %x, %w, %s                         %right = tt.trans %x
//       scf.yield %r                                   %r = tt.dot %left, %right, %t
//                                                      scf.yield %r
//                                                    %sums = tt.trans %t
//
// Sums that a loop carries from product to product are carried transposed; the transposition behind the loop
// is another view of the same registers. All this happens before ChooseMatrixInstructions, which then finds a
// left factor that belongs in registers. Where threads are short of those, nothing is turned.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/FactorSource.h"
#include "compiler/transforms/LastingFactors.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/LoopRegisters.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/WarpGroups.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct TurnProducts : mlir::PassWrapper<TurnProducts, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TurnProducts)

  llvm::StringRef getArgument() const final { return "nereid-ttg-turn-products"; }
  llvm::StringRef getDescription() const final {
    return "Compute a product's transpose where the matrix unit reads its factors better";
  }
  void runOnOperation() final;
};

Value transpose(OpBuilder &builder, Value value) {
  return tt::TransOp::create(builder, value.getLoc(), value, llvm::ArrayRef<int32_t>{1, 0});
}

/// What a loop carries from product to product, if nothing else is done to it there: the loop's number of it.
struct CarriedSums {
  mlir::scf::ForOp loop;
  unsigned index = 0;

  explicit operator bool() const { return bool(loop); }
  mlir::BlockArgument getArgument() { return loop.getRegionIterArg(index); }
  mlir::OpOperand &getInit() { return loop.getInitArgsMutable()[index]; }
  mlir::OpOperand &getYielded() { return loop.getBody()->getTerminator()->getOpOperand(index); }
};

/// The product's sums, looking through changes of their layout.
CarriedSums findCarriedSums(tt::DotOp dot) {
  Value sums = dot.getC(), result = dot;
  while (auto convert = sums.getDefiningOp<ttg::ConvertLayoutOp>()) {
    if (!sums.hasOneUse())
      return {};
    sums = convert.getSrc();
  }
  while (result.hasOneUse() && mlir::isa<ttg::ConvertLayoutOp>(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(sums);
  auto loop = argument ? mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop || argument == loop.getInductionVar() || dot->getBlock() != loop.getBody() ||
      !argument.hasOneUse() || !result.hasOneUse() || loop.getTiedLoopYieldedValue(argument)->get() != result)
    return {};
  return {loop, argument.getArgNumber() - loop.getNumInductionVars()};
}

bool isLoadedInRound(tt::DotOp dot, const FactorSource &source) {
  Operation *op = source.value.getDefiningOp();
  return mlir::isa_and_nonnull<tt::LoadOp, tt::DescriptorLoadOp>(op) && op->getBlock() == dot->getBlock() &&
         source.value.hasOneUse();
}

/// Whether the transposed product is one for warp groups, its left factor in registers, and the product as it
/// is would have to turn its right factor.
bool shouldTurn(tt::DotOp dot) {
  RankedTensorType type = dot.getType();
  unsigned warps = ttg::getNumWarps(dot), threads = warps * 32;
  if (type.getRank() != 2 || !type.getElementType().isF32() ||
      !dot.getA().getType().getElementType().isF32() || !dot.getB().getType().getElementType().isF32() ||
      dot.getInputPrecision() != tt::InputPrecision::TF32)
    return false;
  if (!placeWarpGroups(warps, /*rows=*/type.getDimSize(1), /*columns=*/type.getDimSize(0)))
    return false;
  FactorSource left = findFactorSource(dot.getA()), right = findFactorSource(dot.getB());
  if (left.contiguousAxis != 1 || right.contiguousAxis != 1 || !isLoadedInRound(dot, left) ||
      !isLoadedInRound(dot, right))
    return false;
  if (!findCarriedSums(dot) && !mlir::matchPattern(withoutConversion(dot.getC()), mlir::m_Constant()))
    return false;
  unsigned registers = getRegisters(dot.getB().getType(), threads);
  // As if other products of the round were turned as well.
  unsigned ofRound = 0;
  for (auto other : dot->getBlock()->getOps<tt::DotOp>())
    ofRound += getRegisters(other.getB().getType(), threads);
  auto loop = dot->getParentOfType<mlir::LoopLikeOpInterface>();
  unsigned ofSums = loop ? estimateRegisters(loop) : getRegisters(type, threads);
  return registers <= mostFactorRegisters && ofSums + ofRound + registersOfAddresses <= getRegisterLimit(dot);
}

void turn(tt::DotOp dot) {
  OpBuilder builder(dot);
  Value sums;
  CarriedSums carried = findCarriedSums(dot);
  if (carried) {
    mlir::scf::ForOp loop = carried.loop;
    OpBuilder before(loop), behind(loop->getContext());
    behind.setInsertionPointAfter(loop);
    Value init = transpose(before, carried.getInit().get()), result = loop.getResult(carried.index);
    carried.getInit().set(init);
    carried.getArgument().setType(init.getType());
    result.setType(init.getType());
    Value turned = transpose(behind, result);
    result.replaceAllUsesExcept(turned, turned.getDefiningOp());
    sums = carried.getArgument();
  } else {
    sums = transpose(builder, dot.getC());
  }
  auto asFactor = [&](Value factor, unsigned index) -> Value {
    auto layout = ttg::DotOperandEncodingAttr::get(builder.getContext(), index, getLayout(sums), 0);
    Value turned = transpose(builder, withoutConversion(factor));
    return ttg::ConvertLayoutOp::create(builder, dot.getLoc(), withLayout(turned.getType(), layout), turned);
  };
  Value product = tt::DotOp::create(builder, dot.getLoc(), asFactor(dot.getB(), 0), asFactor(dot.getA(), 1),
                                    sums, dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
  if (!carried) {
    dot.replaceAllUsesWith(transpose(builder, product));
    dot.erase();
    return;
  }
  // The old product and the changes of layout around it, from the last to the first.
  Value old = carried.getYielded().get();
  carried.getYielded().set(product);
  while (Operation *op = old == sums ? nullptr : old.getDefiningOp()) {
    old = op == dot ? dot.getC() : op->getOperand(0);
    op->erase();
  }
}

void TurnProducts::runOnOperation() {
  std::optional<Target> target = getModuleTarget(getOperation());
  // Where left factors are in memory because registers did not suffice for them, turning wins nothing.
  if (!target || target->backend != Backend::CUDA || target->arch != "90a" ||
      getOperation()->hasAttr(factorsInMemoryName))
    return;
  llvm::SmallVector<tt::DotOp> dots;
  getOperation().walk([&](tt::DotOp dot) {
    if (shouldTurn(dot))
      dots.push_back(dot);
  });
  for (tt::DotOp dot : dots)
    turn(dot);
}

} // namespace

std::unique_ptr<mlir::Pass> createTurnProductsPass() { return std::make_unique<TurnProducts>(); }

} // namespace nereid
