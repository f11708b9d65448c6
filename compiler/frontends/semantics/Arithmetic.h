// Operations on values that have been brought to one type and one shape: which operation of the IR a type
// asks for.
//
// What brings operands there is each language's own: `half + 1.0` is a half in Python's Triton and a double
// in C.
#ifndef NEREID_COMPILER_FRONTENDS_SEMANTICS_ARITHMETIC_H
#define NEREID_COMPILER_FRONTENDS_SEMANTICS_ARITHMETIC_H

#include "compiler/frontends/semantics/OperationWriter.h"
#include "compiler/frontends/semantics/Tensor.h"

namespace nereid::semantics {

/// A scalar constant. The number must fit the type.
Tensor makeConstant(OperationWriter &writer, BigInt value, const Type &type);
Tensor makeConstant(OperationWriter &writer, double value, const Type &type);

/// Division rounds towards zero; a shift to the right takes the sign along if the type has one. Bitwise
/// operations take integers alone.
enum class BinaryOperation {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight
};
/// Of numbers, both of one type and shape.
Tensor makeBinary(OperationWriter &writer, BinaryOperation operation, const Tensor &a, const Tensor &b);
/// The same with a constant of the tensor's type on the right.
Tensor makeBinary(OperationWriter &writer, BinaryOperation operation, const Tensor &a, BigInt b);

/// A pointer, or a block of pointers, moved by as many elements as an integer of its shape says.
Tensor movePointer(OperationWriter &writer, const Tensor &pointer, Tensor offset);

enum class Comparison { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
/// Of numbers, both of one type and shape.
Tensor makeComparison(OperationWriter &writer, Comparison comparison, const Tensor &a, const Tensor &b);

/// The smaller or larger of two numbers of one type and shape; a NaN loses against a number unless
/// `propagateNaN`.
Tensor makeMinMax(OperationWriter &writer, bool isMax, const Tensor &a, const Tensor &b, bool propagateNaN);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_SEMANTICS_ARITHMETIC_H
