// Expressions above primaries, loosest first: lists with stars, `:=`, lambda, `if else`, the boolean
// operators, comparisons, and the binary operators by precedence climbing.
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include <optional>

using namespace llvm;

namespace nereid::python {

/// The elements of a list without brackets end where none can start.
const ast::Expression *Parser::parseTupleRest(const char *start, const ast::Expression *first,
                                              const ast::Expression *(Parser::*parseElement)()) {
  if (!at(TokenKind::Comma))
    return first;
  ExpressionVector elements = {first};
  while (accept(TokenKind::Comma)) {
    if (!startsExpression() && !at(TokenKind::Star))
      break;
    elements.push_back((this->*parseElement)());
  }
  auto *tuple = make<ast::Tuple>(start);
  tuple->elts = copy(elements);
  return tuple;
}

const ast::Expression *Parser::parseStarExpressions() {
  const char *start = here();
  return parseTupleRest(start, parseStarExpression(), &Parser::parseStarExpression);
}

const ast::Expression *Parser::parseStarExpression() {
  return at(TokenKind::Star) ? parseTargetElement() : parseExpression();
}

const ast::Expression *Parser::parseStarNamedExpression() {
  return at(TokenKind::Star) ? parseTargetElement() : parseNamedExpression();
}

const ast::Expression *Parser::parseNamedExpression() {
  const char *start = here();
  if (at(TokenKind::Name) && peek().is(TokenKind::ColonEqual)) {
    auto *target = context.make<ast::Name>(token->getRange());
    target->id = parseIdentifier();
    target->ctx = ast::ExprContext::Store;
    advance();
    const ast::Expression *value = parseExpression();
    auto *named = make<ast::NamedExpr>(start);
    named->target = target;
    named->value = value;
    return named;
  }
  const ast::Expression *expression = parseExpression();
  checkNoAssignment(expression);
  return expression;
}

const ast::Expression *Parser::parseYieldOrStarExpressions() {
  return at(TokenKind::KwYield) ? parseYield() : parseStarExpressions();
}

const ast::Expression *Parser::parseYield() {
  const char *start = here();
  expect(TokenKind::KwYield);
  if (accept(TokenKind::KwFrom)) {
    const ast::Expression *value = parseExpression();
    auto *yield = make<ast::YieldFrom>(start);
    yield->value = value;
    return yield;
  }
  const ast::Expression *value = startsExpression() || at(TokenKind::Star) ? parseStarExpressions() : nullptr;
  auto *yield = make<ast::Yield>(start);
  yield->value = value;
  return yield;
}

const ast::Expression *Parser::parseExpression() {
  Depth guard(*this);
  if (at(TokenKind::KwLambda))
    return parseLambda();
  const char *start = here();
  const ast::Expression *body = parseDisjunction();
  if (!accept(TokenKind::KwIf))
    return body;
  const ast::Expression *test = parseDisjunction();
  if (!at(TokenKind::KwElse)) {
    if (at(TokenKind::Colon))
      failSyntax();
    fail(range(start, endOf(test)), "expected 'else' after 'if' expression");
  }
  advance();
  const ast::Expression *orelse = parseExpression();
  auto *choice = make<ast::IfExp>(start);
  choice->test = test;
  choice->body = body;
  choice->orelse = orelse;
  return choice;
}

const ast::Expression *Parser::parseLambda() {
  const char *start = here();
  expect(TokenKind::KwLambda);
  const ast::Arguments *args = parseParameters(TokenKind::Colon, /*isLambda=*/true);
  // In an f-string, the colon that should start the body starts the format specifier.
  if (demand(TokenKind::Colon).level == fieldLevel && fieldLevel)
    fail(rangeFrom(start), "f-string: lambda expressions are not allowed without parentheses");
  const ast::Expression *body = parseExpression();
  auto *lambda = make<ast::Lambda>(start);
  lambda->args = args;
  lambda->body = body;
  return lambda;
}

const ast::Expression *Parser::parseDisjunction() {
  const char *start = here();
  const ast::Expression *first = parseConjunction();
  if (!at(TokenKind::KwOr))
    return first;
  ExpressionVector values = {first};
  while (accept(TokenKind::KwOr))
    values.push_back(parseConjunction());
  auto *disjunction = make<ast::BoolOp>(start);
  disjunction->op = ast::BoolOperator::Or;
  disjunction->values = copy(values);
  return disjunction;
}

const ast::Expression *Parser::parseConjunction() {
  const char *start = here();
  const ast::Expression *first = parseInversion();
  if (!at(TokenKind::KwAnd))
    return first;
  ExpressionVector values = {first};
  while (accept(TokenKind::KwAnd))
    values.push_back(parseInversion());
  auto *conjunction = make<ast::BoolOp>(start);
  conjunction->op = ast::BoolOperator::And;
  conjunction->values = copy(values);
  return conjunction;
}

const ast::Expression *Parser::parseInversion() {
  const char *start = here();
  if (!accept(TokenKind::KwNot))
    return parseComparison();
  Depth guard(*this);
  const ast::Expression *operand = parseInversion();
  auto *inversion = make<ast::UnaryOp>(start);
  inversion->op = ast::UnaryOperator::Not;
  inversion->operand = operand;
  return inversion;
}

bool Parser::parseComparisonOperator(ast::CmpOp &op) {
  switch (token->kind) {
  case TokenKind::EqualEqual:
    op = ast::CmpOp::Eq;
    break;
  case TokenKind::NotEqual:
    op = ast::CmpOp::NotEq;
    break;
  case TokenKind::Less:
    op = ast::CmpOp::Lt;
    break;
  case TokenKind::LessEqual:
    op = ast::CmpOp::LtE;
    break;
  case TokenKind::Greater:
    op = ast::CmpOp::Gt;
    break;
  case TokenKind::GreaterEqual:
    op = ast::CmpOp::GtE;
    break;
  case TokenKind::KwIn:
    op = ast::CmpOp::In;
    break;
  case TokenKind::KwIs:
    op = ast::CmpOp::Is;
    break;
  case TokenKind::KwNot:
    if (!peek().is(TokenKind::KwIn))
      return false;
    advance();
    op = ast::CmpOp::NotIn;
    break;
  default:
    return false;
  }
  advance();
  if (op == ast::CmpOp::Is && accept(TokenKind::KwNot))
    op = ast::CmpOp::IsNot;
  return true;
}

const ast::Expression *Parser::parseComparison() {
  const char *start = here();
  const ast::Expression *left = parseBitOr();
  SmallVector<ast::CmpOp, 4> ops;
  ExpressionVector comparators;
  ast::CmpOp op;
  while (parseComparisonOperator(op)) {
    ops.push_back(op);
    comparators.push_back(parseBitOr());
  }
  if (ops.empty())
    return left;
  auto *comparison = make<ast::Compare>(start);
  comparison->left = left;
  comparison->ops = copy(ops);
  comparison->comparators = copy(comparators);
  return comparison;
}

namespace {
struct BinaryOperator {
  ast::Operator op;
  unsigned precedence;
};
} // namespace

/// All of these group to the left.
static std::optional<BinaryOperator> getBinaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return BinaryOperator{ast::Operator::BitOr, 0};
  case TokenKind::Caret:
    return BinaryOperator{ast::Operator::BitXor, 1};
  case TokenKind::Ampersand:
    return BinaryOperator{ast::Operator::BitAnd, 2};
  case TokenKind::LeftShift:
    return BinaryOperator{ast::Operator::LShift, 3};
  case TokenKind::RightShift:
    return BinaryOperator{ast::Operator::RShift, 3};
  case TokenKind::Plus:
    return BinaryOperator{ast::Operator::Add, 4};
  case TokenKind::Minus:
    return BinaryOperator{ast::Operator::Sub, 4};
  case TokenKind::Star:
    return BinaryOperator{ast::Operator::Mult, 5};
  case TokenKind::At:
    return BinaryOperator{ast::Operator::MatMult, 5};
  case TokenKind::Slash:
    return BinaryOperator{ast::Operator::Div, 5};
  case TokenKind::SlashSlash:
    return BinaryOperator{ast::Operator::FloorDiv, 5};
  case TokenKind::Percent:
    return BinaryOperator{ast::Operator::Mod, 5};
  default:
    return std::nullopt;
  }
}

