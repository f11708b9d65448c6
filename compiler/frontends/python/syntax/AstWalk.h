// Walks over trees that cannot miss a kind of node: they go by the table of AstFields.h, not by a list of
// cases.
//
// Example: does an expression ask for a version anywhere in it?
//
//     ast::anyNode(test, [](const ast::Node *node) {
//       auto *name = dyn_cast<ast::Name>(node);
//       return name && name->id.contains("version");
//     });
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTWALK_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTWALK_H

#include "compiler/frontends/python/syntax/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::python::ast {

/// Calls `visit` for each node directly under this one, in the order of the fields of Python's `ast`.
void forEachChild(const Node *node, llvm::function_ref<void(const Node *)> visit);

/// Calls `enter` for the node and all nodes under it, the outer ones first. Where it returns false, what is
/// under that node is passed over.
void walk(const Node *node, llvm::function_ref<bool(const Node *)> enter);

/// Like walk(), but stays in the scope of the code around the node: the bodies of functions, lambdas and
/// classes, and the targets of comprehensions, are passed over, as their names are their own. Decorators and
/// defaults, which the code around them evaluates, are not.
void walkScope(const Node *node, llvm::function_ref<bool(const Node *)> enter);

/// Whether `test` holds of the node or of any under it.
bool anyNode(const Node *node, llvm::function_ref<bool(const Node *)> test);
/// Likewise, in the scope of the code around it.
bool anyNodeInScope(const Node *node, llvm::function_ref<bool(const Node *)> test);

} // namespace nereid::python::ast

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTWALK_H
