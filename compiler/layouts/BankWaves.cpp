// Counts banks' waves lane by lane. See BankWaves.h.
#include "compiler/layouts/BankWaves.h"

#include "compiler/layouts/SharedExchange.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

namespace nereid {

constexpr unsigned bankBytes = SharedMemoryTraits().bankBytes, numBanks = SharedMemoryTraits().numBanks;

unsigned countWaves(const LinearLayout &offsets, unsigned accessBytes, unsigned elementBytes) {
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

} // namespace nereid
