// A thread has seven predicates. Of more conditions, such as the masks of a thread's rows, which are needed
// for what it loads and again for what it stores, ptxas keeps bits of a register, which takes three
// operations on that register for each condition, one after the other, where comparing again takes one. What
// is worse, it orders other instructions as if predicates were all that is short, and has each load wait for
// what is computed of the last. So conditions are compared again behind loops, behind barriers, and where a
// program that has loaded begins to store:
//
//     setp.lt.s32 %p8, %r1, %r2;                          setp.lt.s32 %p8, %r1, %r2;
//     @%p8 ld.global.b32 %r5, [%rd1];                     @%p8 ld.global.b32 %r5, [%rd1];
//     $L__BB0_2:                                          $L__BB0_2:
//       …                                          →        …
//     @%p9 bra $L__BB0_2;                                 @%p9 bra $L__BB0_2;
//                                                         setp.ge.s32 %again0, %r1, %r2;
//                                                         not.pred %again1, %again0;
//     @%p8 st.global.b32 [%rd2], %r6;                     @%again1 st.global.b32 [%rd2], %r6;
//
// ptxas finds out that two comparisons are the same, so the opposite is compared, which costs nothing: every
// instruction can take the opposite of a predicate. LLVM finds out, too, as late as on machine code, so this
// changes the text. (For a loop that itself needs predicates, MasksPastLoops.h makes bits of few masks on
// purpose.)
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H
#define NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// PTX of one kernel with that done for all conditions which live so long, if those are more than a thread
/// has predicates for. Otherwise an empty text.
std::string compareAgain(llvm::StringRef ptx);

/// The same behind loops alone, with the comparison itself: there ptxas does not look for it.
std::string compareAgainBehindLoops(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_COMPAREAGAIN_H
