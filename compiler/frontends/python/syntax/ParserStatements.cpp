// Statements on one line.
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include <optional>

using namespace llvm;

namespace nereid::python {

void Parser::parseStatement(StatementVector &statements) {
  if (const ast::Statement *statement = parseCompoundStatement())
    statements.push_back(statement);
  else if (atName("match"))
    parseMatchOrSimpleStatements(statements);
  else
    parseSimpleStatements(statements);
}

/// `a; b; c` and the end of the line.
void Parser::parseSimpleStatements(StatementVector &statements) {
  do {
    statements.push_back(parseSimpleStatement());
    if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
      if (auto *expression = dyn_cast<ast::Expr>(statements.back()))
        checkLegacyStatement(expression->value);
      failSyntax();
    }
  } while (accept(TokenKind::Semicolon) && !at(TokenKind::Newline));
  expect(TokenKind::Newline);
}

const ast::Statement *Parser::parseSimpleStatement() {
  const char *start = here();
  switch (token->kind) {
  case TokenKind::KwPass:
    advance();
    return make<ast::Pass>(start);
  case TokenKind::KwBreak:
    advance();
    return make<ast::Break>(start);
  case TokenKind::KwContinue:
    advance();
    return make<ast::Continue>(start);
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwRaise:
    return parseRaise();
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
    return parseGlobalOrNonlocal();
  case TokenKind::KwDel:
    return parseDelete();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseImportFrom();
  case TokenKind::Name:
    // `type X = …`; two names in a row are no expression.
    if (atName("type") && peek().is(TokenKind::Name))
      return parseTypeAlias();
    return parseExpressionStatement();
  default:
    return parseExpressionStatement();
  }
}

static std::optional<ast::Operator> getAugmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return ast::Operator::Add;
  case TokenKind::MinusEqual:
    return ast::Operator::Sub;
  case TokenKind::StarEqual:
    return ast::Operator::Mult;
  case TokenKind::AtEqual:
    return ast::Operator::MatMult;
  case TokenKind::SlashEqual:
    return ast::Operator::Div;
  case TokenKind::PercentEqual:
    return ast::Operator::Mod;
  case TokenKind::StarStarEqual:
    return ast::Operator::Pow;
  case TokenKind::LeftShiftEqual:
    return ast::Operator::LShift;
  case TokenKind::RightShiftEqual:
    return ast::Operator::RShift;
  case TokenKind::PipeEqual:
    return ast::Operator::BitOr;
  case TokenKind::CaretEqual:
    return ast::Operator::BitXor;
  case TokenKind::AmpersandEqual:
    return ast::Operator::BitAnd;
  case TokenKind::SlashSlashEqual:
    return ast::Operator::FloorDiv;
  default:
    return std::nullopt;
  }
}

/// An expression, or an assignment of one of the three kinds that start with one.
const ast::Statement *Parser::parseExpressionStatement() {
  const char *start = here();
  const ast::Expression *first = parseYieldOrStarExpressions();
  if (at(TokenKind::Colon))
    return parseAnnotatedAssignment(start, first);
  if (at(TokenKind::Equal))
    return parseAssignment(start, first);
  if (getAugmentedOperator(token->kind))
    return parseAugmentedAssignment(start, first);
  auto *statement = make<ast::Expr>(start);
  statement->value = first;
  return statement;
}

const ast::Statement *Parser::parseAnnotatedAssignment(const char *start, const ast::Expression *target) {
  if (!isa<ast::Name, ast::Attribute, ast::Subscript>(target)) {
    const Token *colon = token;
    bool isAnnotation = attempt([&] {
      advance();
      parseExpression();
    });
    token = colon;
    if (!isAnnotation)
      failSyntax();
    if (isa<ast::List>(target))
      fail(target->range, "only single target (not list) can be annotated");
    if (isa<ast::Tuple>(target))
      fail(target->range, "only single target (not tuple) can be annotated");
    fail(target->range, "illegal target for annotation");
  }
  bool isParenthesized = *start == '(' && startOf(target) != start;
  setContext(target, ast::ExprContext::Store);
  advance();
  const ast::Expression *annotation = parseExpression();
  const ast::Expression *value = accept(TokenKind::Equal) ? parseYieldOrStarExpressions() : nullptr;
  auto *statement = make<ast::AnnAssign>(start);
  statement->target = target;
  statement->annotation = annotation;
  statement->value = value;
  statement->simple = isa<ast::Name>(target) && !isParenthesized;
  return statement;
}

const ast::Statement *Parser::parseAugmentedAssignment(const char *start, const ast::Expression *target) {
  if (!isa<ast::Name, ast::Attribute, ast::Subscript>(target))
    fail(target->range, "'" + describe(target) + "' is an illegal expression for augmented assignment");
  setContext(target, ast::ExprContext::Store);
  ast::Operator op = *getAugmentedOperator(advance().kind);
  const ast::Expression *value = parseYieldOrStarExpressions();
  auto *statement = make<ast::AugAssign>(start);
  statement->target = target;
  statement->op = op;
  statement->value = value;
  return statement;
}

const ast::Statement *Parser::parseAssignment(const char *start, const ast::Expression *first) {
  ExpressionVector targets;
  const ast::Expression *value = first;
  const char *valueStart = start;
  while (at(TokenKind::Equal)) {
    if (isa<ast::Yield, ast::YieldFrom>(value) && startOf(value) == valueStart)
      fail(value->range, "assignment to yield expression not possible");
    if (targets.empty() && findInvalidTarget(value, ast::ExprContext::Store) &&
        !isa<ast::Tuple, ast::Starred>(value))
      suggestComparison(value);
    setContext(value, ast::ExprContext::Store);
    targets.push_back(value);
    advance();
    valueStart = here();
    value = parseYieldOrStarExpressions();
  }
  auto *statement = make<ast::Assign>(start);
  statement->targets = copy(targets);
  statement->value = value;
  return statement;
}

