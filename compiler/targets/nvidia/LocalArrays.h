// A thread's arrays, of which libdevice's functions have some: the sine of a large number multiplies it by
// 192 bits of 2/pi, writes the seven words of the product into one, and takes three from where the number's
// exponent says. ptxas keeps such an array in registers, and chooses by conditions among all of them, which
// costs the kernel some eight registers, though hardly a kernel ever comes there:
//
//     colsearch's _roq_maxsim_1bit_kernel         40 registers    32 with the array in local memory
//     triton-qml's rotations, gradients           54              40
//
// Not to be seen through, an address leaves the array where it is:
//
//     st.local.b32 [%rd21], %r127;    →    { .reg .b64 %at; and.b64 %at, %rd21, 0xffffffff;
//                                            st.local.b32 [%at], %r127; }
//
// Local memory is within the first 4 GiB of its space, so that is the same address.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_LOCALARRAYS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_LOCALARRAYS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// The PTX that leaves a thread's arrays in local memory; empty if it has none, or such as ptxas leaves there
/// anyway.
std::string keepArraysInMemory(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_LOCALARRAYS_H
