// Counts banks' waves lane by lane. See SharedAccessCost.h.
#include "compiler/transforms/SharedAccessCost.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/layouts/MatrixLoadPlan.h"
#include "compiler/layouts/SharedExchange.h"

namespace nereid {

constexpr unsigned bankBytes = 4, numBanks = 32, vectorBytes = 16;

/// The waves that one access of a warp takes: the most words that any bank has to deliver to lanes that are
/// served together. `offsets` maps (lane, …) to where the lane's vector begins, in elements.
static unsigned countWaves(const LinearLayout &offsets, unsigned accessBytes, unsigned elementBytes) {
  unsigned lanes = offsets.getInSize(Dim::Lane);
  unsigned together = std::min(lanes, numBanks * bankBytes / std::max(accessBytes, bankBytes));
  llvm::SmallDenseSet<uint32_t, 128> words;
  unsigned inBank[numBanks] = {}, most = 1;
  for (uint32_t lane = 0; lane != together; ++lane) {
    uint32_t begin = offsets.apply({{Dim::Lane, lane}}, Dim::Offset) * elementBytes;
    for (uint32_t byte = begin; byte < begin + accessBytes; byte += bankBytes)
      if (words.insert(byte / bankBytes).second)
        most = std::max(most, ++inBank[byte / bankBytes % numBanks]);
  }
  return lanes / together * most;
}

unsigned getAccessCost(const LinearLayout &offsets, unsigned width, unsigned elementBytes) {
  unsigned accesses = listSharedAccesses(offsets, llvm::Log2_32(width), nullptr).size();
  return accesses * (1 + countWaves(offsets, width * elementBytes, elementBytes));
}

unsigned getWriteCost(const LinearLayout &offsets, unsigned elementBytes) {
  unsigned width =
      std::min(vectorBytes / elementBytes, offsets.getNumConsecutive(Dim::Register, Dim::Offset));
  return getAccessCost(offsets, width, elementBytes);
}

unsigned getReadCost(const LinearLayout &offsets, unsigned elementBytes) {
  std::optional<MatrixLoadPlan> plan = planMatrixLoads(offsets, elementBytes);
  if (!plan)
    return getWriteCost(offsets, elementBytes);
  // Eight lanes have the addresses of a matrix.
  unsigned ofMatrix = countWaves(plan->rowOffsets, vectorBytes, elementBytes) / 4;
  return plan->loads.size() * (1 + plan->numMatrices * ofMatrix);
}

LinearLayout getSharedOffsets(mlir::RankedTensorType tensor, ttg::MemDescType buffer) {
  return ttg::toLinearLayout(tensor).compose(ttg::toSharedLayout(buffer).invert());
}

} // namespace nereid
