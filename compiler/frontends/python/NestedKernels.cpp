// Kernels that stand in a plain function, as in `def test_add(): @triton.jit def kernel(…)`.
//
// Such a function is not run: it makes tensors and launches things. But what stands before the kernel in it,
// helpers, imports and constants, is what the kernel may name. So the function is followed up to the kernel
// as far as that goes; what depends on its arguments or on what only a running program has is left unknown,
// which is an error only where the kernel uses it.
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/ModuleScope.h"

using namespace llvm;

namespace nereid::python {

/// The last definition of that name among the function's own statements, if it is decorated.
static const ast::FunctionDef *findDefinition(const ast::FunctionDef *outer, StringRef name) {
  for (const ast::Statement *statement : reverse(outer->body))
    if (auto *inner = dyn_cast<ast::FunctionDef>(statement); inner && inner->name == name)
      return inner->decorator_list.empty() ? nullptr : inner;
  return nullptr;
}

static void forEachName(const ast::Expression *target, function_ref<void(StringRef)> call) {
  if (auto *name = dyn_cast<ast::Name>(target))
    call(name->id);
  else if (auto *tuple = dyn_cast<ast::Tuple>(target))
    for (const ast::Expression *element : tuple->elts)
      forEachName(element, call);
}

std::optional<Value> Emitter::followTo(SourceModule &file, const ast::FunctionDef *outer,
                                       const ast::FunctionDef *kernel) {
  ModuleScope scope(*this, file);
  auto bindUnknown = [&](StringRef name) {
    scope.frame.locals[name] =
        Value::opaque(name.str(), "its value is only known where '" + outer->name.str() + "' runs");
  };
  for (const ast::Arg *parameter :
       concat<const ast::Arg *const>(outer->args->posonlyargs, outer->args->args, outer->args->kwonlyargs))
    bindUnknown(parameter->arg);
  for (size_t i = 0; i < outer->body.size(); ++i) {
    const ast::Statement *statement = outer->body[i];
    auto *assignment = dyn_cast<ast::Assign>(statement);
    if (!assignment && !isa<ast::FunctionDef, ast::ClassDef, ast::Import, ast::ImportFrom>(statement))
      continue;
    try {
      execute(outer->body.slice(i, 1), nullptr);
    } catch (Refusal &) {
      if (statement == kernel)
        throw;
      if (assignment)
        for (const ast::Expression *target : assignment->targets)
          forEachName(target, bindUnknown);
    }
    if (statement == kernel)
      return scope.frame.locals.lookup(kernel->name);
  }
  return std::nullopt;
}

std::optional<Value> Emitter::lookupNested(SourceModule &file, StringRef name) {
  auto [first, member] = name.split('.');
  StringRef outerName = member.empty() ? "" : first, kernelName = member.empty() ? first : member;
  std::vector<StringRef> names = file.getNames();
  sort(names);
  for (StringRef candidate : names)
    for (const SourceModule::Binding &binding : *file.getBindings(candidate))
      if (auto *outer = dyn_cast<ast::FunctionDef>(binding.statement);
          outer && (outerName.empty() || outerName == candidate))
        if (auto *kernel = findDefinition(outer, kernelName))
          return followTo(file, outer, kernel);
  return std::nullopt;
}

} // namespace nereid::python
