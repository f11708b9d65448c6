// The frontend of Triton-C, the C-like language of Triton's first releases: a `.tc` file, the name of a
// kernel in it and a specialization become a module of tt IR, the same that the same kernel in Python
// becomes.
//
// The types of parameters stand in the file, so a signature only has to agree with them, and adds what
// specializes:
// `:16`, `:1`, and numbers for parameters, which are then known while compiling. It may be left out. `-D`
// defines macros; those that are whole numbers may also stand in grids.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_FRONTEND_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_FRONTEND_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/model/SourceSetting.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::triton_c {

/// Whether compile() reads this file through this frontend.
bool isTritonCFile(llvm::StringRef path);

/// Reports to `diagnostics` and returns null if the source is refused. Appends every file read to
/// `files`, and fills in info.name and info.parameters (all but readOnly, which a later analysis
/// finds).
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files);

std::optional<KernelDeclaration> findKernel(llvm::StringRef sourcePath, llvm::StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics);

std::optional<std::vector<KernelDeclaration>>
listKernels(llvm::StringRef sourcePath, const SourceSetting &setting, Diagnostics &diagnostics);

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_FRONTEND_H
