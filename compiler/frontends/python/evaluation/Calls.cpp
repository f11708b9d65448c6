// Calls: of builtins, of @triton.jit functions (walked in place, or emitted apart for noinline), of plain
// Python.
#include "compiler/frontends/python/evaluation/Autotune.h"
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

/// Calls inside calls, beyond which a kernel is taken to call itself without end.
constexpr size_t maximumCallDepth = 100;

/// What a call costs besides what its body does.
constexpr uint64_t stepsOfCall = 10;

Value Evaluator::evaluateCall(const ast::Call *node) {
  Value callee = evaluate(node->func);
  CallArguments arguments;
  bool isAutotune = callee.is<const Builtin *>() && callee.get<const Builtin *>()->name == "triton.autotune";
  // `f = triton.autotune(configs=…, key=…)(f)`: what that is given matters only to whoever asks for
  // configurations, so that nothing of it is refused here.
  auto evaluateArgument = [&](const ast::Expression *argument, bool areConfigs) {
    if (!isAutotune)
      return evaluate(argument);
    size_t mark = guessed.mark();
    Value value;
    try {
      SaveAndRestore guessing(guessesInFunctions, guessesInFunctions || areConfigs);
      value = evaluate(argument);
    } catch (Refusal &refusal) {
      if (meter.isExceeded())
        throw;
      std::string text = quoteSource(argument->range);
      value = Value::opaque(text.substr(1, text.size() - 2), refusal.message);
    }
    if (areConfigs)
      guessedForConfigs.append(guessed.since(mark));
    guessed.forget(mark);
    return value;
  };
  // Keywords come first, as in Triton, which shows in the order of the operations.
  for (const ast::Keyword *keyword : node->keywords) {
    Value value = evaluateArgument(keyword->value, keyword->arg.empty() || keyword->arg == "configs");
    if (!keyword->arg.empty()) {
      arguments.keywords.push_back({keyword->arg.str(), value});
      continue;
    }
    auto *dict = value.object<DictObject>();
    if (!dict && isAutotune && value.object<const Opaque>())
      continue;
    if (!dict)
      fail(keyword->range, "** takes a dict, not " + value.describe());
    for (auto &[key, entry] : dict->entries)
      arguments.keywords.push_back({key.str(), entry});
  }
  for (const ast::Expression *argument : node->args) {
    if (auto *starred = dyn_cast<ast::Starred>(argument)) {
      Value spread = evaluateArgument(starred->value, arguments.positional.empty());
      if (!isAutotune || !spread.object<const Opaque>())
        append_range(arguments.positional, iterateValue(spread));
      continue;
    }
    arguments.positional.push_back(evaluateArgument(argument, arguments.positional.empty()));
  }
  return call(callee, std::move(arguments));
}

Value Evaluator::evaluateConfigs(const ast::Call *autotune) {
  SaveAndRestore guessing(guessesInFunctions, true);
  for (const ast::Keyword *keyword : autotune->keywords) {
    if (keyword->arg == "configs")
      return evaluate(keyword->value);
    Value spread = keyword->arg.empty() ? evaluate(keyword->value) : Value();
    if (auto *dict = spread.object<DictObject>())
      if (const Value *configs = dict->find("configs"))
        return *configs;
  }
  size_t position = findConfigsParameter(*this, *autotune).value_or(0);
  for (const ast::Expression *argument : autotune->args) {
    auto *starred = dyn_cast<ast::Starred>(argument);
    if (!starred) {
      if (position-- == 0)
        return evaluate(argument);
      continue;
    }
    std::vector<Value> spread = iterateValue(evaluate(starred->value));
    if (position < spread.size())
      return spread[position];
    position -= spread.size();
  }
  return {};
}

