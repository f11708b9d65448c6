// Which of a kernel's arguments a pointer comes from.
//
// Pointers that come from different arguments may still lead to the same memory, if the caller passed it
// twice. Who needs to be sure must not rely on roots; who only looks for accesses that the kernel's author
// must have meant to meet may.
#ifndef NEREID_COMPILER_TRANSFORMS_POINTERROOTS_H
#define NEREID_COMPILER_TRANSFORMS_POINTERROOTS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/FlowGraph.h"

#include "llvm/ADT/SetVector.h"

namespace nereid {

struct PointerRoots {
  llvm::SmallSetVector<mlir::Value, 2> arguments;
  /// The pointer may come from anywhere: from memory, from a number, from a function's caller.
  bool unknown = false;

  bool empty() const { return arguments.empty() && !unknown; }
  /// True if something was new.
  bool merge(const PointerRoots &other);
  /// Whether there may be a common root.
  bool meets(const PointerRoots &other) const;
  static PointerRoots anywhere();
};

bool isPointerLike(mlir::Value value);

class PointerRootAnalysis {
public:
  explicit PointerRootAnalysis(mlir::Operation *root) : flow(root) {}
  PointerRoots get(mlir::Value pointer) const;
  /// Of all pointers among the operands.
  PointerRoots getOfOperands(mlir::Operation *op) const;

private:
  ValueFlow flow;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_POINTERROOTS_H
