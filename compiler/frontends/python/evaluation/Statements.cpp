// Statements: assignments, returns, conditionals and loops that are decided while compiling. Those that are
// decided at run time go on behind RunTime.
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

using ast::NodeKind;

Flow Evaluator::execute(ast::Statements statements, const Continuation *after) {
  for (size_t i = 0; i < statements.size(); ++i) {
    Continuation rest{statements.drop_front(i + 1), after};
    Flow flow = executeStatement(statements[i], &rest);
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

/// What a statement that kernels cannot contain is called in a message.
static StringRef describeStatement(const ast::Statement *statement) {
  switch (statement->kind) {
  case NodeKind::FunctionDef:
    return "a function in a function";
  case NodeKind::AsyncFunctionDef:
  case NodeKind::AsyncFor:
  case NodeKind::AsyncWith:
    return "'async'";
  case NodeKind::ClassDef:
    return "a class";
  case NodeKind::Delete:
    return "'del'";
  case NodeKind::With:
    return "'with'";
  case NodeKind::Match:
    return "'match'";
  case NodeKind::Try:
  case NodeKind::TryStar:
    return "'try'";
  case NodeKind::Import:
  case NodeKind::ImportFrom:
    return "an import";
  case NodeKind::Global:
    return "'global'";
  case NodeKind::Nonlocal:
    return "'nonlocal'";
  case NodeKind::TypeAlias:
    return "a type alias";
  default:
    return "this statement";
  }
}

Flow Evaluator::executeStatement(const ast::Statement *statement, const Continuation *after) {
  PositionScope position(*this, statement->range);
  meter.spend(1);
  /// Operations that compute the value of `x = …` carry the name x.
  auto evaluateFor = [&](const ast::Expression *target, function_ref<Value()> compute) {
    auto *name = dyn_cast<ast::Name>(target);
    StringRef saved = assignedName;
    assignedName = name && !frame->atCompileTime ? name->id : StringRef();
    scope_exit restore([&] { assignedName = saved; });
    return compute();
  };
  switch (statement->kind) {
  case NodeKind::Expr:
    // A constant is a docstring, or `...` for an empty body.
    if (const ast::Expression *value = cast<ast::Expr>(statement)->value; !isa<ast::Constant>(value)) {
      Value unused = evaluate(value);
      if (isa<ast::Call>(value) && unused.isTensor() && unused.asRunTime().type.isBlockPointer())
        fail(value->range,
             "this block pointer is not used: tl.advance does not move the one that it is given, but "
             "returns another, which is to be assigned");
    }
    return Flow::Next;
  case NodeKind::Pass:
    return Flow::Next;
  case NodeKind::Assign: {
    auto *node = cast<ast::Assign>(statement);
    evaluateFor(node->targets[0], [&] {
      Value value = evaluate(node->value);
      for (const ast::Expression *target : node->targets)
        assign(target, value);
      return Value();
    });
    return Flow::Next;
  }
  case NodeKind::AugAssign: {
    auto *node = cast<ast::AugAssign>(statement);
    evaluateFor(node->target, [&] {
      Value before = evaluate(node->target);
      Value operand = evaluate(node->value);
      assign(node->target, applyBinary(node->op, before, operand));
      return Value();
    });
    return Flow::Next;
  }
  case NodeKind::AnnAssign: {
    auto *node = cast<ast::AnnAssign>(statement);
    if (!node->value)
      return Flow::Next;
    auto *name = dyn_cast<ast::Name>(node->target);
    if (name && !frame->atCompileTime && isConstexprAnnotation(node->annotation, *frame->module)) {
      Value value = evaluate(node->value);
      if (value.hasTensor()) {
        // Triton passes such a value on until something asks for its number.
        PositionScope position(*this, node->value->range);
        warn("'" + name->id + "' is declared tl.constexpr, but its value is only known at run time (" +
             value.describe() + ")");
      }
      setLocal(name->id, value);
      return Flow::Next;
    }
    evaluateFor(node->target, [&] {
      assign(node->target, evaluate(node->value));
      return Value();
    });
    return Flow::Next;
  }
  case NodeKind::Return:
    executeReturn(cast<ast::Return>(statement));
    return Flow::Returned;
  case NodeKind::If:
    return executeIf(cast<ast::If>(statement), after);
  case NodeKind::For:
    return executeFor(cast<ast::For>(statement));
  case NodeKind::While:
    return executeWhile(cast<ast::While>(statement));
  case NodeKind::Assert:
    executeAssert(cast<ast::Assert>(statement));
    return Flow::Next;
  case NodeKind::Break:
  case NodeKind::Continue:
    if (!frame->breakable)
      fail(statement->kind == NodeKind::Break
               ? "'break' is not supported in a loop that runs on the device; use `while` with a condition"
               : "'continue' is not supported in a loop that runs on the device; use `if` around the rest of "
                 "the body");
    return statement->kind == NodeKind::Break ? Flow::Break : Flow::Continue;
  case NodeKind::Raise:
    executeRaise(cast<ast::Raise>(statement));
  default:
    break;
  }
  if (frame->atCompileTime)
    if (auto flow = executePlainPython(statement))
      return *flow;
  fail(describeStatement(statement) + " is not supported in a kernel");
}

void Evaluator::setLocal(StringRef name, const Value &value) {
  frame->locals[name] = value;
  frame->lost.erase(name);
  frame->assignedAt[name] = range;
}

Value Evaluator::decay(const Value &value) {
  if (value.isNumber())
    return emitNumber(value);
  if (value.isTuple()) {
    NestingGuard guard;
    auto object = std::make_shared<TupleObject>(value.asTuple());
    spendSteps(object->elements.size() * stepsOfElement);
    object->isList = false;
    for (Value &element : object->elements)
      element = decay(element);
    return object;
  }
  if (auto *opaque = value.object<const Opaque>())
    failUnknown(*opaque);
  return value;
}

void Evaluator::unpack(const ast::Expression *target, const Value &value,
                       function_ref<void(const ast::Expression *, const Value &)> bind) {
  ast::Expressions parts;
  if (auto *tuple = dyn_cast<ast::Tuple>(target))
    parts = tuple->elts;
  else if (auto *list = dyn_cast<ast::List>(target))
    parts = list->elts;
  else
    return bind(target, value);
  if (value.isTensor())
    fail(target->range,
         "a " + value.describe() + " cannot be unpacked into " + Twine(parts.size()) + " names");
  std::vector<Value> elements = iterateValue(value);
  size_t star = parts.size();
  for (size_t i = 0; i < parts.size(); ++i)
    if (isa<ast::Starred>(parts[i]))
      star = i;
  // In kernels Triton takes as many as there are names, and leaves the rest.
  bool fits = star != parts.size()   ? elements.size() + 1 >= parts.size()
              : frame->atCompileTime ? elements.size() == parts.size()
                                     : elements.size() >= parts.size();
  if (!fits)
    fail(target->range,
         "cannot unpack " + Twine(elements.size()) + " values into " + Twine(parts.size()) + " names");
  size_t taken = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != star) {
      unpack(parts[i], elements[taken++], bind);
      continue;
    }
    size_t count = elements.size() + 1 - parts.size();
    auto makeRest = frame->atCompileTime ? Value::list : Value::tuple;
    auto first = elements.begin() + taken;
    unpack(cast<ast::Starred>(parts[i])->value, makeRest({first, first + count}), bind);
    taken += count;
  }
}

