// Brings what LLVM's passes and code generators have to say (inline assembly that does not assemble, a stack
// or register limit that is exceeded) to the Diagnostics of a compilation.
#ifndef NEREID_COMPILER_TARGETS_LLVMDIAGNOSTICS_H
#define NEREID_COMPILER_TARGETS_LLVMDIAGNOSTICS_H

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace nereid {

class Diagnostics;

/// From now on `context` reports to `diagnostics`, which must outlive it. Remarks are dropped.
void routeDiagnostics(llvm::LLVMContext &context, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_LLVMDIAGNOSTICS_H
