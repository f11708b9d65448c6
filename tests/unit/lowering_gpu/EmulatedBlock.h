// Runs lowered GPU code on the host, so that what the threads of a block compute together can be tested
// without a GPU.
//
// HostLowering answers the hooks of TargetLowering with calls into this file, and the resulting LLVM IR is
// compiled for the host. Each thread of a block is a fiber. A barrier or a shuffle hands control to the next
// fiber, and goes on once every fiber has come as far; a fiber that leaves early, or reaches a different kind
// of meeting than the others, is an error. So are two accesses of the same byte of shared memory, at least
// one of which writes, by different threads without a barrier between: they would race on a GPU, even where
// the fibers' order gives the right result. In which order fibers go changes from meeting to meeting, so that
// races in global memory show in results. What is emulated is thus everything but the vendors' hooks:
// layouts, masks, reductions, conversions, the walk.
#ifndef NEREID_TESTS_UNIT_LOWERING_GPU_EMULATEDBLOCK_H
#define NEREID_TESTS_UNIT_LOWERING_GPU_EMULATEDBLOCK_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::gpu {

/// How often the threads of a block met while a kernel ran: for tests of what a lowering costs.
struct RunStatistics {
  unsigned barriers = 0;
  unsigned shuffles = 0;
};

/// How many programs run along each axis.
struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// Lowers the kernel of `ir` and runs it over a grid. That may be ttg IR, or tt IR, which then goes through
/// the passes that cuda:90 takes (with 64 lanes, hip:gfx942), for `numWarps` warps. An argument is a pointer
/// to the value that the kernel takes: for a pointer argument, a pointer to a pointer. Returns an error
/// message, or nothing.
std::string runOnHost(llvm::StringRef ir, llvm::ArrayRef<void *> arguments, Grid grid = {},
                      RunStatistics *statistics = nullptr, unsigned warpSize = 32, unsigned numWarps = 4);

} // namespace nereid::gpu

#endif // NEREID_TESTS_UNIT_LOWERING_GPU_EMULATEDBLOCK_H
