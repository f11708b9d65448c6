// See MatrixLoadPlan.h.
#include "compiler/layouts/MatrixLoadPlan.h"

#include "llvm/Support/MathExtras.h"

namespace nereid {

std::optional<MatrixLoadPlan> planMatrixLoads(const LinearLayout &offsets, unsigned elementBytes,
                                              std::optional<unsigned> secondBit) {
  constexpr unsigned laneBits = 5, rowBytes = 16, wordBytes = 4;
  if (offsets.getInBits(Dim::Lane) != laneBits || elementBytes > wordBytes)
    return std::nullopt;
  unsigned registerBits = offsets.getInBits(Dim::Register), warpBits = offsets.getInBits(Dim::Warp);
  auto lane = [&](unsigned bit) { return offsets.getBasis(Dim::Lane, bit, Dim::Offset) * elementBytes; };
  auto reg = [&](unsigned bit) { return offsets.getBasis(Dim::Register, bit, Dim::Offset) * elementBytes; };
  auto isRow = [&](uint32_t bytes) { return bytes % rowBytes == 0; };

  // Register bits inside the 4 bytes that a lane receives.
  unsigned inWord = llvm::Log2_32(wordBytes / elementBytes);
  if (registerBits < inWord)
    return std::nullopt;
  MatrixLoadPlan plan;
  auto isPlain = [&] {
    for (unsigned bit = 0; bit != inWord; ++bit)
      if (reg(bit) != elementBytes << bit)
        return false;
    return lane(0) == 4 && lane(1) == 8 && isRow(lane(2)) && isRow(lane(3)) && isRow(lane(4));
  };
  auto isTransposed = [&] {
    return elementBytes == 2 && lane(2) == 2 && lane(3) == 4 && lane(4) == 8 && isRow(reg(0)) &&
           isRow(lane(0)) && isRow(lane(1));
  };
  if (isTransposed())
    plan.isTransposed = true;
  else if (!isPlain())
    return std::nullopt;
  for (unsigned bit = inWord; bit != registerBits; ++bit)
    if (!isRow(reg(bit)))
      return std::nullopt;
  for (unsigned bit = 0; bit != warpBits; ++bit)
    if (!isRow(offsets.getBasis(Dim::Warp, bit, Dim::Offset) * elementBytes))
      return std::nullopt;

  // Register bits that number matrices, and those that repeat the instruction; bits that move nothing are
  // copies.
  llvm::SmallVector<unsigned, 8> matrixBits, repeatBits;
  uint32_t copyBits = 0;
  for (unsigned bit = inWord; bit != registerBits; ++bit) {
    if (reg(bit) == 0)
      copyBits |= 1u << bit;
    else
      (matrixBits.size() < 2 ? matrixBits : repeatBits).push_back(bit);
  }
  if (auto *preferred = secondBit ? llvm::find(repeatBits, *secondBit) : repeatBits.end();
      preferred != repeatBits.end()) {
    std::swap(*preferred, matrixBits[1]);
    llvm::sort(repeatBits);
  }
  plan.numMatrices = 1u << matrixBits.size();

  // The rows' addresses: three bits of the lane number the row, two the matrix.
  llvm::SmallVector<llvm::SmallVector<uint32_t, 4>, 8> rows, warps;
  auto addRow = [&](uint32_t bytes) { rows.push_back({bytes / elementBytes}); };
  if (plan.isTransposed) {
    addRow(reg(0));
    addRow(lane(0));
    addRow(lane(1));
  } else {
    for (unsigned bit : {2, 3, 4})
      addRow(lane(bit));
  }
  for (unsigned i = 0; i != 2; ++i)
    addRow(i < matrixBits.size() ? reg(matrixBits[i]) : 0);
  for (unsigned bit = 0; bit != warpBits; ++bit)
    warps.push_back({offsets.getBasis(Dim::Warp, bit, Dim::Offset)});
  plan.rowOffsets = LinearLayout::fromBases({{Dim::Lane, rows}, {Dim::Warp, warps}},
                                            {{Dim::Offset, offsets.getOutBits(Dim::Offset)}});

  for (uint32_t repeat = 0; repeat != 1u << repeatBits.size(); ++repeat) {
    MatrixLoadPlan::Load load{0, {}};
    uint32_t base = 0;
    for (auto [i, bit] : llvm::enumerate(repeatBits))
      if (repeat >> i & 1) {
        base |= 1u << bit;
        load.offset ^= reg(bit) / elementBytes;
      }
    for (uint32_t matrix = 0; matrix != plan.numMatrices; ++matrix) {
      uint32_t first = base;
      for (auto [i, bit] : llvm::enumerate(matrixBits))
        if (matrix >> i & 1)
          first |= 1u << bit;
      load.registers.emplace_back();
      for (uint32_t i = 0; i != 1u << inWord; ++i)
        load.registers.back().push_back(first | i);
    }
    plan.loads.push_back(std::move(load));
  }
  for (uint32_t i = 0; i != 1u << registerBits; ++i)
    if (i & copyBits)
      plan.copies.push_back({i, i & ~copyBits});
  return plan;
}

} // namespace nereid
