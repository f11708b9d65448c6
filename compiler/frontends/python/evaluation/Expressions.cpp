// Expressions: folded where both sides are known at compile time, emitted where one is not.
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

using ast::NodeKind;

Value Evaluator::evaluate(const ast::Expression *expression) {
  PositionScope position(*this, expression->range);
  meter.spend(1);
  switch (expression->kind) {
  case NodeKind::Constant:
    return evaluateConstant(cast<ast::Constant>(expression));
  case NodeKind::Name:
    return lookup(cast<ast::Name>(expression));
  case NodeKind::Attribute: {
    auto *node = cast<ast::Attribute>(expression);
    Value object = evaluate(node->value);
    return getAttribute(object, node->attr);
  }
  case NodeKind::Call:
    return evaluateCall(cast<ast::Call>(expression));
  case NodeKind::BinOp: {
    auto *node = cast<ast::BinOp>(expression);
    Value left = evaluate(node->left);
    Value right = evaluate(node->right);
    return applyBinary(node->op, left, right);
  }
  case NodeKind::UnaryOp:
    return evaluateUnary(cast<ast::UnaryOp>(expression));
  case NodeKind::BoolOp:
    return evaluateBoolOp(cast<ast::BoolOp>(expression));
  case NodeKind::Compare:
    return evaluateCompare(cast<ast::Compare>(expression));
  case NodeKind::IfExp:
    return evaluateConditional(cast<ast::IfExp>(expression));
  case NodeKind::Subscript:
    return evaluateSubscript(cast<ast::Subscript>(expression));
  case NodeKind::Tuple:
    return evaluateSequence(cast<ast::Tuple>(expression)->elts);
  case NodeKind::List: {
    Value list = evaluateSequence(cast<ast::List>(expression)->elts);
    list.asTuple().isList = true;
    return list;
  }
  case NodeKind::Set:
    return Value::set(evaluateSequence(cast<ast::Set>(expression)->elts).asTuple().elements);
  case NodeKind::Dict:
    return evaluateDict(cast<ast::Dict>(expression));
  case NodeKind::Slice: {
    auto *node = cast<ast::Slice>(expression);
    auto part = [&](const ast::Expression *bound) { return bound ? evaluate(bound) : Value(); };
    auto slice = std::make_shared<SliceObject>();
    slice->start = part(node->lower);
    slice->stop = part(node->upper);
    slice->step = part(node->step);
    return slice;
  }
  case NodeKind::JoinedStr:
    return evaluateJoinedStr(cast<ast::JoinedStr>(expression));
  case NodeKind::Lambda:
    return evaluateLambda(cast<ast::Lambda>(expression));
  case NodeKind::NamedExpr: {
    auto *node = cast<ast::NamedExpr>(expression);
    Value value = evaluate(node->value);
    assign(node->target, value);
    return lookup(cast<ast::Name>(node->target));
  }
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::GeneratorExp: {
    const ast::Expression *element;
    ArrayRef<const ast::Comprehension *> generators;
    if (auto *list = dyn_cast<ast::ListComp>(expression))
      element = list->elt, generators = list->generators;
    else if (auto *set = dyn_cast<ast::SetComp>(expression))
      element = set->elt, generators = set->generators;
    else
      element = cast<ast::GeneratorExp>(expression)->elt,
      generators = cast<ast::GeneratorExp>(expression)->generators;
    std::vector<Value> elements;
    comprehend(generators, [&] {
      elements.push_back(evaluate(element));
      meter.spend(stepsOfElement);
    });
    return isa<ast::SetComp>(expression) ? Value::set(std::move(elements)) : Value::list(std::move(elements));
  }
  case NodeKind::DictComp: {
    auto *node = cast<ast::DictComp>(expression);
    auto dict = std::make_shared<DictObject>();
    comprehend(node->generators, [&] {
      Value key = evaluate(node->key);
      dict->set(key, evaluate(node->value));
    });
    return dict;
  }
  case NodeKind::Starred:
    fail("a starred expression cannot stand here");
  case NodeKind::Await:
    fail("'await' is not supported in a kernel");
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    fail("'yield' is not supported in a kernel");
  default:
    fail("this expression is not supported in a kernel");
  }
}

