// What code does to the scope that it stands in: which names it binds, whether it returns from its function.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTQUERIES_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTQUERIES_H

#include "compiler/frontends/python/syntax/Ast.h"

#include "llvm/ADT/SmallVector.h"

namespace nereid::python::ast {

/// All names that a statement or an expression binds in its scope, each once: targets of every kind, `:=`,
/// functions, classes, imports, the names of exceptions and patterns.
llvm::SmallVector<llvm::StringRef> findAssignedNames(const Node *node);
llvm::SmallVector<llvm::StringRef> findAssignedNames(Statements statements);

/// Whether a return statement of the function that these statements are part of is among them or in them.
bool containsReturn(Statements statements);

} // namespace nereid::python::ast

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTQUERIES_H
