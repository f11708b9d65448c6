// Brings what MLIR's parser, verifiers and passes report to the Diagnostics of a compilation, so that each
// message shows the line of the kernel that it is about:
//
//     add.py:9:9: error: 'tt.store' op expects …
//         tl.store(out_ptr + offs, x + y)
//         ^
//     softmax.py:20:13: note: called from here
#ifndef NEREID_COMPILER_DRIVER_MLIRDIAGNOSTICBRIDGE_H
#define NEREID_COMPILER_DRIVER_MLIRDIAGNOSTICBRIDGE_H

#include "compiler/model/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace nereid {

/// While this lives, everything that `context` reports goes to `diagnostics`.
class MLIRDiagnosticBridge : public mlir::ScopedDiagnosticHandler {
public:
  MLIRDiagnosticBridge(mlir::MLIRContext &context, Diagnostics &diagnostics);

private:
  void report(mlir::Diagnostic &diagnostic);
  void report(llvm::SourceMgr::DiagKind kind, mlir::Location location, const llvm::Twine &message);

  Diagnostics &diagnostics;
};

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_MLIRDIAGNOSTICBRIDGE_H
