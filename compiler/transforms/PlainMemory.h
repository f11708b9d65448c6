// Memory on chip in which elements lie one behind the other, with no permutation: what is looked up element
// by element, or read by no more than one row at a time.
#ifndef NEREID_COMPILER_TRANSFORMS_PLAINMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_PLAINMEMORY_H

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// Neighbours along `order`'s first axis are neighbours in memory.
ttg::SwizzledSharedEncodingAttr getPlainLayout(mlir::MLIRContext *context, llvm::ArrayRef<unsigned> order);

/// A buffer that holds a tensor in such a layout, filled before `place`.
ttg::LocalAllocOp fillPlainMemory(mlir::Operation *place, mlir::Value source, llvm::ArrayRef<unsigned> order);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_PLAINMEMORY_H
