// Loads and stores through pointers and blocks of pointers.
//
// Pointers, mask and the other value are brought to one shape, and the other value to the type of the
// elements. Booleans lie in memory as bytes, so a pointer to int1 is read and written as one to int8.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_MEMORY_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_MEMORY_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

#include <optional>

namespace nereid::semantics {

/// What memory is asked for besides the value.
struct AccessOptions {
  /// How the language calls the operation, in messages: `tl.load`.
  llvm::StringRef name;
  tt::CacheModifier cache = tt::CacheModifier::NONE;
  tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL;
  bool isVolatile = false;
};

/// A pointer to booleans as one to the bytes that they are.
Tensor asBytes(OperationWriter &writer, const Tensor &pointer);

/// `mask` is of booleans. What is masked off becomes `other`, or anything if there is none.
Tensor makeLoad(OperationWriter &writer, Tensor pointer, std::optional<Tensor> mask,
                std::optional<Tensor> other, const AccessOptions &options);

void makeStore(OperationWriter &writer, Tensor pointer, Tensor value, std::optional<Tensor> mask,
               const AccessOptions &options);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_MEMORY_H
