// Statements. What may leave a statement other than by its end is noted while it is parsed.
#include "compiler/frontends/triton_c/syntax/ParserNesting.h"

using namespace llvm;

namespace nereid::triton_c {

Statement *Parser::make(Statement::Kind kind, const Place &place) {
  meter.spend(8);
  unit->statements.push_back(std::make_unique<Statement>());
  Statement *statement = unit->statements.back().get();
  statement->kind = kind;
  statement->place = place;
  return statement;
}

void Parser::adopt(Statement *parent, const Statement *child, bool isLoop) {
  parent->body.push_back(child);
  parent->mayReturn |= child->mayReturn;
  parent->mayBreak |= child->mayBreak && !isLoop;
  parent->mayContinue |= child->mayContinue && !isLoop;
}

Statement *Parser::parseBlock() {
  Nesting nesting(*this);
  const Place first = peek().place;
  expect("{", "before the statements");
  Statement *block = make(Statement::Kind::Block, first);
  while (!peek().is("}")) {
    if (peek().kind == TokenKind::End)
      fail(first, "this '{' has no '}'");
    adopt(block, parseStatement());
  }
  take();
  block->place = from(first);
  return block;
}

Statement *Parser::parseDeclarations() {
  const Place first = peek().place;
  Statement *statement = make(Statement::Kind::Declare, first);
  TypeName type = parseScalarType();
  do
    statement->declarations.push_back(parseDeclarator(type, /*isParameter=*/false));
  while (accept(","));
  statement->place = from(first);
  expect(";", "after a declaration");
  return statement;
}

const Statement *Parser::parseStaticAssert() {
  const Place first = take().place;
  Statement *statement = make(Statement::Kind::StaticAssert, first);
  expect("(", "after static_assert");
  statement->expression = parseConditional();
  if (accept(",")) {
    if (peek().kind != TokenKind::String)
      failHere("expected the text of the assertion");
    while (peek().kind == TokenKind::String)
      statement->text += readString(take());
  }
  expect(")", "after the assertion");
  statement->place = from(first);
  expect(";", "after static_assert");
  return statement;
}

const Statement *Parser::parseIf() {
  const Place first = take().place;
  Statement *statement = make(Statement::Kind::If, first);
  expect("(", "after 'if'");
  statement->expression = parseExpression();
  expect(")", "after the condition");
  adopt(statement, parseStatement());
  if (peek().isName("else")) {
    take();
    adopt(statement, parseStatement());
  }
  statement->place = from(first);
  return statement;
}

const Statement *Parser::parseLoop() {
  const Token &word = take();
  const Place first = word.place;
  if (word.isName("while")) {
    Statement *loop = make(Statement::Kind::While, first);
    expect("(", "after 'while'");
    loop->expression = parseExpression();
    expect(")", "after the condition");
    loop->place = from(first);
    adopt(loop, parseStatement(), /*isLoop=*/true);
    return loop;
  }
  if (word.isName("do")) {
    Statement *loop = make(Statement::Kind::Do, first);
    adopt(loop, parseStatement(), /*isLoop=*/true);
    if (!peek().isName("while"))
      failHere("expected 'while' after the body of 'do'");
    take();
    expect("(", "after 'while'");
    loop->expression = parseExpression();
    expect(")", "after the condition");
    expect(";", "after 'do … while'");
    return loop;
  }
  Statement *loop = make(Statement::Kind::For, first);
  expect("(", "after 'for'");
  if (startsType()) {
    loop->initial = parseDeclarations();
  } else if (!accept(";")) {
    Statement *initial = make(Statement::Kind::Evaluate, peek().place);
    initial->expression = parseExpression();
    initial->place = initial->expression->place;
    loop->initial = initial;
    expect(";", "after the first part of 'for'");
  }
  if (!peek().is(";"))
    loop->expression = parseExpression();
  expect(";", "after the condition of 'for'");
  if (!peek().is(")"))
    loop->step = parseExpression();
  expect(")", "after the step of 'for'");
  loop->place = from(first);
  adopt(loop, parseStatement(), /*isLoop=*/true);
  return loop;
}

const Statement *Parser::parseStatement() {
  Nesting nesting(*this);
  refuseUnsupported();
  const Token &token = peek();
  if (token.is("{"))
    return parseBlock();
  if (token.is(";")) {
    take();
    return make(Statement::Kind::Empty, token.place);
  }
  if (token.isName("if"))
    return parseIf();
  if (token.isName("for") || token.isName("while") || token.isName("do"))
    return parseLoop();
  if (token.isName("static_assert") || token.isName("_Static_assert"))
    return parseStaticAssert();
  if (token.isName("else"))
    failHere("'else' without 'if'");
  if (token.isName("break") || token.isName("continue")) {
    bool breaks = token.isName("break");
    take();
    Statement *statement = make(breaks ? Statement::Kind::Break : Statement::Kind::Continue, token.place);
    statement->mayBreak = breaks;
    statement->mayContinue = !breaks;
    expect(";", ("after '" + token.text + "'").str());
    return statement;
  }
  if (token.isName("return")) {
    take();
    Statement *statement = make(Statement::Kind::Return, token.place);
    statement->mayReturn = true;
    if (!peek().is(";"))
      statement->expression = parseExpression();
    statement->place = from(token.place);
    expect(";", "after 'return'");
    return statement;
  }
  // A variable may be called like a type that was defined with typedef.
  if (startsType())
    return parseDeclarations();
  if (token.kind == TokenKind::Identifier && peek(1).is(":"))
    failHere("labels are not supported, as 'goto' is not");
  if (token.kind == TokenKind::Identifier && peek(1).kind == TokenKind::Identifier && !token.isName("sizeof"))
    failHere("'" + token.text + "' is not the name of a type");
  Statement *statement = make(Statement::Kind::Evaluate, token.place);
  statement->expression = parseExpression();
  statement->place = statement->expression->place;
  expect(";", "after an expression");
  return statement;
}

} // namespace nereid::triton_c
