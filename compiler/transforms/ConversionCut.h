// Where else a conversion might be made, if it must be made: of less that its source is computed from.
#ifndef NEREID_COMPILER_TRANSFORMS_CONVERSIONCUT_H
#define NEREID_COMPILER_TRANSFORMS_CONVERSIONCUT_H

#include "compiler/transforms/RematerializedSlice.h"

namespace nereid {

/// Erases the operation and what only served it, but for conversions, of which lists are kept.
void eraseDead(mlir::Operation *op);

/// How many conversions might begin with a value in a layout in place of what is computed from it.
using Sharers = llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, int64_t>;

/// Conversions by what they convert, and to which layout.
using KnownConversions = llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, ttg::ConvertLayoutOp>;

/// Where else a conversion might be made: of what its source is computed from, element by element. Each value
/// on the way is either computed again in the layout that is wanted or converted, whichever costs less.
class ConversionCut {
public:
  ConversionCut(ttg::ConvertLayoutOp root, const RematerializationFacts &facts, const Sharers &sharers,
                KnownConversions &known)
      : root(root), facts(facts), sharers(sharers), known(known) {}

  /// Whether that is cheaper than the conversion as it is.
  bool isBetter();
  /// Puts copies and conversions in the conversion's place, and erases it; returns the conversions that are
  /// new.
  llvm::SmallVector<ttg::ConvertLayoutOp> rewrite();

  /// Counts what conversions of this source could have in common.
  static void count(ttg::ConvertLayoutOp root, Sharers &sharers);

private:
  using Wanted = std::pair<mlir::Value, mlir::Attribute>;
  /// The layout of the operands if the operation may be repeated in this one.
  static std::optional<mlir::Attribute> mayRepeat(mlir::Operation *op, mlir::Attribute layout);
  int64_t choose(mlir::Value value, mlir::Attribute layout);
  int64_t getCostOfCopy(mlir::Operation *op, mlir::Attribute layout) const;
  int64_t getCostOfConversion(mlir::Value value, mlir::Attribute layout) const;
  int64_t getShare(mlir::Value value, mlir::Attribute layout) const {
    return std::max<int64_t>(1, sharers.lookup({value, layout}));
  }
  int64_t inLoop(mlir::Value value, int64_t cost) const;
  bool isRow() const { return mlir::cast<mlir::RankedTensorType>(root.getType()).getRank() < 2; }
  bool keepsTooMuch() const;
  /// Before which operation of the value's block something is made of it. That is where it is needed, not
  /// where the value is: a load between them need not wait.
  mlir::Operation *getPlace(mlir::Value value) const {
    return value.getParentBlock()->findAncestorOpInBlock(*root);
  }
  void listChosen(mlir::Value value, mlir::Attribute layout);

  mutable ttg::ConvertLayoutOp root;
  const RematerializationFacts &facts;
  const Sharers &sharers;
  KnownConversions &known;
  llvm::DenseMap<Wanted, bool> isRepeated;
  llvm::SetVector<Wanted> copies, conversions;
  llvm::DenseSet<mlir::Operation *> dying;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_CONVERSIONCUT_H
