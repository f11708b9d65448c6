// The Python frontend's entry: a file, the name of a kernel in it and a specialization become a module of tt
// IR.
//
// The module holds one public tt.func, named like the kernel, whose arguments are the parameters that are
// passed at run time (KernelParameter::isPassedToImage), in order, with upstream's attributes
// (`tt.divisibility = 16 : i32`); and the private functions that it calls without inlining them. Every
// operation carries a FileLineColLoc, wrapped in CallSiteLoc where it comes from an inlined function.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_FRONTEND_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_FRONTEND_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/FilesRead.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/KernelInfo.h"
#include "compiler/model/SourceSetting.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::python {

/// Reports to `diagnostics` and returns null if the source is refused. Appends every file read to
/// `files`, and fills in info.name and info.parameters (all but readOnly, which a later analysis
/// finds).
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info, FilesRead &files);

std::optional<KernelDeclaration> findKernel(llvm::StringRef sourcePath, llvm::StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics);

std::optional<std::vector<KernelDeclaration>>
listKernels(llvm::StringRef sourcePath, const SourceSetting &setting, Diagnostics &diagnostics);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_FRONTEND_H
