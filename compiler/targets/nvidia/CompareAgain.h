// A thread has seven predicates. What is compared before a loop and needed behind it, such as the causal mask
// of two passes over a row, ptxas keeps as bits of a register, which takes three operations on that register
// for each condition, one after the other, where comparing again takes one:
//
//     setp.lt.s32 %p8, %r1, %r2;                          setp.lt.s32 %p8, %r1, %r2;
//     selp.f32 %r5, %r3, %r4, %p8;                        selp.f32 %r5, %r3, %r4, %p8;
//     $L__BB0_2:                                          $L__BB0_2:
//       …                                          →        …
//     @%p9 bra $L__BB0_2;                                 @%p9 bra $L__BB0_2;
//                                                         setp.lt.s32 %again0, %r1, %r2;
//     selp.f32 %r8, %r6, %r7, %p8;                        selp.f32 %r8, %r6, %r7, %again0;
//
// LLVM finds out that both are the same, as late as on machine code, so this changes the text. (For a loop
// that itself needs predicates, MasksPastLoops.h makes bits of few masks on purpose.)
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H
#define NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// PTX of one kernel with that done for all conditions which live through loops, if those are more than a
/// thread has predicates for. Otherwise an empty text.
std::string compareAgain(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H
