// What a product's factor is before it goes to memory on chip: there it is stored as it was loaded, whichever
// axis is contiguous, and a transposition on the way is another view of the same memory.
#ifndef NEREID_COMPILER_TRANSFORMS_FACTORSOURCE_H
#define NEREID_COMPILER_TRANSFORMS_FACTORSOURCE_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

struct FactorSource {
  /// Before conversions and transpositions.
  mlir::Value value;
  /// The factor is `value` transposed.
  bool isTransposed = false;
  /// Of the factor's axes, the one along which neighbours were loaded together.
  unsigned contiguousAxis = 1;
};

/// Of a factor with two axes.
FactorSource findFactorSource(mlir::Value factor);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_FACTORSOURCE_H
