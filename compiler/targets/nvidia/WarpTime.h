// How long a warp takes for NVIDIA's machine code, as the code itself tells.
//
// The scheduler starts a warp's instructions in order, and each of them says what it waits for
// (Instructions.h). So the code can be walked through with a clock: an instruction starts when the one before
// lets it, and when what it waits for is there, which takes as long as such instructions do.
//
//     LDG R4 …          counter 0     at cycle 0, there at 500
//     LDG R5 …          counter 0     at cycle 2, there at 502
//     FADD R6, R4, R5   waits for 0   at cycle 502
//
// What the clock shows is a warp that has a multiprocessor for itself. Others hide its waits; so several
// texts of one kernel are compared by the time that each takes for all warps that it lets be resident.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_WARPTIME_H
#define NEREID_COMPILER_TARGETS_NVIDIA_WARPTIME_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace nereid {

struct WarpTime {
  uint64_t cycles = 0, instructions = 0;
};

/// Of a warp that goes through the code in the order in which it stands, and some rounds of innermost loops.
/// It is not known how many there will be.
WarpTime measureWarp(llvm::StringRef code);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_WARPTIME_H
