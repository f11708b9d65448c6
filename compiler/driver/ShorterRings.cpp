// See ShorterRings.h.
#include "compiler/driver/ShorterRings.h"

#include "compiler/model/CompileResult.h"
#include "compiler/model/Occupancy.h"

namespace nereid {

static constexpr unsigned fewBlocks = 3;

/// That a multiprocessor runs at a time, if a thread takes so many registers.
static unsigned countBlocks(const KernelInfo &info, unsigned registers, const Target &target) {
  return countResidentBlocks({info.countWarps(), registers, info.sharedBytes}, target);
}

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
  auto countBlocksOf = [&](const CompileResult &result) -> uint64_t {
    return countBlocks(result.info, result.info.resources->registers, target);
  };
  // With fewer registers a round may wait for one load after the other, which takes longer than the blocks
  // hide: lmdeploy's fused_moe_blocked_fp8_kernel, 218 registers or 168, 7860 cycles or 15403, 2 blocks or 3,
  // took 56.1 us or 66.9.
  uint64_t blocks = countBlocksOf(shorter), others = countBlocksOf(longer);
  return blocks > others && 10 * shorter.cyclesOfWarp * others <= 9 * longer.cyclesOfWarp * blocks;
}

} // namespace nereid
