// How a product's factor lies in shared memory where threads read it as matrix fragments.
#ifndef NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// Rows of vectors of 16 bytes along `order`'s first axis, permuted so that eight lanes that read such
/// vectors from eight rows, as ldmatrix does, meet all banks.
///
/// `readsAcross`: fragments are read whose registers hold neighbours along the other axis. Of 32-bit
/// elements, a warp then reads eight of one row from each of four rows; vectors of 32 bytes are permuted, so
/// that these meet all banks.
mlir::Attribute chooseFactorMemory(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> order,
                                   bool readsAcross = false);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H
