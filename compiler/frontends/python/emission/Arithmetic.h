// The operators of Python on run-time values: promotion, then the operation for the type.
//
// Pointers take part in + and - (an offset counts elements) and in comparisons with a pointer of the same
// type. Integer division and remainder round towards zero, as in C; true division of integers is done in
// float32.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_ARITHMETIC_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_ARITHMETIC_H

#include "compiler/frontends/python/emission/EmissionContext.h"
#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/semantics/Arithmetic.h"

namespace nereid::python {

/// At least one operand is a run-time value; the other may be a compile-time number.
Tensor emitBinary(EmissionContext &context, ast::Operator op, const Value &left, const Value &right);

Tensor emitComparison(EmissionContext &context, Comparison comparison, const Value &left, const Value &right);

Tensor emitNegation(EmissionContext &context, const Tensor &operand);
Tensor emitInvert(EmissionContext &context, const Tensor &operand);
/// `not x`, and `and` and `or` of run-time values, which evaluate both operands.
Tensor emitLogicalNot(EmissionContext &context, const Tensor &operand);
Tensor emitLogical(EmissionContext &context, ast::BoolOperator op, const Tensor &left, const Tensor &right);

/// A value as an operand of minimum, maximum and clamp, which know no bfloat16 and compute in float32.
Tensor widenBFloat16(EmissionContext &context, const Value &value);
/// The smaller or larger of two; a NaN loses against a number unless `propagateNaN`.
Tensor emitMinMax(EmissionContext &context, bool isMax, const Value &left, const Value &right,
                  bool propagateNaN);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EMISSION_ARITHMETIC_H
