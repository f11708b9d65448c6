// Backwards through conversions and transpositions. See FactorSource.h.
#include "compiler/transforms/FactorSource.h"

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

mlir::Value withoutConversion(mlir::Value factor) {
  while (auto convert = factor.getDefiningOp<ttg::ConvertLayoutOp>())
    factor = convert.getSrc();
  return factor;
}

FactorSource findFactorSource(mlir::Value factor) {
  FactorSource source{withoutConversion(factor)};
  while (auto trans = source.value.getDefiningOp<tt::TransOp>()) {
    source.value = withoutConversion(trans.getSrc());
    source.isTransposed = !source.isTransposed;
  }
  auto blocked = mlir::dyn_cast<ttg::BlockedEncodingAttr>(
      mlir::cast<mlir::RankedTensorType>(source.value.getType()).getEncoding());
  unsigned contiguous = blocked ? blocked.getOrder()[0] : 1;
  source.contiguousAxis = source.isTransposed ? 1 - contiguous : contiguous;
  return source;
}

} // namespace nereid
