// The C text of one kernel for one GPU, with its code inside, as triton.tools.compile writes it: a header and
// a file that builds compile as they are, and link with the driver's library. `nereid triton-compile`.
//
// The functions of a kernel `matmul_1a2b3c4d_0d1c2` are load_…, unload_… and, under that name itself, the
// launch, which takes the arguments that are not compile-time values. What is known to be 1 is not passed
// either; callers that have not chosen the variant themselves go through what triton-link writes.
#ifndef NEREID_LINKER_TRITONKERNELSOURCE_H
#define NEREID_LINKER_TRITONKERNELSOURCE_H

#include "compiler/model/Diagnostics.h"
#include "linker/KernelObject.h"
#include "linker/TritonNames.h"

#include <array>
#include <optional>
#include <string>

namespace nereid {

struct TritonKernel {
  /// For GPUs, with one image at least.
  const TargetCode &code;
  /// How many parameters the signature names; the others have defaults.
  size_t parameterCount;
  /// Where the signature stands, and the kernel's name; for messages and comments.
  llvm::SMRange signatureRange;
  std::string title;
  /// The name that goes before the hash.
  std::string name;
  TritonNames names;
  /// C expressions of the arguments; of views that diagnostics.addSource returned.
  std::array<llvm::StringRef, 3> grid;

  std::string getSymbol() const { return name + "_" + names.hash + "_" + names.suffix; }
};

struct TritonKernelText {
  std::string header, source;
};

/// Reads `x, y, z`. Reports and returns nothing if that are not three expressions.
std::optional<std::array<llvm::StringRef, 3>> splitTritonGrid(llvm::StringRef text, Diagnostics &diagnostics);

/// Reports and returns nothing if the launch would need what these functions have no place for.
std::optional<TritonKernelText> writeTritonKernel(const TritonKernel &kernel, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_TRITONKERNELSOURCE_H
