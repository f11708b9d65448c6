// Which loaded scalars matter to one thread only.
//
// Every thread loads a scalar, but a scalar is stored by the block's first thread. Where nothing else becomes
// of what was loaded, it does not matter what the other threads see. Counters are of this kind, and sums
// along an array, as kernels that sort tokens by expert make them:
//
//     for i in range(1, n):
//         count = tl.load(counts + i)
//         total += count
//         tl.store(counts + i, total)
//
// All other uses want the same value in every thread: it decides where control goes, or what is loaded next,
// or becomes a part of a tile.
#ifndef NEREID_COMPILER_TRANSFORMS_STOREDSCALARS_H
#define NEREID_COMPILER_TRANSFORMS_STOREDSCALARS_H

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace nereid {

class StoredScalars {
public:
  explicit StoredScalars(tt::FuncOp function);

  /// Whether it is a store of a scalar, which one thread makes.
  static bool isByOneThread(mlir::Operation *op);
  /// Whether only such stores use what is computed of the value: as what they store, as their pointers or as
  /// their masks. Follows it through control flow.
  bool isOnlyStored(mlir::Value value) const;

private:
  /// Where control flow hands operands on to.
  mlir::RegionBranchSuccessorMapping receivers;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_STOREDSCALARS_H
