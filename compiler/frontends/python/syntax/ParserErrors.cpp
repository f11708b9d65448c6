// What to say when the source does not parse.
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::python {

void Parser::fail(SMRange range, const Twine &message) { throw SyntaxError{range, message.str()}; }

void Parser::failHere(const Twine &message) {
  // The end of a line is where its last token ends, whatever comment follows.
  fail(at(TokenKind::Newline) && lastEnd ? range(lastEnd, lastEnd) : token->getRange(), message);
}

void Parser::failSyntax() {
  if (at(TokenKind::Indent))
    failHere("unexpected indent");
  if (at(TokenKind::Dedent))
    failHere("unexpected unindent");
  failHere("invalid syntax");
}

bool Parser::startsExpression() const {
  switch (token->kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Ellipsis:
  case TokenKind::Minus:
  case TokenKind::Plus:
  case TokenKind::Tilde:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwNot:
  case TokenKind::KwAwait:
  case TokenKind::KwLambda:
    return true;
  default:
    return false;
  }
}

void Parser::failBehind(const ast::Expression *expression) {
  const Token *failure = token;
  // `rb1"x"` is a wrong prefix, and `print "x"` an old statement, not two expressions.
  bool isName = isa<ast::Name>(expression) && endOf(expression) == lastEnd;
  bool isExcluded =
      isa<ast::Starred>(expression) ||
      (isName && (at(TokenKind::String) || at(TokenKind::FStringStart) ||
                  is_contained({"match", "case", "type", "_"}, cast<ast::Name>(expression)->id)));
  if (failure->level == 0 || isExcluded || !startsExpression())
    failSyntax();
  const ast::Expression *second = nullptr;
  attempt([&] { second = parseExpression(); });
  bool isInBrackets = second && token[-1].level > 0;
  token = failure;
  if (isInBrackets)
    fail(range(startOf(expression), endOf(second)), "invalid syntax. Perhaps you forgot a comma?");
  failSyntax();
}

StringRef Parser::describe(const ast::Expression *expression) {
  switch (expression->kind) {
  case ast::NodeKind::Attribute:
    return "attribute";
  case ast::NodeKind::Subscript:
    return "subscript";
  case ast::NodeKind::Starred:
    return "starred";
  case ast::NodeKind::Name:
    return "name";
  case ast::NodeKind::List:
    return "list";
  case ast::NodeKind::Tuple:
    return "tuple";
  case ast::NodeKind::Lambda:
    return "lambda";
  case ast::NodeKind::Call:
    return "function call";
  case ast::NodeKind::GeneratorExp:
    return "generator expression";
  case ast::NodeKind::Yield:
  case ast::NodeKind::YieldFrom:
    return "yield expression";
  case ast::NodeKind::Await:
    return "await expression";
  case ast::NodeKind::ListComp:
    return "list comprehension";
  case ast::NodeKind::SetComp:
    return "set comprehension";
  case ast::NodeKind::DictComp:
    return "dict comprehension";
  case ast::NodeKind::Dict:
    return "dict literal";
  case ast::NodeKind::Set:
    return "set display";
  case ast::NodeKind::JoinedStr:
  case ast::NodeKind::FormattedValue:
    return "f-string expression";
  case ast::NodeKind::Compare:
    return "comparison";
  case ast::NodeKind::IfExp:
    return "conditional expression";
  case ast::NodeKind::NamedExpr:
    return "named expression";
  case ast::NodeKind::Constant:
    switch (cast<ast::Constant>(expression)->type) {
    case ast::Constant::Type::None:
      return "None";
    case ast::Constant::Type::True:
      return "True";
    case ast::Constant::Type::False:
      return "False";
    case ast::Constant::Type::Ellipsis:
      return "ellipsis";
    default:
      return "literal";
    }
  default:
    return "expression";
  }
}

void Parser::failTarget(const ast::Expression *target, StringRef verb) {
  fail(target->range, "cannot " + verb + " " + describe(target));
}

/// The colon behind a statement's header.
void Parser::expectColon() {
  if (at(TokenKind::Newline))
    failHere("expected ':'");
  expect(TokenKind::Colon);
}

void Parser::checkLegacyStatement(const ast::Expression *expression) {
  auto *name = dyn_cast<ast::Name>(expression);
  if (!name || (name->id != "print" && name->id != "exec") || !startsExpression() || at(TokenKind::LeftParen))
    return;
  const Token *failure = token;
  const ast::Expression *argument = nullptr;
  attempt([&] { argument = parseStarExpressions(); });
  token = failure;
  if (argument)
    fail(range(startOf(expression), endOf(argument)),
         "Missing parentheses in call to '" + name->id + "'. Did you mean " + name->id + "(...)?");
}

/// At the equals sign behind something that cannot be assigned to.
void Parser::suggestComparison(const ast::Expression *left) {
  // Only of what binds tighter than a comparison; and not where a target was clearly meant.
  if (isa<ast::Compare, ast::BoolOp, ast::IfExp, ast::Lambda, ast::List, ast::Tuple, ast::GeneratorExp>(left))
    return;
  auto *unary = dyn_cast<ast::UnaryOp>(left);
  auto *constant = dyn_cast<ast::Constant>(left);
  if ((unary && unary->op == ast::UnaryOperator::Not) ||
      (constant && (constant->isBool() || constant->type == ast::Constant::Type::None)))
    return;
  const ast::Expression *right = parseAssignedValue();
  if (!right)
    return;
  if (isa<ast::Name>(left))
    fail(range(startOf(left), endOf(right)), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  fail(left->range, "cannot assign to " + describe(left) + " here. Maybe you meant '==' instead of '='?");
}

/// At an equals sign: what a comparison would have there, if it is not followed by another assignment.
/// Nothing is consumed.
const ast::Expression *Parser::parseAssignedValue() {
  const Token *start = token;
  const char *startEnd = lastEnd;
  const ast::Expression *right = nullptr;
  attempt([&] {
    advance();
    right = parseBitOr();
  });
  bool isChain = at(TokenKind::Equal) || at(TokenKind::ColonEqual);
  token = start;
  lastEnd = startEnd;
  return isChain ? nullptr : right;
}

/// `x = 1` or `x.y := 1` where an expression belongs.
void Parser::checkNoAssignment(const ast::Expression *left) {
  if (at(TokenKind::ColonEqual) && !isa<ast::Name>(left))
    fail(left->range, "cannot use assignment expressions with " + describe(left));
  if (at(TokenKind::Equal)) {
    suggestComparison(left);
    failSyntax();
  }
}

} // namespace nereid::python
