// What a kernel's PTX tells of how it waits for memory: how much its loops load, and whether its threads wait
// for one another.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_LOOPLOADS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_LOOPLOADS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

struct LoopLoads {
  /// Of global memory, by one thread, in one round of the loop that loads the most; 0 without such loops. A
  /// round that holds a loop counts the rounds of that as one.
  unsigned bytesOfRound = 0;
  /// What of that stands behind a store of global memory in the same round. The store may change what is
  /// loaded, so that the load waits for it, and for what it stores, however many registers there are.
  unsigned bytesBehindStores = 0;
  /// Of all loads that there are.
  unsigned bytes = 0;
};

LoopLoads measureLoopLoads(llvm::StringRef ptx);

/// The same with loads of global memory that ptxas leaves together where they are, as other threads of the
/// block might be writing meanwhile (relaxed, at the block's scope: served by the same cache as others). Left
/// to itself, ptxas puts each load shortly before the first use of what it loads, so that one waits behind
/// the other, however many registers there are.
std::string keepLoadsTogether(llvm::StringRef ptx);

/// The same with a fence behind each group of loads none of which is at an address that another one gives:
/// ptxas moves no load of global memory past that. Without one it puts each of them among the arithmetic and
/// the shuffles that are for those before.
std::string fenceLoads(llvm::StringRef ptx);

/// Whether threads shuffle, or meet at a barrier.
bool exchangesBetweenThreads(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_LOOPLOADS_H
