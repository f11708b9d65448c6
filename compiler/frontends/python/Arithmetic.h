// The operators of Python on run-time values: promotion, then the operation for the type.
//
// Pointers take part in + and - (an offset counts elements) and in comparisons with a pointer of the same
// type. Integer division and remainder round towards zero, as in C; true division of integers is done in
// float32.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_ARITHMETIC_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_ARITHMETIC_H

#include "compiler/frontends/python/Context.h"
#include "compiler/frontends/python/syntax/Ast.h"

namespace nereid::python {

/// At least one operand is a run-time value; the other may be a compile-time number.
Tensor emitBinary(Context &context, ast::Operator op, const Value &left, const Value &right);

enum class Comparison { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
Tensor emitComparison(Context &context, Comparison comparison, const Value &left, const Value &right);

Tensor emitNegation(Context &context, const Tensor &operand);
Tensor emitInvert(Context &context, const Tensor &operand);
/// `not x`, and `and` and `or` of run-time values, which evaluate both operands.
Tensor emitLogicalNot(Context &context, const Tensor &operand);
Tensor emitLogical(Context &context, ast::BoolOperator op, const Tensor &left, const Tensor &right);

/// A value as an operand of minimum, maximum and clamp, which know no bfloat16 and compute in float32.
Tensor widenBFloat16(Context &context, const Value &value);
/// The smaller or larger of two; a NaN loses against a number unless `propagateNaN`.
Tensor emitMinMax(Context &context, bool isMax, const Value &left, const Value &right, bool propagateNaN);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_ARITHMETIC_H
