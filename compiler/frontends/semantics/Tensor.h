// A run-time value where IR is written: a value of the IR with its type in the language.
//
// It turns by itself into the class that a language has for all its values, if that class says so by a member
// HoldsRunTimeValues; the way back is the frontend's.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_TENSOR_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_TENSOR_H

#include "compiler/frontends/types/RunTimeValue.h"

#include "mlir/IR/Value.h"

namespace nereid::semantics {

/// A scalar, a block, a pointer, a descriptor.
struct Tensor {
  mlir::Value handle;
  Type type;

  template <typename Value, typename = typename Value::HoldsRunTimeValues> operator Value() const {
    return RunTimeValue{handle.getAsOpaquePointer(), type};
  }
};

/// The type in the IR. Of signed and unsigned integers it is the same.
mlir::Type toMLIR(const Type &type, mlir::MLIRContext *context);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_TENSOR_H
