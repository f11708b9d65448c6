// What each encoding means: the linear layout from (register, lane, warp, block) to the tensor's dimensions.
//
// Every encoding describes a tile. Where the tensor is larger, the tile repeats along the dimension, each
// repetition in further registers; where it is smaller, the bits that would lead outside become duplicates
// (their basis is 0). So a blocked layout of 4 elements x 32 lanes x 4 warps over a tensor of 1024 elements
// has 8 registers, and over one of 256 elements the second warp bit is a duplicate.
//
// The result has the input dimensions register, lane, warp, block, in that order, and the outputs dim0, dim1,
// … in that order, each as large as the shape says. Registers are counted by their bits, lowest first: this
// is the order in which a lowering keeps a tensor's values.
#ifndef NEREID_COMPILER_DIALECTS_TTG_ENCODINGTOLINEARLAYOUT_H
#define NEREID_COMPILER_DIALECTS_TTG_ENCODINGTOLINEARLAYOUT_H

#include "compiler/layouts/LinearLayout.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nereid::ttg {

/// Whether toLinearLayout knows this encoding.
bool hasLinearLayout(mlir::Attribute encoding);

LinearLayout toLinearLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding);
LinearLayout toLinearLayout(mlir::RankedTensorType type);

/// The #ttg.linear attribute that says the same as a layout with the dimensions above.
mlir::Attribute toLinearEncoding(mlir::MLIRContext *context, const LinearLayout &layout);

} // namespace nereid::ttg

#endif // NEREID_COMPILER_DIALECTS_TTG_ENCODINGTOLINEARLAYOUT_H
