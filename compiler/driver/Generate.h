// The road of one code: from the tt dialect after its passes to images, or to the stage that was asked for.
//
// A kernel goes it several times where its code depends on what ptxas makes of it (CodeChoice.h): each time
// from a copy of the same module, whose attributes and request say what is to be different.
#ifndef NEREID_COMPILER_DRIVER_GENERATE_H
#define NEREID_COMPILER_DRIVER_GENERATE_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"
#include "compiler/model/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid {

/// Keeps the IR as text, values named after the variables they come from. True if it is the last stage that
/// is asked for.
bool keepIR(const CompileRequest &request, CompileResult &result, Stage stage, mlir::ModuleOp module);

/// False if there is no such code: after an error, which has been reported, or where more stages would change
/// nothing (MoreStages.h).
bool generate(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileRequest &request,
              Diagnostics &diagnostics, CompileResult &result);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_GENERATE_H
