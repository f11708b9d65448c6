// Products of matrices and of batches of matrices.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_PRODUCTS_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_PRODUCTS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

#include <optional>

namespace nereid::semantics {

struct ProductOptions {
  /// How the language calls the operation, in messages: `tl.dot`.
  llvm::StringRef name;
  tt::InputPrecision precision = tt::InputPrecision::IEEE;
  uint32_t maxImpreciseSums = 0;
  /// The type to sum in that is asked for; the elements' type may not leave the choice.
  Type wanted = ScalarKind::FP32;
};

/// The sum of the accumulator, or of zero, and the product.
Tensor makeProduct(OperationWriter &writer, Tensor a, Tensor b, std::optional<Tensor> accumulator,
                   const ProductOptions &options);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_PRODUCTS_H
