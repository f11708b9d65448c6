// Loads that go down columns (transforms/MarkColumnLoads.cpp), a few at a time.
//
// Each lane of a warp takes a small piece of a line, and programs whose numbers are close take the rest of
// it. While it is in the second cache that costs them little. But the loads of a round that start together,
// times the warps of a multiprocessor, ask for many times what memory hands over meanwhile; who has asked
// first is a round ahead of who has asked last, and lines are gone before the last of them comes. So a load
// waits for one before it, by an address that depends on what that has loaded, though not on its value:
//
//     %r1 = ld.global [%rd1]
//     %rd3 = %r1 * zero + %rd2          where ptxas does not know that it is zero
//     %r2 = ld.global [%rd3]
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PACELOADS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PACELOADS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// How many loads down columns, as NVIDIALowering notes them, a warp may have under way: the most that a
/// piece of code without branches has. Those of 16 bytes a lane count twice.
unsigned countColumnLoads(llvm::StringRef ptx);

/// Lets them wait for one another, so that no more than so many, or one, are under way.
void paceLoads(llvm::Module &module, unsigned most);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PACELOADS_H
