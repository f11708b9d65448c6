// Which pointer arguments a kernel never writes through: their C arguments are const, and GPUs may read them
// through the read-only cache.
//
// The question is asked from the other end: from every operation that may write memory, pointers are followed
// back to the arguments that they may come from, through arithmetic, loops, branches and calls. A pointer
// that was loaded from memory or made from an integer could be any; then the arguments whose addresses were
// taken as integers, or stored, count as written.
#ifndef NEREID_COMPILER_TRANSFORMS_READONLYARGUMENTS_H
#define NEREID_COMPILER_TRANSFORMS_READONLYARGUMENTS_H

#include "compiler/dialects/tt/Dialect.h"

#include "llvm/ADT/BitVector.h"

namespace nereid {

/// One bit an argument: a pointer (or descriptor) that is never written through.
llvm::BitVector findReadOnlyArguments(tt::FuncOp function);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_READONLYARGUMENTS_H
