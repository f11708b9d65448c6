// NVIDIA's limits are in the CUDA programming guide, "Technical Specifications per Compute Capability"; how
// registers are given out is NVIDIA's occupancy calculator's knowledge. On an H200, 4 warps of 114 registers
// and 9 KiB:
//
//     a warp's registers       114 * 32 = 3648, rounded up to 3840 (units of 256)
//     a partition's warps      16384 / 3840 = 4, of which a multiprocessor has 4 partitions
//     blocks by registers      4 * 4 / 4 = 4; with 64 registers 8
//     blocks by memory         228 / (9 + 1) = 22
//
// AMD's are in the instruction set guides of CDNA 2 to 4 and RDNA 3 and 4 ("Work-group", "VGPR allocation",
// "LDS allocation"), and LLVM knows them as well: `--emit amdgcn` ends in a comment `Occupancy: 8`, the waves
// of a partition (SIMD), which a test compares with these.
#include "compiler/model/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nereid {

static constexpr unsigned kib = 1024;

static Multiprocessor getCUDAMultiprocessor(const Target &target) {
  Multiprocessor sm;
  sm.registersOfPartition = 16384;
  sm.registerUnit = 256;
  sm.sharedUnit = 128;
  // The system's own, of each block; and a multiprocessor has that much more than one block may have.
  sm.reservedBytes = kib;
  sm.sharedBytes = getSharedMemoryLimit(target) + sm.reservedBytes;
  sm.mostRegistersOfThread = mostRegistersOfThread;
  switch (target.getComputeCapability()) {
  case 75:
    sm.mostWarps = 32;
    sm.mostBlocks = 16;
    sm.sharedUnit = 256;
    sm.reservedBytes = 0;
    sm.sharedBytes = 64 * kib;
    break;
  case 80:
  case 90:
  case 100:
  case 103:
    sm.mostWarps = 64;
    sm.mostBlocks = 32;
    break;
  case 86:
  case 87:
    sm.mostWarps = 48;
    sm.mostBlocks = 16;
    break;
  default: // 89, 120, 121
    sm.mostWarps = 48;
    sm.mostBlocks = 24;
    break;
  }
  return sm;
}

// From NVIDIA's data sheets.
unsigned getMostMultiprocessors(const Target &target) {
  switch (target.getComputeCapability()) {
  case 75: // TITAN RTX
    return 72;
  case 80: // A100
    return 108;
  case 86: // A40
    return 84;
  case 87: // Jetson AGX Orin
    return 16;
  case 89: // L40
    return 142;
  case 90: // H100, H200
    return 132;
  case 100: // B200
    return 148;
  case 103: // B300
    return 160;
  case 121: // GB10
    return 48;
  default: // RTX PRO 6000, of 120
    return 188;
  }
}

static Multiprocessor getHIPMultiprocessor(const Target &target) {
  Multiprocessor unit;
  unit.warpSize = target.warpSize;
  unit.sharedUnit = 512;
  if (target.warpSize == 64) { // CDNA
    unit.mostWarps = 4 * 8;
    unit.mostBlocks = 16;
    unit.registersOfPartition = 512 * 64;
    unit.registerUnit = 8 * 64;
    unit.mostRegistersOfThread = 512;
    unit.sharedBytes = getSharedMemoryLimit(target);
    if (target.arch == "gfx950")
      unit.sharedUnit = 1280;
    return unit;
  }
  unit.mostWarps = 4 * 16;
  unit.mostBlocks = 32;
  unit.registersOfPartition = 1536 * 32;
  unit.registerUnit = 24 * 32;
  unit.mostRegistersOfThread = 256;
  unit.sharedBytes = 128 * kib;
  unit.sharedUnit = 1024;
  return unit;
}

Multiprocessor getMultiprocessor(const Target &target) {
  return target.backend == Backend::HIP ? getHIPMultiprocessor(target) : getCUDAMultiprocessor(target);
}

Occupancy getOccupancy(const BlockNeeds &block, const Multiprocessor &unit) {
  Occupancy result;
  unsigned numWarps = std::max(1u, block.numWarps);
  result.byWarps = unit.mostWarps / numWarps;
  result.byBlocks = unit.mostBlocks;

  unsigned ofWarp = llvm::alignTo(std::max(1u, block.registers) * unit.warpSize, unit.registerUnit);
  unsigned ofPartition = unit.registersOfPartition / ofWarp;
  // CDNA: 800 scalar registers a partition, in units of 16, 6 of which are the system's.
  constexpr unsigned scalarsOfPartition = 800, scalarUnit = 16;
  if (unit.warpSize == 64 && block.scalarRegisters)
    ofPartition = std::min<unsigned>(ofPartition,
                                     scalarsOfPartition / llvm::alignTo(block.scalarRegisters, scalarUnit));
  result.byRegisters = unit.partitions * ofPartition / numWarps;

  unsigned bytes = llvm::alignTo(block.sharedBytes, unit.sharedUnit) + unit.reservedBytes;
  result.byShared = bytes ? unit.sharedBytes / bytes : unit.mostBlocks;
  result.blocks = std::min({result.byWarps, result.byBlocks, result.byRegisters, result.byShared});
  result.warps = result.blocks * numWarps;
  return result;
}

std::vector<std::string> Occupancy::getLimits() const {
  std::vector<std::string> limits;
  auto add = [&](unsigned count, const char *name) {
    if (count == blocks)
      limits.push_back(name);
  };
  add(byRegisters, "registers");
  add(byShared, "shared memory");
  add(byWarps, "warps");
  add(byBlocks, "blocks");
  return limits;
}

unsigned countResidentBlocks(const BlockNeeds &block, const Target &target) {
  return getOccupancy(block, getMultiprocessor(target)).blocks;
}

} // namespace nereid
