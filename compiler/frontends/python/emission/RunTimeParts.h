// The run-time values that a value is made of: a tuple of a block and a number has one, an aggregate as many
// as its fields. Loops carry them, `if` merges them, noinline functions get them one by one.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_RUNTIMEPARTS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_RUNTIMEPARTS_H

#include "compiler/frontends/python/emission/Tensor.h"

#include "mlir/IR/ValueRange.h"

namespace nereid::python {

/// The run-time values in a value, in order.
void flatten(const Value &value, llvm::SmallVectorImpl<Tensor> &tensors);
/// The value again with others in their place, which are taken off the front of `handles`.
Value unflatten(const Value &shape, llvm::ArrayRef<mlir::Value> &handles);
/// Same but for the handles: the two can be merged.
bool haveSameType(const Value &a, const Value &b);
bool areSame(const Value &a, const Value &b);
llvm::SmallVector<mlir::Value> handlesOf(llvm::ArrayRef<Tensor> tensors);
llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<Tensor> tensors);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_RUNTIMEPARTS_H
