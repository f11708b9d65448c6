// The compiler as one call: source text in, one target's image (or the text of one stage) out.
//
// This is the only header of compiler/ that the build-time tool includes for compiling; it needs neither MLIR
// nor LLVM IR headers. A Compiler may be used from several threads at a time: each call has a context of its
// own.
#ifndef NEREID_COMPILER_DRIVER_COMPILER_H
#define NEREID_COMPILER_DRIVER_COMPILER_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"
#include "compiler/model/Diagnostics.h"
#include "compiler/model/KernelDeclaration.h"
#include "compiler/model/SourceSetting.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// The stages that a target's back end passes through.
std::vector<Stage> getStages(const Target &target);

/// Why a target cannot run a variant that others can.
struct Misfit {
  /// What the variant needs and the target has, in words; empty where it is not known to be a misfit.
  std::string reason;
  /// As in CompileResult.
  FilesRead files;
};

/// Compiles one specialization for one target. Reports to `diagnostics` and returns nothing if the input is
/// refused. If that is because the target has too little of something, `misfit` says so.
std::optional<CompileResult> compile(const CompileRequest &request, Diagnostics &diagnostics,
                                     Misfit *misfit = nullptr);

/// Finds the kernel of that name in a file; reports and returns nothing if it is not there or does not parse.
/// Warns of what was guessed to list its configurations.
std::optional<KernelDeclaration> findKernel(llvm::StringRef sourcePath, llvm::StringRef kernel,
                                            const SourceSetting &setting, Diagnostics &diagnostics);
/// All that @triton.jit decorates in a Python file, in its order, and what such a function calls among them;
/// all functions after __global__ in a Triton-C file. Reports and returns nothing if the file does not parse.
std::optional<std::vector<KernelDeclaration>>
listKernels(llvm::StringRef sourcePath, const SourceSetting &setting, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_COMPILER_H
