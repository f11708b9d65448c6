// C's arithmetic on numbers that are known while compiling.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_FOLDING_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_FOLDING_H

#include "compiler/frontends/semantics/Arithmetic.h"
#include "compiler/frontends/triton_c/emission/Value.h"

#include <optional>

namespace nereid::triton_c {

/// The number as another type: integers wrap around, floats are rounded.
Value foldConversion(const Value &number, const Type &type);
/// Both of one type. Nothing for a division of integers by zero, and for floats that have no such operation.
std::optional<Value> foldBinary(BinaryOperation operation, const Value &a, const Value &b);
Value foldComparison(Comparison comparison, const Value &a, const Value &b);
/// Whether a conversion there and back gives the same number.
bool isExact(const Value &number, const Type &type);

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_FOLDING_H
