// How many blocks of a kernel one multiprocessor of a GPU runs at a time. A kernel that waits for memory is
// as fast as there are others to run meanwhile.
//
// NVIDIA calls it an SM. AMD's CDNA has compute units; RDNA pairs them to work group processors, which share
// their memory, and of which this counts the pair.
#ifndef NEREID_COMPILER_MODEL_OCCUPANCY_H
#define NEREID_COMPILER_MODEL_OCCUPANCY_H

#include "compiler/model/Target.h"

#include <string>
#include <vector>

namespace nereid {

/// That instructions can name.
constexpr unsigned mostRegistersOfThread = 255;

/// What each block takes.
struct BlockNeeds {
  unsigned numWarps = 4;
  unsigned registers = 0; // of a thread; 0 where it is not known
  unsigned sharedBytes = 0;
  unsigned scalarRegisters = 0; // of a wave, AMD
};

unsigned countResidentBlocks(const BlockNeeds &block, const Target &target);

/// The multiprocessors of the largest of NVIDIA's GPUs that run code for the target.
unsigned getMostMultiprocessors(const Target &target);

/// What a multiprocessor has, and in which portions it is given out.
struct Multiprocessor {
  unsigned warpSize = 32;
  unsigned mostWarps = 0, mostBlocks = 0;
  /// Warps are shared out over partitions, each of which has registers of its own (of 32 bits).
  unsigned partitions = 4, registersOfPartition = 0;
  /// Registers are given to a warp in multiples of this.
  unsigned registerUnit = 0;
  unsigned sharedBytes = 0, sharedUnit = 0;
  /// Of each block, taken by the system.
  unsigned reservedBytes = 0;
  unsigned mostRegistersOfThread = 255;
};

/// Of a GPU.
Multiprocessor getMultiprocessor(const Target &target);

struct Occupancy {
  unsigned blocks = 0, warps = 0;
  /// How many blocks each would let run if it were all that bounds them.
  unsigned byWarps = 0, byBlocks = 0, byRegisters = 0, byShared = 0;

  /// Which of them bound it: `warps`, `blocks`, `registers`, `shared memory`.
  std::vector<std::string> getLimits() const;
};

Occupancy getOccupancy(const BlockNeeds &block, const Multiprocessor &multiprocessor);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_OCCUPANCY_H
