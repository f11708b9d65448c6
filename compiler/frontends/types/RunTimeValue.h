// A value that is only known when the kernel runs, as those floors of a frontend see it that know no IR: a
// handle, which tells one such value from another, and a type. What the handle stands for is the concern of
// those that write IR (compiler/frontends/semantics/Tensor.h).
#ifndef NEREID_COMPILER_FRONTENDS_TYPES_RUNTIMEVALUE_H
#define NEREID_COMPILER_FRONTENDS_TYPES_RUNTIMEVALUE_H

#include "compiler/frontends/types/Types.h"

namespace nereid::semantics {

/// A scalar, a block, a pointer, a descriptor.
struct RunTimeValue {
  void *handle = nullptr;
  Type type;
};

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_TYPES_RUNTIMEVALUE_H
