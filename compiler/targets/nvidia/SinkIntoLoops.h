// The addresses at which a thread reads and writes memory on chip differ by a few bits of its number, and all
// of them are computed before a loop, since they are the same in each round:
//
//     add.s32 %r5, %r1, 4096;                             $L__BB0_2:
//     xor.b32 %r6, %r5, 64;                                 …
//     $L__BB0_2:                                   →        add.s32 %sunk0, %r1, 4096;
//       …                                                   xor.b32 %sunk1, %sunk0, 64;
//       st.shared.b32 [%r6], %r9;                           st.shared.b32 [%sunk1], %r9;
//
// A kernel with ten tiles has some hundred such registers. Where they do not suffice, ptxas seldom computes
// them again in the loop, but keeps them in local memory.
//
// LLVM's passes move such operations out of loops as late as on machine code, so this changes the text.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_SINKINTOLOOPS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_SINKINTOLOOPS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// PTX of one kernel in which loops compute themselves what takes a few cheap operations on integers, before
/// each use. The same text if there is nothing of the kind.
std::string sinkIntoLoops(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_SINKINTOLOOPS_H
