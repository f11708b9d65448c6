// Decides, before any code is emitted, which tensor values get memory of their own and which loops the kernel
// becomes.
//
// Most tensor values never exist as a whole: they are computed lane by lane inside the loops of what consumes
// them. The operations that need a loop are called roots: stores, reductions, scans, products, atomics, and
// what hands a tensor to another region (loops, branches, calls). A value is given a buffer only if
//
//  - it comes from a root, or is passed between regions;
//  - it was loaded, and memory may change before it is used (in the nest that uses it too, which stores what
//    it computes vector by vector), or it would be gathered more than once;
//  - it is dear to compute and would be computed more than once;
//  - a consumer needs its elements in any order (the operands of a product, the source of a gather).
//
// Filling such a buffer is a root too. Roots over the same shape that nothing separates form a group: one
// loop nest. In a softmax of one row, the maximum is one group; filling a buffer with the exponentials and
// summing them is the second; the division and the store the third. The row itself is loaded again in the
// second, since nothing was written since.
#ifndef NEREID_COMPILER_LOWERING_CPU_TILEPLAN_H
#define NEREID_COMPILER_LOWERING_CPU_TILEPLAN_H

#include "compiler/dialects/tt/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace nereid::cpu {

/// One loop nest.
struct RootGroup {
  /// The roots in program order; none if the group only fills buffers.
  llvm::SmallVector<mlir::Operation *, 2> roots;
  /// Values whose buffers are filled on the way.
  llvm::SmallVector<mlir::Value, 2> materialized;
  llvm::SmallVector<int64_t, 4> shape;
  /// The group is emitted where this operation stands.
  mlir::Operation *position = nullptr;
};

class TilePlan {
public:
  explicit TilePlan(tt::FuncOp function);

  /// The groups to emit at this operation.
  llvm::ArrayRef<RootGroup *> getGroupsAt(mlir::Operation *op) const {
    auto it = groupsAt.find(op);
    return it == groupsAt.end() ? llvm::ArrayRef<RootGroup *>() : llvm::ArrayRef<RootGroup *>(it->second);
  }

  /// Whether the value has a buffer, once it has been computed.
  bool isMaterialized(mlir::Value value) const { return materialized.contains(value); }

  /// Values that a product multiplies: their buffers hold what it multiplies with (float for narrow floats).
  bool isProductOperand(mlir::Value value) const { return productOperands.contains(value); }

  /// The loop-carried tile that a product may update in place, or null.
  mlir::BlockArgument getAccumulator(mlir::Operation *product) const { return accumulators.lookup(product); }

  /// A rough number of cycles that computing a vector of the value takes where it is consumed.
  unsigned getCost(mlir::Value value);

  /// Whether the operation's tensor results are computed where they are consumed, and not where it stands.
  static bool isVirtual(mlir::Operation *op);

private:
  struct Consumer {
    mlir::Operation *op;
    RootGroup *group;
    /// The consumer works on element i of the group's shape with element i of the value.
    bool sameIndex;
    /// Each element is consumed more than once.
    bool expanded;
    bool needsBuffer;
  };
  using Consumers = llvm::SmallVector<Consumer, 4>;

  void formGroups(mlir::Block &block);
  const Consumers &getConsumers(mlir::Value value);
  unsigned countRepeats(mlir::Value value);
  void decide(mlir::Value value);
  void materialize(mlir::Value value, const Consumers &consumers);
  bool isAddressLike(mlir::Value value);
  bool isGatheredLoad(tt::LoadOp load);
  bool isOverwritten(tt::LoadOp load, const Consumer &consumer);
  bool isWrittenBetween(mlir::Operation *from, mlir::Operation *to, const RootGroup *group);
  bool dependsOn(mlir::Value value, llvm::ArrayRef<mlir::Operation *> roots);
  mlir::Operation *getFirstPosition(mlir::Operation *op);
  void findAccumulators();

  llvm::SmallVector<std::unique_ptr<RootGroup>> groups;
  llvm::DenseMap<mlir::Operation *, RootGroup *> groupOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<RootGroup *, 1>> groupsAt;
  llvm::DenseMap<mlir::Value, RootGroup *> materialized;
  llvm::DenseSet<mlir::Value> productOperands;
  llvm::DenseMap<mlir::Operation *, mlir::BlockArgument> accumulators;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Consumers>> consumersOf;
  llvm::DenseMap<mlir::Value, unsigned> costs;
  /// How many elements of a value one element of what is computed from it takes, as far as splits say.
  llvm::DenseMap<mlir::Value, unsigned> repeats;
  /// Program order, and for each block the numbers of its operations that may write memory.
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *>> writes;
};

/// Whether the operation, or one inside it, may write memory that a load could read, or orders such accesses.
bool mayWrite(mlir::Operation *op);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_TILEPLAN_H
