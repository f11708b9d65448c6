// See FactorMemory.h. A bank's row is 128 bytes: rows shorter than that share one, and are permuted together.
#include "compiler/transforms/FactorMemory.h"

#include "compiler/transforms/ScratchMemory.h"

namespace nereid {

mlir::Attribute chooseFactorMemory(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> order,
                                   bool readsAcross) {
  constexpr unsigned bankBytes = 128;
  bool readsWordsAcross = readsAcross && tt::getElementBits(type.getElementType()) == 32;
  unsigned vectorBytes = readsWordsAcross ? 32 : 16, rows = bankBytes / vectorBytes;
  unsigned elementBytes = getSharedElementBytes(tt::getElementBits(type.getElementType()));
  unsigned rowBytes = type.getDimSize(order[0]) * elementBytes;
  unsigned perPhase = std::max(1u, bankBytes / rowBytes);
  unsigned maxPhase = std::max(1u, std::min(rows / std::min(rows, perPhase), rowBytes / vectorBytes));
  return ttg::SwizzledSharedEncodingAttr::get(type.getContext(), vectorBytes / elementBytes, perPhase,
                                              maxPhase, order, llvm::ArrayRef<int32_t>());
}

} // namespace nereid
