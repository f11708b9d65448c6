// The cursor, and parseModule.
#include "compiler/frontends/python/syntax/Parser.h"

#include "compiler/frontends/python/syntax/AstFields.h"
#include "compiler/frontends/python/syntax/ParserImpl.h"
#include "compiler/frontends/python/syntax/SourceText.h"
#include "compiler/frontends/python/syntax/UnicodeIdentifiers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace llvm;

namespace nereid::python {

/// How deep expressions and patterns may nest by way of the parser's own recursion (each level is a few
/// hundred bytes of several stack frames). Brackets nest no deeper than 200 in any case, and blocks no deeper
/// than 100.
constexpr unsigned maximumParserDepth = 500;

Parser::Depth::Depth(Parser &parser) : parser(parser) {
  if (parser.depth >= maximumParserDepth)
    parser.failHere("the expression is nested too deeply");
  ++parser.depth;
}

bool Parser::atAny(std::initializer_list<TokenKind> kinds) const { return is_contained(kinds, token->kind); }

const Token &Parser::peek(unsigned distance) const {
  const Token *last = &lexer.tokens.back();
  return last - token < distance ? *last : token[distance];
}

const Token &Parser::advance() {
  const Token &consumed = *token;
  if (consumed.is(TokenKind::EndMarker))
    return consumed;
  if (!consumed.is(TokenKind::Newline) && !consumed.is(TokenKind::Indent) && !consumed.is(TokenKind::Dedent))
    lastEnd = consumed.end;
  ++token;
  hasReachedEnd |= at(TokenKind::EndMarker);
  return consumed;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

const Token &Parser::expect(TokenKind kind) {
  if (!at(kind))
    failSyntax();
  return advance();
}

const Token &Parser::demand(TokenKind kind) {
  if (!at(kind))
    failHere("expected '" + getSpelling(kind) + "'");
  return advance();
}

StringRef Parser::normalize(const Token &name) {
  StringRef text = name.getText();
  if (all_of(text, [](char c) { return isASCII(c); }))
    return text;
  std::string normal = normalizeIdentifier(text);
  return normal == text ? text : context.copy(StringRef(normal));
}

StringRef Parser::parseIdentifier() { return normalize(expect(TokenKind::Name)); }

bool Parser::attempt(function_ref<void()> parse, SyntaxError *error) {
  const Token *start = token;
  const char *startEnd = lastEnd;
  try {
    parse();
    return true;
  } catch (SyntaxError &caught) {
    if (error)
      *error = std::move(caught);
    token = start;
    lastEnd = startEnd;
    return false;
  }
}

void Parser::parseOr(function_ref<void()> parse, const SyntaxError &attemptError) {
  try {
    parse();
  } catch (const SyntaxError &caught) {
    if (attemptError.range.Start.getPointer() > caught.range.Start.getPointer())
      throw attemptError;
    throw;
  }
}

const ast::Module *Parser::parseFile(StringRef text) {
  StatementVector body;
  while (!at(TokenKind::EndMarker))
    parseStatement(body);
  auto *module = context.make<ast::Module>(range(text.begin(), text.end()));
  module->body = copy(body);
  return module;
}

namespace {

/// Refuses trees that nest too deeply. The parser's recursion does not bound the depth: `a + b + c + …` and
/// `a.b.c.…` are parsed in loops, and make a tree as deep as they are long.
struct DepthCheck {
  unsigned depth = 0;

  void check(const ast::Node *node) {
    if (depth == maximumTreeDepth)
      throw SyntaxError{SMRange(node->range.Start, node->range.Start), "the expression is nested too deeply"};
    ++depth;
    ast::visitFields(node, *this);
    --depth;
  }
  template <typename T> void operator()(const char *, const T &field) {
    if constexpr (std::is_convertible_v<T, const ast::Node *>) {
      if (field)
        check(field);
    }
  }
  template <typename T> void operator()(const char *, ArrayRef<const T *> nodes) {
    for (const ast::Node *node : nodes)
      if (node)
        check(node);
  }
};

} // namespace

/// What to report if the parser failed with `error`, or not at all. A lexer's error goes first, because the
/// parser may only have stumbled over what it left out; and a bracket left open is the likelier cause of what
/// is wrong below it.
static std::optional<SyntaxError> chooseError(const Lexer &lexer, bool parserReachedEnd,
                                              std::optional<SyntaxError> error) {
  if (lexer.failed) {
    const char *lexerStop = lexer.tokens.back().begin;
    bool isAbove = error && !parserReachedEnd && error->range.Start.getPointer() < lexerStop;
    bool isIndentation = error && StringRef(error->message).starts_with("unexpected ");
    return isAbove && (lexer.isLayoutError || isIndentation) ? error : lexer.error;
  }
  if (error && !lexer.openBrackets.empty()) {
    const char *bracket = lexer.openBrackets.back().loc;
    const char *failure = error->range.Start.getPointer();
    if (parserReachedEnd ||
        (bracket < failure && StringRef(bracket, failure - bracket).find_first_of("\r\n") != StringRef::npos))
      return SyntaxError{SMRange(SMLoc::getFromPointer(bracket), SMLoc::getFromPointer(bracket + 1)),
                         (Twine("'") + Twine(*bracket) + "' was never closed").str()};
  }
  return error;
}

const ast::Module *parseModule(AstContext &context, StringRef text, Diagnostics &diagnostics) {
  std::optional<SyntaxError> error;
  const ast::Module *module = nullptr;
  try {
    text = readSourceText(text, diagnostics);
    Lexer lexer(text);
    lexer.lex();
    Parser parser(context, lexer);
    try {
      module = parser.parseFile(text);
      DepthCheck().check(module);
    } catch (SyntaxError &caught) {
      error = std::move(caught);
    }
    error = chooseError(lexer, parser.hasReachedEnd, std::move(error));
  } catch (SyntaxError &caught) {
    error = std::move(caught);
  }
  if (!error)
    return module;
  diagnostics.error(error->range, error->message);
  return nullptr;
}

} // namespace nereid::python
