// Most names are bound by a Name that stands where something is stored; the rest are texts in nodes of their
// own.
#include "compiler/frontends/python/syntax/AstQueries.h"

#include "compiler/frontends/python/syntax/AstWalk.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::python::ast {

/// The name that the node itself binds, or nothing.
static StringRef getBoundName(const Node *node) {
  if (auto *name = dyn_cast<Name>(node))
    return name->ctx == ExprContext::Store ? name->id : StringRef();
  if (auto *function = dyn_cast<FunctionBase>(node))
    return function->name;
  if (auto *type = dyn_cast<ClassDef>(node))
    return type->name;
  if (auto *alias = dyn_cast<Alias>(node))
    return !alias->asname.empty() ? alias->asname : alias->name == "*" ? "" : alias->name.split('.').first;
  if (auto *handler = dyn_cast<ExceptHandler>(node))
    return handler->name;
  if (auto *pattern = dyn_cast<MatchAs>(node))
    return pattern->name;
  if (auto *pattern = dyn_cast<MatchStar>(node))
    return pattern->name;
  if (auto *pattern = dyn_cast<MatchMapping>(node))
    return pattern->rest;
  return "";
}

static void addAssignedNames(const Node *node, SmallVectorImpl<StringRef> &names) {
  walkScope(node, [&](const Node *inner) {
    StringRef name = getBoundName(inner);
    if (!name.empty() && !is_contained(names, name))
      names.push_back(name);
    return true;
  });
}

SmallVector<StringRef> findAssignedNames(const Node *node) {
  SmallVector<StringRef> names;
  addAssignedNames(node, names);
  return names;
}

SmallVector<StringRef> findAssignedNames(Statements statements) {
  SmallVector<StringRef> names;
  for (const Statement *statement : statements)
    addAssignedNames(statement, names);
  return names;
}

bool containsReturn(Statements statements) {
  return any_of(statements, [](const Statement *statement) {
    return anyNodeInScope(statement, [](const Node *node) { return isa<Return>(node); });
  });
}

} // namespace nereid::python::ast
