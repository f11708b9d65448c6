// The place in the user's own source that an operation comes from.
#ifndef NEREID_COMPILER_LOWERING_SOURCE_SOURCEPOSITION_H
#define NEREID_COMPILER_LOWERING_SOURCE_SOURCEPOSITION_H

#include "mlir/IR/Location.h"

#include <string>

namespace nereid {

/// A line and a column from 1; 0 where nothing is known.
struct SourcePosition {
  std::string path;
  unsigned line = 0, column = 0;
};

/// Where code of the language's own functions was inlined (tl.sum), the call of it. Otherwise the innermost
/// position.
SourcePosition findUserPosition(mlir::Location location);

} // namespace nereid

#endif // NEREID_COMPILER_LOWERING_SOURCE_SOURCEPOSITION_H
