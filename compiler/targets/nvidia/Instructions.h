// The instructions of NVIDIA's machine code, of sm_70 and later: 16 bytes each. What is read of them here was
// found with nvdisasm.
//
// The lower half says what is done: bits 0 to 11 are the operation. The upper half ends in what the scheduler
// is told, as the hardware does not look for itself whether an operand is there: for how many cycles the warp
// starts nothing else (bits 41 to 44); which of six counters tells that the result is there, and which that
// the operands have been read (46 to 48 and 49 to 51; 7: none); and for which of them this instruction waits
// (52 to 57).
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_INSTRUCTIONS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_INSTRUCTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

#include <cstdint>

namespace nereid {

/// One of them, as it stands in the code.
struct Instruction {
  static constexpr unsigned bytes = 16, numCounters = 6;

  uint64_t lower = 0, upper = 0;

  static Instruction read(llvm::StringRef code, uint64_t at) {
    return {llvm::support::endian::read64le(code.data() + at),
            llvm::support::endian::read64le(code.data() + at + sizeof(uint64_t))};
  }

  unsigned getOperation() const { return lower & 0xfff; }
  unsigned getStall() const { return upper >> 41 & 0xf; }
  unsigned getResultCounter() const { return upper >> 46 & 7; }
  unsigned getOperandCounter() const { return upper >> 49 & 7; }
  /// A bit for each counter.
  unsigned getWaits() const { return upper >> 52 & 0x3f; }

  /// Where a branch goes that stands at `at`. It has its distance from the next instruction in units of 4
  /// bytes in bits 16 to 23, as its lowest, and 34 to 63.
  int64_t getBranchTarget(uint64_t at) const {
    int64_t distance = (int64_t(lower) >> 34) * 256 + int64_t(lower >> 16 & 0xff);
    return int64_t(at + bytes) + 4 * distance;
  }

  /// Operations of warp groups' products differ in the lowest two bits by type (HGMMA, IGMMA, QGMMA) and in
  /// the highest three by where the left factor is.
  bool isWarpGroupProduct() const { return (getOperation() & 0x1fc) == 0x1f0; }
  /// Lanes and distances are in registers or in the instruction.
  bool isShuffle() const { return (getOperation() & 0x1ff) == 0x189; }
};

namespace operation {
inline constexpr unsigned globalLoad = 0x981, sharedLoad = 0x984, matrixLoad = 0x83b, sharedStore = 0x388,
                          sharedStoreUniform = 0x988, localLoad = 0x983, localStore = 0x387,
                          constantLoad = 0xb82, barrier = 0xb1d, branch = 0x947;
} // namespace operation

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_INSTRUCTIONS_H
