// String literals in the tree: neighbours are one constant, and an f-string among them makes all of them one
// JoinedStr.
#include "compiler/frontends/python/syntax/Literals.h"
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

const ast::Expression *Parser::parseStrings() {
  const char *start = here();
  ExpressionVector pieces;
  bool hasFString = false, hasBytes = false, hasText = false;
  while (at(TokenKind::String) || at(TokenKind::FStringStart)) {
    if (at(TokenKind::FStringStart)) {
      hasFString = hasText = true;
      parseFString(pieces);
      continue;
    }
    StringLiteral literal(token->getText());
    (literal.isBytes ? hasBytes : hasText) = true;
    auto *constant = context.make<ast::Constant>(token->getRange());
    constant->type = literal.isBytes ? ast::Constant::Type::Bytes : ast::Constant::Type::Str;
    constant->hasUnicodePrefix = literal.hasUnicodePrefix;
    constant->text = decodeString(context, literal);
    pieces.push_back(constant);
    advance();
  }
  if (hasBytes && hasText)
    fail(rangeFrom(start), "cannot mix bytes and nonbytes literals");
  if (hasFString) {
    auto *joined = make<ast::JoinedStr>(start);
    joined->values = joinConstants(pieces);
    return joined;
  }
  if (pieces.size() == 1)
    return pieces.front();

  auto *first = cast<ast::Constant>(pieces.front());
  auto *whole = make<ast::Constant>(start);
  whole->type = first->type;
  whole->hasUnicodePrefix = first->hasUnicodePrefix;
  std::string text;
  for (const ast::Expression *piece : pieces)
    text += cast<ast::Constant>(piece)->text;
  whole->text = context.copy(StringRef(text));
  return whole;
}

ArrayRef<const ast::Expression *> Parser::joinConstants(ArrayRef<const ast::Expression *> pieces) {
  ExpressionVector joined;
  for (size_t i = 0; i != pieces.size();) {
    size_t next = i;
    std::string text;
    for (; next != pieces.size() && isa<ast::Constant>(pieces[next]); ++next)
      text += cast<ast::Constant>(pieces[next])->text;
    if (next == i) {
      joined.push_back(pieces[i++]);
      continue;
    }
    if (next == i + 1) {
      if (!text.empty())
        joined.push_back(pieces[i]);
    } else if (!text.empty()) {
      auto *constant = context.make<ast::Constant>(range(startOf(pieces[i]), endOf(pieces[next - 1])));
      constant->type = ast::Constant::Type::Str;
      constant->hasUnicodePrefix = cast<ast::Constant>(pieces[i])->hasUnicodePrefix;
      constant->text = context.copy(StringRef(text));
      joined.push_back(constant);
    }
    i = next;
  }
  return copy(joined);
}

void Parser::parseFString(ExpressionVector &pieces) {
  StringRef prefix = advance().getText();
  bool isRaw = prefix.contains_insensitive('r');
  parseFStringPieces(pieces, isRaw, /*inSpecifier=*/false);
  expect(TokenKind::FStringEnd);
}

void Parser::parseFStringPieces(ExpressionVector &pieces, bool isRaw, bool inSpecifier) {
  for (;;) {
    if (at(TokenKind::FStringMiddle)) {
      auto *text = context.make<ast::Constant>(token->getRange());
      text->type = ast::Constant::Type::Str;
      text->text = decodeFStringText(context, advance().getText(), isRaw, inSpecifier);
      pieces.push_back(text);
    } else if (at(TokenKind::LeftBrace)) {
      parseReplacementField(pieces, isRaw);
    } else {
      return;
    }
  }
}

/// The source between two positions without its comments: what `f"{x = }"` prints in front of the value.
static std::string getDebugText(const Token *first, const Token *behind, const char *from) {
  std::string text;
  for (const Token *token = first;; ++token) {
    StringRef gap(from, token->begin - from);
    while (!gap.empty()) {
      auto [kept, rest] = gap.split('#');
      text += kept;
      size_t lineEnd = rest.find('\n');
      gap = lineEnd == StringRef::npos ? StringRef() : rest.drop_front(lineEnd);
    }
    if (token == behind)
      return text;
    text += token->getText();
    from = token->end;
  }
}

/// `{value = !r:specifier}`
void Parser::parseReplacementField(ExpressionVector &pieces, bool isRaw) {
  Depth guard(*this);
  llvm::SaveAndRestore<unsigned> level(fieldLevel, token->level);
  const char *start = here();
  advance();
  const Token *first = token;
  if (atAny({TokenKind::RightBrace, TokenKind::Exclamation, TokenKind::Colon, TokenKind::Equal}))
    failHere("f-string: valid expression required before '" + token->getText() + "'");
  if (!startsExpression() && !at(TokenKind::Star) && !at(TokenKind::KwYield))
    failHere("f-string: expecting a valid expression after '{'");
  const ast::Expression *value = parseYieldOrStarExpressions();

  bool isDebug = accept(TokenKind::Equal);
  if (!atAny({TokenKind::Exclamation, TokenKind::Colon, TokenKind::RightBrace})) {
    if (!isDebug && startsExpression())
      failBehind(value);
    failHere(isDebug ? "f-string: expecting '!', or ':', or '}'"
                     : "f-string: expecting '=', or '!', or ':', or '}'");
  }
  if (isDebug) {
    auto *text = context.make<ast::Constant>(range(start + 1, here()));
    text->type = ast::Constant::Type::Str;
    text->text = context.copy(StringRef(getDebugText(first, token, start + 1)));
    pieces.push_back(text);
  }

  int conversion = -1;
  if (at(TokenKind::Exclamation)) {
    const char *mark = here();
    advance();
    if (at(TokenKind::RightBrace) || at(TokenKind::Colon))
      failHere("f-string: missing conversion character");
    if (!at(TokenKind::Name))
      failHere("f-string: invalid conversion character");
    if (here() != mark + 1)
      failHere("f-string: conversion type must come right after the exclamation mark");
    StringRef name = token->getText();
    if (name != "s" && name != "r" && name != "a")
      failHere("f-string: invalid conversion character '" + name + "': expected 's', 'r', or 'a'");
    conversion = static_cast<unsigned char>(name.front());
    advance();
    if (!at(TokenKind::Colon) && !at(TokenKind::RightBrace))
      failHere("f-string: expecting ':' or '}'");
  }

  const ast::Expression *specifier = nullptr;
  if (at(TokenKind::Colon)) {
    const char *colon = here();
    advance();
    ExpressionVector specifierPieces;
    parseFStringPieces(specifierPieces, isRaw, /*inSpecifier=*/true);
    auto *joined = make<ast::JoinedStr>(colon);
    joined->values = joinConstants(specifierPieces);
    specifier = joined;
    if (!at(TokenKind::RightBrace))
      failHere("f-string: expecting '}', or format specs");
  }
  // The text before it names the value, so the value is shown as a programmer would write it.
  if (isDebug && conversion == -1 && !specifier)
    conversion = 'r';

  expect(TokenKind::RightBrace);
  auto *field = make<ast::FormattedValue>(start);
  field->value = value;
  field->conversion = conversion;
  field->format_spec = specifier;
  pieces.push_back(field);
}

} // namespace nereid::python
