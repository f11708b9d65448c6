// How a product's factor lies in shared memory where threads read it as matrix fragments.
#ifndef NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// Rows of vectors of 16 bytes along `order`'s first axis, permuted so that eight lanes that read such
/// vectors from eight rows, as ldmatrix does, meet all banks.
mlir::Attribute chooseFactorMemory(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> order);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_FACTORMEMORY_H
