// Products of f32 factors as products of parts that matrix units multiply exactly.
//
// A matrix unit takes f32 as tf32, with 11 significant bits of the 24, or has bf16, with 8. So each factor is
// split into two or three parts, a = a0 + a1 + …, each as large as the last bits of the one before
// (ttg.factor_part), and the products of the parts that count are added:
//
//     tf32x3, bf16x3    a1 b0 + a0 b1 + a0 b0
//     bf16x6            a1 b1 + a2 b0 + a0 b2 + a1 b0 + a0 b1 + a0 b0
//
// The sum of a tile begins at zero with the smallest products, so that they are not lost beside the large
// ones, and joins what was summed up before as a whole: the unit cuts off bits of each sum, which a threads'
// addition rounds.
//
// An infinite factor has no smaller parts: infinity less infinity is NaN, and so would be the whole sum. What
// the small products give is therefore only added where it is finite, and infinities and NaNs are those of a0
// b0.
#ifndef NEREID_COMPILER_TRANSFORMS_PRODUCTPARTS_H
#define NEREID_COMPILER_TRANSFORMS_PRODUCTPARTS_H

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace nereid {

/// How the factors of a product are split.
struct ProductParts {
  /// Of the parts: bf16, or f32 for tf32.
  mlir::Type element;
  /// Of each factor.
  unsigned count;
  /// Which part of the left factor is multiplied by which one of the right: the smallest product first.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> products;
};

/// Nothing where the product's factors are not f32, or are taken as they are or as one part.
std::optional<ProductParts> getProductParts(tt::DotOp dot);

/// The parts of a factor, the largest first, in its layout.
llvm::SmallVector<mlir::Value, 3> splitFactor(mlir::OpBuilder &builder, mlir::Location location,
                                              mlir::Value factor, const ProductParts &parts);

/// `sum` plus the products of all parts. `multiply` makes the product of two parts, given their numbers, and
/// adds it to a sum of the same type.
mlir::Value
addPartProducts(mlir::OpBuilder &builder, mlir::Location location, const ProductParts &parts, mlir::Value sum,
                llvm::function_ref<mlir::Value(unsigned left, unsigned right, mlir::Value sum)> multiply);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_PRODUCTPARTS_H
