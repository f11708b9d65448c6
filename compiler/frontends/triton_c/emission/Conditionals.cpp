// `?:`, `&&`, `||`, and the scf.if that stands behind every choice that is made while the kernel runs.
//
// A condition that is a block chooses for each element. Then both arms are evaluated, each under its mask:
// loads in them touch no memory for elements that the other arm gives. `mask ? *p : 0` is one load that says
// what masked-off elements are. A scalar condition makes an scf.if if an arm does more than compute.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Regions.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"
#include "compiler/frontends/triton_c/emission/Folding.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

/// Both are evaluated; what they are brought to is written where each ends.
static void bringToOneType(Emitter &emitter, Value &a, Value &b, function_ref<void()> atEndOfA,
                           function_ref<void()> atEndOfB) {
  if (a.type == b.type && !a.isVoid())
    return;
  Type type = a.type.getScalar() == b.type.getScalar() ? a.type.getScalar() : emitter.getCommonType(a, b);
  Shape shape(a.type.getShape());
  ArrayRef<int64_t> other = b.type.getShape();
  if (other.size() > shape.size())
    shape.insert(shape.begin(), other.size() - shape.size(), 1);
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t &size = shape[shape.size() - 1 - i];
    size = std::max(size, other[other.size() - 1 - i]);
  }
  type = Type::block(type, shape);
  atEndOfA();
  a = emitter.convertToShape(a, type);
  atEndOfB();
  b = emitter.convertToShape(b, type);
}

Value Emitter::emitIf(const Value &condition, function_ref<Value()> thenPart,
                      function_ref<Value()> elsePart) {
  if (condition.isConstant())
    return condition.isZero() ? elsePart() : thenPart();
  DepthScope nesting(*this);
  mlir::OpBuilder::InsertionGuard guard(builder);
  auto here = builder.saveInsertionPoint();
  mlir::Block thenBlock, elseBlock;
  Tensor test = toTensor(condition);
  std::vector<Value> before = takeValues();
  size_t count = variables.size();
  auto walk = [&](mlir::Block &block, function_ref<Value()> part, std::vector<Value> &after) {
    builder.setInsertionPointToStart(&block);
    setValues(before);
    Value value = part();
    closeScope(count);
    after = takeValues();
    return value;
  };
  std::vector<Value> thenValues, elseValues;
  Value thenValue = walk(thenBlock, thenPart, thenValues), elseValue = walk(elseBlock, elsePart, elseValues);
  auto inThen = [&] { builder.setInsertionPointToEnd(&thenBlock); };
  auto inElse = [&] { builder.setInsertionPointToEnd(&elseBlock); };
  bool hasResult = !thenValue.isVoid() || !elseValue.isVoid();
  if (hasResult)
    bringToOneType(*this, thenValue, elseValue, inThen, inElse);

  SmallVector<mlir::Value> thenHandles, elseHandles;
  SmallVector<size_t> merged;
  auto yield = [&](const Value &a, const Value &b) {
    inThen();
    thenHandles.push_back(materialize(a).handle);
    inElse();
    elseHandles.push_back(materialize(b).handle);
  };
  setValues(before);
  for (size_t i = 0; i < count; ++i) {
    if (thenValues[i].isSame(elseValues[i])) {
      variables[i].value = thenValues[i];
      continue;
    }
    merged.push_back(i);
    yield(thenValues[i], elseValues[i]);
  }
  if (hasResult)
    yield(thenValue, elseValue);
  builder.restoreInsertionPoint(here);
  SmallVector<mlir::Type> types;
  for (mlir::Value handle : thenHandles)
    types.push_back(handle.getType());
  bool needsElse = !types.empty() || !elseBlock.empty();
  mlir::scf::IfOp conditional;
  {
    SaveAndRestore naming(assignedName, merged.empty() ? assignedName : variables[merged.front()].name);
    conditional = create<mlir::scf::IfOp>(types, test.handle, needsElse);
  }
  fillRegion(*this, conditional.getThenRegion(), thenBlock, thenHandles);
  if (needsElse)
    fillRegion(*this, conditional.getElseRegion(), elseBlock, elseHandles);
  for (auto [index, variable] : enumerate(merged))
    variables[variable].value = Tensor{conditional.getResult(index), variables[variable].type};
  if (!hasResult)
    return Value();
  return Tensor{conditional.getResult(merged.size()), thenValue.type};
}

Value Emitter::evaluateUnder(const Tensor &mask, const Expression *expression) {
  Tensor combined = mask;
  if (activeMask) {
    Tensor outer = *activeMask;
    matchShapes(*this, combined, outer);
    combined = makeBinary(*this, BinaryOperation::And, combined, outer);
  }
  SaveAndRestore<std::optional<Tensor>> active(activeMask, combined);
  SaveAndRestore limit(variablesBeforeArm, activeMask ? variables.size() : variablesBeforeArm);
  return evaluate(expression);
}

