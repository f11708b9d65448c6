// How far out of loops something may go that is computed from a value: before the outermost of the loops
// around its use that leave the value alone.
//
//     scf.for %i … {                %x is made here, and changes with %i
//       scf.for %j … {              the outermost loop of %x and the use
//         scf.for %k … { use %x }
#ifndef NEREID_COMPILER_TRANSFORMS_OUTERMOSTLOOP_H
#define NEREID_COMPILER_TRANSFORMS_OUTERMOSTLOOP_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace nereid {

/// The outermost loop around `op` that does not change `value`; null if there is none.
mlir::Operation *findOutermostLoop(mlir::Operation *op, mlir::Value value);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_OUTERMOSTLOOP_H
