// Backwards through conversions and transpositions. See FactorSource.h.
//
// What is computed on the way to memory has no layout of its own yet. It will get that of the loads before
// it, as AssignLayouts spreads layouts, so the question which axis is contiguous is asked of the largest one:
//
//     load     [64, 128] i8, bytes along the first axis
//     join     [64, 128, 2] bf16, two numbers of a byte
//     trans    [64, 2, 128]
//     reshape  [128, 128]: neighbours along the first axis
#include "compiler/transforms/FactorSource.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/LayoutPropagation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

/// The layout that a value of as many axes or more has, if that of the largest load that it is computed from
/// spreads to it; null where there is none. `steps` bounds the search.
static mlir::Attribute findLoadedLayout(mlir::Value value, unsigned &steps, int64_t &elements) {
  mlir::Operation *op = value.getDefiningOp();
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  elements = 0;
  if (!op || !type || steps == 0)
    return {};
  --steps;
  if (mlir::isa<tt::LoadOp>(op)) {
    elements = type.getNumElements();
    return type.getEncoding();
  }
  // A product's layout, which has rows contiguous, goes before that of loads of its size.
  if (mlir::isa<tt::DotOp, ttng::WarpGroupDotOp>(op)) {
    elements = type.getNumElements() + 1;
    return type.getEncoding();
  }
  if (auto convert = mlir::dyn_cast<ttg::ConvertLayoutOp>(op))
    return findLoadedLayout(convert.getSrc(), steps, elements);
  mlir::Attribute best;
  // Loaded in one case, zeros in the other: a state that a sequence may begin without.
  if (auto choice = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
    for (mlir::scf::YieldOp yield : {choice.thenYield(), choice.elseYield()}) {
      int64_t loaded = 0;
      mlir::Attribute layout = findLoadedLayout(yield.getOperand(number), steps, loaded);
      if (layout && loaded > elements) {
        best = layout;
        elements = loaded;
      }
    }
    return best;
  }
  if (isLayoutAnchor(op) || op->getNumRegions())
    return {};
  for (mlir::Value operand : op->getOperands()) {
    int64_t loaded = 0;
    mlir::Attribute layout = findLoadedLayout(operand, steps, loaded);
    if (!layout || loaded <= elements)
      continue;
    if (mlir::Attribute result = inferResultLayout(op, layout)) {
      best = result;
      elements = loaded;
    }
  }
  return best;
}

/// Of a value with two axes: the one along which a thread has neighbours.
static unsigned findContiguousAxis(mlir::Value value) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  unsigned steps = 200;
  int64_t elements = 0;
  mlir::Attribute layout = findLoadedLayout(value, steps, elements);
  if (!layout)
    layout = type.getEncoding();
  // Where that is not the axis of the lanes, which read single elements (Coalesce.cpp), it can be stored in
  // vectors all the same.
  if (auto blocked = mlir::dyn_cast<ttg::BlockedEncodingAttr>(layout)) {
    llvm::ArrayRef<unsigned> order = blocked.getOrder(), size = blocked.getSizePerThread();
    return size[order[0]] == 1 && size[order[1]] > 1 ? order[1] : order[0];
  }
  if (!ttg::hasLinearLayout(layout))
    return 1;
  LinearLayout linear = ttg::toLinearLayout(type.getShape(), layout);
  for (unsigned bit = 0; bit < linear.getInBits(Dim::Register); ++bit)
    for (unsigned axis : {1u, 0u})
      if (linear.getBasis(Dim::Register, bit, tensorDim(axis)) == 1)
        return axis;
  return 1;
}

FactorSource findFactorSource(mlir::Value factor) {
  FactorSource source{withoutConversion(factor)};
  while (auto trans = source.value.getDefiningOp<tt::TransOp>()) {
    source.value = withoutConversion(trans.getSrc());
    source.isTransposed = !source.isTransposed;
  }
  unsigned contiguous = findContiguousAxis(source.value);
  source.contiguousAxis = source.isTransposed ? 1 - contiguous : contiguous;
  return source;
}

} // namespace nereid
