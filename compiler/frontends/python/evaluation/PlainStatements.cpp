// Statements of plain Python, which is run while compiling: helpers of kernel files are not bound to what
// kernels can do. There are `try`, `del`, `raise`, functions in functions, imports, and assignment to
// elements.
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::python {

using ast::NodeKind;

/// `ValueError` of `ValueError("…")`, `errors.ValueError` and ValueError.
static StringRef className(const ast::Expression *expression) {
  if (auto *call = dyn_cast_or_null<ast::Call>(expression))
    return className(call->func);
  if (auto *attribute = dyn_cast_or_null<ast::Attribute>(expression))
    return attribute->attr;
  if (auto *name = dyn_cast_or_null<ast::Name>(expression))
    return name->id;
  return "";
}

void raise(Context &context, StringRef errorClass, const Twine &message) {
  try {
    context.fail(message);
  } catch (Refusal &refusal) {
    refusal.errorClass = errorClass.str();
    throw;
  }
}

void Evaluator::executeRaise(const ast::Raise *node) {
  std::string message = "this 'raise' is reached when the kernel is compiled";
  if (auto *call = dyn_cast_or_null<ast::Call>(node->exc))
    if (!call->args.empty()) {
      Value text = evaluate(call->args[0]);
      if (text.isStr())
        message += ": " + text.asStr();
    }
  raise(*this, className(node->exc), message);
}

/// Which errors an `except` is for. What the compiler itself refuses has no class, and every handler takes
/// it.
static bool handles(const ast::ExceptHandler *handler, const Refusal &refusal) {
  if (!handler->type || refusal.errorClass.empty())
    return true;
  auto isFor = [&](const ast::Expression *type) {
    StringRef name = className(type);
    bool isImport = name == "ImportError" || name == "ModuleNotFoundError";
    return name == refusal.errorClass || name == "Exception" || name == "BaseException" ||
           (isImport && refusal.errorClass == importErrorName);
  };
  if (auto *tuple = dyn_cast<ast::Tuple>(handler->type))
    return any_of(tuple->elts, isFor);
  return isFor(handler->type);
}

Flow Evaluator::executeTry(const ast::Try *node) {
  auto attempt = [&] {
    size_t mark = guessed.mark();
    try {
      Flow flow = execute(node->body, nullptr);
      if (flow != Flow::Next)
        return flow;
    } catch (Refusal &refusal) {
      // A file that does not parse has been reported already, and no handler makes a limit larger.
      if (refusal.message.empty() || meter.isExceeded())
        throw;
      for (const ast::ExceptHandler *handler : node->handlers)
        if (handles(handler, refusal)) {
          if (refusal.isUnknown) {
            guessed.forget(mark);
            guessed.make(refusal.range,
                         quoteSource(refusal.range) + " cannot be followed here and is taken to fail",
                         refusal.message);
          }
          if (!handler->name.empty())
            setLocal(handler->name, refusal.message);
          return execute(handler->body, nullptr);
        }
      throw;
    }
    return execute(node->orelse, nullptr);
  };
  Flow flow = attempt();
  Flow last = execute(node->finalbody, nullptr);
  return last == Flow::Next ? flow : last;
}

void Evaluator::executeDelete(const ast::Expression *target) {
  PositionScope position(*this, target->range);
  if (auto *name = dyn_cast<ast::Name>(target)) {
    frame->locals.erase(name->id);
    return;
  }
  auto *subscript = dyn_cast<ast::Subscript>(target);
  if (!subscript)
    fail("only names and elements can be deleted");
  Value container = evaluate(subscript->value), index = evaluate(subscript->slice);
  bool isElement = container.isTuple() && container.asTuple().isList && index.isIntLike();
  if (!isElement && !container.object<DictObject>())
    fail("elements of a " + container.describe() + " cannot be deleted");
  call(getAttribute(container, "pop"), {{index}, {}});
}

/// `xs[i:j] = values`.
static void assignSlice(Evaluator &evaluator, std::vector<Value> &elements, const SliceObject &slice,
                        std::vector<Value> values) {
  if (!slice.step.isNone() && !equalValues(slice.step, 1))
    evaluator.fail("a slice with a step cannot be assigned");
  BigInt size = static_cast<BigInt>(elements.size());
  auto bound = [&](const Value &value, BigInt absent) {
    BigInt at = value.isNone() ? absent : wholeNumber(evaluator, value, "a slice's bound");
    return static_cast<ptrdiff_t>(std::clamp<BigInt>(at < 0 ? at + size : at, 0, size));
  };
  ptrdiff_t start = bound(slice.start, 0), stop = std::max(start, bound(slice.stop, size));
  elements.erase(elements.begin() + start, elements.begin() + stop);
  elements.insert(elements.begin() + start, values.begin(), values.end());
}

void Evaluator::assignElement(const ast::Subscript *target, const Value &value) {
  Value container = evaluate(target->value);
  if (!frame->atCompileTime || container.isTensor())
    fail(target->range, "elements cannot be assigned in a kernel; use tl.where to choose between values, or "
                        "tl.store to write memory");
  Value index = evaluate(target->slice);
  PositionScope position(*this, target->range);
  if (auto *dict = container.object<DictObject>()) {
    dict->set(index, value);
    return;
  }
  if (!container.isTuple() || !container.asTuple().isList)
    fail("elements of a " + container.describe() + " cannot be assigned");
  auto &elements = container.asTuple().elements;
  if (auto *slice = index.object<SliceObject>())
    return assignSlice(*this, elements, *slice, iterateValue(value));
  BigInt at = wholeNumber(*this, index, "an index of a list");
  if (at < 0)
    at += static_cast<BigInt>(elements.size());
  if (at < 0 || at >= static_cast<BigInt>(elements.size()))
    fail("this index is out of range for a list of " + Twine(elements.size()));
  elements[static_cast<size_t>(at)] = value;
}

std::optional<Flow> Evaluator::executePlainPython(const ast::Statement *statement) {
  switch (statement->kind) {
  case NodeKind::FunctionDef: {
    auto *definition = cast<ast::FunctionDef>(statement);
    Value plain = makeFunction(*frame->module, definition);
    auto function = std::make_shared<Function>(*plain.object<const Function>());
    auto closure = std::make_shared<Scope>(frame->locals);
    meter.spend(stepsOfElement * (1 + closure->size() + (frame->closure ? frame->closure->size() : 0)));
    if (frame->closure)
      for (auto &[name, value] : *frame->closure)
        closure->insert({name, value});
    function->closure = std::move(closure);
    setLocal(definition->name, std::shared_ptr<const Function>(std::move(function)));
    return Flow::Next;
  }
  case NodeKind::Delete:
    for (const ast::Expression *target : cast<ast::Delete>(statement)->targets)
      executeDelete(target);
    return Flow::Next;
  case NodeKind::Import:
  case NodeKind::ImportFrom:
    runImport(statement);
    return Flow::Next;
  case NodeKind::Try:
    return executeTry(cast<ast::Try>(statement));
  default:
    return std::nullopt;
  }
}

} // namespace nereid::python
