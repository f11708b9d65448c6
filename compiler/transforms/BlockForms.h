// In what forms the values of a program are needed, when the blocks of a cluster divide it: whole, or as a
// block's part along one axis. SplitOverBlocks.cpp then makes the program of one block.
//
// What is cheap to compute is computed in each form that somebody needs: a range, an address, arithmetic, and
// loads too, so that a factor of a product that all blocks need is loaded by all. Other values have one
// place:
//
//   - A product's rows are divided, or its columns where there are too few rows.
//   - A reduction goes along an axis that is whole, if there is another one to divide. Otherwise each
//     block reduces its part, and the blocks' results are brought together and reduced once more.
//   - A scan goes along an axis that is whole, or is computed by all.
//   - What loops and branches hand around is as its first user needs it, for all who hand it on.
//
// First each operation that has one place is given it, going forward, so that what is computed from each
// other lies alike (BlockPlaces.cpp). Then what is stored demands its operands in the form that it has
// itself, and so on backwards (BlockForms.cpp).
#ifndef NEREID_COMPILER_TRANSFORMS_BLOCKFORMS_H
#define NEREID_COMPILER_TRANSFORMS_BLOCKFORMS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/BlockParts.h"
#include "compiler/transforms/PointerRoots.h"

#include <optional>
#include <vector>

namespace nereid {

class BlockForms {
public:
  BlockForms(tt::FuncOp function, int64_t numBlocks);

  /// Fails after an error was reported.
  mlir::LogicalResult find();

  /// What control flow hands around: all values that must be in the same form, and all that may arrive in
  /// them.
  struct Slot {
    llvm::SmallVector<mlir::Value, 4> receivers;
    llvm::SmallVector<mlir::OpOperand *, 4> senders;
    std::optional<int> axis;
  };

  // All of these are as the program was before anything is rewritten.

  const BlockParts &getParts() const { return parts; }
  /// The function's operations in order, but for those in regions of reductions and their like.
  llvm::ArrayRef<mlir::Operation *> getOperations() const { return ops; }
  llvm::ArrayRef<Slot> getSlots() const { return slots; }
  const Slot *getSlot(mlir::Value value) const {
    auto it = slotOf.find(value);
    return it == slotOf.end() ? nullptr : &slots[it->second];
  }
  /// The type of a tensor; null for other values.
  mlir::RankedTensorType getWhole(mlir::Value value) const { return wholeTypes.lookup(value); }
  /// Of tensor maps among the parameters: the axis of the matrix that a tile is.
  const llvm::DenseMap<mlir::Value, int> &getDescriptorAxes() const { return descriptorAxes; }

  /// The forms that are needed of a value: axes, or wholeTensor.
  llvm::SmallVector<int, 2> getDemands(mlir::Value value) const { return demands.lookup(value); }
  /// The forms in which an operation is computed, as its operands lie.
  llvm::SmallVector<int, 2> getComputed(mlir::Operation *op) const { return computed.lookup(op); }
  /// Of an operation that is computed in one: which.
  int getPlace(mlir::Operation *op) const { return places.lookup(op); }
  /// Whether it is so because it has an effect, or may look at others' effects.
  bool hasOnePlace(mlir::Operation *op) const { return onePlace.contains(op); }
  /// Whether the operation stays and gets other operands. All others are copied for each form of their
  /// results.
  bool isInPlace(mlir::Operation *op) const;
  /// Along which axes the operands of an operation lie that is computed along one, and its results.
  llvm::SmallVector<int, 4> getOperandAxes(mlir::Operation *op, int axis) const;
  int getResultAxis(mlir::Operation *op, int axis) const;
  /// The form in which the operation computes what is wanted along an axis.
  int getComputedAxis(mlir::Operation *op, int wanted);

private:
  void collect(mlir::Region &region);
  void findSlots();
  void findOnePlaces();
  bool findsOnePlace(mlir::Operation *op) const;
  bool mustChoosePlace(mlir::Operation *op) const;
  void choosePlaces();
  std::optional<int> getPreferred(mlir::Value value) const;
  int choosePlace(mlir::Operation *op) const;
  int chooseProduct(mlir::Operation *op) const;
  int chooseReduction(tt::ReduceOp op) const;
  int chooseScan(tt::ScanOp op) const;
  int chooseDescriptorAxis(tt::TensorDescType type, mlir::RankedTensorType tile) const;

  mlir::LogicalResult findDemands();
  void demand(mlir::Value value, int axis);
  void compute(mlir::Operation *op, int axis);
  std::optional<llvm::SmallVector<int, 4>> mapToOperands(mlir::Operation *op, int axis) const;

  tt::FuncOp function;
  BlockParts parts;
  PointerRootAnalysis roots;
  /// The memory that programs of the same kernel talk to each other through.
  PointerRoots contested;
  llvm::DenseSet<mlir::Operation *> onePlace;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, mlir::RankedTensorType> wholeTypes;
  std::vector<Slot> slots;
  llvm::DenseMap<mlir::Value, unsigned> slotOf;
  llvm::DenseMap<mlir::Value, int> preferred;
  llvm::DenseMap<mlir::Operation *, int> places;
  llvm::DenseMap<mlir::Value, int> descriptorAxes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int, 2>> demands;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 2>> computed;
  std::vector<std::pair<mlir::Value, int>> worklist;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_BLOCKFORMS_H
