// How a tensor value changes from lane to lane, found from the operations that make it, without emitting
// code.
//
// getLaneStride answers: if the index of each dimension advances by steps[d] from one lane to the next, by
// how much does the value advance? For `ptr + splat(row) * stride + arange` along its one dimension that is 1
// (element), for a splat 0, for a loaded offset unknown. A known stride of 1 is what makes an access
// contiguous. Offsets are taken not to wrap around within a tile.
#ifndef NEREID_COMPILER_LOWERING_CPU_STRIDES_H
#define NEREID_COMPILER_LOWERING_CPU_STRIDES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace nereid::cpu {

/// Integers, pointers: the stride in units or elements. Other types: 0 if all lanes are equal. `extent` is
/// the number of lanes for which the answer must hold. A step of unknownStep stands for lanes that are not
/// evenly spaced.
constexpr int64_t unknownStep = INT64_MIN;

class Strides {
public:
  /// `isOpaque` says of which values nothing is known but their elements (those kept in buffers).
  /// `knownStride`, where it gives a number, overrules what would be found for a value.
  Strides(std::function<bool(mlir::Value)> isOpaque,
          std::function<std::optional<int64_t>(mlir::Value)> knownStride = nullptr)
      : isOpaque(std::move(isOpaque)), knownStride(std::move(knownStride)) {}

  std::optional<int64_t> getLaneStride(mlir::Value value, llvm::ArrayRef<int64_t> steps, int64_t extent);

  /// Whether the value advances by the same amount from each lane to the next, known or not.
  bool isAffine(mlir::Value value, llvm::ArrayRef<int64_t> steps, int64_t extent);

  /// Scalars that are taken to be 1 from here on; null: none.
  void setOnes(const llvm::DenseSet<mlir::Value> *scalars) { ones = scalars; }

  /// Adds the scalars that would have to be 1 for the value to have stride 1, if there are such.
  void collectOnes(mlir::Value value, llvm::ArrayRef<int64_t> steps, int64_t extent,
                   llvm::SmallVectorImpl<mlir::Value> &scalars);

private:
  std::optional<int64_t> getFactor(mlir::Value value) const;
  std::optional<int64_t> visit(mlir::Value value, llvm::ArrayRef<int64_t> steps, int64_t extent);

  std::function<bool(mlir::Value)> isOpaque;
  std::function<std::optional<int64_t>(mlir::Value)> knownStride;
  const llvm::DenseSet<mlir::Value> *ones = nullptr;
  /// Bounds the search where the same values are used again and again.
  unsigned visits = 0;
};

/// The integer that all elements of a constant, or of a splat of one, are.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// The scalar that all elements of a splat are, without conversions between integers; null if it is none.
mlir::Value getSplatInteger(mlir::Value value);

/// Where an operation that only rearranges (broadcast, transpose, …) takes lanes that advance by `steps` in
/// its result. False for other operations, and for reshapes that spread the lanes over several dimensions.
bool mapSteps(mlir::Operation *op, llvm::ArrayRef<int64_t> steps, int64_t extent,
              llvm::SmallVectorImpl<int64_t> &mapped);

/// Where a reshape takes lanes that advance by `steps` in its result: the steps in its source, for
/// power-of-two shapes whose lanes stay within one source dimension. False where lanes are spread over
/// several dimensions.
bool mapReshapeSteps(llvm::ArrayRef<int64_t> sourceShape, llvm::ArrayRef<int64_t> resultShape,
                     llvm::ArrayRef<int64_t> steps, int64_t extent,
                     llvm::SmallVectorImpl<int64_t> &sourceSteps);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_STRIDES_H
