// A run-time value as the emission sees it: a value of the IR with its type in the language.
//
// It turns into a Value by itself; the way back is tensorOf(), for a Value that is known to be one.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H

#include "compiler/frontends/python/values/Value.h"

#include "mlir/IR/Value.h"

namespace nereid::python {

/// A scalar, a block, a pointer, a descriptor.
struct Tensor {
  mlir::Value handle;
  Type type;

  operator Value() const { return RunTimeValue{handle.getAsOpaquePointer(), type}; }
};

inline Tensor tensorOf(const Value &value) {
  const RunTimeValue &known = value.asRunTime();
  return {mlir::Value::getFromOpaquePointer(known.handle), known.type};
}

/// The type in the IR. Of signed and unsigned integers it is the same.
mlir::Type toMLIR(const Type &type, mlir::MLIRContext *context);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TENSOR_H
