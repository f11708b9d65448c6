// Which type two operands are brought to before an operation: Triton's rules, in the order in which they
// apply.
//
//   kind            (int32, bfloat16) -> bfloat16          bool < integer < float
//   width           (float32, float16) -> float32
//   prefer float16  (float16, bfloat16) -> float16         equal width, different formats
//   prefer unsigned (int32, uint32) -> uint32              equal width, different sign
//
// A number known at compile time takes part only if it is of a higher kind than the other operand; then it
// counts as the first of int32, uint32, int64, uint64 (float32, float64) that holds it: (uint8, 300) ->
// error, (int16, 4.0) -> float32.
//
// Division and remainder have no half-precision form on the hardware, so they are computed in float32. For a
// bfloat16 beside an integer, Triton 3.6 computes in float32 against its own manual; this follows the manual.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TYPEPROMOTION_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TYPEPROMOTION_H

#include "compiler/frontends/python/emission/EmissionContext.h"

namespace nereid::python {

/// The type of two integers: C's usual arithmetic conversions without the promotion to int.
Type promoteIntegers(const Type &a, const Type &b);

/// The type in which two scalars (of blocks or not) are combined. `aIsNumber` says that a is a compile-time
/// number, of which `a` is the type that getNumberType gives.
Type getComputationType(EmissionContext &context, const Type &a, bool aIsNumber, const Type &b,
                        bool bIsNumber, bool isDivision);

/// The type that a compile-time number has when it stands alone.
Type getNumberType(EmissionContext &context, const Value &number);

/// A constant of that type. The number must fit (the callers check ranges where Triton does).
Tensor emitNumber(EmissionContext &context, const Value &number, const Type &type);

/// A run-time value as it is, a number as a constant of its own type; anything else is refused.
Tensor toTensor(EmissionContext &context, const Value &value);

struct OperandRules {
  bool leftPointer = false;
  bool rightPointer = false;
  /// Bring both to one element type; otherwise only shapes are matched.
  bool promote = true;
  bool isDivision = false;
  /// The values are only moved, so that formats without arithmetic will do.
  bool isMoved = false;
};

/// Brings the two operands of an operation to one type and one shape.
std::pair<Tensor, Tensor> matchOperands(EmissionContext &context, const Value &left, const Value &right,
                                        OperandRules rules = {});

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_TYPEPROMOTION_H
