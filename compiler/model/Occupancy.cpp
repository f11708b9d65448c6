// The limits are in the CUDA programming guide, "Technical Specifications per Compute Capability"; how
// registers are given out is NVIDIA's occupancy calculator's knowledge. On an H200, 4 warps of 114 registers
// and 9 KiB:
//
//     a warp's registers       114 * 32 = 3648, rounded up to 3840 (units of 256)
//     a partition's warps      16384 / 3840 = 4, of which a multiprocessor has 4 partitions
//     blocks by registers      4 * 4 / 4 = 4; with 64 registers 8
//     blocks by memory         228 / (9 + 1) = 22
#include "compiler/model/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nereid {

static unsigned getMostWarps(unsigned computeCapability) {
  switch (computeCapability) {
  case 75:
    return 32;
  case 80:
  case 90:
  case 100:
  case 103:
    return 64;
  default:
    return 48;
  }
}

unsigned countResidentBlocks(const BlockNeeds &block, const Target &target) {
  constexpr unsigned partitions = 4, registersOfPartition = 16384, registerUnit = 256, lanes = 32;
  // The system's own, of each block; and a multiprocessor has that much more than one block may have.
  constexpr unsigned reservedBytes = 1024;
  unsigned ofWarp = llvm::alignTo(std::max(1u, block.registers) * lanes, registerUnit);
  unsigned warps =
      std::min(partitions * (registersOfPartition / ofWarp), getMostWarps(target.getComputeCapability()));
  unsigned byMemory = (getSharedMemoryLimit(target) + reservedBytes) / (block.sharedBytes + reservedBytes);
  constexpr unsigned mostBlocks = 32;
  return std::min({warps / block.numWarps, byMemory, mostBlocks});
}

} // namespace nereid
