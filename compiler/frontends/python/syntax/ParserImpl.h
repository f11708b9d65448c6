// The parser's state and methods; the methods are defined by subject in Parser*.cpp.
//
// Recursive descent over the lexer's token list, with precedence climbing for binary operators. It looks
// ahead by one or two tokens almost everywhere; the few constructs that need more (a `match` statement may be
// a call of a function named match, the parenthesis behind `with` may enclose its items or start an
// expression) are tried and, if that fails, read the other way.
//
// Errors are thrown as SyntaxError and caught in parseModule: nobody between could do anything about them,
// and a parser of this size is far easier to read without a check behind each call. The messages, and mostly
// their places, are CPython's, whose users know them.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSERIMPL_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSERIMPL_H

#include "compiler/frontends/python/syntax/Ast.h"
#include "compiler/frontends/python/syntax/Lexer.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::python {

class Parser {
public:
  Parser(AstContext &context, const Lexer &lexer)
      : context(context), lexer(lexer), token(lexer.tokens.data()) {}

  const ast::Module *parseFile(llvm::StringRef text);

  /// The cursor came to the end of the text, perhaps while trying something.
  bool hasReachedEnd = false;

private:
  template <typename T> using Vector = llvm::SmallVector<const T *, 8>;
  using ExpressionVector = Vector<ast::Expression>;
  using StatementVector = Vector<ast::Statement>;

  //===--- The cursor: Parser.cpp ---===//

  bool at(TokenKind kind) const { return token->kind == kind; }
  bool atAny(std::initializer_list<TokenKind> kinds) const;
  bool atName(llvm::StringRef name) const { return token->isName(name); }
  const Token &peek(unsigned distance = 1) const;
  const Token &advance();
  bool accept(TokenKind kind);
  /// "invalid syntax" if another token is there.
  const Token &expect(TokenKind kind);
  /// "expected '('" if another token is there.
  const Token &demand(TokenKind kind);
  /// Identifier at the cursor, in normal form.
  llvm::StringRef parseIdentifier();
  llvm::StringRef normalize(const Token &name);

  const char *here() const { return token->begin; }
  static llvm::SMRange range(const char *from, const char *to) {
    return {llvm::SMLoc::getFromPointer(from), llvm::SMLoc::getFromPointer(to)};
  }
  /// From `from` to the end of the last token that was consumed.
  llvm::SMRange rangeFrom(const char *from) const { return range(from, lastEnd); }
  static const char *startOf(const ast::Node *node) { return node->range.Start.getPointer(); }
  static const char *endOf(const ast::Node *node) { return node->range.End.getPointer(); }

  /// A new node from `from` to the last token consumed.
  template <typename T> T *make(const char *from) { return context.make<T>(rangeFrom(from)); }
  template <typename T> llvm::ArrayRef<T> copy(const llvm::SmallVectorImpl<T> &elements) {
    return context.copy(llvm::ArrayRef<T>(elements));
  }

  /// Tries `parse`. If that throws, puts the cursor back, and returns false and what was thrown.
  bool attempt(llvm::function_ref<void()> parse, SyntaxError *error = nullptr);

  /// Parses the other way after an attempt; if that fails too, throws what the one that came further did.
  void parseOr(llvm::function_ref<void()> parse, const SyntaxError &attemptError);

  /// Counts how deep the parser's own recursion is while it lives.
  struct Depth {
    explicit Depth(Parser &parser);
    ~Depth() { --parser.depth; }
    Parser &parser;
  };

  //===--- Errors: ParserErrors.cpp ---===//

  [[noreturn]] static void fail(llvm::SMRange range, const llvm::Twine &message);
  [[noreturn]] void failHere(const llvm::Twine &message);
  /// The token at the cursor fits nothing.
  [[noreturn]] void failSyntax();
  /// The same behind an expression, in brackets: perhaps a comma is missing.
  [[noreturn]] void failBehind(const ast::Expression *expression);
  [[noreturn]] void failTarget(const ast::Expression *target, llvm::StringRef verb);
  /// What CPython calls such an expression: "literal", "function call".
  static llvm::StringRef describe(const ast::Expression *expression);
  void expectColon();
  /// `print x`
  void checkLegacyStatement(const ast::Expression *expression);
  void checkNoAssignment(const ast::Expression *left);
  void suggestComparison(const ast::Expression *left);
  const ast::Expression *parseAssignedValue();
  bool startsExpression() const;

  //===--- Targets: ParserTargets.cpp ---===//

  /// Marks a finished expression, and what it consists of, as assigned or deleted, if it can be.
  void setContext(const ast::Expression *target, ast::ExprContext ctx);
  /// The innermost part of a target that cannot be assigned to, or null.
  static const ast::Expression *findInvalidTarget(const ast::Expression *target, ast::ExprContext ctx);
  /// `a, *b` up to `in` or `=`.
  const ast::Expression *parseTargetList();
  const ast::Expression *parseTargetElement();

  //===--- Expressions: ParserExpressions.cpp ---===//

  const ast::Expression *parseStarExpressions();
  const ast::Expression *parseStarExpression();
  const ast::Expression *parseStarNamedExpression();
  const ast::Expression *parseNamedExpression();
  const ast::Expression *parseExpression();
  const ast::Expression *parseYieldOrStarExpressions();
  const ast::Expression *parseYield();
  const ast::Expression *parseLambda();
  const ast::Expression *parseDisjunction();
  const ast::Expression *parseConjunction();
  const ast::Expression *parseInversion();
  const ast::Expression *parseComparison();
  const ast::Expression *parseBitOr() { return parseBinary(0); }
  const ast::Expression *parseBinary(unsigned minimumPrecedence);
  const ast::Expression *parseUnary();
  const ast::Expression *parsePower();
  bool parseComparisonOperator(ast::CmpOp &op);
  /// The elements behind `first` of a list that was not opened by a bracket, if a comma follows it.
  const ast::Expression *parseTupleRest(const char *start, const ast::Expression *first,
                                        const ast::Expression *(Parser::*parseElement)());

