// Computes tensor values at an index, inside the loop nests that roots are.
//
// evaluate(value, indices) follows the operations that make the value, mapping the index through those that
// only rearrange (a transpose permutes it), and emits the computation of the lanes asked for: a vector, or a
// scalar if all lanes are equal. Each piece of code goes to the outermost loop of the nest that knows its
// indices (see Index.h), and is remembered there, so that a row's address or a row's scale is computed once a
// row.
//
// Masked accesses. A chunk loop is run twice: first over the whole chunks in which every mask of the usual
// form, an advancing index compared with a bound, is known to hold, with plain accesses; then over the rest
// with masked ones. collectPrefix() finds how many lanes of the row that is.
#ifndef NEREID_COMPILER_LOWERING_CPU_TILEEVALUATOR_H
#define NEREID_COMPILER_LOWERING_CPU_TILEEVALUATOR_H

#include "compiler/lowering/cpu/Elementwise.h"
#include "compiler/lowering/cpu/Index.h"
#include "compiler/lowering/cpu/NestFacts.h"
#include "compiler/lowering/cpu/Strides.h"
#include "compiler/lowering/cpu/TilePlan.h"

#include <set>
#include <vector>

namespace nereid::cpu {

/// A tile in memory, row-major.
struct Buffer {
  llvm::Value *pointer = nullptr;
  mlir::RankedTensorType type;
  /// Usually the element's memory type; float for narrow floats that a product multiplies.
  llvm::Type *stored = nullptr;
};

/// The values of the function being lowered.
struct ValueMap {
  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
};

class TileEvaluator {
public:
  TileEvaluator(llvm::IRBuilder<> &builder, ElementEmitter &emitter, ValueMap &values, TilePlan &plan)
      : b(builder), emitter(emitter), values(values), plan(plan),
        strides([this](mlir::Value value) { return hasBuffer(value); }) {}

  ElementEmitter &getEmitter() { return emitter; }

  // The loop nest.

  /// Starts a nest in the builder's block, with `lanes` lanes a chunk. Values in `produced` are computed
  /// here, for the first time, even though they have buffers.
  void beginNest(unsigned lanes, llvm::ArrayRef<mlir::Value> produced);
  void endNest();
  /// Enters a loop whose body begins with the builder's block; leaves the innermost.
  void pushLevel();
  void popLevel();
  unsigned getLevel() const { return levels.size() - 1; }
  unsigned getLanes() const { return lanes; }
  bool hasFailed() const { return failed; }
  void setFailed() { failed = true; }

  /// The number of elements in the chunk loop's dimension.
  void setRowExtent(int64_t extent) { rowExtent = extent; }

  /// Takes facts as true until others are set; null: none.
  void setFacts(const NestFacts *known) {
    facts = known;
    strides.setOnes(known ? &known->ones : nullptr);
  }
  /// The masks of the loads that `value` is computed from, and the conditions of its selections.
  void collectMasks(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &masks,
                    llvm::SmallVectorImpl<mlir::Value> &choices);
  /// Emits the comparisons by which the mask, or parts of it, would be true everywhere. The parts are added
  /// to `facts`, the comparisons to `condition`, which may be null for none yet.
  void checkWholeMask(mlir::Value mask, NestFacts &facts, llvm::Value *&condition);

  /// An index that all lanes share.
  Index uniform(llvm::Value *base, unsigned level) { return {base, 0, nullptr, level, false}; }
  Index constantIndex(int64_t value) { return {b.getInt64(value), 0, nullptr, 0, false}; }

  /// The indices in a tile of shape `from` of the elements at `indices` in a tile of shape `to`, both
  /// row-major.
  void mapReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to, const Indices &indices,
                  Indices &mapped);

  // Values.

  llvm::Value *evaluate(mlir::Value value, const Indices &indices);
  /// The mask of an access, or null if it is known to hold for every lane.
  llvm::Value *evaluateMask(mlir::Value mask, const Indices &indices);
  /// The scalar that a non-tensor value is.
  llvm::Value *getScalar(mlir::Value value);

  // Memory.

  /// How an access reaches memory: one vector from `base` up (stride 1) or down (-1), one element (0),
  /// elements at known `offsets` from `base`, elements `distance` bytes apart, or anywhere (`base` is a
  /// vector of pointers).
  struct Access {
    llvm::Value *base;
    std::optional<int64_t> stride;
    llvm::SmallVector<int64_t> offsets = {};
    llvm::Value *distance = nullptr;
  };
  Access getAccess(mlir::Value pointers, const Indices &indices);
  /// `mask` and `other` may be null.
  llvm::Value *load(const Access &access, mlir::Type element, llvm::Value *mask, llvm::Value *other,
                    bool isVolatile = false);
  void store(const Access &access, mlir::Type element, llvm::Value *value, llvm::Value *mask);
  llvm::Value *readBuffer(const Buffer &buffer, const Indices &indices);
  void writeBuffer(const Buffer &buffer, const Indices &indices, llvm::Value *value);
  /// A value's register form as what the buffer stores, and back.
  llvm::Value *toStored(const Buffer &buffer, llvm::Value *value);
  llvm::Value *fromStored(const Buffer &buffer, llvm::Value *value);
  /// The address of an element; of lane 0's where lanes differ.
  llvm::Value *getElementAddress(const Buffer &buffer, const Indices &indices);

  // Prefixes of masks.