Value Evaluator::call(const Value &callee, CallArguments arguments) {
  if (callee.is<const Builtin *>()) {
    const Builtin *builtin = callee.get<const Builtin *>();
    Arguments bound = bindArguments(*this, *builtin, arguments);
    // Functions of Python go through what they are given; what is more than that they count themselves.
    for (const Value &value : bound.values)
      meter.spend(value.isStr()     ? value.asStr().size() / 1024
                  : value.isTuple() ? value.asTuple().elements.size() / 64
                                    : 0);
    return builtin->call(*this, bound);
  }
  if (auto *method = callee.object<BoundMethod>()) {
    arguments.positional.insert(arguments.positional.begin(), method->self);
    return call(method->function, std::move(arguments));
  }
  if (callee.object<const Function>())
    return callFunction(callee.get<std::shared_ptr<const Function>>(), arguments);
  if (callee.object<const ClassObject>())
    return makeObject(*this, callee.get<ClassPointer>(), arguments);
  if (auto *instance = callee.object<InstanceObject>())
    if (auto method = findMember(*this, instance->type, "__call__", &callee))
      return call(*method, std::move(arguments));
  if (callee.isType() && arguments.positional.size() == 1 && arguments.keywords.empty())
    return emitConversion(arguments.positional[0], callee.asType());
  if (auto *opaque = callee.object<const Opaque>())
    failUnknown(*opaque, "called");
  fail("a " + callee.describe() + " cannot be called");
}

static bool namesConstexpr(const ast::Expression *annotation) {
  if (auto *subscript = dyn_cast<ast::Subscript>(annotation))
    return namesConstexpr(subscript->value);
  if (auto *attribute = dyn_cast<ast::Attribute>(annotation))
    return attribute->attr == "constexpr";
  if (auto *name = dyn_cast<ast::Name>(annotation))
    return name->id == "constexpr";
  if (auto *constant = dyn_cast<ast::Constant>(annotation))
    return constant->type == ast::Constant::Type::Str &&
           (constant->text == "constexpr" || constant->text.ends_with(".constexpr"));
  return false;
}

bool Evaluator::isConstexprAnnotation(const ast::Expression *annotation, ModuleObject &owner) {
  if (!annotation)
    return false;
  if (namesConstexpr(annotation))
    return true;
  // `from triton.language import constexpr as CE`, `CE = tl.constexpr`.
  if (auto *name = dyn_cast<ast::Name>(annotation)) {
    try {
      auto value = lookupGlobal(owner, name->id);
      return value && value->is<const Builtin *>() && value->get<const Builtin *>()->name == "tl.constexpr";
    } catch (Refusal &) {
    }
  }
  return false;
}

bool Evaluator::isConstexprParameter(const Function &function, const ast::Arg &parameter) {
  return isConstexprAnnotation(parameter.annotation, *function.module);
}

/// What Triton's compiler hands to functions that take part in it, and they to each other. It means nothing
/// here.
static bool isCompilerArgument(StringRef name) {
  return name == "_semantic" || name == "_generator" || name == "_builder";
}

