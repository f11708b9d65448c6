// Filling the regions of scf operations, which are made after their bodies have been walked.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_REGIONS_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_REGIONS_H

#include "mlir/IR/Region.h"
#include "mlir/IR/ValueRange.h"

namespace nereid::semantics {

class OperationWriter;

/// Moves the operations of `source` to the end of a region's only block and yields.
void fillRegion(OperationWriter &writer, mlir::Region &region, mlir::Block &source, mlir::ValueRange yielded);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_REGIONS_H
