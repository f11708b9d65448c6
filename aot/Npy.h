// Reads and writes NumPy's .npy files, so that `nereid run` can take and give arrays.
//
// Format: NEP 1 ("A Simple File Format for NumPy Arrays"): a magic, a version, the length of a header, the
// header as a Python literal ({'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }), then the
// elements. Versions 1 to 3 are read; little-endian and C order only, since nothing else can be handed to a
// kernel as it is.
#ifndef NEREID_AOT_NPY_H
#define NEREID_AOT_NPY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid {

struct NpyArray {
  /// NumPy's name of the element type without the byte order: `f4`, `i8`, `u1`, `b1`; `V2` for types NumPy
  /// lacks.
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  unsigned getElementSize() const;
};

/// `path` is only used in messages.
llvm::Expected<NpyArray> parseNpy(llvm::StringRef contents, llvm::StringRef path);
std::string printNpy(const NpyArray &array);

} // namespace nereid

#endif // NEREID_AOT_NPY_H
