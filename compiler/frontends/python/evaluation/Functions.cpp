// From a def to a function: what its decorators make of it.
#include "compiler/frontends/python/evaluation/Autotune.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/syntax/AstWalk.h"

using namespace llvm;

namespace nereid::python {

/// The text of a decorator without its arguments: `triton.jit`.
static std::string dottedText(const ast::Expression *expression) {
  if (auto *call = dyn_cast<ast::Call>(expression))
    return dottedText(call->func);
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return dottedText(attribute->value) + "." + attribute->attr.str();
  if (auto *name = dyn_cast<ast::Name>(expression))
    return name->id.str();
  return "…";
}

/// `functools.partial(triton.jit, debug=True)`, which is what it is made of; the other decorators of
/// functools make nothing else of a function.
static bool isPartial(const ast::Call *decorator) {
  while (decorator && isa<ast::Call>(decorator->func))
    decorator = cast<ast::Call>(decorator->func);
  return decorator && StringRef(dottedText(decorator)).ends_with("partial");
}

/// A decorator that makes builtins of a library's own: it sets `__triton_builtin__` of what it returns.
static bool makesBuiltins(const Value &decorator) {
  auto *function = decorator.object<const Function>();
  return function && function->definition && ast::anyNode(function->definition, [](const ast::Node *node) {
           auto *attribute = dyn_cast<ast::Attribute>(node);
           return attribute && attribute->ctx == ast::ExprContext::Store &&
                  attribute->attr == "__triton_builtin__";
         });
}

Value Evaluator::makeFunction(ModuleObject &owner, const ast::FunctionDef *definition) {
  auto function = std::make_shared<Function>();
  function->name = definition->name.str();
  function->definition = definition;
  function->module = &owner;
  bool isJit = false, isPlain = definition->decorator_list.empty();
  std::vector<const ast::Expression *> unknown;
  for (const ast::Expression *decorator : definition->decorator_list) {
    auto *call = dyn_cast<ast::Call>(decorator);
    const ast::Expression *callee = call ? call->func : decorator;
    std::string text = dottedText(decorator), meaning;
    size_t mark = guessed.mark();
    try {
      Value value = evaluate(callee);
      if (value.is<const Builtin *>())
        meaning = value.get<const Builtin *>()->name;
      else if (makesBuiltins(value))
        meaning = "tl.builtin";
    } catch (Refusal &) {
      // Not evaluable means not known.
      guessed.forget(mark);
    }
    if (meaning == "tl.extern" || meaning == "tl.builtin") {
      isPlain = true;
      function->isExtern = true;
    } else if (meaning == "triton.jit") {
      isJit = true;
      for (const ast::Keyword *keyword : call ? call->keywords : ArrayRef<const ast::Keyword *>())
        if (keyword->arg == "noinline")
          function->noinline = evaluate(keyword->value).isTruthy();
        else if (keyword->arg == "debug")
          function->debug = evaluate(keyword->value).isTruthy();
    } else if (meaning == "triton.heuristics") {
      const ast::Expression *values = nullptr;
      if (call && !call->args.empty())
        values = call->args[0];
      else if (call && !call->keywords.empty())
        values = call->keywords[0]->value;
      try {
        Value dict = values ? evaluate(values) : Value();
        if (auto *entries = dict.object<DictObject>())
          for (auto &[key, value] : entries->entries)
            if (key.isStr())
              function->heuristics.push_back({key.asStr(), value});
      } catch (Refusal &) {
        // Then the parameters must be given by the specialization.
      }
    } else if (meaning == "triton.constexpr_function") {
      isPlain = true;
      function->isConstexprFunction = true;
    } else if (meaning == "py.staticmethod" || meaning == "py.classmethod" || meaning == "py.property") {
      isPlain = true;
      function->binding = meaning == "py.staticmethod"  ? Function::Binding::Static
                          : meaning == "py.classmethod" ? Function::Binding::OfClass
                                                        : Function::Binding::Property;
    } else if (!isPartial(call) && (meaning == "tl.constexpr" || StringRef(text).starts_with("functools.") ||
                                    text == "lru_cache" || text == "cache")) {
      isPlain = true;
    } else if (meaning == "triton.autotune") {
      function->autotune = call;
    } else {
      unknown.push_back(decorator);
    }
  }
  // A decorator that the file defines may come down to one that is known, or to nothing. Or it puts another
  // function in the place of this one, which is then only what a library without that function gets.
  std::optional<Value> replacement;
  erase_if(unknown, [&](const ast::Expression *decorator) {
    size_t mark = guessed.mark();
    try {
      Value decorated = this->call(evaluate(decorator), {{std::shared_ptr<const Function>(function)}, {}});
      auto *result = decorated.object<const Function>();
      if (decorated.is<const Builtin *>() ||
          (result && result->definition != definition && result->kind == Function::Kind::Jit)) {
        replacement = decorated;
        return true;
      }
      // Whatever was asked on the way, it is this function in the end.
      guessed.forget(mark);
      if (!result || result->definition != definition)
        return false;
      isJit |= result->kind == Function::Kind::Jit;
      isPlain |= result->kind == Function::Kind::CompileTime;
      function = std::make_shared<Function>(*result);
      return true;
    } catch (Refusal &) {
      guessed.forget(mark);
      return false;
    }
  });
  if (replacement)
    return *replacement;
  // A project's own autotuner is known by its configurations.
  erase_if(unknown, [&](const ast::Expression *decorator) {
    auto *tuner = dyn_cast<ast::Call>(decorator);
    bool hasConfigs = tuner && any_of(tuner->keywords,
                                      [](const ast::Keyword *keyword) { return keyword->arg == "configs"; });
    if (tuner && !hasConfigs && !tuner->args.empty())
      if (auto position = findConfigsParameter(*this, *tuner))
        hasConfigs = *position < tuner->args.size();
    if (hasConfigs && !function->autotune)
      function->autotune = tuner;
    // TorchInductor's, which choose block sizes by the size of a problem, say so with the types of the
    // arguments.
    bool isInductor = tuner && any_of(tuner->keywords, [](const ast::Keyword *keyword) {
                        return keyword->arg == "triton_meta";
                      });
    return hasConfigs || isInductor || makesLauncher(*this, *decorator);
  });
  if (warns)
    for (const ast::Expression *decorator : unknown)
      diagnostics.warning(decorator->range,
                          "decorator '" + dottedText(decorator) + "' is not known and is ignored");
  // A kernel wrapped by nothing but a library's own decorator is still meant to be a kernel.
  if (isJit || (!isPlain && !unknown.empty()))
    function->kind = Function::Kind::Jit;
  return std::shared_ptr<const Function>(std::move(function));
}

Value Evaluator::makeMethod(ModuleObject &owner, const ast::FunctionDef *definition, StringRef className) {
  Value function = makeFunction(owner, definition);
  auto method = std::make_shared<Function>(*function.object<const Function>());
  method->name = (className + "." + method->name).str();
  method->isMethod = true;
  return std::shared_ptr<const Function>(std::move(method));
}

} // namespace nereid::python