Value Emitter::evaluateMasked(const Expression *expression, const Tensor &condition) {
  const Expression *first = expression->operands[1], *second = expression->operands[2];
  auto inverse = [&] { return toTensor(emitNot(condition)); };
  bool firstLoads = isDereference(first), secondLoads = isDereference(second);
  if (!firstLoads && !secondLoads) {
    Value a = hasEffects(first) ? evaluateUnder(condition, first) : evaluate(first);
    Value b = hasEffects(second) ? evaluateUnder(inverse(), second) : evaluate(second);
    return select(condition, a, b);
  }
  // One load, which says itself what the other elements are.
  const Expression *loaded = firstLoads ? first : second, *rest = firstLoads ? second : first;
  Tensor mask = firstLoads ? condition : inverse();
  auto underRest = [&] { return firstLoads ? inverse() : condition; };
  Value other = hasEffects(rest) ? evaluateUnder(underRest(), rest) : evaluate(rest);
  if (other.isVoid())
    fail("this has no value: the function returns void");

  Tensor combined = mask;
  if (activeMask) {
    Tensor outer = *activeMask;
    matchShapes(*this, combined, outer);
    combined = makeBinary(*this, BinaryOperation::And, combined, outer);
  }
  Destination source;
  {
    // The pointer may itself come out of memory.
    SaveAndRestore<std::optional<Tensor>> active(activeMask, combined);
    SaveAndRestore limit(variablesBeforeArm, variables.size());
    source = destinationOf(loaded);
  }
  PlaceScope scope(*this, loaded->place);
  Tensor grown = combined;
  if (source.pointer.type.isBlock() || grown.type.isBlock())
    matchShapes(*this, source.pointer, grown);
  if (source.mask) {
    matchShapes(*this, grown, *source.mask);
    grown = makeBinary(*this, BinaryOperation::And, grown, *source.mask);
  }
  source.mask = grown;
  source.type = source.pointer.type.withElement(source.pointer.type.getScalar().getElement());
  SaveAndRestore<std::optional<Tensor>> none(activeMask, std::nullopt);

  const Type element = source.type.getScalar();
  Value elementValue = Value::undefined(element);
  Type type = element == other.type.getScalar() ? element : getCommonType(elementValue, other);
  bool isNaN = other.isConstant() && !other.isInteger() && std::isnan(other.getDouble()) && element.isFloat();
  bool fits = element == other.type.getScalar() || isNaN ||
              (other.isConstant() && element.isScalarNumber() && isExact(other, element)) ||
              (other.isInteger() && other.isZero() && element.isPointer());
  if (fits) {
    Value filler = convert(other, element);
    return convert(load(source, &filler), type);
  }
  return select(mask, convert(load(source), type), convert(other, type));
}

Value Emitter::evaluateConditional(const Expression *expression) {
  const Expression *first = expression->operands[1], *second = expression->operands[2];
  Value condition = toBool(evaluate(expression->operands[0]));
  if (condition.isBlock())
    return evaluateMasked(expression, toTensor(condition));
  if (condition.isConstant()) {
    const Expression *taken = condition.isZero() ? second : first;
    Value value = evaluate(taken);
    Type other = typeOfValue(taken == first ? second : first);
    if (value.isVoid() || other.isVoid() || value.type.getScalar() == other.getScalar())
      return value;
    // A number without suffix in the arm that is not taken is no reason to warn.
    SaveAndRestore silent(warnedOfDouble, true);
    return convert(value, getCommonType(value, Value::undefined(other)));
  }
  if (!hasEffects(first) && !hasEffects(second)) {
    Value a = evaluate(first), b = evaluate(second);
    return select(condition, a, b);
  }
  return emitIf(condition, [&] { return evaluate(first); }, [&] { return evaluate(second); });
}

Value Emitter::evaluateLogical(const Expression *expression) {
  bool isAnd = *expression->op == BinaryOperator::LogicalAnd;
  const Expression *second = expression->operands[1];
  Value left = toBool(evaluate(expression->operands[0]));
  if (left.isConstant())
    return left.isZero() == isAnd ? left : toBool(evaluate(second));
  auto combine = [&](const Value &right) { return isAnd ? emitAnd(left, right) : emitOr(left, right); };
  if (!hasEffects(second))
    return combine(toBool(evaluate(second)));
  if (left.isBlock())
    return combine(toBool(evaluateUnder(toTensor(isAnd ? left : emitNot(left)), second)));
  auto decide = [&] { return toBool(evaluate(second)); };
  if (isAnd)
    return emitIf(left, decide, [] { return Value::boolean(false); });
  return emitIf(left, [] { return Value::boolean(true); }, decide);
}

} // namespace nereid::triton_c
