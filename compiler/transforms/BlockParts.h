// How tensors are divided among the blocks of a cluster, and what that asks of operations.
//
// A block has of a tensor its part along one axis, or the whole of it: block 1 of 2 has rows 32 to 63 of 64,
// say. Most operations work on parts as they do on whole tensors, if their operands are parts that fit:
//
//     %e = tt.expand_dims %x {axis = 1}   part along axis 0 of %e      needs the part along axis 0 of %x
//     %b = tt.broadcast %e                part along axis 1, of size 1 in %e      needs the whole of %e
//     %t = tt.trans %b                    part along axis 0            needs the part along axis 1 of %b
//
// Each rule is asked of one operation at a time, as those of layouts are (LayoutPropagation.h);
// SplitOverBlocks.cpp chains them.
#ifndef NEREID_COMPILER_TRANSFORMS_BLOCKPARTS_H
#define NEREID_COMPILER_TRANSFORMS_BLOCKPARTS_H

#include "compiler/dialects/tt/Dialect.h"

#include <optional>

namespace nereid {

/// The axis along which blocks have their parts, or none: each has the whole.
constexpr int wholeTensor = -1;

class BlockParts {
public:
  explicit BlockParts(int64_t numBlocks) : numBlocks(numBlocks) {}

  int64_t getNumBlocks() const { return numBlocks; }
  /// Whether there is a part along the axis for each block.
  bool canSplit(mlir::RankedTensorType type, int axis) const {
    return axis >= 0 && axis < type.getRank() && type.getDimSize(axis) >= numBlocks;
  }
  /// The first axis that can be split, or wholeTensor.
  int getUsualAxis(mlir::RankedTensorType type) const;
  mlir::RankedTensorType getPart(mlir::RankedTensorType whole, int axis) const;

  /// For each operand of an operation the axis of the part that it takes to compute a block's part of the
  /// result along `axis`, from parts alone. Nothing if it takes more, or if the operation is one whose place
  /// is chosen (products, reductions, scans; those that do something). `types` are the operands' and the
  /// result's types for whole tensors.
  std::optional<llvm::SmallVector<int, 4>> mapToOperands(mlir::Operation *op, int axis,
                                                         llvm::ArrayRef<mlir::RankedTensorType> operands,
                                                         mlir::RankedTensorType result) const;
  /// The other way: where the parts of operand `index` along `axis` are in the result; nothing if nowhere.
  std::optional<int> mapToResult(mlir::Operation *op, unsigned index, int axis,
                                 mlir::RankedTensorType operand, mlir::RankedTensorType result) const;

private:
  std::optional<int> mapReshape(mlir::RankedTensorType from, int axis, mlir::RankedTensorType to) const;

  int64_t numBlocks;
};

/// Whether an operation computes each element of its results from the elements of its operands at the same
/// place.
bool isElementByElement(mlir::Operation *op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_BLOCKPARTS_H
