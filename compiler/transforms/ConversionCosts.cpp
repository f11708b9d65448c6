// Costs of conversions and copies. See ConversionCosts.h.
#include "compiler/transforms/ConversionCosts.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/ModuleTarget.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/SharedAccessCost.h"

namespace nereid {

namespace arith = mlir::arith;
using mlir::Attribute;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

int64_t getRegisters(Value value, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  return linear.getInSize(Dim::Register) >> llvm::popcount(linear.getFreeVariableMask(Dim::Register));
}

int64_t getConversionCost(ttg::ConvertLayoutOp convert) {
  constexpr int64_t sharedConversionBase = 40, sharedConversionPerRegister = 4, shufflePerRegister = 4;
  auto from = mlir::cast<RankedTensorType>(convert.getSrc().getType());
  auto to = mlir::cast<RankedTensorType>(convert.getResult().getType());
  LinearLayout target = ttg::toLinearLayout(to);
  int64_t registers = target.getInSize(Dim::Register);
  int64_t words = llvm::divideCeil(tt::getElementBits(from.getElementType()), 32);
  switch (getConversionKind(ttg::toLinearLayout(from), target)) {
  case ConversionPlan::Kind::None:
  case ConversionPlan::Kind::Registers:
    return 0;
  case ConversionPlan::Kind::Lanes:
    return shufflePerRegister * registers * words;
  case ConversionPlan::Kind::Shared: {
    int64_t cost = sharedConversionPerRegister * registers * words;
    // ConvertThroughBuffers finds better ways for tiles.
    bool isTile =
        from.getRank() >= 2 && llvm::is_contained({8u, 16u, 32u}, tt::getElementBits(from.getElementType()));
    std::optional<Target> target = getModuleTarget(convert);
    bool canStore = hasMatrixStores(convert);
    if (isTile && target && target->backend == Backend::CUDA)
      for (ttg::MemDescType buffer : listTileBuffers(from, to))
        cost = std::min<int64_t>(cost, getCostThroughBuffer(from, to, buffer, canStore));
    return sharedConversionBase + cost;
  }
  }
  llvm_unreachable("all kinds are listed");
}

int64_t getCostPerRegister(Operation *op) {
  if (mlir::isa<arith::ConstantOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp,
                tt::JoinOp, tt::SplitOp, tt::BitcastOp>(op))
    return 0;
  // A special function's instruction, and a few around it.
  if (mlir::isa<mlir::math::Exp2Op, mlir::math::ExpOp, mlir::math::RsqrtOp>(op))
    return 5;
  // One instruction each.
  if (mlir::isa<mlir::math::FmaOp, mlir::math::AbsFOp, mlir::math::AbsIOp, mlir::math::CeilOp,
                mlir::math::FloorOp, mlir::math::RoundEvenOp, mlir::math::TruncOp>(op))
    return 1;
  if (mlir::isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(
          op) ||
      llvm::is_contained({"math", "tt"}, op->getName().getDialectNamespace()))
    return mlir::isa<tt::AddPtrOp, tt::MakeRangeOp>(op) ? 1 : 16;
  return 1;
}

int64_t getVectorElements(tt::LoadOp load, Attribute layout, const AxisInfoAnalysis &axes) {
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  int64_t width = 1;
  for (unsigned d = 0; d != type.getRank(); ++d)
    width = std::max(width, std::min<int64_t>(linear.getNumConsecutive(Dim::Register, tensorDim(d)),
                                              axes.getContiguousElements(load.getPtr(), d)));
  return std::min<int64_t>(width, std::max(1u, 128 / tt::getElementBits(type)));
}

int64_t getLoadInstructions(tt::LoadOp load, Attribute layout, const AxisInfoAnalysis &axes) {
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  return std::max<int64_t>(1, linear.getInSize(Dim::Register) / getVectorElements(load, layout, axes));
}

int64_t getLoadCost(tt::LoadOp load, Attribute layout, const AxisInfoAnalysis &axes) {
  constexpr int64_t lineBytes = 128;
  auto type = mlir::cast<RankedTensorType>(load.getResult().getType());
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  f2::Vectors ofWarp(linear.getColumns(Dim::Register).begin(), linear.getColumns(Dim::Register).end());
  llvm::append_range(ofWarp, linear.getColumns(Dim::Lane));
  int64_t bytes = (int64_t(1) << f2::rank(ofWarp)) * std::max(8u, tt::getElementBits(type)) / 8;
  int64_t instructions = getLoadInstructions(load, layout, axes);
  return std::clamp(costOfLoad * bytes / lineBytes, instructions * costOfLoad / 4, instructions * costOfLoad);
}

int64_t getReadCost(ttg::LocalLoadOp load, Attribute layout) {
  auto type = mlir::cast<RankedTensorType>(withLayout(load.getType(), layout));
  return nereid::getReadCost(getSharedOffsets(type, load.getSrc().getType()),
                             getSharedElementBytes(tt::getElementBits(type.getElementType())));
}

} // namespace nereid
