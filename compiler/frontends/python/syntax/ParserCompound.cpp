// Statements that hold blocks, but for match.
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::python {

/// Null if a simple statement, or the name `match`, is at the cursor.
const ast::Statement *Parser::parseCompoundStatement() {
  const char *start = here();
  switch (token->kind) {
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwFor:
    return parseFor(start, /*isAsync=*/false);
  case TokenKind::KwTry:
    return parseTry();
  case TokenKind::KwWith:
    return parseWith(start, /*isAsync=*/false);
  case TokenKind::KwDef:
    return parseFunction(start, /*isAsync=*/false, {});
  case TokenKind::KwClass:
    return parseClass({});
  case TokenKind::KwAsync:
    return parseAsync({});
  case TokenKind::At:
    return parseDecorated();
  default:
    return nullptr;
  }
}

ast::Statements Parser::parseBlock(const Twine &what, const char *header) {
  StatementVector statements;
  if (!accept(TokenKind::Newline)) {
    parseSimpleStatements(statements);
    return copy(statements);
  }
  if (!at(TokenKind::Indent)) {
    // At the end of the file there is no line to show but the header's own.
    const Token &place = at(TokenKind::EndMarker) || peek().is(TokenKind::EndMarker) ? token[-1] : *token;
    fail(place.getRange(),
         "expected an indented block after " + what + " on line " + utostr(lexer.lineOf(header)));
  }
  advance();
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndMarker))
    parseStatement(statements);
  accept(TokenKind::Dedent);
  return copy(statements);
}

ast::Statements Parser::parseOptionalElse() {
  const char *start = here();
  if (!accept(TokenKind::KwElse))
    return {};
  demand(TokenKind::Colon);
  return parseBlock("'else' statement", start);
}

/// A chain of elifs is read in a loop, however long, and then nested.
const ast::Statement *Parser::parseIf() {
  struct Branch {
    const char *start;
    const ast::Expression *test;
    ast::Statements body;
  };
  SmallVector<Branch, 4> branches;
  do {
    const char *start = here();
    StringRef keyword = advance().getText();
    const ast::Expression *test = parseNamedExpression();
    expectColon();
    branches.push_back({start, test, parseBlock("'" + keyword + "' statement", start)});
  } while (at(TokenKind::KwElif));

  ast::Statements orelse = parseOptionalElse();
  const ast::If *outermost = nullptr;
  for (const Branch &branch : llvm::reverse(branches)) {
    if (outermost)
      orelse = context.copy(ArrayRef<const ast::Statement *>(outermost));
    auto *statement = make<ast::If>(branch.start);
    statement->test = branch.test;
    statement->body = branch.body;
    statement->orelse = orelse;
    outermost = statement;
  }
  return outermost;
}

const ast::Statement *Parser::parseWhile() {
  const char *start = here();
  advance();
  const ast::Expression *test = parseNamedExpression();
  expectColon();
  ast::Statements body = parseBlock("'while' statement", start);
  ast::Statements orelse = parseOptionalElse();
  auto *statement = make<ast::While>(start);
  statement->test = test;
  statement->body = body;
  statement->orelse = orelse;
  return statement;
}

const ast::Statement *Parser::parseFor(const char *start, bool isAsync) {
  const char *header = here();
  expect(TokenKind::KwFor);
  const ast::Expression *target = parseTargetList();
  if (!at(TokenKind::KwIn))
    failSyntax();
  setContext(target, ast::ExprContext::Store);
  advance();
  const ast::Expression *iter = parseStarExpressions();
  expectColon();
  ast::Statements body = parseBlock("'for' statement", header);
  ast::Statements orelse = parseOptionalElse();

  auto finish = [&](ast::ForBase *statement) {
    statement->target = target;
    statement->iter = iter;
    statement->body = body;
    statement->orelse = orelse;
    return statement;
  };
  if (isAsync)
    return finish(make<ast::AsyncFor>(start));
  return finish(make<ast::For>(start));
}

const ast::WithItem *Parser::parseWithItem() {
  auto *item = context.make<ast::WithItem>(SMRange());
  item->context_expr = parseExpression();
  if (accept(TokenKind::KwAs)) {
    const ast::Expression *target = parseTargetElement();
    if (!atAny({TokenKind::Comma, TokenKind::RightParen, TokenKind::Colon}))
      expectColon();
    setContext(target, ast::ExprContext::Store);
    item->optional_vars = target;
  }
  return item;
}

/// `(a as b, c)` up to the colon that proves that the parentheses enclose the items.
void Parser::parseParenthesizedWithItems(Vector<ast::WithItem> &items) {
  expect(TokenKind::LeftParen);
  do {
    items.push_back(parseWithItem());
  } while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
  if (!at(TokenKind::RightParen))
    failBehind(items.back()->context_expr);
  advance();
  expectColon();
}

const ast::Statement *Parser::parseWith(const char *start, bool isAsync) {
  const char *header = here();
  expect(TokenKind::KwWith);
  Vector<ast::WithItem> items;
  SyntaxError error;
  bool isParenthesized =
      at(TokenKind::LeftParen) && attempt([&] { parseParenthesizedWithItems(items); }, &error);
  if (!isParenthesized) {
    items.clear();
    auto parseItems = [&] {
      do {
        items.push_back(parseWithItem());
      } while (accept(TokenKind::Comma));
      expectColon();
    };
    parseOr(parseItems, error);
  }
  ast::Statements body = parseBlock("'with' statement", header);

  auto finish = [&](ast::WithBase *statement) {
    statement->items = copy(items);
    statement->body = body;
    return statement;
  };
  if (isAsync)
    return finish(make<ast::AsyncWith>(start));
  return finish(make<ast::With>(start));
}

