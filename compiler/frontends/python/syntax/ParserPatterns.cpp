// match statements and their patterns.
#include "compiler/frontends/python/syntax/ParserImpl.h"

using namespace llvm;

namespace nereid::python {

const ast::Expression *Parser::parseMatchSubject() {
  const char *start = here();
  const ast::Expression *subject = parseStarNamedExpression();
  if (!at(TokenKind::Comma) && isa<ast::Starred>(subject))
    failSyntax();
  return parseTupleRest(start, subject, &Parser::parseStarNamedExpression);
}

/// `match` is a name anywhere else: `match (x)` and `match -x` start a match statement if a colon and a new
/// line follow, and are expressions otherwise.
void Parser::parseMatchOrSimpleStatements(StatementVector &statements) {
  const char *start = here();
  const ast::Expression *subject = nullptr;
  SyntaxError error;
  bool isMatch = attempt(
      [&] {
        advance();
        if (!startsExpression() && !at(TokenKind::Star))
          failSyntax();
        subject = parseMatchSubject();
        expectColon();
        expect(TokenKind::Newline);
      },
      &error);
  if (!isMatch) {
    parseOr([&] { parseSimpleStatements(statements); }, error);
    return;
  }

  if (!at(TokenKind::Indent))
    failHere("expected an indented block after 'match' statement on line " + Twine(lexer.lineOf(start)));
  advance();
  Vector<ast::MatchCase> cases;
  do {
    cases.push_back(parseCase());
  } while (!accept(TokenKind::Dedent) && !at(TokenKind::EndMarker));
  auto *statement = make<ast::Match>(start);
  statement->subject = subject;
  statement->cases = copy(cases);
  statements.push_back(statement);
}

const ast::MatchCase *Parser::parseCase() {
  const char *start = here();
  if (!atName("case"))
    failSyntax();
  advance();
  const ast::Pattern *pattern = parsePatterns();
  const ast::Expression *guard = accept(TokenKind::KwIf) ? parseNamedExpression() : nullptr;
  expectColon();
  ast::Statements body = parseBlock("'case' statement", start);
  auto *matchCase = context.make<ast::MatchCase>(SMRange());
  matchCase->pattern = pattern;
  matchCase->guard = guard;
  matchCase->body = body;
  return matchCase;
}

/// What stands behind `case`: one pattern, or several with commas and no brackets.
const ast::Pattern *Parser::parsePatterns() {
  const char *start = here();
  const ast::Pattern *first = parseMaybeStarPattern();
  if (!at(TokenKind::Comma)) {
    if (isa<ast::MatchStar>(first))
      failSyntax();
    return first;
  }
  Vector<ast::Pattern> patterns = {first};
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::KwIf))
    patterns.push_back(parseMaybeStarPattern());
  auto *sequence = make<ast::MatchSequence>(start);
  sequence->patterns = copy(patterns);
  return sequence;
}

/// A name to bind, or an empty one for the wildcard.
StringRef Parser::parseCaptureName() {
  StringRef name = parseIdentifier();
  return name == "_" ? StringRef() : name;
}

const ast::Pattern *Parser::parseMaybeStarPattern() {
  const char *start = here();
  if (!accept(TokenKind::Star))
    return parseAsPattern();
  StringRef name = parseCaptureName();
  auto *star = make<ast::MatchStar>(start);
  star->name = name;
  return star;
}

const ast::Pattern *Parser::parseAsPattern() {
  Depth guard(*this);
  const char *start = here();
  const ast::Pattern *pattern = parseOrPattern();
  if (!accept(TokenKind::KwAs))
    return pattern;
  if (atName("_"))
    failHere("cannot use '_' as a target");
  if (!at(TokenKind::Name))
    failHere("invalid pattern target");
  StringRef name = parseIdentifier();
  if (at(TokenKind::Dot) || at(TokenKind::LeftParen) || at(TokenKind::LeftBracket))
    fail(token[-1].getRange(), "invalid pattern target");
  auto *as = make<ast::MatchAs>(start);
  as->pattern = pattern;
  as->name = name;
  return as;
}

const ast::Pattern *Parser::parseOrPattern() {
  const char *start = here();
  const ast::Pattern *first = parseClosedPattern();
  if (!at(TokenKind::Pipe))
    return first;
  Vector<ast::Pattern> patterns = {first};
  while (accept(TokenKind::Pipe))
    patterns.push_back(parseClosedPattern());
  auto *alternatives = make<ast::MatchOr>(start);
  alternatives->patterns = copy(patterns);
  return alternatives;
}

const ast::Pattern *Parser::parseClosedPattern() {
  const char *start = here();
  switch (token->kind) {
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    auto *constant = cast<ast::Constant>(parseAtom());
    auto *singleton = make<ast::MatchSingleton>(start);
    singleton->value = constant;
    return singleton;
  }
  case TokenKind::Minus:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart: {
    const ast::Expression *literal = parsePatternLiteral();
    auto *value = make<ast::MatchValue>(start);
    value->value = literal;
    return value;
  }
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
    return parseGroupOrSequencePattern();
  case TokenKind::LeftBrace:
    return parseMappingPattern();
  case TokenKind::Name:
    return parseNamePattern();
  default:
    failSyntax();
  }
}

/// `1`, `-1.5` or, as the second part of `1 + 2j`, an imaginary number.
const ast::Expression *Parser::parsePatternNumber(bool mustBeImaginary) {
  const char *start = here();
  bool isNegative = !mustBeImaginary && accept(TokenKind::Minus);
  if (!at(TokenKind::Number))
    failSyntax();
  auto *number = cast<ast::Constant>(parseAtom());
  if (mustBeImaginary && number->type != ast::Constant::Type::Complex)
    fail(number->range, "imaginary number required in complex literal");
  if (!isNegative)
    return number;
  auto *negation = make<ast::UnaryOp>(start);
  negation->op = ast::UnaryOperator::USub;
  negation->operand = number;
  return negation;
}

