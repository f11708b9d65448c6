// Conversions between element types, with the roundings and detours that Triton takes.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_CASTING_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_CASTING_H

#include "compiler/frontends/python/emission/EmissionContext.h"

namespace nereid::python {

/// Converts the elements to `element` (a number or a pointer; a block's shape stays). `rounding` is empty, or
/// "rtne" or "rtz" for a conversion that drops bits of a float.
Tensor castTo(EmissionContext &context, const Tensor &tensor, const Type &element,
              llvm::StringRef rounding = "");

/// Takes the bits as another type of the same width.
Tensor bitcastTo(EmissionContext &context, const Tensor &tensor, const Type &element);

/// A truth value: int1 as it is, anything else compared with zero.
Tensor castToBool(EmissionContext &context, const Tensor &tensor);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_CASTING_H