  /// A mask, or a part of one, at an index.
  struct Condition {
    mlir::Value value;
    Indices indices;
    /// It holds for some first lanes of the row and no others, rather than for all or none of them.
    bool isPrefix;
  };
  struct Prefix {
    llvm::SmallVector<Condition> conditions;
    /// How many lanes from the row's first on every condition holds; null if there are no conditions.
    llvm::Value *count = nullptr;
    /// From which lane on no condition with isPrefix holds; null if there are no such conditions.
    llvm::Value *none = nullptr;
    llvm::DenseSet<mlir::Value> visited;
  };
  /// Adds the masks of every load that `value` is computed from (the value of a mask itself: addMask). Called
  /// in a row, before its chunk loop; `indices` are those that the chunk loop will use.
  void collectPrefix(mlir::Value value, const Indices &indices, int64_t extent, Prefix &prefix);
  void addMask(mlir::Value mask, const Indices &indices, int64_t extent, Prefix &prefix);
  /// Takes the conditions as true at the innermost level from here on, or those with isPrefix as false; null:
  /// no more.
  void assume(const Prefix *prefix, bool truth = true) {
    assumed = prefix;
    assumedTruth = truth;
  }

private:
  struct Level {
    llvm::BasicBlock *block = nullptr;
    llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Indices, llvm::Value *>, 1>> known;
  };

  /// A remainder that an address is computed from, and where.
  struct Remainder {
    mlir::Operation *op;
    Indices indices;
  };

  /// A number that an integer is a multiple of (0: it is 0), and whether it is known to be 0 or more.
  struct Multiple {
    int64_t of = 1;
    bool isNonNegative = false;
  };
  /// The distances of a value's lanes from lane 0, and what is known of that.
  struct LanePattern {
    llvm::SmallVector<int64_t> offsets;
    Multiple first;

    bool isUniform() const {
      return llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
    }
  };

  llvm::Value *compute(mlir::Value value, const Indices &indices);
  Multiple getMultiple(mlir::Value scalar, unsigned depth = 0);
  Multiple combineMultiples(mlir::Operation *op, Multiple x, Multiple y);
  std::optional<LanePattern> getPattern(mlir::Value value, const Indices &indices);
  std::optional<LanePattern> findPattern(mlir::Value value, const Indices &indices);
  llvm::Value *computeByPattern(mlir::Operation *op, const Indices &indices);
  llvm::Value *loadPattern(llvm::Value *base, llvm::Type *stored, llvm::ArrayRef<int64_t> offsets,
                           llvm::Value *mask, llvm::Value *passThrough, llvm::Align align);
  bool storePattern(llvm::Value *base, llvm::Type *stored, llvm::ArrayRef<int64_t> offsets,
                    llvm::Value *value, llvm::Value *mask, llvm::Align align);
  Access getPatternAccess(llvm::Value *base, llvm::ArrayRef<int64_t> offsets);
  bool isAffineRow(mlir::Value pointers, const Indices &indices);
  Access getAffineAccess(mlir::Value pointers, const Indices &indices, llvm::Type *stored);
  llvm::Value *getLanePointers(const Access &access, llvm::Type *stored);
  llvm::Value *getLanePointer(const Access &access, llvm::Type *stored, unsigned lane);
  void checkWholeCompare(mlir::Operation *op, NestFacts &facts, llvm::Value *&condition);
  llvm::Value *computeLoad(tt::LoadOp load, const Indices &indices);
  llvm::Value *computeConstant(mlir::DenseElementsAttr constant, const Indices &indices);
  llvm::Value *computeReduce(tt::ReduceOp reduce, mlir::Value value, const Indices &indices);
  llvm::Value *computeGather(tt::GatherOp gather, const Indices &indices);
  llvm::Value *selectHalf(mlir::Value lhs, mlir::Value rhs, const Indices &inner, const Index &which);
  bool mapIndices(mlir::Operation *op, const Indices &indices, Indices &mapped);
  bool hasBuffer(mlir::Value value);
  /// What the value is assumed to be, or null.
  llvm::Constant *getAssumed(mlir::Value value, const Indices &indices);
  void enterLevel(unsigned level);
  unsigned getLevelOf(const Indices &indices) const;
  llvm::Value *getIndexLanes(const Index &index);
  /// An index at known distances from a base.
  Index getPatternIndex(llvm::Value *base, llvm::ArrayRef<int64_t> offsets, unsigned level);
  llvm::Value *poison(mlir::Value value);
  void addCondition(mlir::Value condition, const Indices &indices, llvm::Value *count, bool isPrefix,
                    Prefix &prefix);
  std::optional<int64_t> getRowStride(mlir::Value value, const Indices &indices, int64_t extent);
  void collectRemainders(mlir::Value value, const Indices &indices,
                         llvm::SmallVectorImpl<Remainder> &remainders,
                         llvm::DenseMap<mlir::Value, llvm::SmallVector<Indices, 1>> &seen);
  bool isRowUnlessWrapped(mlir::Value pointers, const Indices &indices,
                          llvm::SmallVectorImpl<Remainder> &remainders);
  llvm::Value *getNoneWraps(llvm::ArrayRef<Remainder> remainders);
  bool followsRow(const Indices &indices) const;
  Indices atFirstLane(const Indices &indices, bool ofRow);

  llvm::IRBuilder<> &b;
  ElementEmitter &emitter;
  ValueMap &values;
  TilePlan &plan;
  Strides strides;
  std::set<std::vector<int64_t>> patterns;
  llvm::SmallVector<Level, 4> levels;
  llvm::ArrayRef<mlir::Value> produced;
  const Prefix *assumed = nullptr;
  bool assumedTruth = true;
  const NestFacts *facts = nullptr;
  unsigned lanes = 1, patternVisits = 0;
  int64_t rowExtent = 0;
  bool failed = false;
};

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_TILEEVALUATOR_H
