// The memory that programs of the same kernel talk to each other through: what a kernel accesses atomically,
// with volatile loads, or in ways that are not known. There every access counts.
#ifndef NEREID_COMPILER_TRANSFORMS_CONTESTEDMEMORY_H
#define NEREID_COMPILER_TRANSFORMS_CONTESTEDMEMORY_H

#include "compiler/transforms/PointerRoots.h"

namespace nereid {

class ContestedMemory {
public:
  explicit ContestedMemory(mlir::ModuleOp module);

  /// Whether the pointer, or one of a tensor of them, may lead there.
  bool mayHold(mlir::Value pointer) const;

private:
  PointerRootAnalysis roots;
  PointerRoots contested;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_CONTESTEDMEMORY_H
