// Atomic read-modify-write and compare-and-swap.
//
// The operation for a type is chosen here: max and min of signed integers, of unsigned ones, and of floats,
// whose bits order like integers as long as the sign is looked at: of two non-negative floats the greater has
// the greater bits as a signed integer, of two negative ones the smaller bits as an unsigned integer.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_ATOMICS_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_ATOMICS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

#include <optional>

namespace nereid::semantics {

enum class AtomicKind { Add, Max, Min, And, Or, Xor, Exchange, CompareAndSwap };

/// How the language calls the operation, in messages: `tl.atomic_add`.
struct AtomicOperation {
  AtomicKind kind;
  std::string name;
  tt::MemSemantic semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  tt::MemSyncScope scope = tt::MemSyncScope::GPU;
};

/// What was there before. `value` and `mask` take the pointer's shape and the type that it points to.
Tensor makeAtomic(OperationWriter &writer, const AtomicOperation &operation, const Tensor &pointer,
                  const Tensor &value, const std::optional<Tensor> &mask);
Tensor makeCompareAndSwap(OperationWriter &writer, const AtomicOperation &operation, const Tensor &pointer,
                          const Tensor &expected, const Tensor &value);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_ATOMICS_H
