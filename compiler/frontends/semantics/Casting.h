// Conversions between element types, with the roundings and detours that Triton takes.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_CASTING_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_CASTING_H

#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

namespace nereid::semantics {

/// Converts the elements to `element` (a number or a pointer; a block's shape stays). `rounding` is empty, or
/// "rtne" or "rtz" for a conversion that drops bits of a float.
Tensor castTo(OperationWriter &writer, const Tensor &tensor, const Type &element,
              llvm::StringRef rounding = "");

/// Takes the bits as another type of the same width.
Tensor bitcastTo(OperationWriter &writer, const Tensor &tensor, const Type &element);

/// A truth value: int1 as it is, anything else compared with zero.
Tensor castToBool(OperationWriter &writer, const Tensor &tensor);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_CASTING_H
