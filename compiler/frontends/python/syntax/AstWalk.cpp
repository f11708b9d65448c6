// A field's type tells whether it is a node, a list of nodes, or neither.
#include "compiler/frontends/python/syntax/AstWalk.h"

#include "compiler/frontends/python/syntax/AstFields.h"

using namespace llvm;

namespace nereid::python::ast {

using Visit = function_ref<void(const Node *)>;

static void visitField(const Node *child, Visit visit) {
  if (child)
    visit(child);
}

template <typename T> static void visitField(const ArrayRef<T> &list, Visit visit) {
  // Lists of nodes have gaps: the key of `**other` in a dict, a parameter without a default.
  if constexpr (std::is_convertible_v<T, const Node *>)
    for (const Node *element : list)
      visitField(element, visit);
}

/// A name, an operator, a flag.
template <typename T>
static std::enable_if_t<!std::is_convertible_v<T, const Node *>> visitField(const T &, Visit) {}

void forEachChild(const Node *node, function_ref<void(const Node *)> visit) {
  visitFields(node, [&](const char *, const auto &value) { visitField(value, visit); });
}

void walk(const Node *node, function_ref<bool(const Node *)> enter) {
  if (enter(node))
    forEachChild(node, [&](const Node *child) { walk(child, enter); });
}

void walkScope(const Node *node, function_ref<bool(const Node *)> enter) {
  if (!enter(node))
    return;
  Statements body;
  const Node *passedOver = nullptr;
  if (auto *function = dyn_cast<FunctionBase>(node))
    body = function->body;
  else if (auto *type = dyn_cast<ClassDef>(node))
    body = type->body;
  else if (auto *lambda = dyn_cast<Lambda>(node))
    passedOver = lambda->body;
  else if (auto *loop = dyn_cast<Comprehension>(node))
    passedOver = loop->target;
  forEachChild(node, [&](const Node *child) {
    if (child != passedOver && !is_contained(body, child))
      walkScope(child, enter);
  });
}

static bool any(void (*walker)(const Node *, function_ref<bool(const Node *)>), const Node *node,
                function_ref<bool(const Node *)> test) {
  bool found = false;
  walker(node, [&](const Node *inner) {
    found = found || test(inner);
    return !found;
  });
  return found;
}

bool anyNode(const Node *node, function_ref<bool(const Node *)> test) { return any(walk, node, test); }

bool anyNodeInScope(const Node *node, function_ref<bool(const Node *)> test) {
  return any(walkScope, node, test);
}

} // namespace nereid::python::ast
