// Changes how many rows of a load's blocked layout a thread has side by side.
#include "compiler/transforms/TransposedTiles.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

#include "llvm/Support/MathExtras.h"

namespace nereid {

std::optional<unsigned> findVectorAxis(llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  if (!layout || shape.size() != 2 || !ttg::hasLinearLayout(layout))
    return std::nullopt;
  LinearLayout linear = ttg::toLinearLayout(shape, layout);
  for (unsigned axis : {0, 1})
    if (linear.getInBits(Dim::Register) && linear.getBasis(Dim::Register, 0, tensorDim(axis)) == 1 &&
        linear.getBasis(Dim::Register, 0, tensorDim(1 - axis)) == 0)
      return axis;
  return std::nullopt;
}

std::optional<TransposingLayouts> findTransposingLayouts(mlir::RankedTensorType loaded) {
  constexpr unsigned bytesOfWord = 4;
  auto layout = mlir::dyn_cast<ttg::BlockedEncodingAttr>(loaded.getEncoding());
  if (!layout || loaded.getRank() != 2)
    return std::nullopt;
  unsigned along = layout.getOrder()[0], across = layout.getOrder()[1];
  llvm::SmallVector<unsigned> sizes(layout.getSizePerThread());
  unsigned rows =
      loaded.getDimSize(across) / (layout.getThreadsPerWarp()[across] * layout.getWarpsPerCTA()[across]);
  if (sizes[along] == 1 || sizes[across] != 1 || rows < 2)
    return std::nullopt;
  sizes[across] = std::min(rows, bytesOfWord);
  auto loads =
      ttg::BlockedEncodingAttr::get(loaded.getContext(), sizes, layout.getThreadsPerWarp(),
                                    layout.getWarpsPerCTA(), layout.getOrder(), llvm::ArrayRef<int32_t>());
  auto linear = mlir::cast<ttg::LinearEncodingAttr>(
      ttg::toLinearEncoding(loaded.getContext(), ttg::toLinearLayout(loaded.getShape(), loads)));
  llvm::SmallVector<int32_t> registers(linear.getRegisterBases());
  auto begin = registers.begin(), middle = begin + 2 * llvm::Log2_32(sizes[along]);
  std::rotate(begin, middle, middle + 2 * llvm::Log2_32(sizes[across]));
  auto between = ttg::LinearEncodingAttr::get(loaded.getContext(), 2, registers, linear.getLaneBases(),
                                              linear.getWarpBases(), linear.getBlockBases());
  return TransposingLayouts{loads, between};
}

} // namespace nereid
