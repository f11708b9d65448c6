// Python's operators on compile-time values, as Python evaluates them: // and % round towards minus infinity,
// / of two ints is a float, True counts as 1, strings and tuples can be added and repeated.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONSTANTFOLDING_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONSTANTFOLDING_H

#include "compiler/frontends/python/evaluation/Context.h"
#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/values/Value.h"

namespace nereid::python {

Value foldBinary(Context &context, ast::Operator op, const Value &left, const Value &right);
Value foldUnary(Context &context, ast::UnaryOperator op, const Value &operand);
/// All comparisons but `is` of run-time values.
Value foldComparison(Context &context, ast::CmpOp op, const Value &left, const Value &right);
/// Three-way order of two numbers, strings or tuples; refuses others.
int orderValues(Context &context, const Value &left, const Value &right);
/// `container[index]` of a tuple, list, dict or string.
Value foldSubscript(Context &context, const Value &container, const Value &index);
/// The text of a value in an f-string or str.format: `{value:>5.2f}`.
std::string formatValue(Context &context, const Value &value, llvm::StringRef specification);
/// Takes apart what `for` or a comprehension goes through: tuples, lists, dicts (keys), strings, ranges.
std::vector<Value> iterate(Context &context, const Value &iterable);
BigInt wholeNumber(Context &context, const Value &value, llvm::StringRef what);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONSTANTFOLDING_H
