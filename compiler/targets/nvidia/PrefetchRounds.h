// A round of a loop waits for what it loads. Loads cannot start a round ahead, as the round may write what
// the next one reads, and ptxas moves none past a store, a barrier or the end of a round. But the cache may
// be asked ahead for what they will read: that changes nothing but the time they take.
//
//     loop:                                          loop:
//       @%p ld.global.v4 {%r1, …}, [%a];               @%q prefetch.global.L2 [%b];       the next round's
//       …                                        →     @%p ld.global.v4 {%r1, …}, [%a];
//       shfl, bar.sync, st.global …                    …
//
// Asked for is what the next round does load, under its own masks, and nothing in the last one.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PREFETCHROUNDS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PREFETCHROUNDS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Has rounds of innermost loops ask for what the next round loads, where its addresses can be told from what
/// is known in this one without loading.
void prefetchRounds(llvm::Module &module);

/// Whether PTX has anything that was added by that.
bool hasPrefetches(llvm::StringRef ptx);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PREFETCHROUNDS_H
