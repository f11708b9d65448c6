// What each thread has of a reduction, before threads meet.
//
// A row of 64 elements may be spread over registers and lanes as 4 x 8 x 2: a thread has pairs of neighbours,
// and four of these. They are reduced by themselves once the row's axis has been cut where bits of an
// element's place that are bits of the register's number meet those that are the lane's and the warp's, and
// has been put together again as two axes, threads and what each of them has:
//
//     tensor<32x64>  →  tensor<32x4x8x2>  →  tensor<32x8x4x2>  →  tensor<32x8x8>, reduced along the last axis
//
// That moves nothing, and a thread combines its elements in the same order as before. The tile of parts that
// is left, tensor<32x8>, has one element for each thread that shares a row, and takes as many registers as
// the results. Parts can be added to others of the same kind, or scaled by row; reducing them gives the
// results.
#ifndef NEREID_COMPILER_TRANSFORMS_REDUCTIONPARTS_H
#define NEREID_COMPILER_TRANSFORMS_REDUCTIONPARTS_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

/// A reduction that is combined with something, by an operation that is as its own.
struct ReducedTerm {
  tt::ReduceOp reduce;
  /// What becomes of its results before, in this order: they are widened, or multiplied or divided by
  /// something that each thread has of its rows.
  llvm::SmallVector<mlir::Operation *, 2> steps;
};

/// The reduction that an operand of `combiner` comes from, all in the same block and for nothing else, if its
/// threads have to meet and could as well do so later.
std::optional<ReducedTerm> findReducedTerm(mlir::Value operand, mlir::Operation *combiner);

/// Whether each thread has what it would scale its part of a sum by.
bool isWherePartsAre(mlir::Value scale, tt::ReduceOp reduce);

/// The type of a reduction's parts, before any steps.
mlir::RankedTensorType getPartsType(tt::ReduceOp reduce);

/// The parts of a term, with its steps.
mlir::Value makeParts(mlir::OpBuilder &builder, ReducedTerm term);

/// The results of parts: the same reduction, along the axis that it has.
mlir::Value reduceParts(mlir::OpBuilder &builder, tt::ReduceOp like, mlir::Value parts);

/// A row's number, for each thread that shares it.
mlir::Value widenToParts(mlir::OpBuilder &builder, mlir::Value rows, mlir::RankedTensorType parts,
                         unsigned axis);

/// The tile that an operand comes from whose results of the same kind it is, if that has this type.
mlir::Value findParts(mlir::Value results, tt::ReduceOp like, mlir::Type type);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_REDUCTIONPARTS_H
