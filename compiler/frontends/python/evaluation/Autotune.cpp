// See Autotune.h.
#include "compiler/frontends/python/evaluation/Autotune.h"

#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/syntax/AstWalk.h"

using namespace llvm;

namespace nereid::python {

std::optional<size_t> findConfigsParameter(Evaluator &evaluator, const ast::Call &decorator) {
  size_t mark = evaluator.guessed.mark();
  try {
    Value callee = evaluator.evaluate(decorator.func);
    if (callee.is<const Builtin *>() && callee.get<const Builtin *>()->name == "triton.autotune")
      return 0;
    size_t implicit = 0;
    if (callee.object<const ClassObject>()) {
      callee = findMember(evaluator, callee.get<ClassPointer>(), "__init__").value_or(Value());
      implicit = 1; // self
    }
    if (auto *function = callee.object<const Function>()) {
      const ast::Arguments &parameters = function->getArguments();
      SmallVector<const ast::Arg *> ordered(parameters.posonlyargs.begin(), parameters.posonlyargs.end());
      ordered.append(parameters.args.begin(), parameters.args.end());
      for (auto [index, parameter] : enumerate(ordered))
        if (parameter->arg == "configs" && index >= implicit)
          return index - implicit;
    }
  } catch (Refusal &) {
    if (evaluator.meter.isExceeded())
      throw;
    // Not evaluable means not known.
    evaluator.guessed.forget(mark);
  }
  return std::nullopt;
}

static StringRef lastNameOf(const ast::Expression *expression) {
  if (auto *attribute = dyn_cast<ast::Attribute>(expression))
    return attribute->attr;
  auto *name = dyn_cast<ast::Name>(expression);
  return name ? name->id : StringRef();
}

static bool isLauncher(const ClassObject *type) {
  for (; type; type = type->base.get())
    if (type->definition && any_of(type->definition->bases, [](const ast::Expression *base) {
          return is_contained({"KernelInterface", "JITFunction", "Autotuner", "Heuristics"},
                              lastNameOf(base));
        }))
      return true;
  return false;
}

bool makesLauncher(Evaluator &evaluator, const ast::Expression &decorator) {
  const ast::Expression *callee = &decorator;
  while (auto *call = dyn_cast<ast::Call>(callee))
    callee = call->func;
  size_t mark = evaluator.guessed.mark();
  bool found = false;
  try {
    Value value = evaluator.evaluate(callee);
    if (auto *type = value.object<const ClassObject>())
      found = isLauncher(type);
    // `return Launcher(fn)`, in it or in the function that it returns.
    auto *function = value.object<const Function>();
    found |=
        function && function->definition && ast::anyNode(function->definition, [&](const ast::Node *node) {
          auto *result = dyn_cast<ast::Return>(node);
          auto *call = result && result->value ? dyn_cast<ast::Call>(result->value) : nullptr;
          auto *name = call ? dyn_cast<ast::Name>(call->func) : nullptr;
          auto made = name ? evaluator.lookupGlobal(*function->module, name->id) : std::nullopt;
          return made && isLauncher(made->object<const ClassObject>());
        });
  } catch (Refusal &) {
    if (evaluator.meter.isExceeded())
      throw;
  }
  evaluator.guessed.forget(mark);
  return found;
}

void addAutotune(BuiltinTable &table) {
  // In Triton's order, as they may be given by position; `others` are those of other versions.
  table.addForUnknown(
      "triton.autotune",
      "configs=None, key=None, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, "
      "post_hook=None, warmup=None, rep=None, use_cuda_graph=None, do_bench=None, cache_results=None, "
      "**others",
      [](Evaluator &evaluator, Arguments &arguments) -> Value {
        const Builtin *autotune = evaluator.builtins.find("triton.autotune");
        auto options = std::make_shared<DictObject>(*arguments.values.back().object<DictObject>());
        for (auto [parameter, value] : drop_begin(zip(autotune->parameters, arguments.values), 2))
          if (!parameter.takesKeywords && !value.isNone())
            options->set(Value(parameter.name), value);
        auto record = std::make_shared<TupleObject>();
        record->className = "triton.autotune";
        record->fields = {"configs", "key", "options"};
        record->elements = {arguments[0], arguments[1], Value(std::move(options))};
        return std::make_shared<BoundMethod>(
            BoundMethod{Value(std::move(record)), evaluator.builtins.find("triton.autotuned")});
      });
  table.add("triton.autotuned", "record, fn", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto *function = arguments[1].object<const Function>();
    if (!function)
      evaluator.fail("triton.autotune takes a function, not a " + arguments[1].describe());
    auto copy = std::make_shared<Function>(*function);
    copy->configs = arguments[0];
    return std::shared_ptr<const Function>(std::move(copy));
  });
}

} // namespace nereid::python