const ast::Statement *Parser::parseReturn() {
  const char *start = here();
  advance();
  const ast::Expression *value = startsExpression() || at(TokenKind::Star) ? parseStarExpressions() : nullptr;
  auto *statement = make<ast::Return>(start);
  statement->value = value;
  return statement;
}

const ast::Statement *Parser::parseRaise() {
  const char *start = here();
  advance();
  const ast::Expression *exc = startsExpression() ? parseExpression() : nullptr;
  const ast::Expression *cause = exc && accept(TokenKind::KwFrom) ? parseExpression() : nullptr;
  auto *statement = make<ast::Raise>(start);
  statement->exc = exc;
  statement->cause = cause;
  return statement;
}

const ast::Statement *Parser::parseDelete() {
  const char *start = here();
  advance();
  ExpressionVector targets;
  do {
    const ast::Expression *target = parseStarExpression();
    setContext(target, ast::ExprContext::Del);
    targets.push_back(target);
  } while (accept(TokenKind::Comma) && !at(TokenKind::Newline) && !at(TokenKind::Semicolon));
  auto *statement = make<ast::Delete>(start);
  statement->targets = copy(targets);
  return statement;
}

const ast::Statement *Parser::parseAssert() {
  const char *start = here();
  advance();
  const ast::Expression *test = parseExpression();
  checkNoAssignment(test);
  const ast::Expression *msg = accept(TokenKind::Comma) ? parseExpression() : nullptr;
  auto *statement = make<ast::Assert>(start);
  statement->test = test;
  statement->msg = msg;
  return statement;
}

/// `a.b.c`, however it is spaced.
StringRef Parser::parseDottedName() {
  StringRef name = parseIdentifier();
  if (!at(TokenKind::Dot))
    return name;
  std::string whole = name.str();
  while (accept(TokenKind::Dot)) {
    whole += '.';
    whole += parseIdentifier();
  }
  return context.copy(StringRef(whole));
}

const ast::Alias *Parser::parseAlias(bool isDotted) {
  const char *start = here();
  StringRef name = isDotted ? parseDottedName() : parseIdentifier();
  StringRef asname = accept(TokenKind::KwAs) ? parseIdentifier() : StringRef();
  auto *alias = make<ast::Alias>(start);
  alias->name = name;
  alias->asname = asname;
  return alias;
}

const ast::Statement *Parser::parseImport() {
  const char *start = here();
  advance();
  if (at(TokenKind::Newline))
    failHere("Expected one or more names after 'import'");
  Vector<ast::Alias> names;
  do {
    names.push_back(parseAlias(/*isDotted=*/true));
  } while (accept(TokenKind::Comma));
  auto *statement = make<ast::Import>(start);
  statement->names = copy(names);
  return statement;
}

const ast::Statement *Parser::parseImportFrom() {
  const char *start = here();
  advance();
  unsigned level = 0;
  for (;; advance()) {
    if (at(TokenKind::Dot))
      ++level;
    else if (at(TokenKind::Ellipsis))
      level += 3;
    else
      break;
  }
  StringRef module = level != 0 && at(TokenKind::KwImport) ? StringRef() : parseDottedName();
  expect(TokenKind::KwImport);

  Vector<ast::Alias> names;
  if (at(TokenKind::Star)) {
    auto *all = context.make<ast::Alias>(token->getRange());
    all->name = advance().getText();
    names.push_back(all);
  } else if (accept(TokenKind::LeftParen)) {
    do {
      names.push_back(parseAlias(/*isDotted=*/false));
    } while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
    expect(TokenKind::RightParen);
  } else {
    if (at(TokenKind::Newline))
      failHere("Expected one or more names after 'import'");
    names.push_back(parseAlias(/*isDotted=*/false));
    while (at(TokenKind::Comma)) {
      const Token &comma = advance();
      if (at(TokenKind::Newline))
        fail(comma.getRange(), "trailing comma not allowed without surrounding parentheses");
      names.push_back(parseAlias(/*isDotted=*/false));
    }
  }
  auto *statement = make<ast::ImportFrom>(start);
  statement->module = module;
  statement->names = copy(names);
  statement->level = level;
  return statement;
}

const ast::Statement *Parser::parseGlobalOrNonlocal() {
  const char *start = here();
  bool isGlobal = advance().is(TokenKind::KwGlobal);
  SmallVector<StringRef, 4> names;
  do {
    names.push_back(parseIdentifier());
  } while (accept(TokenKind::Comma));
  if (isGlobal) {
    auto *statement = make<ast::Global>(start);
    statement->names = copy(names);
    return statement;
  }
  auto *statement = make<ast::Nonlocal>(start);
  statement->names = copy(names);
  return statement;
}

const ast::Statement *Parser::parseTypeAlias() {
  const char *start = here();
  advance();
  if (!peek().is(TokenKind::Equal) && !peek().is(TokenKind::LeftBracket))
    failSyntax();
  auto *name = context.make<ast::Name>(token->getRange());
  name->id = parseIdentifier();
  name->ctx = ast::ExprContext::Store;
  ast::TypeParams typeParams = parseTypeParams();
  expect(TokenKind::Equal);
  const ast::Expression *value = parseExpression();
  auto *statement = make<ast::TypeAlias>(start);
  statement->name = name;
  statement->type_params = typeParams;
  statement->value = value;
  return statement;
}

} // namespace nereid::python
