// How many blocks of a kernel one of NVIDIA's multiprocessors runs at a time. A kernel that waits for memory
// is as fast as there are others to run meanwhile.
#ifndef NEREID_COMPILER_MODEL_OCCUPANCY_H
#define NEREID_COMPILER_MODEL_OCCUPANCY_H

#include "compiler/model/Target.h"

namespace nereid {

/// That instructions can name.
constexpr unsigned mostRegistersOfThread = 255;

/// What each block takes.
struct BlockNeeds {
  unsigned numWarps = 4;
  unsigned registers = 0; // of a thread
  unsigned sharedBytes = 0;
};

unsigned countResidentBlocks(const BlockNeeds &block, const Target &target);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_OCCUPANCY_H
