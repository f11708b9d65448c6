// The syntax tree of a file: functions, constants, statements, expressions.
//
// Nodes belong to the TranslationUnit and refer to each other by plain pointers. Each has a place: the piece
// of the file that it covers, or, of what came out of a macro, the macro's use.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_AST_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_AST_H

#include "compiler/frontends/triton_c/syntax/Literals.h"

#include <memory>
#include <optional>

namespace nereid::triton_c {

struct Expression;

/// `half`, `const float *`, `int[TM, TN]`. Sizes are expressions whose value has to be known while compiling.
struct TypeName {
  /// Nothing for void.
  std::optional<ScalarKind> scalar;
  unsigned pointers = 0;
  /// What the first * points to is const, and the variable itself.
  bool pointsToConst = false;
  bool isConst = false;
  bool hasShape = false;
  std::vector<const Expression *> shape;
  Place place;
};

enum class UnaryOperator { Plus, Minus, Complement, Not, Dereference, Transpose };
enum class BinaryOperator {
  Multiply,
  Divide,
  Remainder,
  MatrixMultiply,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  LogicalAnd,
  LogicalOr
};
llvm::StringRef getSpelling(BinaryOperator op);

/// What stands between the brackets of `x[:, newaxis, +, i]`, an axis each.
struct SubscriptItem {
  enum class Kind { All, NewAxis, Sum, Min, Max, Index };
  Kind kind = Kind::All;
  const Expression *index = nullptr;
  Place place;
};

struct Expression {
  enum class Kind {
    Number,
    String,
    Name,
    Unary,
    Binary,
    /// `left = right`; with `op` a compound assignment.
    Assign,
    /// `++x`, `x--`.
    Increment,
    Conditional,
    Comma,
    /// `first ... last`.
    Range,
    Subscript,
    Call,
    Cast,
    /// `*?(mask)pointer`.
    MaskedDereference,
    SizeOf
  };

  Kind kind;
  Place place;
  /// The operator or the name, where an error about it belongs.
  Place focus;
  /// How many levels of expressions are in it.
  unsigned depth = 1;

  /// Operands in the order of the source: mask, pointer; condition, then, else; arguments of a call.
  std::vector<const Expression *> operands;
  Literal literal;
  /// A name, a callee, a text with its escapes done.
  std::string text;
  UnaryOperator unary = UnaryOperator::Plus;
  std::optional<BinaryOperator> op;
  bool isPrefix = false;
  /// ++ rather than --.
  bool increments = false;
  std::vector<SubscriptItem> items;
  /// Of a cast, of sizeof, and of bitcast.
  std::optional<TypeName> type;
};

/// `__aligned(16)`, `__multipleof(8)`, …
struct Attribute {
  enum class Kind { NoAlias, ReadOnly, WriteOnly, Aligned, MultipleOf, Retune };
  Kind kind = Kind::Retune;
  const Expression *value = nullptr;
  Place place;
};

struct Declaration {
  TypeName type;
  std::string name;
  Place place;
  const Expression *initial = nullptr;
  std::vector<Attribute> attributes;
};

struct Statement {
  enum class Kind {
    Empty,
    Block,
    Declare,
    Evaluate,
    If,
    For,
    While,
    Do,
    Break,
    Continue,
    Return,
    StaticAssert
  };
  Kind kind;
  Place place;
  unsigned depth = 1;
  /// What it contains, itself aside from loops in it: what may leave the statement other than by its end. A
  /// break or continue that belongs to a loop in the statement is not counted.
  bool mayBreak = false, mayContinue = false, mayReturn = false;

  /// Of a block; of the others the statement in it, then what belongs to else.
  std::vector<const Statement *> body;
  std::vector<Declaration> declarations;
  /// The condition, the value of return, the expression to evaluate.
  const Expression *expression = nullptr;
  /// Of a for.
  const Statement *initial = nullptr;
  const Expression *step = nullptr;
  /// Of static_assert.
  std::string text;
  /// Of a block of several declarations in one statement: no scope of its own.
  bool hasScope = true;

  bool mayLeave() const { return mayBreak || mayContinue || mayReturn; }
};

struct Function {
  bool isKernel = false;
  TypeName result;
  std::string name;
  Place place;
  std::vector<Declaration> parameters;
  const Statement *body = nullptr;
};

struct TranslationUnit {
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<Declaration> constants;
  std::vector<const Statement *> assertions;

  std::vector<std::unique_ptr<Expression>> expressions;
  std::vector<std::unique_ptr<Statement>> statements;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_AST_H
