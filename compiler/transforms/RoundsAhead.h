// What a round of a loop may do for a later one.
#ifndef NEREID_COMPILER_TRANSFORMS_ROUNDSAHEAD_H
#define NEREID_COMPILER_TRANSFORMS_ROUNDSAHEAD_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/PointerRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

/// Whether a round of the loop may write what a load from `pointer` reads in a later one: through the same
/// argument, or where an atomic operation's result, or a load that is one look (isOneLook), may tell that
/// somebody else has written.
bool mayReadWhatIsWritten(mlir::scf::ForOp loop, mlir::Value pointer, const PointerRootAnalysis &roots);

/// Whether what this gives may be known rounds before it is needed: if it has no effects, or loads a few
/// numbers that nothing in the loop writes.
bool mayRunAhead(mlir::scf::ForOp loop, mlir::Operation *op, const PointerRootAnalysis &roots);

/// What a thread loads, in bits.
unsigned countLoadedBits(tt::LoadOp load);

/// Whether a thread keeps what it loads in a few registers.
bool isSmall(tt::LoadOp load);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_ROUNDSAHEAD_H
