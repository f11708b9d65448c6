// An estimate of the shared memory that a loop or a block needs, before AllocateSharedMemory.cpp places
// anything.
#ifndef NEREID_COMPILER_TRANSFORMS_LOOPMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_LOOPMEMORY_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid {

/// The bytes in use at the operation of the loop's body where they are most: scratch memory, buffers of the
/// loop, and those that are alive around it. Gaps, for alignment or between buffers, are not counted.
/// `isLeftOut` says which operations will need no memory.
unsigned estimateSharedMemory(mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isLeftOut);

/// The same for a function's block, and all in it.
unsigned estimateSharedMemory(mlir::Block &block);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LOOPMEMORY_H