  //===--- Primaries: ParserPrimaries.cpp ---===//

  const ast::Expression *parsePrimary();
  const ast::Expression *parseAtom();
  const ast::Expression *parseParenthesized();
  const ast::Expression *parseListDisplay();
  const ast::Expression *parseBraceDisplay();
  const ast::Expression *parseDictRest(const char *start, const ast::Expression *key,
                                       const ast::Expression *value);
  const ast::Expression *parseDictValue(const char *colon);
  llvm::ArrayRef<const ast::Comprehension *> parseComprehensionClauses();
  bool atComprehension() const;
  const ast::Expression *parseCall(const char *start, const ast::Expression *func);
  /// From behind the opening parenthesis to behind the closing one.
  void parseCallArguments(const Token *opening, ExpressionVector &args, Vector<ast::Keyword> &keywords);
  void parsePositionalArgument(const Token *opening, ExpressionVector &args);
  const ast::Expression *parseSubscript(const char *start, const ast::Expression *value);
  const ast::Expression *parseSubscriptElement();

  //===--- Strings: ParserStrings.cpp ---===//

  const ast::Expression *parseStrings();
  const ast::Constant *makeConstant(llvm::SMRange range, ast::Constant::Type type);
  /// An f-string, or a format specifier, in pieces: constants and FormattedValues.
  void parseFString(ExpressionVector &pieces);
  void parseFStringPieces(ExpressionVector &pieces, bool isRaw, bool inSpecifier);
  void parseReplacementField(ExpressionVector &pieces, bool isRaw);
  /// Joins neighbours that are constants, and drops empty ones.
  llvm::ArrayRef<const ast::Expression *> joinConstants(llvm::ArrayRef<const ast::Expression *> pieces);

  //===--- Parameters: ParserParameters.cpp ---===//

  const ast::Arguments *parseParameters(TokenKind closing, bool isLambda);
  const ast::Arg *parseParameter(bool isLambda, bool isStar);
  const ast::Expression *parseDefault(TokenKind closing);
  ast::TypeParams parseTypeParams();
  const ast::TypeParam *parseTypeParam();

  //===--- Statements: ParserStatements.cpp (simple), ParserCompound.cpp ---===//

  void parseStatement(StatementVector &statements);
  void parseSimpleStatements(StatementVector &statements);
  const ast::Statement *parseSimpleStatement();
  const ast::Statement *parseExpressionStatement();
  const ast::Statement *parseAnnotatedAssignment(const char *start, const ast::Expression *target);
  const ast::Statement *parseAugmentedAssignment(const char *start, const ast::Expression *target);
  const ast::Statement *parseAssignment(const char *start, const ast::Expression *first);
  const ast::Statement *parseReturn();
  const ast::Statement *parseRaise();
  const ast::Statement *parseDelete();
  const ast::Statement *parseAssert();
  const ast::Statement *parseImport();
  const ast::Statement *parseImportFrom();
  const ast::Alias *parseAlias(bool isDotted);
  llvm::StringRef parseDottedName();
  const ast::Statement *parseGlobalOrNonlocal();
  const ast::Statement *parseTypeAlias();

  const ast::Statement *parseCompoundStatement();
  /// The block behind a colon; `what`, such as "'if' statement", and `header` are for the message if it is
  /// missing.
  ast::Statements parseBlock(const llvm::Twine &what, const char *header);
  const ast::Statement *parseIf();
  const ast::Statement *parseWhile();
  const ast::Statement *parseFor(const char *start, bool isAsync);
  const ast::Statement *parseWith(const char *start, bool isAsync);
  void parseParenthesizedWithItems(Vector<ast::WithItem> &items);
  const ast::WithItem *parseWithItem();
  const ast::Statement *parseTry();
  const ast::ExceptHandler *parseHandler(bool &isStar);
  ast::Statements parseOptionalElse();
  const ast::Statement *parseDecorated();
  const ast::Statement *parseAsync(ast::Expressions decorators);
  const ast::Statement *parseFunction(const char *start, bool isAsync, ast::Expressions decorators);
  const ast::Statement *parseClass(ast::Expressions decorators);

  //===--- Patterns: ParserPatterns.cpp ---===//

  void parseMatchOrSimpleStatements(StatementVector &statements);
  const ast::MatchCase *parseCase();
  const ast::Expression *parseMatchSubject();
  const ast::Pattern *parsePatterns();
  const ast::Pattern *parseMaybeStarPattern();
  const ast::Pattern *parseAsPattern();
  const ast::Pattern *parseOrPattern();
  const ast::Pattern *parseClosedPattern();
  const ast::Pattern *parseGroupOrSequencePattern();
  const ast::Pattern *parseMappingPattern();
  const ast::Pattern *parseNamePattern();
  const ast::Pattern *parseClassPattern(const char *start, const ast::Expression *cls);
  const ast::Expression *parsePatternLiteral();
  const ast::Expression *parsePatternNumber(bool mustBeImaginary);
  llvm::StringRef parseCaptureName();

  AstContext &context;
  const Lexer &lexer;
  const Token *token;
  /// The end of the last token consumed that is not of the layout (Newline, Indent, Dedent).
  const char *lastEnd = nullptr;
  unsigned depth = 0;
  /// How many brackets are open in the replacement field that is parsed, outside of the brackets in it; 0 if
  /// none is.
  unsigned fieldLevel = 0;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_PARSERIMPL_H
