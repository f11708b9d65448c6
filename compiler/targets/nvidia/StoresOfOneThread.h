// Many stores by one thread, each under the same condition.
//
// A kernel that writes scalars one by one, as a record of pointers and strides, has a store for each that is
// for the block's first thread alone. Where ptxas sees that the condition compares the thread's number, it
// makes a branch of each and its own piece of code, between which nothing is loaded or computed ahead. With a
// number that only might be another one, stores stay where they are, under a predicate:
//
//     mov.u32 %r1, %tid.x;                     mov.u32 %r1, %tid.x;
//     setp.eq.b32 %p1, %r1, 0;          →      and.b32 %r1, %r1, 127;      of 128 threads
//     @%p1 st.global.b32 [%rd1], %r2;          setp.eq.b32 %p1, %r1, 0;
//     …                                        …
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_STORESOFONETHREAD_H
#define NEREID_COMPILER_TARGETS_NVIDIA_STORESOFONETHREAD_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// The text of such a kernel with such a number; empty of any other.
std::string keepStoresOfOneThread(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_STORESOFONETHREAD_H
