// What a grid expression consists of, for those who take it apart: its parser and printer, and the reader of
// conditions.
//
// Nodes are a list in which operands come before what uses them. The two sides of an operator are next to
// each other, so that a side is a piece of the list; `n * 2 <= m`:
//
//     0  n      1  2      2  0 * 1      3  m      4  2 <= 3
#ifndef NEREID_LINKER_GRIDEXPRESSIONNODES_H
#define NEREID_LINKER_GRIDEXPRESSIONNODES_H

#include "linker/GridExpression.h"

#include "llvm/ADT/SmallVector.h"

namespace nereid {

/// A literal, a name, or an operator with one or two operands.
struct GridExpression::Node {
  enum class Kind { Literal, Name, Operator };
  Kind kind = Kind::Literal;
  llvm::SMRange range;
  std::string name;
  /// Of a name: it is no parameter of the kernel, `argument(name)`.
  bool isArgument = false;
  int64_t literal = 0;
  GridExpression::Operator op = GridExpression::Operator::Add;
  /// Indices of earlier nodes.
  llvm::SmallVector<size_t, 2> operands;
  /// Of `and` and `or`: where the nodes of the right side begin, which end with the last operand.
  size_t rightBegin = 0;
};

/// The operator's result; fails on overflow and division by zero. `b` is not used where there is one operand.
llvm::Expected<int64_t> applyGridOperator(GridExpression::Operator op, int64_t a, int64_t b);

} // namespace nereid

#endif // NEREID_LINKER_GRIDEXPRESSIONNODES_H
