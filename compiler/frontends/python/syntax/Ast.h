// The syntax tree of a Python file: the nodes of Python 3.12's own `ast` module, field by field under the
// same names.
//
// Whoever knows `ast` knows this file; `python3 -m ast file.py` shows the tree that `nereid-python-ast
// file.py` shows. What is `x.y` there is `node->y` here, with these differences:
//
// - The abstract classes stmt, expr and pattern are Statement, Expression and Pattern (Expr is the statement
//   that holds an expression); lower-case classes are written in CamelCase: Arguments, Arg, Keyword, Alias,
//   WithItem, MatchCase, Comprehension.
// - An optional node is a null pointer if absent, an optional identifier an empty one. Dict::keys and
//   Arguments::kw_defaults hold null pointers where `ast` has None in the list.
// - Positions are ranges of pointers into the source text (see Diagnostics.h), end exclusive. Names that have
//   no node of their own (a function's, an attribute's) have a range beside them, for messages.
//
// Nodes and their arrays live in an AstContext, have no destructors, and are only written by the parser.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_AST_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_AST_H

#include "compiler/frontends/python/syntax/AstBase.h"

namespace nereid::python::ast {

// The names are Python's.
// NOLINTBEGIN(readability-identifier-naming)

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A parameter.
struct Arg : NodeOf<Node, NodeKind::Arg> {
  using NodeOf::NodeOf;
  llvm::StringRef arg;
  const Expression *annotation = nullptr;
};

/// The parameters of a function or lambda.
struct Arguments : NodeOf<Node, NodeKind::Arguments> {
  using NodeOf::NodeOf;
  llvm::ArrayRef<const Arg *> posonlyargs;
  llvm::ArrayRef<const Arg *> args;
  const Arg *vararg = nullptr;
  llvm::ArrayRef<const Arg *> kwonlyargs;
  /// As many as kwonlyargs; null for one without a default.
  Expressions kw_defaults;
  const Arg *kwarg = nullptr;
  /// Those of the last parameters of posonlyargs and args together.
  Expressions defaults;
};

/// `arg=value` in a call or class statement; `arg` is empty for `**value`.
struct Keyword : NodeOf<Node, NodeKind::Keyword> {
  using NodeOf::NodeOf;
  llvm::StringRef arg;
  const Expression *value = nullptr;
};

/// `name as asname` in an import statement; `name` may be dotted, or "*".
struct Alias : NodeOf<Node, NodeKind::Alias> {
  using NodeOf::NodeOf;
  llvm::StringRef name;
  llvm::StringRef asname;
};

struct WithItem : NodeOf<Node, NodeKind::WithItem> {
  using NodeOf::NodeOf;
  const Expression *context_expr = nullptr;
  const Expression *optional_vars = nullptr;
};

struct Comprehension : NodeOf<Node, NodeKind::Comprehension> {
  using NodeOf::NodeOf;
  const Expression *target = nullptr;
  const Expression *iter = nullptr;
  Expressions ifs;
  bool is_async = false;
};

struct ExceptHandler : NodeOf<Node, NodeKind::ExceptHandler> {
  using NodeOf::NodeOf;
  const Expression *type = nullptr;
  llvm::StringRef name;
  Statements body;
};

struct MatchCase : NodeOf<Node, NodeKind::MatchCase> {
  using NodeOf::NodeOf;
  const Pattern *pattern = nullptr;
  const Expression *guard = nullptr;
  Statements body;
};

struct TypeVar : NodeOf<TypeParam, NodeKind::TypeVar> {
  using NodeOf::NodeOf;
  const Expression *bound = nullptr;
};

struct ParamSpec : NodeOf<TypeParam, NodeKind::ParamSpec> {
  using NodeOf::NodeOf;
};

struct TypeVarTuple : NodeOf<TypeParam, NodeKind::TypeVarTuple> {
  using NodeOf::NodeOf;
};

using TypeParams = llvm::ArrayRef<const TypeParam *>;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct Module : NodeOf<Node, NodeKind::Module> {
  using NodeOf::NodeOf;
  Statements body;
};

/// What FunctionDef and AsyncFunctionDef share. As in `ast`, the range starts at `def`, not at the first
/// decorator.
struct FunctionBase : Statement {
  using Statement::Statement;
  llvm::StringRef name;
  llvm::SMRange nameRange;
  const Arguments *args = nullptr;
  Statements body;
  Expressions decorator_list;
  const Expression *returns = nullptr;
  TypeParams type_params;
  static bool classof(const Node *node) {
    return node->kind == NodeKind::FunctionDef || node->kind == NodeKind::AsyncFunctionDef;
  }
};

struct FunctionDef : NodeOf<FunctionBase, NodeKind::FunctionDef> {
  using NodeOf::NodeOf;
};

struct AsyncFunctionDef : NodeOf<FunctionBase, NodeKind::AsyncFunctionDef> {
  using NodeOf::NodeOf;
};

struct ClassDef : NodeOf<Statement, NodeKind::ClassDef> {
  using NodeOf::NodeOf;
  llvm::StringRef name;
  llvm::SMRange nameRange;
  Expressions bases;
  llvm::ArrayRef<const Keyword *> keywords;
  Statements body;
  Expressions decorator_list;
  TypeParams type_params;
};

struct Return : NodeOf<Statement, NodeKind::Return> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

struct Delete : NodeOf<Statement, NodeKind::Delete> {
  using NodeOf::NodeOf;
  Expressions targets;
};

/// `a = b = value` has two targets.
struct Assign : NodeOf<Statement, NodeKind::Assign> {
  using NodeOf::NodeOf;
  Expressions targets;
  const Expression *value = nullptr;
};

struct TypeAlias : NodeOf<Statement, NodeKind::TypeAlias> {
  using NodeOf::NodeOf;
  const Expression *name = nullptr;
  TypeParams type_params;
  const Expression *value = nullptr;
};

struct AugAssign : NodeOf<Statement, NodeKind::AugAssign> {
  using NodeOf::NodeOf;
  const Expression *target = nullptr;
  Operator op = Operator::Add;
  const Expression *value = nullptr;
};

struct AnnAssign : NodeOf<Statement, NodeKind::AnnAssign> {
  using NodeOf::NodeOf;
  const Expression *target = nullptr;
  const Expression *annotation = nullptr;
  const Expression *value = nullptr;
  /// The target is a name that is not in parentheses.
  bool simple = false;
};

/// What For and AsyncFor share.
struct ForBase : Statement {
  using Statement::Statement;
  const Expression *target = nullptr;
  const Expression *iter = nullptr;
  Statements body;
  Statements orelse;
  static bool classof(const Node *node) {
    return node->kind == NodeKind::For || node->kind == NodeKind::AsyncFor;
  }
};

struct For : NodeOf<ForBase, NodeKind::For> {
  using NodeOf::NodeOf;
};

struct AsyncFor : NodeOf<ForBase, NodeKind::AsyncFor> {
  using NodeOf::NodeOf;
};

struct While : NodeOf<Statement, NodeKind::While> {
  using NodeOf::NodeOf;
  const Expression *test = nullptr;
  Statements body;
  Statements orelse;
};

/// `elif` is an If that is the only statement of `orelse`.
struct If : NodeOf<Statement, NodeKind::If> {
  using NodeOf::NodeOf;
  const Expression *test = nullptr;
  Statements body;
  Statements orelse;
};

/// What With and AsyncWith share.
struct WithBase : Statement {
  using Statement::Statement;
  llvm::ArrayRef<const WithItem *> items;
  Statements body;
  static bool classof(const Node *node) {
    return node->kind == NodeKind::With || node->kind == NodeKind::AsyncWith;
  }
};

struct With : NodeOf<WithBase, NodeKind::With> {
  using NodeOf::NodeOf;
};

struct AsyncWith : NodeOf<WithBase, NodeKind::AsyncWith> {
  using NodeOf::NodeOf;
};

struct Match : NodeOf<Statement, NodeKind::Match> {
  using NodeOf::NodeOf;
  const Expression *subject = nullptr;
  llvm::ArrayRef<const MatchCase *> cases;
};

struct Raise : NodeOf<Statement, NodeKind::Raise> {
  using NodeOf::NodeOf;
  const Expression *exc = nullptr;
  const Expression *cause = nullptr;
};

/// What Try and TryStar (`except*`) share.
struct TryBase : Statement {
  using Statement::Statement;
  Statements body;
  llvm::ArrayRef<const ExceptHandler *> handlers;
  Statements orelse;
  Statements finalbody;
  static bool classof(const Node *node) {
    return node->kind == NodeKind::Try || node->kind == NodeKind::TryStar;
  }
};

struct Try : NodeOf<TryBase, NodeKind::Try> {
  using NodeOf::NodeOf;
};

struct TryStar : NodeOf<TryBase, NodeKind::TryStar> {
  using NodeOf::NodeOf;
};

struct Assert : NodeOf<Statement, NodeKind::Assert> {
  using NodeOf::NodeOf;
  const Expression *test = nullptr;
  const Expression *msg = nullptr;
};

struct Import : NodeOf<Statement, NodeKind::Import> {
  using NodeOf::NodeOf;
  llvm::ArrayRef<const Alias *> names;
};

struct ImportFrom : NodeOf<Statement, NodeKind::ImportFrom> {
  using NodeOf::NodeOf;
  /// Empty in `from . import x`.
  llvm::StringRef module;
  llvm::ArrayRef<const Alias *> names;
  /// The number of leading dots.
  unsigned level = 0;
};

struct Global : NodeOf<Statement, NodeKind::Global> {
  using NodeOf::NodeOf;
  Names names;
};

struct Nonlocal : NodeOf<Statement, NodeKind::Nonlocal> {
  using NodeOf::NodeOf;
  Names names;
};

struct Expr : NodeOf<Statement, NodeKind::Expr> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

struct Pass : NodeOf<Statement, NodeKind::Pass> {
  using NodeOf::NodeOf;
};

struct Break : NodeOf<Statement, NodeKind::Break> {
  using NodeOf::NodeOf;
};

struct Continue : NodeOf<Statement, NodeKind::Continue> {
  using NodeOf::NodeOf;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// `a and b and c` is one node of three values.
struct BoolOp : NodeOf<Expression, NodeKind::BoolOp> {
  using NodeOf::NodeOf;
  BoolOperator op = BoolOperator::And;
  Expressions values;
};

/// `target := value`
struct NamedExpr : NodeOf<Expression, NodeKind::NamedExpr> {
  using NodeOf::NodeOf;
  const Expression *target = nullptr;
  const Expression *value = nullptr;
};

struct BinOp : NodeOf<Expression, NodeKind::BinOp> {
  using NodeOf::NodeOf;
  const Expression *left = nullptr;
  Operator op = Operator::Add;
  const Expression *right = nullptr;
};

struct UnaryOp : NodeOf<Expression, NodeKind::UnaryOp> {
  using NodeOf::NodeOf;
  UnaryOperator op = UnaryOperator::Not;
  const Expression *operand = nullptr;
};

struct Lambda : NodeOf<Expression, NodeKind::Lambda> {
  using NodeOf::NodeOf;
  const Arguments *args = nullptr;
  const Expression *body = nullptr;
};

/// `body if test else orelse`
struct IfExp : NodeOf<Expression, NodeKind::IfExp> {
  using NodeOf::NodeOf;
  const Expression *test = nullptr;
  const Expression *body = nullptr;
  const Expression *orelse = nullptr;
};

/// A null key stands for `**value`.
struct Dict : NodeOf<Expression, NodeKind::Dict> {
  using NodeOf::NodeOf;
  Expressions keys;
  Expressions values;
};

struct Set : NodeOf<Expression, NodeKind::Set> {
  using NodeOf::NodeOf;
  Expressions elts;
};

struct ListComp : NodeOf<Expression, NodeKind::ListComp> {
  using NodeOf::NodeOf;
  const Expression *elt = nullptr;
  llvm::ArrayRef<const Comprehension *> generators;
};

struct SetComp : NodeOf<Expression, NodeKind::SetComp> {
  using NodeOf::NodeOf;
  const Expression *elt = nullptr;
  llvm::ArrayRef<const Comprehension *> generators;
};

struct DictComp : NodeOf<Expression, NodeKind::DictComp> {
  using NodeOf::NodeOf;
  const Expression *key = nullptr;
  const Expression *value = nullptr;
  llvm::ArrayRef<const Comprehension *> generators;
};

struct GeneratorExp : NodeOf<Expression, NodeKind::GeneratorExp> {
  using NodeOf::NodeOf;
  const Expression *elt = nullptr;
  llvm::ArrayRef<const Comprehension *> generators;
};

struct Await : NodeOf<Expression, NodeKind::Await> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

struct Yield : NodeOf<Expression, NodeKind::Yield> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

struct YieldFrom : NodeOf<Expression, NodeKind::YieldFrom> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

/// `left ops[0] comparators[0] ops[1] comparators[1] …`
struct Compare : NodeOf<Expression, NodeKind::Compare> {
  using NodeOf::NodeOf;
  const Expression *left = nullptr;
  llvm::ArrayRef<CmpOp> ops;
  Expressions comparators;
};

struct Call : NodeOf<Expression, NodeKind::Call> {
  using NodeOf::NodeOf;
  const Expression *func = nullptr;
  Expressions args;
  llvm::ArrayRef<const Keyword *> keywords;
};

/// `{value!conversion:format_spec}` in an f-string.
struct FormattedValue : NodeOf<Expression, NodeKind::FormattedValue> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
  /// 's', 'r', 'a', or -1 for none.
  int conversion = -1;
  /// A JoinedStr, or null.
  const Expression *format_spec = nullptr;
};

/// An f-string: constants and FormattedValues.
struct JoinedStr : NodeOf<Expression, NodeKind::JoinedStr> {
  using NodeOf::NodeOf;
  Expressions values;
};

struct Constant : NodeOf<Expression, NodeKind::Constant> {
  using NodeOf::NodeOf;
  enum class Type : uint8_t { None, True, False, Ellipsis, Int, Float, Complex, Str, Bytes };
  Type type = Type::None;
  /// The string literal starts with a small `u`.
  bool hasUnicodePrefix = false;
  /// Float, or the imaginary part of Complex (whose real part is zero).
  double number = 0;
  /// Str as UTF-8 (a lone surrogate, "\ud800", as UTF-8 would encode it if that were allowed), or Bytes.
  llvm::StringRef text;
  /// Int, least significant word first, never negative: `-1` is a UnaryOp.
  llvm::ArrayRef<uint64_t> words;

