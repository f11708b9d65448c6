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

SmallVector<const ast::FunctionDef *> findFunctions(ast::Statements statements) {
  SmallVector<const ast::FunctionDef *> functions;
  for (const ast::Statement *statement : statements)
    ast::walkScope(statement, [&](const ast::Node *node) {
      if (auto *function = dyn_cast<ast::FunctionDef>(node))
        functions.push_back(function);
      return true;
    });
  return functions;
}

/// The last definition of that name in the function, if it is decorated.
static const ast::FunctionDef *findDefinition(const ast::FunctionDef *outer, StringRef name) {
  for (const ast::FunctionDef *inner : reverse(findFunctions(outer->body)))
    if (inner->name == name)
      return inner->decorator_list.empty() ? nullptr : inner;
  return nullptr;
}

/// The blocks of a compound statement.
static SmallVector<ast::Statements, 4> getBlocks(const ast::Statement *statement) {
  if (auto *branch = dyn_cast<ast::If>(statement))
    return {branch->body, branch->orelse};
  if (auto *with = dyn_cast<ast::WithBase>(statement))
    return {with->body};
  if (auto *loop = dyn_cast<ast::ForBase>(statement))
    return {loop->body, loop->orelse};
  if (auto *loop = dyn_cast<ast::While>(statement))
    return {loop->body, loop->orelse};
  SmallVector<ast::Statements, 4> blocks;
  if (auto *attempt = dyn_cast<ast::TryBase>(statement)) {
    blocks = {attempt->body, attempt->orelse, attempt->finalbody};
    for (const ast::ExceptHandler *handler : attempt->handlers)
      blocks.push_back(handler->body);
  }
  return blocks;
}

static bool isIn(const ast::Statement *statement, const ast::FunctionDef *kernel) {
  return ast::anyNodeInScope(statement, [&](const ast::Node *node) { return node == kernel; });
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
  auto bindUnknownsOf = [&](const ast::Node *node) {
    for (StringRef name : ast::findAssignedNames(node))
      bindUnknown(name);
  };
  // Where the kernel stands under a condition, that holds.
  ast::Statements body = outer->body;
  while (!body.empty()) {
    const ast::Statement *statement = body.front();
    if (statement != kernel && isIn(statement, kernel)) {
      SmallVector<ast::Statements, 4> blocks = getBlocks(statement);
      auto *found = llvm::find_if(blocks, [&](ast::Statements block) {
        return llvm::any_of(block, [&](const ast::Statement *inner) { return isIn(inner, kernel); });
      });
      if (found == blocks.end())
        return std::nullopt;
      // What a `with`, a loop or an exception gives a name, and what an attempt did before.
      ast::forEachChild(statement, [&](const ast::Node *part) {
        if (isa<ast::Expression, ast::WithItem>(part))
          bindUnknownsOf(part);
      });
      if (auto *attempt = dyn_cast<ast::TryBase>(statement); attempt && found != blocks.begin()) {
        for (const ast::Statement *before : attempt->body)
          bindUnknownsOf(before);
        for (const ast::ExceptHandler *handler : attempt->handlers)
          if (!handler->name.empty())
            bindUnknown(handler->name);
      }
      body = *found;
      continue;
    }
    bool isFollowed = isa<ast::Assign, ast::AnnAssign, ast::AugAssign, ast::FunctionDef, ast::ClassDef,
                          ast::Import, ast::ImportFrom>(statement);
    try {
      if (isFollowed)
        execute(body.take_front(1), nullptr);
    } catch (Refusal &) {
      if (statement == kernel)
        throw;
      isFollowed = false;
    }
    if (!isFollowed)
      bindUnknownsOf(statement);
    if (statement == kernel)
      return scope.frame.locals.lookup(kernel->name);
    body = body.drop_front();
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
