// What all nodes of the syntax tree in Ast.h share: who owns them, their kinds, their base classes, and the
// operators.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTBASE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTBASE_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace nereid::python {

/// Owns the nodes of any number of trees.
class AstContext {
public:
  AstContext() = default;
  AstContext(const AstContext &) = delete;
  AstContext &operator=(const AstContext &) = delete;

  template <typename T> T *make(llvm::SMRange range) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody runs the destructors of nodes");
    return new (allocator.Allocate<T>()) T(range);
  }
  /// A copy that lives as long as this context.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> elements) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody runs the destructors of elements");
    T *storage = allocator.Allocate<T>(elements.size());
    std::uninitialized_copy(elements.begin(), elements.end(), storage);
    return {storage, elements.size()};
  }
  llvm::StringRef copy(llvm::StringRef text) {
    char *storage = allocator.Allocate<char>(text.size());
    std::copy(text.begin(), text.end(), storage);
    return {storage, text.size()};
  }

private:
  llvm::BumpPtrAllocator allocator;
};

namespace ast {

enum class NodeKind : uint8_t {
  Module,
  // Statements.
  FunctionDef,
  AsyncFunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  TypeAlias,
  AugAssign,
  AnnAssign,
  For,
  AsyncFor,
  While,
  If,
  With,
  AsyncWith,
  Match,
  Raise,
  Try,
  TryStar,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  Expr,
  Pass,
  Break,
  Continue,
  // Expressions.
  BoolOp,
  NamedExpr,
  BinOp,
  UnaryOp,
  Lambda,
  IfExp,
  Dict,
  Set,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Await,
  Yield,
  YieldFrom,
  Compare,
  Call,
  FormattedValue,
  JoinedStr,
  Constant,
  Attribute,
  Subscript,
  Starred,
  Name,
  List,
  Tuple,
  Slice,
  // Patterns of a match statement.
  MatchValue,
  MatchSingleton,
  MatchSequence,
  MatchMapping,
  MatchClass,
  MatchStar,
  MatchAs,
  MatchOr,
  // Parts of the above.
  Comprehension,
  ExceptHandler,
  Arguments,
  Arg,
  Keyword,
  Alias,
  WithItem,
  MatchCase,
  TypeVar,
  ParamSpec,
  TypeVarTuple,
};

/// The class's name in Python's `ast`, such as "FunctionDef" or "match_case".
llvm::StringRef getKindName(NodeKind kind);

struct Node {
  const NodeKind kind;
  /// From the first character to behind the last. Invalid for Arguments, WithItem, MatchCase and
  /// Comprehension, to which `ast` gives no position either.
  llvm::SMRange range;

  NodeKind getKind() const { return kind; }
  llvm::SMLoc getLoc() const { return range.Start; }

protected:
  Node(NodeKind kind, llvm::SMRange range) : kind(kind), range(range) {}
};

/// `Base` with its kind; every concrete node derives from one.
template <typename Base, NodeKind Kind> struct NodeOf : Base {
  explicit NodeOf(llvm::SMRange range) : Base(Kind, range) {}
  static bool classof(const Node *node) { return node->kind == Kind; }
};

struct Statement : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::FunctionDef && node->kind <= NodeKind::Continue;
  }
};

struct Expression : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::BoolOp && node->kind <= NodeKind::Slice;
  }
};

struct Pattern : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::MatchValue && node->kind <= NodeKind::MatchOr;
  }
};

/// One of the names that a `[T, *Ts, **P]` list behind a function, class or type alias introduces (PEP 695).
struct TypeParam : Node {
  using Node::Node;
  llvm::StringRef name;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::TypeVar && node->kind <= NodeKind::TypeVarTuple;
  }
};

using Statements = llvm::ArrayRef<const Statement *>;
using Expressions = llvm::ArrayRef<const Expression *>;
using Patterns = llvm::ArrayRef<const Pattern *>;
using Names = llvm::ArrayRef<llvm::StringRef>;

enum class ExprContext : uint8_t { Load, Store, Del };
enum class BoolOperator : uint8_t { And, Or };
enum class Operator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv
};
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class CmpOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// The classes' names in Python's `ast`: "Load", "Add", "NotIn".
llvm::StringRef getName(ExprContext context);
llvm::StringRef getName(BoolOperator op);
llvm::StringRef getName(Operator op);
llvm::StringRef getName(UnaryOperator op);
llvm::StringRef getName(CmpOp op);

/// The operators as they are written: "+", "not in".
llvm::StringRef getSpelling(BoolOperator op);
llvm::StringRef getSpelling(Operator op);
llvm::StringRef getSpelling(UnaryOperator op);
llvm::StringRef getSpelling(CmpOp op);

} // namespace ast
} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_ASTBASE_H
