// A comparison of a run of growing numbers with one that does not change switches once, in the direction that
// its predicate says. Operations that only move elements hand on what they are given; see MaskRuns.h.
#include "compiler/transforms/MaskRuns.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid {

using mlir::arith::CmpIPredicate;

/// What a comparison with a growing left side does.
static std::optional<MaskRun> getRunOfGrowing(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    return MaskRun::Falling;
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    return MaskRun::Rising;
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MaskRun> getMaskRunAlong(const AxisInfoAnalysis &axes, mlir::Value mask, unsigned d,
                                       int64_t width) {
  if (axes.getMaskRun(mask, d) >= width)
    return MaskRun::Constant;
  mlir::Operation *op = mask.getDefiningOp();
  if (auto compare = mlir::dyn_cast_if_present<mlir::arith::CmpIOp>(op)) {
    auto isGrowing = [&](mlir::Value value) { return axes.get(value).contiguity[d] >= width; };
    auto isConstant = [&](mlir::Value value) { return axes.get(value).constancy[d] >= width; };
    std::optional<MaskRun> run = getRunOfGrowing(compare.getPredicate());
    if (isGrowing(compare.getLhs()) && isConstant(compare.getRhs()))
      return run;
    if (run && isConstant(compare.getLhs()) && isGrowing(compare.getRhs()))
      return run == MaskRun::Falling ? MaskRun::Rising : MaskRun::Falling;
    return std::nullopt;
  }
  if (auto expand = mlir::dyn_cast_if_present<tt::ExpandDimsOp>(op);
      expand && d != unsigned(expand.getAxis()))
    return getMaskRunAlong(axes, expand.getSrc(), d - (d > unsigned(expand.getAxis())), width);
  // Along an axis that is not of length 1, a broadcast leaves elements where they are.
  if (mlir::isa_and_present<tt::BroadcastOp, ttg::ConvertLayoutOp>(op))
    if (auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
        type.getDimSize(d) >= width)
      return getMaskRunAlong(axes, op->getOperand(0), d, width);
  return std::nullopt;
}

} // namespace nereid
