// Which elements of a tile a piece of code works on.
//
// A loop nest runs over a tile, the innermost loop in chunks of W lanes. At any place there is one Index a
// dimension. In the loop nest of a 64x128 tile, chunks of 8 along the second dimension, with loop variables i
// and j:
//
//     dimension 0: base = i, step = 0 (all lanes in row i); dimension 1: base = j, step = 1 (lanes j, j+1, …
//     j+7)
//
// For the transposed tile the two swap places; for a broadcast 64x1 tile the second becomes base = 0, step =
// 0, and with it whatever is computed no longer depends on the chunk: it is a scalar, computed once a row.
// `level` says how deep in the nest a base is known, which is where code that depends on it is put.
#ifndef NEREID_COMPILER_LOWERING_CPU_INDEX_H
#define NEREID_COMPILER_LOWERING_CPU_INDEX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

#include <cstdint>

namespace nereid::cpu {

struct Index {
  /// Lane 0's index, an i64. Null where `lanes` is set.
  llvm::Value *base = nullptr;
  int64_t step = 0;
  /// A vector of i64, for lanes that are anywhere.
  llvm::Value *lanes = nullptr;
  unsigned level = 0;
  /// The index of the chunk loop itself, and not something computed from it.
  bool isChunk = false;
  /// Known distances from the base that are not multiples of a step, one a lane, with step = 0: lanes 0, 0,
  /// 1, 1, … of a dimension that several lanes share. Kept by the evaluator, equal ones at the same place.
  llvm::ArrayRef<int64_t> pattern = {};

  bool isUniform() const { return !lanes && step == 0 && pattern.empty(); }
  /// Where the distance between lanes is one number, or 0.
  bool isEven() const { return !lanes && pattern.empty(); }
  int64_t getOffset(unsigned lane) const { return pattern.empty() ? step * int64_t(lane) : pattern[lane]; }
  friend bool operator==(const Index &a, const Index &b) {
    return a.base == b.base && a.step == b.step && a.lanes == b.lanes && a.isChunk == b.isChunk &&
           a.pattern.data() == b.pattern.data();
  }
};

using Indices = llvm::SmallVector<Index, 4>;

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_INDEX_H