  bool isBool() const { return type == Type::True || type == Type::False; }
  /// Int in as few bits as hold it and a sign bit of zero.
  llvm::APInt getInt() const;
};

struct Attribute : NodeOf<Expression, NodeKind::Attribute> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
  llvm::StringRef attr;
  llvm::SMRange attrRange;
  ExprContext ctx = ExprContext::Load;
};

struct Subscript : NodeOf<Expression, NodeKind::Subscript> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
  /// An expression, a Slice, or a Tuple of these.
  const Expression *slice = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Starred : NodeOf<Expression, NodeKind::Starred> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Name : NodeOf<Expression, NodeKind::Name> {
  using NodeOf::NodeOf;
  llvm::StringRef id;
  ExprContext ctx = ExprContext::Load;
};

struct List : NodeOf<Expression, NodeKind::List> {
  using NodeOf::NodeOf;
  Expressions elts;
  ExprContext ctx = ExprContext::Load;
};

struct Tuple : NodeOf<Expression, NodeKind::Tuple> {
  using NodeOf::NodeOf;
  Expressions elts;
  ExprContext ctx = ExprContext::Load;
};

struct Slice : NodeOf<Expression, NodeKind::Slice> {
  using NodeOf::NodeOf;
  const Expression *lower = nullptr;
  const Expression *upper = nullptr;
  const Expression *step = nullptr;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

struct MatchValue : NodeOf<Pattern, NodeKind::MatchValue> {
  using NodeOf::NodeOf;
  const Expression *value = nullptr;
};

/// None, True or False. (`ast` holds the bare value, here it is the Constant.)
struct MatchSingleton : NodeOf<Pattern, NodeKind::MatchSingleton> {
  using NodeOf::NodeOf;
  const Constant *value = nullptr;
};

struct MatchSequence : NodeOf<Pattern, NodeKind::MatchSequence> {
  using NodeOf::NodeOf;
  Patterns patterns;
};

struct MatchMapping : NodeOf<Pattern, NodeKind::MatchMapping> {
  using NodeOf::NodeOf;
  Expressions keys;
  Patterns patterns;
  llvm::StringRef rest;
};

struct MatchClass : NodeOf<Pattern, NodeKind::MatchClass> {
  using NodeOf::NodeOf;
  const Expression *cls = nullptr;
  Patterns patterns;
  Names kwd_attrs;
  Patterns kwd_patterns;
};

struct MatchStar : NodeOf<Pattern, NodeKind::MatchStar> {
  using NodeOf::NodeOf;
  llvm::StringRef name;
};

struct MatchAs : NodeOf<Pattern, NodeKind::MatchAs> {
  using NodeOf::NodeOf;
  const Pattern *pattern = nullptr;
  llvm::StringRef name;
};

struct MatchOr : NodeOf<Pattern, NodeKind::MatchOr> {
  using NodeOf::NodeOf;
  Patterns patterns;
};

// NOLINTEND(readability-identifier-naming)

} // namespace nereid::python::ast

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_AST_H
