// The names that triton.tools.compile gives files and functions, which builds written for it count on.
//
// A kernel compiled as `matmul` under `*fp32:16, i32:1, 16` with 4 warps and 3 stages is the C function
//
//     matmul_1a2b3c4d_0d1c2       in    matmul.1a2b3c4d_0d1c2.c    and .h
//
// where 1a2b3c4d is a hash of the signature's text and of the options, and 0d1c2 counts the parameters, each
// with `d` if it is divisible by 16 and `c` if it is 1. Variants that differ in compile-time values, warps or
// stages are algorithms, told apart by a name too: `matmul_16x1_warps4xstages3`.
#ifndef NEREID_LINKER_TRITONNAMES_H
#define NEREID_LINKER_TRITONNAMES_H

#include "compiler/model/Specialization.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

struct TritonNames {
  /// `1a2b3c4d`
  std::string hash;
  /// `0d1c2`
  std::string suffix;
  /// `16x1_warps4xstages3`
  std::string algorithm;
};

/// `text` is the signature as it was given, `signature` what it says, by position and without tuples.
TritonNames nameForTriton(llvm::StringRef text, const Specialization &signature, unsigned numWarps,
                          unsigned numStages);

/// The name of an algorithm as part of a C identifier, which it is unless numbers in it have signs or points.
std::string spellAlgorithm(llvm::StringRef algorithm);

/// `path` with what its last component has from the last point on replaced by `suffix`: `out/matmul.old` with
/// `.h` is `out/matmul.h`. A point at its beginning or end belongs to the name.
std::string replaceSuffix(llvm::StringRef path, llvm::StringRef suffix);

} // namespace nereid

#endif // NEREID_LINKER_TRITONNAMES_H