const ast::Expression *Parser::parseBinary(unsigned minimumPrecedence) {
  const char *start = here();
  const ast::Expression *left = parseUnary();
  for (;;) {
    auto found = getBinaryOperator(token->kind);
    if (!found || found->precedence < minimumPrecedence)
      return left;
    advance();
    const ast::Expression *right = parseBinary(found->precedence + 1);
    auto *operation = make<ast::BinOp>(start);
    operation->left = left;
    operation->op = found->op;
    operation->right = right;
    left = operation;
  }
}

const ast::Expression *Parser::parseUnary() {
  const char *start = here();
  ast::UnaryOperator op;
  if (at(TokenKind::Plus))
    op = ast::UnaryOperator::UAdd;
  else if (at(TokenKind::Minus))
    op = ast::UnaryOperator::USub;
  else if (at(TokenKind::Tilde))
    op = ast::UnaryOperator::Invert;
  else
    return parsePower();
  Depth guard(*this);
  advance();
  const ast::Expression *operand = parseUnary();
  auto *operation = make<ast::UnaryOp>(start);
  operation->op = op;
  operation->operand = operand;
  return operation;
}

/// `-a ** -b` is `-(a ** (-b))`.
const ast::Expression *Parser::parsePower() {
  const char *start = here();
  const ast::Expression *base;
  if (accept(TokenKind::KwAwait)) {
    const ast::Expression *value = parsePrimary();
    auto *await = make<ast::Await>(start);
    await->value = value;
    base = await;
  } else {
    base = parsePrimary();
  }
  if (!accept(TokenKind::StarStar))
    return base;
  Depth guard(*this);
  const ast::Expression *exponent = parseUnary();
  auto *power = make<ast::BinOp>(start);
  power->left = base;
  power->op = ast::Operator::Pow;
  power->right = exponent;
  return power;
}

} // namespace nereid::python
