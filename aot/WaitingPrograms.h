// Runs the programs of a grid that may wait for each other, for `nereid run`.
//
// The rules are those of generated libraries (templates/cpu_loader.c.in): a program at a time on each thread,
// more threads only while all of them wait, and an error once that helps no more. What they have in common
// with them is what CPU code does in a loop that waits: it calls sched_yield, which whoever loads the code
// binds to a function of his own, so that he knows.
#ifndef NEREID_AOT_WAITINGPROGRAMS_H
#define NEREID_AOT_WAITINGPROGRAMS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>

namespace nereid {

/// To be called by CPU code in place of sched_yield. May leave the program that calls it for good.
int yieldWhileWaiting();

/// How many threads there may be, and how long they may all wait before the grid is given up.
struct WaitingLimits {
  uint64_t threads = 4096;
  double seconds = 10;
};

/// Calls run(i, scratch) for i from 0 to total - 1 on `threads` threads or more, each with `scratchBytes` of
/// scratch memory. Where one returns false all others are ended, those that wait for it too; that is no error
/// of this function. `run` must have nothing to clean up.
llvm::Error runWaitingPrograms(uint64_t total, uint64_t threads, size_t scratchBytes,
                               llvm::function_ref<bool(uint64_t, void *)> run,
                               const WaitingLimits &limits = WaitingLimits());

} // namespace nereid

#endif // NEREID_AOT_WAITINGPROGRAMS_H
