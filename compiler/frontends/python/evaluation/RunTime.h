// What evaluation leaves to others: everything that has to do with a value that is only known at run time.
//
// Evaluation computes what it can and hands the rest on here. `n + 1` is folded where n is a number; where it
// is an argument of the kernel, applyBinary() ends in emitBinary(). Implemented by emission/Emitter.h, which
// writes operations; without one (a test, a tool that only reads), such a value cannot come up.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_RUNTIME_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_RUNTIME_H

#include "compiler/frontends/python/evaluation/Frame.h"

namespace nereid::python {

class RunTime {
public:
  virtual ~RunTime() = default;

  /// A number as a run-time value of its own type, as an assignment in a kernel makes one.
  virtual Value emitNumber(const Value &number) = 0;
  /// `tl.float32(x)`, of a run-time value or a number.
  virtual Value emitConversion(const Value &value, const Type &type) = 0;

  // Operators. One operand at least is a run-time value, the other may be a number.
  virtual Value emitBinary(ast::Operator op, const Value &left, const Value &right) = 0;
  virtual Value emitUnary(ast::UnaryOperator op, const Value &operand) = 0;
  virtual Value emitComparison(ast::CmpOp op, const Value &left, const Value &right) = 0;
  /// `and` and `or`, which evaluate both operands.
  virtual Value emitLogical(ast::BoolOperator op, const Value &left, const Value &right) = 0;
  /// Python's min(), max() and bool().
  virtual Value emitExtremum(bool isMax, const Value &left, const Value &right) = 0;
  virtual Value emitTruth(const Value &value) = 0;

  // Parts of run-time values.
  virtual std::optional<Value> findTensorAttribute(const Value &tensor, llvm::StringRef name) = 0;
  /// `x[:, None]`
  virtual Value emitSubscript(const Value &tensor, const Value &index) = 0;

  // Control flow on a condition, or over a range, that is only known at run time.
  virtual Value emitConditional(const ast::IfExp *node, const Value &test) = 0;
  virtual Flow emitIf(const ast::If *node, const Value &test, const Continuation *after) = 0;
  virtual void emitFor(const ast::For *node, const RangeObject &range) = 0;
  virtual void emitWhile(const ast::While *node) = 0;
  virtual void emitAssertion(const Value &condition, llvm::StringRef message) = 0;
  /// Whether the current statement may be skipped at run time, so that an assertion that fails here need not
  /// be a mistake.
  virtual bool isUnderCondition() = 0;

  /// A function that is emitted apart, and called.
  virtual Value callNoInline(const Function &function, const Scope &arguments) = 0;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_RUNTIME_H