/// A number, a sum of a real and an imaginary one, or strings.
const ast::Expression *Parser::parsePatternLiteral() {
  const char *start = here();
  if (at(TokenKind::String) || at(TokenKind::FStringStart)) {
    const ast::Expression *string = parseStrings();
    if (isa<ast::JoinedStr>(string))
      fail(string->range, "patterns may only match literals and attribute lookups");
    return string;
  }
  const ast::Expression *real = parsePatternNumber(/*mustBeImaginary=*/false);
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus))
    return real;
  const ast::Expression *digits = real;
  if (auto *negation = dyn_cast<ast::UnaryOp>(real))
    digits = negation->operand;
  if (cast<ast::Constant>(digits)->type == ast::Constant::Type::Complex)
    fail(real->range, "real number required in complex literal");
  ast::Operator op = advance().is(TokenKind::Plus) ? ast::Operator::Add : ast::Operator::Sub;
  const ast::Expression *imaginary = parsePatternNumber(/*mustBeImaginary=*/true);
  auto *sum = make<ast::BinOp>(start);
  sum->left = real;
  sum->op = op;
  sum->right = imaginary;
  return sum;
}

/// `(p)` is a group; `(p,)`, `()`, and anything in square brackets, is a sequence.
const ast::Pattern *Parser::parseGroupOrSequencePattern() {
  const char *start = here();
  bool isParenthesized = advance().is(TokenKind::LeftParen);
  TokenKind closing = isParenthesized ? TokenKind::RightParen : TokenKind::RightBracket;
  Vector<ast::Pattern> patterns;
  bool hasComma = false;
  while (!at(closing)) {
    patterns.push_back(parseMaybeStarPattern());
    if (at(closing))
      break;
    expect(TokenKind::Comma);
    hasComma = true;
  }
  bool isGroup = isParenthesized && patterns.size() == 1 && !hasComma;
  if (isGroup && isa<ast::MatchStar>(patterns.front()))
    failSyntax();
  advance();
  if (isGroup)
    return patterns.front();
  auto *sequence = make<ast::MatchSequence>(start);
  sequence->patterns = copy(patterns);
  return sequence;
}

const ast::Pattern *Parser::parseMappingPattern() {
  const char *start = here();
  advance();
  ExpressionVector keys;
  Vector<ast::Pattern> patterns;
  StringRef rest;
  while (!at(TokenKind::RightBrace)) {
    if (accept(TokenKind::StarStar)) {
      // `**rest` comes last, and `**_` would say nothing.
      if (atName("_"))
        failSyntax();
      rest = parseIdentifier();
      accept(TokenKind::Comma);
      if (!at(TokenKind::RightBrace))
        failSyntax();
      break;
    }
    if (at(TokenKind::Name)) {
      const ast::Pattern *name = parseNamePattern();
      auto *value = dyn_cast<ast::MatchValue>(name);
      if (!value)
        failSyntax();
      keys.push_back(value->value);
    } else if (atAny({TokenKind::KwNone, TokenKind::KwTrue, TokenKind::KwFalse})) {
      keys.push_back(parseAtom());
    } else {
      keys.push_back(parsePatternLiteral());
    }
    expect(TokenKind::Colon);
    patterns.push_back(parseAsPattern());
    if (!at(TokenKind::RightBrace))
      expect(TokenKind::Comma);
  }
  advance();
  auto *mapping = make<ast::MatchMapping>(start);
  mapping->keys = copy(keys);
  mapping->patterns = copy(patterns);
  mapping->rest = rest;
  return mapping;
}

/// A capture, the wildcard, a dotted name (a value) or a class.
const ast::Pattern *Parser::parseNamePattern() {
  const char *start = here();
  auto *name = context.make<ast::Name>(token->getRange());
  name->id = parseIdentifier();
  const ast::Expression *value = name;
  while (accept(TokenKind::Dot)) {
    SMRange attrRange = token->getRange();
    StringRef attr = parseIdentifier();
    auto *attribute = make<ast::Attribute>(start);
    attribute->value = value;
    attribute->attr = attr;
    attribute->attrRange = attrRange;
    value = attribute;
  }
  if (at(TokenKind::LeftParen))
    return parseClassPattern(start, value);
  if (value != name) {
    auto *constant = make<ast::MatchValue>(start);
    constant->value = value;
    return constant;
  }
  auto *capture = make<ast::MatchAs>(start);
  capture->name = name->id == "_" ? StringRef() : name->id;
  return capture;
}

const ast::Pattern *Parser::parseClassPattern(const char *start, const ast::Expression *cls) {
  advance();
  Vector<ast::Pattern> patterns, keywordPatterns;
  SmallVector<StringRef, 4> keywords;
  while (!at(TokenKind::RightParen)) {
    if (at(TokenKind::Name) && peek().is(TokenKind::Equal)) {
      keywords.push_back(parseIdentifier());
      advance();
      keywordPatterns.push_back(parseAsPattern());
    } else {
      const ast::Pattern *pattern = parseAsPattern();
      if (!keywords.empty())
        fail(pattern->range, "positional patterns follow keyword patterns");
      patterns.push_back(pattern);
    }
    if (!at(TokenKind::RightParen))
      expect(TokenKind::Comma);
  }
  advance();
  auto *pattern = make<ast::MatchClass>(start);
  pattern->cls = cls;
  pattern->patterns = copy(patterns);
  pattern->kwd_attrs = copy(keywords);
  pattern->kwd_patterns = copy(keywordPatterns);
  return pattern;
}

} // namespace nereid::python
