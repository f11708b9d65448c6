// Run-time values as the emission sees them: from a Value that is known to be one back to the IR's.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H

#include "compiler/frontends/python/values/Value.h"
#include "compiler/frontends/semantics/Tensor.h"

namespace nereid::python {

inline Tensor tensorOf(const Value &value) {
  const RunTimeValue &known = value.asRunTime();
  return {mlir::Value::getFromOpaquePointer(known.handle), known.type};
}

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H