void Evaluator::assign(const ast::Expression *target, const Value &value) {
  if (auto *name = dyn_cast<ast::Name>(target)) {
    setLocal(name->id, frame->atCompileTime ? value : decay(value));
    return;
  }
  if (isa<ast::Tuple, ast::List>(target))
    return unpack(target, value,
                  [&](const ast::Expression *part, const Value &element) { assign(part, element); });
  if (auto *subscript = dyn_cast<ast::Subscript>(target))
    return assignElement(subscript, value);
  if (auto *attribute = dyn_cast<ast::Attribute>(target)) {
    PositionScope position(*this, target->range);
    return setAttribute(*this, evaluate(attribute->value), attribute->attr, value);
  }
  fail(target->range, "this cannot be assigned to");
}

void Evaluator::executeReturn(const ast::Return *node) {
  if (frame->loopDepth)
    fail("'return' is not supported inside a loop that runs on the device");
  Value value = node->value ? evaluate(node->value) : Value();
  if (frame->function && !frame->caller && !value.isNone())
    fail(node->value->range, "a kernel cannot return a value; write it to memory with tl.store");
  // A kernel's own functions return run-time values, as in Triton; tl.cdiv of two constants is a constant.
  frame->returned = frame->atCompileTime || isPrelude(frame->module) ? value : decay(value);
}

