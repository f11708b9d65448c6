// The width of memory accesses. See AccessWidth.h.
#include "compiler/transforms/AccessWidth.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

namespace nereid {

unsigned getAccessElements(const AxisInfoAnalysis &axes, mlir::Value pointer, mlir::Value mask,
                           unsigned maxBits) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(pointer.getType());
  if (!type || !type.getEncoding())
    return 1;
  LinearLayout layout = ttg::toLinearLayout(type);
  mlir::Type pointee = mlir::cast<tt::PointerType>(type.getElementType()).getPointeeType();
  unsigned elementBits = std::max(8u, tt::getElementBits(pointee));
  int64_t best = 1;
  for (unsigned d = 0; d != type.getRank(); ++d) {
    int64_t width = layout.getNumConsecutive(Dim::Register, tensorDim(d));
    width = std::min(width, axes.getContiguousElements(pointer, d));
    if (mask)
      width = std::min(width, axes.getMaskRun(mask, d));
    best = std::max(best, width);
  }
  return std::min<int64_t>(best, std::max(1u, maxBits / elementBits));
}

} // namespace nereid
