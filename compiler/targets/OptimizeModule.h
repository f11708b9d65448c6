// LLVM's own optimization pipeline, tuned for the code that our lowerings emit.
#ifndef NEREID_COMPILER_TARGETS_OPTIMIZEMODULE_H
#define NEREID_COMPILER_TARGETS_OPTIMIZEMODULE_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nereid {

struct OptimizeOptions {
  /// Loops over elements and straight-line scalar code become vectors. Of use on CPUs only: a GPU thread is
  /// scalar already, and what these passes gain there (pairs of f16) the lowering has chosen itself.
  bool vectorize = false;
  /// 1 to 3, as a C compiler's -O1 to -O3.
  unsigned level = 3;
  /// What NVIDIA's device functions compute under a condition is not computed always and selected.
  bool keepsDeviceBranches = false;
};

/// Optimizes at the level of `options`. `entry` is the one function that must stay visible; everything else
/// becomes private to the module, so that functions linked in from device libraries vanish once inlined.
/// Returns whether there were branches to keep, if that was asked for.
bool optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef entry,
                    const OptimizeOptions &options);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_OPTIMIZEMODULE_H
