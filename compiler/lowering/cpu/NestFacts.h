// What is taken as true while a loop nest is emitted, because code in front of it has checked it.
//
// Kernels take strides as arguments, and most of the time the one of the last dimension is 1; tiles have
// masks, and most tiles lie wholly within them. Neither is known when the kernel is compiled, and either one
// decides between one vector and a gather or a masked access. So TileLoops emits a nest several times, each
// time under other facts, and a few comparisons that choose among them:
//
//     if (stride_n == 1)
//       if (row + 64 <= M && column + 128 <= N)  loads and stores of vectors
//       else                                     the same, with masks at the edges
//     else                                       gathers and scatters
#ifndef NEREID_COMPILER_LOWERING_CPU_NESTFACTS_H
#define NEREID_COMPILER_LOWERING_CPU_NESTFACTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::cpu {

struct NestFacts {
  /// Scalar integers that are 1.
  llvm::DenseSet<mlir::Value> ones;
  /// Tensors of i1 all of whose elements are true.
  llvm::DenseSet<mlir::Value> trueMasks;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_NESTFACTS_H
