// Text to syntax tree.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSER_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSER_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/model/Diagnostics.h"

namespace nereid::python {

/// The depth to which the nodes of a tree nest at most; deeper source is refused, so that whoever walks a
/// tree may do so by recursion. Nothing in CPython's standard library, tests included, nests to an eighth of
/// it.
constexpr unsigned maximumTreeDepth = 1000;

/// Parses the text of a whole file, which `diagnostics` owns (it came from addSource or addFile). Returns
/// null if it is not Python, having reported exactly one error.
///
/// The text is UTF-8 unless a cookie (`# -*- coding: latin-1 -*-`) in its first two lines says otherwise. In
/// that case it is converted, the converted text is added to `diagnostics` under the same path, and the
/// tree's ranges point there.
const ast::Module *parseModule(AstContext &context, llvm::StringRef text, Diagnostics &diagnostics);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSER_H