void Evaluator::executeAssert(const ast::Assert *node) {
  Value test = evaluate(node->test);
  if (test.isTensor()) {
    Value text = node->msg ? evaluate(node->msg) : Value("");
    emitAssertion(test, text.str());
    return;
  }
  if (isTrue(test, "the condition"))
    return;
  std::string message = node->msg ? evaluate(node->msg).str() : "";
  // Whether a branch that is chosen at run time is reached is not known: its assertion is checked there.
  if (!frame->atCompileTime && isUnderCondition())
    return emitAssertion(test, message);
  fail(node->test->range, "this assertion fails" + (message.empty() ? "" : ": " + message));
}

Flow Evaluator::executeIf(const ast::If *node, const Continuation *after) {
  if (guessesInFunctions && frame->atCompileTime)
    return execute(guess(node->test) ? node->body : node->orelse, after);
  Value test = evaluate(node->test);
  if (test.isTensor())
    return emitIf(node, test, after);
  return execute(isTrue(test, "the condition") ? node->body : node->orelse, after);
}

Flow Evaluator::executeToEnd(ast::Statements statements, const Continuation *after) {
  Flow flow = execute(statements, after);
  for (; flow == Flow::Next && after; after = after->next)
    flow = execute(after->statements, after->next);
  return flow;
}

Flow Evaluator::executeStaticLoop(const ast::For *node, const std::vector<Value> &elements) {
  bool savedBreakable = frame->breakable;
  ++frame->staticLoopDepth;
  scope_exit restore([&] {
    frame->breakable = savedBreakable;
    --frame->staticLoopDepth;
  });
  frame->breakable = true;
  for (const Value &element : elements) {
    if (auto *name = dyn_cast<ast::Name>(node->target)) {
      setLocal(name->id, element); // not decayed: it stays known at compile time
    } else {
      assign(node->target, element);
    }
    Flow flow = execute(node->body, nullptr);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned)
      return flow;
  }
  return execute(node->orelse, nullptr);
}

Flow Evaluator::executeFor(const ast::For *node) {
  Value iterable = [&] {
    PositionScope position(*this, node->iter->range);
    return evaluate(node->iter);
  }();
  auto *range = iterable.object<RangeObject>();
  if (!range || frame->atCompileTime || range->kind == RangeObject::Kind::Static) {
    std::vector<Value> elements = [&] {
      PositionScope position(*this, node->iter->range);
      return iterateValue(iterable);
    }();
    return executeStaticLoop(node, elements);
  }
  if (!node->orelse.empty())
    fail("'else' of a loop is not supported in a kernel");
  if (!isa<ast::Name>(node->target))
    fail(node->target->range, "the variable of this loop must be a name");
  emitFor(node, *range);
  return Flow::Next;
}

Flow Evaluator::executeWhile(const ast::While *node) {
  if (!frame->atCompileTime) {
    if (!node->orelse.empty())
      fail("'else' of a loop is not supported in a kernel");
    emitWhile(node);
    return Flow::Next;
  }
  bool savedBreakable = frame->breakable;
  scope_exit restore([&] { frame->breakable = savedBreakable; });
  frame->breakable = true;
  while (isTrue(evaluate(node->test), "the condition")) {
    Flow flow = execute(node->body, nullptr);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned)
      return flow;
  }
  return execute(node->orelse, nullptr);
}

} // namespace nereid::python
