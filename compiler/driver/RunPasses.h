// Runs a pipeline of passes so that what goes wrong inside of the compiler is told as that.
//
// What a pass reports itself is about the kernel, and is shown as it is. IR that is not valid after the
// passes is a bug of one of them. What MLIR's verifier says of it would mean nothing to the author of a
// kernel, who gets the place in the kernel and the name of the pass instead:
//
//     add.py:9:9: error: internal compiler error: the pass 'nereid-ttg-coalesce' made invalid IR of this; …
//
// The IR is verified once, after the last pass. Only if that fails, the passes run a second time on a copy of
// what they were given, one check after each, to find the one to blame.
#ifndef NEREID_COMPILER_DRIVER_RUNPASSES_H
#define NEREID_COMPILER_DRIVER_RUNPASSES_H

#include "compiler/model/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nereid {

/// False after an error, which has been reported to `diagnostics`. The module's context must lead there too
/// (MLIRDiagnosticBridge).
bool runPasses(mlir::ModuleOp module, Diagnostics &diagnostics,
               llvm::function_ref<void(mlir::OpPassManager &)> addPasses);

/// Verifies what `author` ("the Python frontend") has made; the same for IR that no pass is to blame for.
bool verifyOwnIR(mlir::ModuleOp module, llvm::StringRef author);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_RUNPASSES_H