Scope Evaluator::bindParameters(const Function &function, const CallArguments &arguments) {
  const ast::Arguments &parameters = function.getArguments();
  SmallVector<const ast::Arg *> ordered(parameters.posonlyargs.begin(), parameters.posonlyargs.end());
  ordered.append(parameters.args.begin(), parameters.args.end());
  Refusal::Note definition{function.getRange(), "'" + function.name + "' is defined here"};
  if (isPrelude(function.module))
    definition.range = SMRange();
  Scope bound;
  for (auto [index, value] : enumerate(arguments.positional)) {
    if (index >= ordered.size()) {
      if (!parameters.vararg)
        fail(range,
             function.name + "() takes " + Twine(ordered.size()) +
                 (ordered.size() == 1 ? " argument" : " arguments") + ", but " +
                 Twine(arguments.positional.size()) + (arguments.positional.size() == 1 ? " is" : " are") +
                 " given",
             definition);
      break;
    }
    bound[ordered[index]->arg] = value;
  }
  if (parameters.vararg) {
    size_t first = std::min(ordered.size(), arguments.positional.size());
    bound[parameters.vararg->arg] =
        Value::tuple({arguments.positional.begin() + first, arguments.positional.end()});
  }
  auto extra = std::make_shared<DictObject>();
  for (auto &[name, value] : arguments.keywords) {
    const ast::Arg *parameter = nullptr;
    for (const ast::Arg *candidate : concat<const ast::Arg *const>(parameters.args, parameters.kwonlyargs))
      if (candidate->arg == name)
        parameter = candidate;
    if (!parameter) {
      if (!parameters.kwarg && isCompilerArgument(name))
        continue;
      if (!parameters.kwarg)
        fail(range, function.name + "() has no parameter '" + name + "'", definition);
      extra->entries.push_back({Value(name), value});
      continue;
    }
    if (bound.count(parameter->arg))
      fail(range, function.name + "() gets the argument '" + name + "' twice", definition);
    bound[parameter->arg] = value;
  }
  if (parameters.kwarg)
    bound[parameters.kwarg->arg] = extra;

  auto evaluateDefault = [&](const ast::Expression *expression) {
    Frame defaults;
    defaults.module = function.module;
    defaults.atCompileTime = true;
    defaults.closure = function.closure;
    Frame *saved = frame;
    StringRef savedName = assignedName;
    frame = &defaults;
    assignedName = "";
    scope_exit restore([&] {
      frame = saved;
      assignedName = savedName;
    });
    return evaluate(expression);
  };
  auto complete = [&](const ast::Arg *parameter, const ast::Expression *defaultValue) {
    if (bound.count(parameter->arg))
      return;
    if (!defaultValue && isCompilerArgument(parameter->arg)) {
      bound[parameter->arg] = Value();
      return;
    }
    if (!defaultValue)
      fail(range, function.name + "() is missing the argument '" + parameter->arg + "'", definition);
    bound[parameter->arg] = evaluateDefault(defaultValue);
  };
  size_t firstDefault = ordered.size() - parameters.defaults.size();
  for (auto [index, parameter] : enumerate(ordered))
    complete(parameter, index >= firstDefault ? parameters.defaults[index - firstDefault] : nullptr);
  for (auto [parameter, defaultValue] : zip(parameters.kwonlyargs, parameters.kw_defaults))
    complete(parameter, defaultValue);
  return bound;
}

Value Evaluator::callFunction(std::shared_ptr<const Function> function, const CallArguments &arguments) {
  // Counted before the parameters get their values: a default may call, too.
  if (callDepth >= maximumCallDepth)
    fail("calls are nested more than " + Twine(maximumCallDepth) + " deep; does '" + function->name +
         "' call itself?");
  SaveAndRestore deeper(callDepth, callDepth + 1);
  meter.spend(stepsOfCall);
  Scope bound = bindParameters(*function, arguments);
  if (function->kind == Function::Kind::Jit && frame && frame->atCompileTime && frame->function &&
      frame->function->kind == Function::Kind::CompileTime && !frame->function->lambda &&
      !frame->function->isExtern)
    fail("'" + frame->function->name +
         "' is plain Python, evaluated at compile time, and cannot call the kernel "
         "function '" +
         function->name + "'");
  if (function->kind == Function::Kind::CompileTime && function->definition && !function->isMethod &&
      !function->isConstexprFunction && !function->isExtern)
    for (auto &[name, value] : bound)
      if (value.hasTensor())
        fail(range,
             "'" + function->name +
                 "' is not a @triton.jit function, so it cannot take the run-time value '" + name.str() +
                 "' (" + value.describe() + ")",
             {function->getRange(), "'" + function->name + "' is defined here"});
  if (function->noinline)
    return callNoInline(*function, bound);
  return inlineFunction(*function, std::move(bound));
}

Value Evaluator::inlineFunction(const Function &function, Scope arguments) {
  Frame callee;
  callee.function = &function;
  callee.module = function.module;
  callee.caller = frame;
  callee.closure = function.closure;
  callee.locals = std::move(arguments);
  // A lambda is an expression: it is evaluated like the code around it.
  callee.atCompileTime = function.kind == Function::Kind::CompileTime && !function.lambda;
  calls.push_back({range, assignedName, function.name});
  Frame *saved = frame;
  StringRef savedName = assignedName;
  SMRange savedRange = range;
  frame = &callee;
  assignedName = "";
  scope_exit restore([&] {
    frame = saved;
    assignedName = savedName;
    range = savedRange;
    calls.pop_back();
  });
  if (function.lambda)
    return evaluate(function.lambda->body);
  execute(function.definition->body, nullptr);
  return callee.returned.value_or(Value());
}

} // namespace nereid::python
