// Primaries: names, literals, brackets of all kinds, comprehensions, calls, subscripts and attributes.
#include "compiler/frontends/python/syntax/Literals.h"
#include "compiler/frontends/python/syntax/ParserImpl.h"

using namespace llvm;

namespace nereid::python {

const ast::Expression *Parser::parsePrimary() {
  const char *start = here();
  const ast::Expression *primary = parseAtom();
  for (;;) {
    if (at(TokenKind::LeftParen)) {
      primary = parseCall(start, primary);
    } else if (at(TokenKind::LeftBracket)) {
      primary = parseSubscript(start, primary);
    } else if (accept(TokenKind::Dot)) {
      SMRange attrRange = token->getRange();
      StringRef attr = parseIdentifier();
      auto *attribute = make<ast::Attribute>(start);
      attribute->value = primary;
      attribute->attr = attr;
      attribute->attrRange = attrRange;
      primary = attribute;
    } else {
      return primary;
    }
  }
}

const ast::Constant *Parser::makeConstant(SMRange range, ast::Constant::Type type) {
  auto *constant = context.make<ast::Constant>(range);
  constant->type = type;
  return constant;
}

const ast::Expression *Parser::parseAtom() {
  SMRange here = token->getRange();
  switch (token->kind) {
  case TokenKind::Name: {
    auto *name = context.make<ast::Name>(here);
    name->id = parseIdentifier();
    return name;
  }
  case TokenKind::Number: {
    auto *number = context.make<ast::Constant>(here);
    decodeNumber(context, advance().getText(), *number);
    return number;
  }
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::KwNone:
    advance();
    return makeConstant(here, ast::Constant::Type::None);
  case TokenKind::KwTrue:
    advance();
    return makeConstant(here, ast::Constant::Type::True);
  case TokenKind::KwFalse:
    advance();
    return makeConstant(here, ast::Constant::Type::False);
  case TokenKind::Ellipsis:
    advance();
    return makeConstant(here, ast::Constant::Type::Ellipsis);
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBracket:
    return parseListDisplay();
  case TokenKind::LeftBrace:
    return parseBraceDisplay();
  default:
    failSyntax();
  }
}

bool Parser::atComprehension() const {
  return at(TokenKind::KwFor) || (at(TokenKind::KwAsync) && peek().is(TokenKind::KwFor));
}

ArrayRef<const ast::Comprehension *> Parser::parseComprehensionClauses() {
  Vector<ast::Comprehension> clauses;
  while (atComprehension()) {
    auto *clause = context.make<ast::Comprehension>(SMRange());
    clause->is_async = accept(TokenKind::KwAsync);
    advance();
    clause->target = parseTargetList();
    setContext(clause->target, ast::ExprContext::Store);
    if (!at(TokenKind::KwIn))
      failSyntax();
    advance();
    clause->iter = parseDisjunction();
    ExpressionVector conditions;
    while (accept(TokenKind::KwIf))
      conditions.push_back(parseDisjunction());
    clause->ifs = copy(conditions);
    clauses.push_back(clause);
  }
  return copy(clauses);
}

/// A group, a tuple or a generator expression.
const ast::Expression *Parser::parseParenthesized() {
  const char *start = here();
  advance();
  if (accept(TokenKind::RightParen))
    return make<ast::Tuple>(start);
  if (at(TokenKind::KwYield)) {
    const ast::Expression *yield = parseYield();
    expect(TokenKind::RightParen);
    return yield;
  }
  if (at(TokenKind::StarStar)) {
    const char *stars = here();
    advance();
    parseExpression();
    fail(rangeFrom(stars), "cannot use double starred expression here");
  }

  const ast::Expression *first = parseStarNamedExpression();
  if (atComprehension()) {
    if (isa<ast::Starred>(first))
      fail(first->range, "iterable unpacking cannot be used in comprehension");
    auto generators = parseComprehensionClauses();
    expect(TokenKind::RightParen);
    auto *generator = make<ast::GeneratorExp>(start);
    generator->elt = first;
    generator->generators = generators;
    return generator;
  }
  if (at(TokenKind::RightParen)) {
    if (isa<ast::Starred>(first))
      fail(first->range, "cannot use starred expression here");
    advance();
    return first;
  }

  ExpressionVector elements = {first};
  while (!at(TokenKind::RightParen)) {
    if (!at(TokenKind::Comma))
      failBehind(elements.back());
    advance();
    if (!at(TokenKind::RightParen))
      elements.push_back(parseStarNamedExpression());
    if (atComprehension())
      fail(range(startOf(first), endOf(elements.back())),
           "did you forget parentheses around the comprehension target?");
  }
  advance();
  auto *tuple = make<ast::Tuple>(start);
  tuple->elts = copy(elements);
  return tuple;
}

const ast::Expression *Parser::parseListDisplay() {
  const char *start = here();
  advance();
  ExpressionVector elements;
  while (!at(TokenKind::RightBracket)) {
    elements.push_back(parseStarNamedExpression());
    if (atComprehension()) {
      if (elements.size() > 1)
        fail(range(startOf(elements.front()), endOf(elements.back())),
             "did you forget parentheses around the comprehension target?");
      if (isa<ast::Starred>(elements.front()))
        fail(elements.front()->range, "iterable unpacking cannot be used in comprehension");
      auto generators = parseComprehensionClauses();
      expect(TokenKind::RightBracket);
      auto *comprehension = make<ast::ListComp>(start);
      comprehension->elt = elements.front();
      comprehension->generators = generators;
      return comprehension;
    }
    if (at(TokenKind::RightBracket))
      break;
    if (!at(TokenKind::Comma))
      failBehind(elements.back());
    advance();
  }
  advance();
  auto *list = make<ast::List>(start);
  list->elts = copy(elements);
  return list;
}

/// `a := b`, where only `(a := b)` would be an expression. Parentheses are no part of a node's range.
static bool isBareNamedExpression(const ast::Expression *expression, const char *start) {
  return isa<ast::NamedExpr>(expression) && expression->range.Start.getPointer() == start;
}

/// A set or a dictionary, or a comprehension of either.
const ast::Expression *Parser::parseBraceDisplay() {
  const char *start = here();
  advance();
  if (accept(TokenKind::RightBrace))
    return make<ast::Dict>(start);
  if (accept(TokenKind::StarStar)) {
    const ast::Expression *value = parseBitOr();
    return parseDictRest(start, nullptr, value);
  }

  const char *firstStart = here();
  const ast::Expression *first = parseStarNamedExpression();
  if (at(TokenKind::Colon) && !isa<ast::Starred>(first) && !isBareNamedExpression(first, firstStart)) {
    const char *colon = here();
    advance();
    return parseDictRest(start, first, parseDictValue(colon));
  }

  ExpressionVector elements = {first};
  for (;;) {
    if (atComprehension()) {
      if (elements.size() > 1)
        fail(range(startOf(first), endOf(elements.back())),
             "did you forget parentheses around the comprehension target?");
      if (isa<ast::Starred>(first))
        fail(first->range, "iterable unpacking cannot be used in comprehension");
      auto generators = parseComprehensionClauses();
      expect(TokenKind::RightBrace);
      auto *comprehension = make<ast::SetComp>(start);
      comprehension->elt = first;
      comprehension->generators = generators;
      return comprehension;
    }
    if (accept(TokenKind::RightBrace))
      break;
    if (!at(TokenKind::Comma))
      failBehind(elements.back());
    advance();
    if (accept(TokenKind::RightBrace))
      break;
    elements.push_back(parseStarNamedExpression());
  }
  auto *set = make<ast::Set>(start);
  set->elts = copy(elements);
  return set;
}

const ast::Expression *Parser::parseDictValue(const char *colon) {
  if (at(TokenKind::RightBrace) || at(TokenKind::Comma))
    fail(range(colon, colon + 1), "expression expected after dictionary key and ':'");
  if (at(TokenKind::Star))
    failHere("cannot use a starred expression in a dictionary value");
  return parseExpression();
}

/// Behind the first `key: value`, or `**value`.
const ast::Expression *Parser::parseDictRest(const char *start, const ast::Expression *key,
                                             const ast::Expression *value) {
  if (atComprehension()) {
    if (!key)
      fail(range(start + 1, endOf(value)), "dict unpacking cannot be used in dict comprehension");
    auto generators = parseComprehensionClauses();
    expect(TokenKind::RightBrace);
    auto *comprehension = make<ast::DictComp>(start);
    comprehension->key = key;
    comprehension->value = value;
    comprehension->generators = generators;
    return comprehension;
  }

  ExpressionVector keys = {key};
  ExpressionVector values = {value};
  while (!at(TokenKind::RightBrace)) {
    if (!at(TokenKind::Comma))
      failBehind(values.back());
    advance();
    if (at(TokenKind::RightBrace))
      break;
    if (accept(TokenKind::StarStar)) {
      keys.push_back(nullptr);
      values.push_back(parseBitOr());
      continue;
    }
    keys.push_back(parseExpression());
    if (!at(TokenKind::Colon)) {
      if (at(TokenKind::RightBrace) || at(TokenKind::Comma))
        fail(range(endOf(keys.back()) - 1, endOf(keys.back())), "':' expected after dictionary key");
      failBehind(keys.back());
    }
    const char *colon = here();
    advance();
    values.push_back(parseDictValue(colon));
  }
  advance();
  auto *dict = make<ast::Dict>(start);
  dict->keys = copy(keys);
  dict->values = copy(values);
  return dict;
}

const ast::Expression *Parser::parseCall(const char *start, const ast::Expression *func) {
  const Token &opening = advance();
  ExpressionVector args;
  Vector<ast::Keyword> keywords;
  parseCallArguments(&opening, args, keywords);
  auto *call = make<ast::Call>(start);
  call->func = func;
  call->args = copy(args);
  call->keywords = copy(keywords);
  return call;
}

/// One that is neither `name=value` nor starred. A lone generator needs no parentheses but those of the call.
void Parser::parsePositionalArgument(const Token *opening, ExpressionVector &args) {
  const char *start = here();
  const ast::Expression *argument;
  if (at(TokenKind::Name) && peek().is(TokenKind::ColonEqual)) {
    argument = parseNamedExpression();
  } else {
    argument = parseExpression();
    if (at(TokenKind::ColonEqual))
      checkNoAssignment(argument);
  }
  if (at(TokenKind::Equal)) {
    auto *constant = dyn_cast<ast::Constant>(argument);
    if (constant && (constant->isBool() || constant->type == ast::Constant::Type::None))
      fail(range(start, token->end), "cannot assign to " + describe(argument));
    fail(range(start, token->end), "expression cannot contain assignment, perhaps you meant \"==\"?");
  }
  if (!atComprehension()) {
    args.push_back(argument);
    return;
  }

  auto generators = parseComprehensionClauses();
  if (!opening)
    fail(rangeFrom(start), "invalid syntax");
  if (!args.empty() || !at(TokenKind::RightParen))
    fail(rangeFrom(start), "Generator expression must be parenthesized");
  auto *generator = context.make<ast::GeneratorExp>(range(opening->begin, token->end));
  generator->elt = argument;
  generator->generators = generators;
  args.push_back(generator);
}

void Parser::parseCallArguments(const Token *opening, ExpressionVector &args,
                                Vector<ast::Keyword> &keywords) {
  bool seenUnpacking = false;
  while (!accept(TokenKind::RightParen)) {
    const char *start = here();
    const ast::Expression *last = nullptr;
    if (at(TokenKind::Star)) {
      if (seenUnpacking)
        failHere("iterable argument unpacking follows keyword argument unpacking");
      advance();
      last = parseExpression();
      auto *starred = make<ast::Starred>(start);
      starred->value = last;
      args.push_back(starred);
    } else if (accept(TokenKind::StarStar)) {
      last = parseExpression();
      if (at(TokenKind::Equal))
        fail(range(start, token->end), "cannot assign to keyword argument unpacking");
      auto *keyword = make<ast::Keyword>(start);
      keyword->value = last;
      keywords.push_back(keyword);
      seenUnpacking = true;
    } else if (at(TokenKind::Name) && peek().is(TokenKind::Equal)) {
      StringRef name = parseIdentifier();
      advance();
      if (at(TokenKind::Comma) || at(TokenKind::RightParen))
        fail(rangeFrom(start), "expected argument value expression");
      const char *behindEqual = lastEnd;
      last = parseExpression();
      if (atComprehension())
        fail(range(start, behindEqual), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
      auto *keyword = make<ast::Keyword>(start);
      keyword->arg = name;
      keyword->value = last;
      keywords.push_back(keyword);
    } else {
      parsePositionalArgument(keywords.empty() ? opening : nullptr, args);
      last = args.back();
      if (!keywords.empty())
        fail(last->range, seenUnpacking ? "positional argument follows keyword argument unpacking"
                                        : "positional argument follows keyword argument");
    }
    if (accept(TokenKind::RightParen))
      return;
    if (!at(TokenKind::Comma))
      failBehind(last);
    advance();
  }
}

const ast::Expression *Parser::parseSubscriptElement() {
  if (at(TokenKind::Star)) {
    const char *start = here();
    advance();
    const ast::Expression *value = parseExpression();
    auto *starred = make<ast::Starred>(start);
    starred->value = value;
    return starred;
  }
  const char *start = here();
  const ast::Expression *lower = nullptr;
  if (!at(TokenKind::Colon)) {
    lower = parseNamedExpression();
    if (!at(TokenKind::Colon) || isBareNamedExpression(lower, start))
      return lower;
  }
  advance();
  auto parseOptional = [&]() -> const ast::Expression * {
    return atAny({TokenKind::Colon, TokenKind::Comma, TokenKind::RightBracket}) ? nullptr : parseExpression();
  };
  const ast::Expression *upper = parseOptional();
  const ast::Expression *step = accept(TokenKind::Colon) ? parseOptional() : nullptr;
  auto *slice = make<ast::Slice>(start);
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  return slice;
}

const ast::Expression *Parser::parseSubscript(const char *start, const ast::Expression *value) {
  advance();
  const char *sliceStart = here();
  ExpressionVector elements = {parseSubscriptElement()};
  bool isTuple = at(TokenKind::Comma) || isa<ast::Starred>(elements.front());
  while (!at(TokenKind::RightBracket)) {
    if (!at(TokenKind::Comma))
      failBehind(elements.back());
    advance();
    if (!at(TokenKind::RightBracket))
      elements.push_back(parseSubscriptElement());
  }
  const ast::Expression *slice = elements.front();
  if (isTuple) {
    auto *tuple = make<ast::Tuple>(sliceStart);
    tuple->elts = copy(elements);
    slice = tuple;
  }
  advance();
  auto *subscript = make<ast::Subscript>(start);
  subscript->value = value;
  subscript->slice = slice;
  return subscript;
}

} // namespace nereid::python
