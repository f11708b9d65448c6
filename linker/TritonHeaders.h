// What the headers of ahead-of-time compiled kernels say to a linker, in comments: those that triton-compile
// writes, and those that triton.tools.compile does, so that a build may mix them.
//
//     // tt-linker: matmul_1a2b3c4d_0d1c2:CUdeviceptr a, int32_t n:16x1_warps4xstages3
//
// is one variant: its function, the arguments that callers give, and the algorithm that it is one of. Which
// argument is divisible by 16 or equal to 1 is read from the suffix, counting arguments. That is wrong where
// a compile-time value stands before an argument in the signature, so our headers have a line of their own
// for it:
//
//     // nereid-arguments: matmul_1a2b3c4d_0d1c2:16,1
#ifndef NEREID_LINKER_TRITONHEADERS_H
#define NEREID_LINKER_TRITONHEADERS_H

#include "compiler/model/Diagnostics.h"
#include "compiler/model/Target.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace nereid {

struct TritonArgument {
  std::string type, name;
  /// What the argument has to be a multiple of, 16, or to equal, 1; 0 where it may be anything.
  unsigned hint = 0;
};

struct TritonVariant {
  /// `matmul_1a2b3c4d_0d1c2`
  std::string symbol;
  /// `matmul`
  std::string kernel;
  /// `matmul_16x1_warps4xstages3`
  std::string algorithm;
  std::vector<TritonArgument> arguments;
  Backend backend = Backend::CUDA;
  /// Where the header describes it.
  llvm::SMRange range;
};

/// Adds the variants that a header describes, a view that diagnostics.addSource returned. One that describes
/// none adds none. Reports and returns false if a description is not one.
bool readTritonHeader(llvm::StringRef text, std::vector<TritonVariant> &variants, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_TRITONHEADERS_H