Value Evaluator::evaluateConstant(const ast::Constant *constant) {
  using Kind = ast::Constant::Type;
  switch (constant->type) {
  case Kind::None:
    return {};
  case Kind::Ellipsis:
    fail("'...' is not supported in a kernel");
  case Kind::True:
    return true;
  case Kind::False:
    return false;
  case Kind::Int: {
    if (constant->words.size() > 2 || (constant->words.size() == 2 && constant->words[1] >> 63))
      fail("this integer does not fit in 128 bits");
    unsigned __int128 bits = 0;
    for (size_t i = 0; i < constant->words.size(); ++i)
      bits |= static_cast<unsigned __int128>(constant->words[i]) << (64 * i);
    return static_cast<BigInt>(bits);
  }
  case Kind::Float:
    return constant->number;
  case Kind::Complex:
    fail("complex numbers are not supported in a kernel");
  case Kind::Str:
    return constant->text;
  case Kind::Bytes:
    fail("bytes are not supported in a kernel");
  }
  return {};
}

/// The method that an operator is, in a class that defines it.
static StringRef methodOf(ast::Operator op) {
  using ast::Operator;
  switch (op) {
  case Operator::Add:
    return "__add__";
  case Operator::Sub:
    return "__sub__";
  case Operator::Mult:
    return "__mul__";
  case Operator::MatMult:
    return "__matmul__";
  case Operator::Div:
    return "__truediv__";
  case Operator::Mod:
    return "__mod__";
  case Operator::Pow:
    return "__pow__";
  case Operator::LShift:
    return "__lshift__";
  case Operator::RShift:
    return "__rshift__";
  case Operator::BitOr:
    return "__or__";
  case Operator::BitXor:
    return "__xor__";
  case Operator::BitAnd:
    return "__and__";
  case Operator::FloorDiv:
    return "__floordiv__";
  }
  return "";
}

static StringRef methodOf(ast::CmpOp op) {
  using ast::CmpOp;
  switch (op) {
  case CmpOp::Eq:
    return "__eq__";
  case CmpOp::NotEq:
    return "__ne__";
  case CmpOp::Lt:
    return "__lt__";
  case CmpOp::LtE:
    return "__le__";
  case CmpOp::Gt:
    return "__gt__";
  case CmpOp::GtE:
    return "__ge__";
  default:
    return "";
  }
}

Value Evaluator::applyBinary(ast::Operator op, const Value &left, const Value &right) {
  if (left.object<InstanceObject>() || right.object<InstanceObject>())
    if (auto result = callOperator(*this, methodOf(op), left, right))
      return *result;
  if (!left.isTensor() && !right.isTensor())
    return foldBinary(*this, op, left, right);
  for (const Value *operand : {&left, &right})
    if (!operand->isTensor() && !operand->isNumber()) {
      if (auto *opaque = operand->object<const Opaque>())
        failUnknown(*opaque);
      fail("operator " + ast::getSpelling(op) + " does not go with " + left.describe() + " and " +
           right.describe());
    }
  return emitBinary(op, left, right);
}

/// In a kernel a list is a tuple: `x.shape == [2]` holds of a block of two elements.
static Value withoutLists(const Value &value) {
  if (!value.isTuple() || value.asTuple().isSet)
    return value;
  NestingGuard guard;
  auto copy = std::make_shared<TupleObject>(value.asTuple());
  copy->isList = false;
  spendSteps(copy->elements.size() * stepsOfElement);
  for (Value &element : copy->elements)
    element = withoutLists(element);
  return copy;
}

