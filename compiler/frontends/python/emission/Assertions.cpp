// What debug mode checks where the kernel runs: tl.device_assert, `assert`, and the arithmetic of integers.
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/TypePromotion.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Overflow.h"

using namespace llvm;

namespace nereid::python {

/// The source at that place, on one line: what an assertion without a message says.
static std::string getText(SMRange where) {
  std::string text;
  SmallVector<StringRef> lines;
  StringRef(where.Start.getPointer(), where.End.getPointer() - where.Start.getPointer()).split(lines, '\n');
  for (StringRef line : lines)
    text += (text.empty() ? "" : " ") + line.trim().str();
  StringRef condition = text;
  condition.consume_front("assert ");
  return condition.str();
}

void Emitter::emitAssertion(const Value &condition, StringRef message) {
  emitAssertion(condition, message, Value());
}

void Emitter::emitAssertion(const Value &condition, StringRef message, const Value &mask) {
  if (!condition.isTensor() && !condition.isNumber())
    fail("the condition of an assertion must be a truth value, not a " + condition.describe());
  if (!debug)
    return;
  Tensor test = castToBool(*this, toTensor(condition));
  if (!mask.isNone())
    test = python::emitLogical(*this, ast::BoolOperator::Or, test, emitLogicalNot(*this, toTensor(mask)));
  create<tt::AssertOp>(test.handle, message.empty() && range.isValid() ? getText(range) : message.str());
}

void Emitter::assertNoOverflow(ast::Operator op, const Value &left, const Value &right) {
  if (!debug || !checksOverflow ||
      (op != ast::Operator::Add && op != ast::Operator::Sub && op != ast::Operator::Mult))
    return;
  // What our own device library computes modulo 2^32, it means so.
  if (frame && isPrelude(frame->module) && frame->module != &loader.getPrelude())
    return;
  for (const Value *operand : {&left, &right})
    if (operand->isTensor() && !tensorOf(*operand).type.getScalar().isInteger())
      return; // pointers move by any distance, and floats have infinities
  auto [a, b] = matchOperands(*this, left, right);
  BinaryOperation operation = op == ast::Operator::Add   ? BinaryOperation::Add
                              : op == ast::Operator::Sub ? BinaryOperation::Subtract
                                                         : BinaryOperation::Multiply;
  semantics::assertNoOverflow(*this, operation, ast::getSpelling(op), a, b);
}

bool Emitter::isUnderCondition() {
  mlir::Block *block = builder.getInsertionBlock();
  return !block || !isa_and_nonnull<tt::FuncOp>(block->getParentOp());
}

} // namespace nereid::python
