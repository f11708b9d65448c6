// The frontend for Triton IR as text: a `.ttir` or `.mlir` file, perhaps dumped by upstream Triton.
//
// Such a file holds a kernel whose compile-time values are already folded into it, so a signature names the
// arguments that are left, by position or by name, and may be left out altogether: the types are in the file.
// What the signature promises (`:16`, `:1`) takes the place of the file's own promises (`tt.divisibility`).
#ifndef NEREID_COMPILER_FRONTENDS_IR_IRFRONTEND_H
#define NEREID_COMPILER_FRONTENDS_IR_IRFRONTEND_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/KernelInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::ir {

/// Whether compile() reads this file through this frontend.
bool isIRFile(llvm::StringRef path);

/// As python::emitKernel. An argument's name is the one in its location, if there is one, else that in the
/// text (`%n`).
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files);

std::optional<KernelDeclaration> findKernel(mlir::MLIRContext &context, llvm::StringRef sourcePath,
                                            llvm::StringRef kernel, Diagnostics &diagnostics);

} // namespace nereid::ir

#endif // NEREID_COMPILER_FRONTENDS_IR_IRFRONTEND_H