Value Evaluator::applyComparison(ast::CmpOp op, const Value &left, const Value &right) {
  using ast::CmpOp;
  if (left.object<InstanceObject>() && !methodOf(op).empty())
    if (auto result = callOperator(*this, methodOf(op), left, right))
      return *result;
  // A dtype of PyTorch equals none of Triton's, whatever it is.
  auto *opaque = left.isType() ? right.object<const Opaque>() : left.object<const Opaque>();
  if (opaque && (left.isType() || right.isType()) && StringRef(opaque->name).starts_with("torch.") &&
      (op == CmpOp::Eq || op == CmpOp::NotEq))
    return op == CmpOp::NotEq;
  if ((!left.isTensor() && !right.isTensor()) || op == CmpOp::Is || op == CmpOp::IsNot) {
    if (!frame->atCompileTime && (op == CmpOp::Eq || op == CmpOp::NotEq))
      return foldComparison(*this, op, withoutLists(left), withoutLists(right));
    return foldComparison(*this, op, left, right);
  }
  if (op == CmpOp::In || op == CmpOp::NotIn)
    fail("'" + ast::getSpelling(op) + "' is only supported between compile-time values");
  for (const Value *operand : {&left, &right})
    if (!operand->isTensor() && !operand->isNumber()) {
      fail("operator " + ast::getSpelling(op) + " does not go with " + left.describe() + " and " +
           right.describe() + (operand->isNone() ? "; None is asked for with 'is'" : ""));
    }
  return emitComparison(op, left, right);
}

bool Evaluator::isTrue(const Value &condition, StringRef what) {
  if (auto *opaque = condition.object<const Opaque>())
    failUnknown(*opaque);
  if (condition.hasTensor() && condition.isTensor())
    fail(what + " must be known at compile time, but this is a " + condition.describe());
  return condition.isTruthy();
}

Value Evaluator::evaluateUnary(const ast::UnaryOp *node) {
  Value operand = evaluate(node->operand);
  return operand.isTensor() ? emitUnary(node->op, operand) : foldUnary(*this, node->op, operand);
}

Value Evaluator::evaluateBoolOp(const ast::BoolOp *node) {
  // Compile-time values decide, or drop out; run-time values are all computed and combined.
  bool isAnd = node->op == ast::BoolOperator::And;
  std::optional<Value> result;
  Value last;
  for (const ast::Expression *part : node->values) {
    last = evaluate(part);
    if (!last.isTensor()) {
      if (isTrue(last, "a condition") != isAnd)
        return last;
      continue;
    }
    result = result ? emitLogical(node->op, *result, last) : last;
  }
  return result.value_or(last);
}

Value Evaluator::evaluateCompare(const ast::Compare *node) {
  Value left = evaluate(node->left);
  std::optional<Value> result;
  for (auto [op, comparator] : zip(node->ops, node->comparators)) {
    Value right = evaluate(comparator);
    Value holds = applyComparison(op, left, right);
    left = right;
    if (holds.isTensor())
      result = result ? emitLogical(ast::BoolOperator::And, *result, holds) : holds;
    else if (!holds.isTruthy())
      return false;
  }
  return result.value_or(true);
}

Value Evaluator::evaluateConditional(const ast::IfExp *node) {
  // In a module's own statements as for its `if`s: `SIZE = tl.constexpr(4) if HAS_TRITON else 4`.
  if (!frame->function || (guessesInFunctions && frame->atCompileTime))
    return evaluate(guess(node->test) ? node->body : node->orelse);
  Value test = evaluate(node->test);
  if (!test.isTensor())
    return evaluate(isTrue(test, "the condition") ? node->body : node->orelse);
  return emitConditional(node, test);
}

Value Evaluator::evaluateSequence(ast::Expressions nodes) {
  std::vector<Value> elements;
  for (const ast::Expression *node : nodes) {
    if (auto *starred = dyn_cast<ast::Starred>(node)) {
      for (Value &element : iterateValue(evaluate(starred->value)))
        elements.push_back(std::move(element));
      continue;
    }
    elements.push_back(evaluate(node));
  }
  return Value::tuple(std::move(elements));
}

Value Evaluator::evaluateDict(const ast::Dict *node) {
  auto dict = std::make_shared<DictObject>();
  for (auto [key, value] : zip(node->keys, node->values)) {
    if (!key) {
      Value spread = evaluate(value);
      auto *other = spread.object<DictObject>();
      if (!other)
        fail(value->range, "** takes a dict, not " + spread.describe());
      for (auto &[spreadKey, entry] : other->entries)
        dict->set(spreadKey, entry);
      continue;
    }
    Value keyValue = evaluate(key);
    dict->set(keyValue, evaluate(value));
  }
  return dict;
}

