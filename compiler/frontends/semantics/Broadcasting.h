// Bringing blocks to one shape, as NumPy does: a shorter shape is padded with ones on the left, then
// dimensions of size one grow. (3, 4) with (5, 3, 4) becomes (5, 3, 4). A scalar takes any shape.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_BROADCASTING_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_BROADCASTING_H

#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

namespace nereid::semantics {

/// Makes a block of one value. An empty shape gives the scalar back.
Tensor splat(OperationWriter &writer, const Tensor &scalar, llvm::ArrayRef<int64_t> shape);
/// Inserts a dimension of size one before dimension `axis`.
Tensor expandDims(OperationWriter &writer, const Tensor &tensor, unsigned axis);
/// Grows dimensions of size one, or splats a scalar. The ranks must agree.
Tensor broadcastTo(OperationWriter &writer, const Tensor &tensor, llvm::ArrayRef<int64_t> shape);
/// Brings two values to their common shape; two scalars stay scalars.
void matchShapes(OperationWriter &writer, Tensor &a, Tensor &b);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_BROADCASTING_H
