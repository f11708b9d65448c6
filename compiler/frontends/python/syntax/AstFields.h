// One walk over the fields of any node, for whoever treats all nodes alike.
//
// visitFields(node, visit) calls visit(name, value) for each field in the order of Python's `ast`; `value`
// has the type that the field has in Ast.h. Constants are left to the caller: which of their fields mean
// something depends on the type.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTFIELDS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTFIELDS_H

#include "compiler/frontends/python/syntax/Ast.h"

namespace nereid::python::ast {

// NODE(Class, FIELD(a) FIELD(b) …)
#define NEREID_PYTHON_NODES(NODE, FIELD)                                                                     \
  NODE(Module, FIELD(body))                                                                                  \
  NODE(FunctionDef,                                                                                          \
       FIELD(name) FIELD(args) FIELD(body) FIELD(decorator_list) FIELD(returns) FIELD(type_params))          \
  NODE(AsyncFunctionDef,                                                                                     \
       FIELD(name) FIELD(args) FIELD(body) FIELD(decorator_list) FIELD(returns) FIELD(type_params))          \
  NODE(ClassDef,                                                                                             \
       FIELD(name) FIELD(bases) FIELD(keywords) FIELD(body) FIELD(decorator_list) FIELD(type_params))        \
  NODE(Return, FIELD(value))                                                                                 \
  NODE(Delete, FIELD(targets))                                                                               \
  NODE(Assign, FIELD(targets) FIELD(value))                                                                  \
  NODE(TypeAlias, FIELD(name) FIELD(type_params) FIELD(value))                                               \
  NODE(AugAssign, FIELD(target) FIELD(op) FIELD(value))                                                      \
  NODE(AnnAssign, FIELD(target) FIELD(annotation) FIELD(value) FIELD(simple))                                \
  NODE(For, FIELD(target) FIELD(iter) FIELD(body) FIELD(orelse))                                             \
  NODE(AsyncFor, FIELD(target) FIELD(iter) FIELD(body) FIELD(orelse))                                        \
  NODE(While, FIELD(test) FIELD(body) FIELD(orelse))                                                         \
  NODE(If, FIELD(test) FIELD(body) FIELD(orelse))                                                            \
  NODE(With, FIELD(items) FIELD(body))                                                                       \
  NODE(AsyncWith, FIELD(items) FIELD(body))                                                                  \
  NODE(Match, FIELD(subject) FIELD(cases))                                                                   \
  NODE(Raise, FIELD(exc) FIELD(cause))                                                                       \
  NODE(Try, FIELD(body) FIELD(handlers) FIELD(orelse) FIELD(finalbody))                                      \
  NODE(TryStar, FIELD(body) FIELD(handlers) FIELD(orelse) FIELD(finalbody))                                  \
  NODE(Assert, FIELD(test) FIELD(msg))                                                                       \
  NODE(Import, FIELD(names))                                                                                 \
  NODE(ImportFrom, FIELD(module) FIELD(names) FIELD(level))                                                  \
  NODE(Global, FIELD(names))                                                                                 \
  NODE(Nonlocal, FIELD(names))                                                                               \
  NODE(Expr, FIELD(value))                                                                                   \
  NODE(Pass, )                                                                                               \
  NODE(Break, )                                                                                              \
  NODE(Continue, )                                                                                           \
  NODE(BoolOp, FIELD(op) FIELD(values))                                                                      \
  NODE(NamedExpr, FIELD(target) FIELD(value))                                                                \
  NODE(BinOp, FIELD(left) FIELD(op) FIELD(right))                                                            \
  NODE(UnaryOp, FIELD(op) FIELD(operand))                                                                    \
  NODE(Lambda, FIELD(args) FIELD(body))                                                                      \
  NODE(IfExp, FIELD(test) FIELD(body) FIELD(orelse))                                                         \
  NODE(Dict, FIELD(keys) FIELD(values))                                                                      \
  NODE(Set, FIELD(elts))                                                                                     \
  NODE(ListComp, FIELD(elt) FIELD(generators))                                                               \
  NODE(SetComp, FIELD(elt) FIELD(generators))                                                                \
  NODE(DictComp, FIELD(key) FIELD(value) FIELD(generators))                                                  \
  NODE(GeneratorExp, FIELD(elt) FIELD(generators))                                                           \
  NODE(Await, FIELD(value))                                                                                  \
  NODE(Yield, FIELD(value))                                                                                  \
  NODE(YieldFrom, FIELD(value))                                                                              \
  NODE(Compare, FIELD(left) FIELD(ops) FIELD(comparators))                                                   \
  NODE(Call, FIELD(func) FIELD(args) FIELD(keywords))                                                        \
  NODE(FormattedValue, FIELD(value) FIELD(conversion) FIELD(format_spec))                                    \
  NODE(JoinedStr, FIELD(values))                                                                             \
  NODE(Constant, )                                                                                           \
  NODE(Attribute, FIELD(value) FIELD(attr) FIELD(ctx))                                                       \
  NODE(Subscript, FIELD(value) FIELD(slice) FIELD(ctx))                                                      \
  NODE(Starred, FIELD(value) FIELD(ctx))                                                                     \
  NODE(Name, FIELD(id) FIELD(ctx))                                                                           \
  NODE(List, FIELD(elts) FIELD(ctx))                                                                         \
  NODE(Tuple, FIELD(elts) FIELD(ctx))                                                                        \
  NODE(Slice, FIELD(lower) FIELD(upper) FIELD(step))                                                         \
  NODE(MatchValue, FIELD(value))                                                                             \
  NODE(MatchSingleton, FIELD(value))                                                                         \
  NODE(MatchSequence, FIELD(patterns))                                                                       \
  NODE(MatchMapping, FIELD(keys) FIELD(patterns) FIELD(rest))                                                \
  NODE(MatchClass, FIELD(cls) FIELD(patterns) FIELD(kwd_attrs) FIELD(kwd_patterns))                          \
  NODE(MatchStar, FIELD(name))                                                                               \
  NODE(MatchAs, FIELD(pattern) FIELD(name))                                                                  \
  NODE(MatchOr, FIELD(patterns))                                                                             \
  NODE(Comprehension, FIELD(target) FIELD(iter) FIELD(ifs) FIELD(is_async))                                  \
  NODE(ExceptHandler, FIELD(type) FIELD(name) FIELD(body))                                                   \
  NODE(Arguments, FIELD(posonlyargs) FIELD(args) FIELD(vararg) FIELD(kwonlyargs) FIELD(kw_defaults)          \
                      FIELD(kwarg) FIELD(defaults))                                                          \
  NODE(Arg, FIELD(arg) FIELD(annotation))                                                                    \
  NODE(Keyword, FIELD(arg) FIELD(value))                                                                     \
  NODE(Alias, FIELD(name) FIELD(asname))                                                                     \
  NODE(WithItem, FIELD(context_expr) FIELD(optional_vars))                                                   \
  NODE(MatchCase, FIELD(pattern) FIELD(guard) FIELD(body))                                                   \
  NODE(TypeVar, FIELD(name) FIELD(bound))                                                                    \
  NODE(ParamSpec, FIELD(name))                                                                               \
  NODE(TypeVarTuple, FIELD(name))

template <typename Visitor> void visitFields(const Node *node, Visitor &&visit) {
#define NEREID_VISIT_FIELD(FIELD) visit(#FIELD, concrete->FIELD);
#define NEREID_VISIT_NODE(CLASS, FIELDS)                                                                     \
  case NodeKind::CLASS: {                                                                                    \
    [[maybe_unused]] auto *concrete = static_cast<const CLASS *>(node);                                      \
    FIELDS break;                                                                                            \
  }
  switch (node->kind) { NEREID_PYTHON_NODES(NEREID_VISIT_NODE, NEREID_VISIT_FIELD) }
#undef NEREID_VISIT_NODE
#undef NEREID_VISIT_FIELD
}

} // namespace nereid::python::ast

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTFIELDS_H
