// The check of debug mode that a sum, difference or product of integers fits their type.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_OVERFLOW_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_OVERFLOW_H

#include "compiler/frontends/semantics/Arithmetic.h"

#include <optional>

namespace nereid::semantics {

/// Of operands that are about to be added, subtracted or multiplied, both of one type and shape. Overflow is
/// found as Triton finds it: the operation is done again in 64 bits, and what it gives is compared with the
/// least and the greatest value of the type. Integers of 64 bits are not checked. Where there is a mask, of a
/// shape that goes with theirs, only elements under it count. `spelling` is the operation's, for the message.
void assertNoOverflow(OperationWriter &writer, BinaryOperation operation, llvm::StringRef spelling,
                      const Tensor &a, const Tensor &b, const std::optional<Tensor> &mask = std::nullopt);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_OVERFLOW_H
