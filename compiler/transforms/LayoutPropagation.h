// How layouts pass through operations: which layout a result gets from an operand's, and which layout
// operands must have for a result to get one. Both questions are asked of one operation at a time; passes
// chain them.
//
// Most operations work element by element, and everything around them has one layout. The others change the
// shape: a reduction's result is a slice of its source's layout, expand_dims turns a slice back into its
// parent, trans and reshape carry the linear layout over to the new axes. Operations that fix layouts by
// themselves (memory accesses, products) are anchors: nothing passes through them.
#ifndef NEREID_COMPILER_TRANSFORMS_LAYOUTPROPAGATION_H
#define NEREID_COMPILER_TRANSFORMS_LAYOUTPROPAGATION_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// The encoding of a tensor; null for anything else.
mlir::Attribute getLayout(mlir::Value value);
mlir::Attribute getLayout(mlir::Type type);
mlir::Type withLayout(mlir::Type type, mlir::Attribute layout);

/// Whether the layouts of this operation's tensors are given and not to be derived from each other: accesses
/// of memory through tensors, products, operations whose results keep an order of elements of their own,
/// calls.
bool isLayoutAnchor(mlir::Operation *op);

/// The layout of the tensor results when the tensor operands have this one; null if there is none, or for
/// anchors.
mlir::Attribute inferResultLayout(mlir::Operation *op, mlir::Attribute operandLayout);

/// The layout of a split's results where its operand lies in this layout, whose lanes or warps hold one half
/// each: as little as possible moves to bring both into every thread. Half of a thread's registers go to the
/// thread with the other half, from which as many come. Null if threads have nothing to exchange.
mlir::Attribute inferSplitByExchange(tt::SplitOp split, mlir::Attribute operandLayout);

/// The layout that all tensor operands must have for the results to have this one; null if there is none.
mlir::Attribute inferOperandLayout(mlir::Operation *op, mlir::Attribute resultLayout);

/// Whether results may have this layout: always for operations without tensor operands, such as constants and
/// splats.
bool canHaveResultLayout(mlir::Operation *op, mlir::Attribute resultLayout);

/// A value before all conversions of its layout.
mlir::Value withoutConversion(mlir::Value value);

/// Changes the type of a value to have this layout; a constant's attribute with it.
void setLayout(mlir::Value value, mlir::Attribute layout);

/// The layout that every tensor has before anything is known: one element a thread, rows along the lanes.
mlir::Attribute getDefaultLayout(mlir::RankedTensorType type, unsigned numWarps, unsigned threadsPerWarp);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LAYOUTPROPAGATION_H