Value Evaluator::evaluateLambda(const ast::Lambda *node) {
  auto function = std::make_shared<Function>();
  function->name = "<lambda>";
  function->lambda = node;
  function->module = frame->module;
  auto closure = std::make_shared<Scope>();
  meter.spend(stepsOfElement * (1 + frame->locals.size() + (frame->closure ? frame->closure->size() : 0)));
  if (frame->closure)
    for (auto &[name, value] : *frame->closure)
      (*closure)[name] = value;
  for (auto &[name, value] : frame->locals)
    (*closure)[name] = value;
  function->closure = std::move(closure);
  return std::shared_ptr<const Function>(std::move(function));
}

std::vector<Value> Evaluator::iterateValue(const Value &iterable) {
  if (iterable.isTensor())
    fail("cannot go through the elements of a run-time value of type " + iterable.asRunTime().type.str());
  return iterate(*this, iterable);
}

void Evaluator::comprehend(ArrayRef<const ast::Comprehension *> generators, function_ref<void()> body) {
  // The names of a comprehension live in it alone.
  auto saved = frame->locals;
  meter.spend(saved.size());
  scope_exit restore([&] { frame->locals = std::move(saved); });
  std::function<void(size_t)> loop = [&](size_t depth) {
    if (depth == generators.size())
      return body();
    const ast::Comprehension *generator = generators[depth];
    if (generator->is_async)
      fail("'async' is not supported in a kernel");
    for (const Value &element : iterateValue(evaluate(generator->iter))) {
      meter.spend(1);
      // Not assign(): the elements keep being compile-time values.
      unpack(generator->target, element, [&](const ast::Expression *target, const Value &part) {
        auto *name = dyn_cast<ast::Name>(target);
        if (!name)
          fail(target->range, "the variables of a comprehension must be names");
        frame->locals[name->id] = part;
      });
      bool wanted = true;
      for (const ast::Expression *test : generator->ifs)
        wanted = wanted && (guessesInFunctions ? guess(test)
                                               : isTrue(evaluate(test), "the condition of a comprehension"));
      if (wanted)
        loop(depth + 1);
    }
  };
  loop(0);
}

Value Evaluator::evaluateJoinedStr(const ast::JoinedStr *node) {
  std::string text;
  for (const ast::Expression *part : node->values) {
    if (auto *constant = dyn_cast<ast::Constant>(part)) {
      text += constant->text;
      continue;
    }
    auto *formatted = cast<ast::FormattedValue>(part);
    Value value = evaluate(formatted->value);
    if (value.hasTensor())
      fail(formatted->value->range.isValid() ? formatted->value->range : part->range,
           "an f-string can only show compile-time values, but this is a " + value.describe() +
               "; use tl.device_print for it");
    std::string specification;
    if (formatted->format_spec)
      specification = evaluate(formatted->format_spec).asStr();
    if (formatted->conversion == 'r' || formatted->conversion == 'a')
      value = value.repr();
    else if (formatted->conversion == 's')
      value = value.str();
    std::string shown = formatValue(*this, value, specification);
    spendBytes(shown.size());
    text += shown;
  }
  return text;
}

Value Evaluator::evaluateSubscript(const ast::Subscript *node) {
  Value container = evaluate(node->value);
  Value index = evaluate(node->slice);
  if (container.isTensor())
    return emitSubscript(container, index);
  if (auto *instance = container.object<InstanceObject>())
    if (auto method = findMember(*this, instance->type, "__getitem__", &container))
      return call(*method, {{index}, {}});
  if (container.object<const Function>())
    fail("a kernel cannot launch kernels: " + container.describe() + " cannot be indexed");
  if (index.isTensor())
    fail("an index of a " + container.describe() + " must be known at compile time, but this is a " +
         index.describe());
  return foldSubscript(*this, container, index);
}

} // namespace nereid::python
