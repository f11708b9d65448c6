// Expressions that are neither memory nor control flow.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include <limits>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

Value Emitter::evaluate(const Expression *expression) {
  meter.spend(10);
  PlaceScope scope(*this, expression->place);
  return evaluateNode(expression);
}

Value Emitter::evaluateNode(const Expression *expression) {
  const std::vector<const Expression *> &operands = expression->operands;
  switch (expression->kind) {
  case Expression::Kind::Number: {
    const Literal &literal = expression->literal;
    if (!literal.isFloat)
      return Value::integer(static_cast<BigInt>(literal.integer), literal.type);
    Value value = Value::floating(literal.number, ScalarKind::FP64);
    value = convert(value, literal.type);
    value.isPlainDouble = literal.isPlainDouble;
    return value;
  }
  case Expression::Kind::String:
    fail("a text can only be what printf or static_assert says");
  case Expression::Kind::Name:
    return evaluateName(expression);
  case Expression::Kind::Unary:
    if (expression->unary == UnaryOperator::Dereference)
      return load(destinationOf(expression));
    return emitUnary(expression->unary, evaluate(operands[0]));
  case Expression::Kind::Binary: {
    if (*expression->op == BinaryOperator::LogicalAnd || *expression->op == BinaryOperator::LogicalOr)
      return evaluateLogical(expression);
    Value left = evaluate(operands[0]), right = evaluate(operands[1]);
    return emitBinary(*expression->op, left, right);
  }
  case Expression::Kind::Assign:
    return evaluateAssignment(expression);
  case Expression::Kind::Increment:
    return evaluateIncrement(expression);
  case Expression::Kind::Conditional:
    return evaluateConditional(expression);
  case Expression::Kind::Comma:
    evaluate(operands[0]);
    return evaluate(operands[1]);
  case Expression::Kind::Range:
    return evaluateRange(expression);
  case Expression::Kind::Subscript:
    return evaluateSubscript(expression);
  case Expression::Kind::Call:
    return call(expression);
  case Expression::Kind::Cast: {
    Value value = evaluate(operands[0]);
    if (!expression->type->scalar && !expression->type->pointers)
      return Value();
    Type type = typeOf(*expression->type);
    return type.isBlock() ? convertToShape(value, type, /*isCast=*/true)
                          : convert(value, type, /*isCast=*/true);
  }
  case Expression::Kind::MaskedDereference:
    return load(destinationOf(expression));
  case Expression::Kind::SizeOf:
    return evaluateSizeOf(expression);
  }
  return Value();
}

Value Emitter::evaluateName(const Expression *expression) {
  const std::string &name = expression->text;
  if (auto index = find(name)) {
    const Value &value = variables[*index].value;
    if (value.isUndefined())
      throw Refusal{expansions.inFile(place).getRange(),
                    "'" + name + "' is used before it has a value",
                    {{expansions.inFile(variables[*index].place).getRange(), "it is declared here"}}};
    return value;
  }
  if (auto constant = fileConstants.find(name); constant != fileConstants.end())
    return constant->second;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto known = StringSwitch<std::optional<Value>>(name)
                   .Cases({"INFINITY", "F32_INFINITY"}, Value::floating(infinity, ScalarKind::FP32))
                   .Case("F16_INFINITY", Value::floating(infinity, ScalarKind::FP16))
                   .Case("F64_INFINITY", Value::floating(infinity, ScalarKind::FP64))
                   .Case("NAN", Value::floating(std::numeric_limits<double>::quiet_NaN(), ScalarKind::FP32))
                   .Case("true", Value::boolean(true))
                   .Case("false", Value::boolean(false))
                   .Case("NULL", Value::integer(0))
                   .Default(std::nullopt);
  if (known)
    return *known;
  if (functions.count(name))
    fail("'" + name + "' is a function; call it");
  if (name == "newaxis")
    fail("'newaxis' stands between the brackets of a block: x[:, newaxis]");
  fail("'" + name + "' is not declared");
}

Value Emitter::evaluateRange(const Expression *expression) {
  BigInt first = constantOf(expression->operands[0], "the first number of a range");
  BigInt last = constantOf(expression->operands[1], "the end of a range");
  BigInt count = last - first;
  bool isPowerOf2 = count > 0 && (count & (count - 1)) == 0;
  if (!isPowerOf2 || first < 0 || last > std::numeric_limits<int32_t>::max() || count > 1048576)
    fail("a range has a power of 2 of numbers from 0 on, but this one, from " + bigToString(first) +
         " to before " + bigToString(last) + ", has " + bigToString(count) +
         "; '...' binds tighter than other operators, so put its bounds in parentheses");
  Type type = Type::block(ScalarKind::Int32, {static_cast<int64_t>(count)});
  return Tensor{create<tt::MakeRangeOp>(toMLIR(type, getMLIRContext()), static_cast<int32_t>(first),
                                        static_cast<int32_t>(last)),
                type};
}

Type Emitter::typeOfValue(const Expression *expression) {
  // Whatever is written goes into a block that nobody sees.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block nowhere;
  std::vector<Value> before = takeValues();
  size_t count = variables.size();
  builder.setInsertionPointToStart(&nowhere);
  Type type = evaluate(expression).type;
  closeScope(count);
  setValues(before);
  return type;
}

Value Emitter::evaluateSizeOf(const Expression *expression) {
  Type type = expression->type ? typeOf(*expression->type) : typeOfValue(expression->operands[0]);
  const Type &scalar = type.getScalar();
  if (type.isVoid())
    fail("void has no size");
  BigInt bytes = scalar.isPointer() ? 8 : getScalarBytes(scalar.getScalarKind());
  return Value::integer(bytes * type.getNumElements(), ScalarKind::UInt64);
}

Value Emitter::evaluateAssignment(const Expression *expression) {
  const Expression *left = expression->operands[0], *right = expression->operands[1];
  Destination destination = destinationOf(left);
  SaveAndRestore naming(assignedName,
                        left->kind == Expression::Kind::Name ? StringRef(left->text) : assignedName);
  Value value;
  if (expression->op) {
    Value before = load(destination);
    Value operand = evaluate(right);
    value = emitBinary(*expression->op, before, operand);
  } else {
    value = evaluate(right);
  }
  if (value.isVoid())
    fail("this has no value: the function returns void");
  Value converted = destination.variable ? convertToShape(value, destination.type)
                                         : convert(value, destination.type.getScalar());
  assign(destination, converted);
  return converted;
}

Value Emitter::evaluateIncrement(const Expression *expression) {
  Destination destination = destinationOf(expression->operands[0]);
  Value before = load(destination);
  Value after = emitBinary(expression->increments ? BinaryOperator::Add : BinaryOperator::Subtract, before,
                           Value::integer(1));
  after = convertToShape(after, before.type);
  assign(destination, after);
  return expression->isPrefix ? after : before;
}

} // namespace nereid::triton_c
