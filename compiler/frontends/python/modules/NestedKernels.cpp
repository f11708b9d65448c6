// Kernels that stand in a plain function, as in `def test_add(): @triton.jit def kernel(…)`, or in a method.
//
// Such a function is not run: it makes tensors and launches things. But what stands before the kernel in it,
// helpers, imports and constants, is what the kernel may name. So the function is followed up to the kernel
// as far as that goes; what depends on its arguments or on what only a running program has is left unknown,
// which is an error only where the kernel uses it. The way to `Class.method.kernel` goes through a class and
// a function; what a class has in it is not seen from the functions in it, and is passed over.
#include "compiler/frontends/python/evaluation/ModuleScope.h"
#include "compiler/frontends/python/modules/ModuleEvaluator.h"
#include "compiler/frontends/python/syntax/AstQueries.h"
#include "compiler/frontends/python/syntax/AstWalk.h"

using namespace llvm;

namespace nereid::python {

/// Adds the functions that stand in the last statement of `way`, which is a function or a class.
static void addFunctionsIn(SmallVectorImpl<const ast::Statement *> &way, StringRef name,
                           std::vector<NestedFunction> &functions) {
  auto *function = dyn_cast<ast::FunctionDef>(way.back());
  for (const ast::Statement *statement : function ? function->body : cast<ast::ClassDef>(way.back())->body)
    ast::walkScope(statement, [&](const ast::Node *node) {
      auto *inner = dyn_cast<ast::FunctionDef>(node);
      auto *type = dyn_cast<ast::ClassDef>(node);
      if (!inner && !type)
        return true;
      std::string innerName = (name + "." + (inner ? inner->name : type->name)).str();
      way.push_back(cast<ast::Statement>(node));
      if (inner)
        functions.push_back({innerName, {way.begin(), way.end()}});
      addFunctionsIn(way, innerName, functions);
      way.pop_back();
      return true;
    });
}

std::vector<NestedFunction> findNested(const SourceModule &file, StringRef outermost) {
  std::vector<StringRef> names = file.getNames();
  if (!outermost.empty())
    erase_if(names, [&](StringRef name) { return name != outermost; });
  sort(names);
  std::vector<NestedFunction> functions;
  for (StringRef name : names)
    for (const SourceModule::Binding &binding : *file.getBindings(name))
      if (isa<ast::FunctionDef, ast::ClassDef>(binding.statement)) {
        SmallVector<const ast::Statement *> way = {binding.statement};
        addFunctionsIn(way, name, functions);
      }
  return functions;
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

static bool isIn(const ast::Statement *statement, const ast::Statement *inner) {
  return ast::anyNodeInScope(statement, [&](const ast::Node *node) { return node == inner; });
}

std::optional<Value> ModuleEvaluator::followTo(SourceModule &file, ArrayRef<const ast::Statement *> way) {
  ModuleScope scope(*this, file);
  auto *kernel = cast<ast::FunctionDef>(way.back());
  for (auto [outer, inner] : zip(way.drop_back(), way.drop_front()))
    if (auto *function = dyn_cast<ast::FunctionDef>(outer); function && !followIn(function, inner, kernel))
      return std::nullopt;
  return scope.frame.locals.lookup(kernel->name);
}

bool ModuleEvaluator::followIn(const ast::FunctionDef *outer, const ast::Statement *inner,
                               const ast::FunctionDef *kernel) {
  auto bindUnknown = [&](StringRef name) {
    frame->locals[name] =
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
  // Where what is looked for stands under a condition, that holds.
  ast::Statements body = outer->body;
  while (!body.empty()) {
    const ast::Statement *statement = body.front();
    if (statement != inner && isIn(statement, inner)) {
      SmallVector<ast::Statements, 4> blocks = getBlocks(statement);
      auto *found = llvm::find_if(blocks, [&](ast::Statements block) {
        return llvm::any_of(block, [&](const ast::Statement *part) { return isIn(part, inner); });
      });
      if (found == blocks.end())
        return false;
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
    if (statement == inner)
      return true;
    body = body.drop_front();
  }
  return false;
}

std::optional<Value> ModuleEvaluator::lookupNested(SourceModule &file, StringRef name) {
  std::vector<NestedFunction> functions = findNested(file, name.contains('.') ? name.split('.').first : "");
  std::vector<const NestedFunction *> found;
  for (const NestedFunction &function : functions)
    if (function.isInFunction() && (function.name == name || function.getKernel()->name == name)) {
      // Of two definitions in a function, the later one is what the name means there.
      erase_if(found, [&](const NestedFunction *earlier) { return earlier->name == function.name; });
      found.push_back(&function);
    }
  erase_if(found,
           [](const NestedFunction *function) { return function->getKernel()->decorator_list.empty(); });
  stable_sort(found, [](auto *left, auto *right) { return left->way.size() < right->way.size(); });
  if (found.empty())
    return std::nullopt;
  if (found.size() > 1)
    guessed.make(found.front()->getKernel()->range, "'" + name + "' is taken to mean '" +
                                                        found.front()->name + "'; there is '" +
                                                        found[1]->name + "', too");
  return followTo(file, found.front()->way);
}

} // namespace nereid::python
