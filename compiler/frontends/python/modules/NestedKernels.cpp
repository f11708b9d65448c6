// Kernels that stand in a plain function, as in `def test_add(): @triton.jit def kernel(…)`.
//
// Such a function is not run: it makes tensors and launches things. But what stands before the kernel in it,
// helpers, imports and constants, is what the kernel may name. So the function is followed up to the kernel
// as far as that goes; what depends on its arguments or on what only a running program has is left unknown,
// which is an error only where the kernel uses it.
#include "compiler/frontends/python/evaluation/ModuleScope.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"
#include "compiler/frontends/python/syntax/AstQueries.h"
#include "compiler/frontends/python/syntax/AstWalk.h"

using namespace llvm;

namespace nereid::python {

/// The last definition of that name among the function's own statements, if it is decorated.
static const ast::FunctionDef *findDefinition(const ast::FunctionDef *outer, StringRef name) {
  for (const ast::Statement *statement : reverse(outer->body))
    if (auto *inner = dyn_cast<ast::FunctionDef>(statement); inner && inner->name == name)
      return inner->decorator_list.empty() ? nullptr : inner;
  return nullptr;
}

std::optional<Value> ModuleEvaluator::followTo(SourceModule &file, const ast::FunctionDef *outer,
                                               const ast::FunctionDef *kernel) {
  ModuleScope scope(*this, file);
  auto bindUnknown = [&](StringRef name) {
    scope.frame.locals[name] =
        Value::opaque(name.str(), "its value is only known where '" + outer->name.str() + "' runs");
  };
  ast::forEachChild(outer->args, [&](const ast::Node *part) {
    if (auto *parameter = dyn_cast<ast::Arg>(part))
      bindUnknown(parameter->arg);
  });
  for (size_t i = 0; i < outer->body.size(); ++i) {
    const ast::Statement *statement = outer->body[i];
    bool isFollowed = isa<ast::Assign, ast::AnnAssign, ast::AugAssign, ast::FunctionDef, ast::ClassDef,
                          ast::Import, ast::ImportFrom>(statement);
    try {
      if (isFollowed)
        execute(outer->body.slice(i, 1), nullptr);
    } catch (Refusal &) {
      if (statement == kernel)
        throw;
      isFollowed = false;
    }
    if (!isFollowed)
      for (StringRef name : ast::findAssignedNames(statement))
        bindUnknown(name);
    if (statement == kernel)
      return scope.frame.locals.lookup(kernel->name);
  }
  return std::nullopt;
}

std::optional<Value> ModuleEvaluator::lookupNested(SourceModule &file, StringRef name) {
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