const ast::ExceptHandler *Parser::parseHandler(bool &isStar) {
  const char *start = here();
  expect(TokenKind::KwExcept);
  isStar = accept(TokenKind::Star);
  const ast::Expression *type = nullptr;
  StringRef name;
  if (isStar && (at(TokenKind::Colon) || at(TokenKind::Newline)))
    failHere("expected one or more exception types");
  if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) {
    const char *typeStart = here();
    type = parseExpression();
    if (at(TokenKind::Comma)) {
      attempt([&] {
        advance();
        parseStarExpressions();
      });
      fail(rangeFrom(typeStart), "multiple exception types must be parenthesized");
    }
    if (accept(TokenKind::KwAs))
      name = parseIdentifier();
  }
  expectColon();
  ast::Statements body = parseBlock(isStar ? "'except*' statement" : "'except' statement", start);
  auto *handler = make<ast::ExceptHandler>(start);
  handler->type = type;
  handler->name = name;
  handler->body = body;
  return handler;
}

const ast::Statement *Parser::parseTry() {
  const char *start = here();
  advance();
  demand(TokenKind::Colon);
  ast::Statements body = parseBlock("'try' statement", start);
  Vector<ast::ExceptHandler> handlers;
  bool isStarTry = false;
  while (at(TokenKind::KwExcept)) {
    SMRange keyword = token->getRange();
    bool isStar;
    const ast::ExceptHandler *handler = parseHandler(isStar);
    if (!handlers.empty() && isStar != isStarTry)
      fail(keyword, "cannot have both 'except' and 'except*' on the same 'try'");
    isStarTry = isStar;
    handlers.push_back(handler);
  }
  ast::Statements orelse;
  if (!handlers.empty())
    orelse = parseOptionalElse();
  ast::Statements finalbody;
  const char *finallyStart = here();
  if (accept(TokenKind::KwFinally)) {
    demand(TokenKind::Colon);
    finalbody = parseBlock("'finally' statement", finallyStart);
  } else if (handlers.empty()) {
    failHere("expected 'except' or 'finally' block");
  }

  auto finish = [&](ast::TryBase *statement) {
    statement->body = body;
    statement->handlers = copy(handlers);
    statement->orelse = orelse;
    statement->finalbody = finalbody;
    return statement;
  };
  if (isStarTry)
    return finish(make<ast::TryStar>(start));
  return finish(make<ast::Try>(start));
}

const ast::Statement *Parser::parseDecorated() {
  ExpressionVector decorators;
  while (accept(TokenKind::At)) {
    decorators.push_back(parseNamedExpression());
    expect(TokenKind::Newline);
  }
  ast::Expressions list = copy(decorators);
  switch (token->kind) {
  case TokenKind::KwDef:
    return parseFunction(here(), /*isAsync=*/false, list);
  case TokenKind::KwClass:
    return parseClass(list);
  case TokenKind::KwAsync:
    if (peek().is(TokenKind::KwDef))
      return parseAsync(list);
    break;
  default:
    break;
  }
  failSyntax();
}

const ast::Statement *Parser::parseAsync(ast::Expressions decorators) {
  const char *start = here();
  advance();
  switch (token->kind) {
  case TokenKind::KwDef:
    return parseFunction(start, /*isAsync=*/true, decorators);
  case TokenKind::KwFor:
    return parseFor(start, /*isAsync=*/true);
  case TokenKind::KwWith:
    return parseWith(start, /*isAsync=*/true);
  default:
    failSyntax();
  }
}

const ast::Statement *Parser::parseFunction(const char *start, bool isAsync, ast::Expressions decorators) {
  const char *header = here();
  expect(TokenKind::KwDef);
  SMRange nameRange = token->getRange();
  StringRef name = parseIdentifier();
  ast::TypeParams typeParams = parseTypeParams();
  demand(TokenKind::LeftParen);
  const ast::Arguments *args = parseParameters(TokenKind::RightParen, /*isLambda=*/false);
  expect(TokenKind::RightParen);
  const ast::Expression *returns = accept(TokenKind::Arrow) ? parseExpression() : nullptr;
  demand(TokenKind::Colon);
  ast::Statements body = parseBlock("function definition", header);

  auto finish = [&](ast::FunctionBase *function) {
    function->name = name;
    function->nameRange = nameRange;
    function->args = args;
    function->body = body;
    function->decorator_list = decorators;
    function->returns = returns;
    function->type_params = typeParams;
    return function;
  };
  if (isAsync)
    return finish(make<ast::AsyncFunctionDef>(start));
  return finish(make<ast::FunctionDef>(start));
}

const ast::Statement *Parser::parseClass(ast::Expressions decorators) {
  const char *start = here();
  expect(TokenKind::KwClass);
  SMRange nameRange = token->getRange();
  StringRef name = parseIdentifier();
  ast::TypeParams typeParams = parseTypeParams();
  ExpressionVector bases;
  Vector<ast::Keyword> keywords;
  if (accept(TokenKind::LeftParen))
    parseCallArguments(/*opening=*/nullptr, bases, keywords);
  expectColon();
  ast::Statements body = parseBlock("class definition", start);
  auto *statement = make<ast::ClassDef>(start);
  statement->name = name;
  statement->nameRange = nameRange;
  statement->bases = copy(bases);
  statement->keywords = copy(keywords);
  statement->body = body;
  statement->decorator_list = decorators;
  statement->type_params = typeParams;
  return statement;
}

} // namespace nereid::python
