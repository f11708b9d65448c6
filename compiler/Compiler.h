// The compiler as one call: source text in, one target's image (or the text of one stage) out.
//
// This is the only header of compiler/ that the build-time tool includes for compiling; it needs neither MLIR
// nor LLVM IR headers. A Compiler may be used from several threads at a time: each call has a context of its
// own.
#ifndef NEREID_COMPILER_COMPILER_H
#define NEREID_COMPILER_COMPILER_H

#include "compiler/Diagnostics.h"
#include "compiler/KernelInfo.h"
#include "compiler/Specialization.h"
#include "compiler/Target.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// The forms of a kernel that can be looked at, in the order in which it passes them.
enum class Stage { TTIR, TTGIR, LLIR, PTX, Cubin, AMDGCN, HSACO, Asm, Object };

/// `ttir`, `ttgir`, `llir`, `ptx`, `cubin`, `amdgcn`, `hsaco`, `asm`, `obj`.
llvm::StringRef getStageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// The stages that a target's back end passes through.
std::vector<Stage> getStages(const Target &target);

struct CompileRequest {
  /// A `.py`, `.ttir` or `.mlir` file, read by compile().
  std::string sourcePath;
  std::string kernel;
  Specialization specialization;
  Target target;
  unsigned numWarps = 4;
  unsigned numStages = 3;
  /// Where `import` looks besides the source file's own folder.
  std::vector<std::string> importPaths;
  /// Stop after this stage and return its text in CompileResult::stageOutput.
  std::optional<Stage> emit;
};

/// One binary of a kernel: a cubin, PTX, an AMD code object, an ELF object.
struct Image {
  Stage kind;
  std::string bytes;
};

struct CompileResult {
  KernelInfo info;
  /// CUDA: the cubin (where ptxas was found) and the PTX. HIP: the code object. CPU: the object file.
  std::vector<Image> images;
  /// The output of CompileRequest::emit, text or binary.
  std::string stageOutput;
  /// Every file that was read to compile this, the source first: what a build system must watch.
  std::vector<std::string> dependencies;
  /// Wall time in seconds of each step, in order, for `--time`.
  std::vector<std::pair<std::string, double>> timings;
};

/// Compiles one specialization for one target. Reports to `diagnostics` and returns nothing if the input is
/// refused.
std::optional<CompileResult> compile(const CompileRequest &request, Diagnostics &diagnostics);

/// What a frontend knows about a kernel before any specialization: enough to check signatures and grids
/// against.
struct KernelDeclaration {
  struct Parameter {
    std::string name;
    bool isConstexpr = false;
    bool hasDefault = false;
  };
  /// A configuration that @triton.autotune would try.
  struct Config {
    /// Values of compile-time parameters, by name.
    std::vector<std::pair<std::string, ConstantValue>> constants;
    unsigned numWarps = 4;
    unsigned numStages = 3;
  };
  std::string name;
  /// Where it stands in its file, from 1; 0 in Triton IR.
  unsigned line = 0;
  std::vector<Parameter> parameters;
  /// In the order of the source. Empty where there are none, or where they depend on what is only known when
  /// the program runs.
  std::vector<Config> configs;
  /// Why there are none although the kernel is autotuned.
  std::string configsProblem;
};
/// Finds the kernel of that name in a file; reports and returns nothing if it is not there or does not parse.
std::optional<KernelDeclaration> findKernel(llvm::StringRef sourcePath, llvm::StringRef kernel,
                                            const std::vector<std::string> &importPaths,
                                            Diagnostics &diagnostics);
/// All that @triton.jit decorates in a Python file, in its order; what such a function calls is among them.
/// Reports and returns nothing if the file does not parse.
std::optional<std::vector<KernelDeclaration>> listKernels(llvm::StringRef sourcePath,
                                                          const std::vector<std::string> &importPaths,
                                                          Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_COMPILER_COMPILER_H
