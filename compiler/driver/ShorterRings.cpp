// See ShorterRings.h.
#include "compiler/driver/ShorterRings.h"

#include "compiler/driver/ResidentBlocks.h"
#include "compiler/model/CompileResult.h"

namespace nereid {

static constexpr unsigned fewBlocks = 3;

bool mayLeadWithShorterRings(const CompileResult &longer, const Target &target) {
  const KernelInfo &info = longer.info;
  // ptxas may come by with fewer registers where there is memory for more blocks.
  return longer.mayHaveShorterRings && !longer.savesMemoryForOthers && longer.cyclesOfWarp &&
         info.resources && info.numCTAs == 1 && countBlocks(info, /*registers=*/0, target) <= fewBlocks;
}

bool leadsWithShorterRings(const CompileResult &shorter, const CompileResult &longer, const Target &target) {
  constexpr uint64_t fewBytes = 16; // that are spilled
  if (!shorter.info.resources ||
      shorter.info.resources->spilledBytes > longer.info.resources->spilledBytes + fewBytes)
    return false;
  // With fewer registers a round may wait for one load after the other, which takes longer than the blocks
  // hide: lmdeploy's fused_moe_blocked_fp8_kernel, 218 registers or 168, 7860 cycles or 15403, 2 blocks or 3,
  // took 56.1 us or 66.9.
  uint64_t blocks = countBlocks(shorter.info, target), others = countBlocks(longer.info, target);
  return blocks > others && 10 * shorter.cyclesOfWarp * others <= 9 * longer.cyclesOfWarp * blocks;
}

} // namespace nereid
