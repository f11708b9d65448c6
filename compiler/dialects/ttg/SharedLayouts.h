// What each encoding of memory on chip means: the linear layout from an element's offset to the tensor's
// dimensions.
//
// Offsets count elements from the start of one buffer. A swizzle permutes the vectors of each row, so that
// lanes that go down a column meet different banks: element (row, column) of `vec = 8, perPhase = 1, maxPhase
// = 8` lies at row * width + (column ^ 8 * (row % 8)). Permuting by exclusive or is linear over F2, and its
// own inverse.
#ifndef NEREID_COMPILER_DIALECTS_TTG_SHAREDLAYOUTS_H
#define NEREID_COMPILER_DIALECTS_TTG_SHAREDLAYOUTS_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/layouts/LinearLayout.h"

namespace nereid::ttg {

/// Whether toSharedLayout knows this encoding.
bool hasSharedLayout(mlir::Attribute encoding);

/// From Dim::Offset to dim0, dim1, …: one-to-one over a buffer of this shape.
LinearLayout toSharedLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding);

/// That of the allocation of which a memory descriptor shows a part: its last axes, as many as the descriptor
/// has.
LinearLayout toSharedLayout(MemDescType type);

} // namespace nereid::ttg

#endif // NEREID_COMPILER_DIALECTS_TTG_SHAREDLAYOUTS_H
