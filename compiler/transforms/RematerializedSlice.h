// What has to be computed a second time, in another layout, for a conversion to go. RematerializeLayouts
// weighs it against the conversion.
#ifndef NEREID_COMPILER_TRANSFORMS_REMATERIALIZEDSLICE_H
#define NEREID_COMPILER_TRANSFORMS_REMATERIALIZEDSLICE_H

#include "compiler/transforms/ContestedMemory.h"
#include "compiler/transforms/ConversionCosts.h"

namespace nereid {

/// What decides about the copies of one module.
struct RematerializationFacts {
  AxisInfoAnalysis axes;
  ContestedMemory contested;
  bool beforePipelining;
  mutable llvm::DenseMap<mlir::Operation *, unsigned> registersOfLoops;
  RematerializationFacts(mlir::ModuleOp module, bool beforePipelining)
      : axes(module), contested(module), beforePipelining(beforePipelining) {}
};

/// Whether the loop around a conversion, if any, has no registers left for its source.
bool isShortOfRegisters(ttg::ConvertLayoutOp convert, const RematerializationFacts &facts);

/// What would have to be computed again for one conversion to go: the operations that its source is computed
/// from, backwards, each with the layout that the wanted one asks of it.
class RematerializedSlice {
public:
  /// `dying` are operations that will be gone with the conversion.
  RematerializedSlice(ttg::ConvertLayoutOp convert, const RematerializationFacts &facts,
                      const llvm::DenseSet<mlir::Operation *> *dying = nullptr);

  /// Whether nothing on the way forbids it. The other functions are for a slice that was collected.
  bool collect();
  int64_t getCost() const;
  /// Makes the copies; returns the new value for the conversion's result.
  mlir::Value rewrite();
  /// Whether there are loops that the rewriting replaces.
  bool changesLoops() const { return !carried.empty(); }

private:
  /// The layout in which a copy of an operation's only result is wanted, and the one that its operands must
  /// have then.
  struct Copy {
    mlir::Attribute layout, operandLayout;
    /// For how many neighbours one number is enough: an address or a mask for each vector of a load.
    int64_t neighbours;
  };

  bool collect(mlir::Value value, mlir::Attribute layout, int64_t neighbours = 1);
  bool collectCarried(mlir::BlockArgument argument, mlir::Attribute layout);
  int64_t getCost(llvm::function_ref<bool(mlir::Operation *)> stays) const;
  int64_t getCost(mlir::Operation *op, llvm::ArrayRef<Copy> wanted, bool stays) const;
  /// Where originals that are needed keep what they are computed from, too.
  int64_t getCostBesideOriginals() const;
  /// Whether something takes none of the copies.
  bool isKept(mlir::Operation *op) const;
  /// Whether a use is none of those that take copies, so that the original is needed, too.
  bool keeps(mlir::OpOperand &use) const;
  mlir::Value lookup(mlir::Value value, mlir::Attribute layout) const;
  /// Gives loops their new values, which begin and go on as conversions of the old ones until the copies are
  /// there.
  void extendLoops();
  void finishLoops();

  mutable ttg::ConvertLayoutOp convert;
  const RematerializationFacts &facts;
  const llvm::DenseSet<mlir::Operation *> *dying;
  /// Whether the conversion is one of shuffles, a few for each vector that a load might bring as it is.
  bool isShuffled;
  /// How many instructions of a load are little beside the tiles of a round whose warps meet for the
  /// conversion alone; else 0.
  int64_t mostForLone;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Copy, 1>> operations;
  /// What loops carry in another layout, too; the numbers of their values.
  struct Carried {
    unsigned index;
    mlir::Attribute layout;
    unsigned copy = 0;
  };
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Carried, 2>> carried;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> copies;
  unsigned count = 0;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_REMATERIALIZEDSLICE_H
