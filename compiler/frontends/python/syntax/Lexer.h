// Text to tokens, as CPython's own tokenizer cuts it: indentation becomes Indent and Dedent tokens, lines
// inside brackets are joined, and an f-string comes apart into its pieces (PEP 701), so that the expressions
// in it are parsed in place, with exact positions:
//
//     f"a{x!r:>{w}}"   FStringStart `f"`, FStringMiddle `a`, `{`, Name `x`, `!`, Name `r`, `:`,
//                      FStringMiddle `>`, `{`, Name `w`, `}`, `}`, FStringEnd `"`
//
// All tokens are made at once, which gives the parser free look-ahead and cheap backtracking. The first error
// ends the list; the parser reports it unless it has nothing to say about an earlier token (CPython prefers
// it then, too).
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LEXER_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LEXER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::python {

enum class TokenKind : uint8_t {
  EndMarker,
  Newline,
  Indent,
  Dedent,
  Name,
  Number,
  String,
  FStringStart,
  FStringMiddle,
  FStringEnd,
  /// A character that is in no token, such as `?`.
  Unknown,
#define PUNCTUATION(NAME, SPELLING) NAME,
#define KEYWORD(NAME, SPELLING) Kw##NAME,
#include "compiler/frontends/python/syntax/Tokens.def"
};

struct Token {
  TokenKind kind;
  /// How many brackets are open around the token.
  uint8_t level;
  const char *begin;
  const char *end;

  bool is(TokenKind other) const { return kind == other; }
  bool isName(llvm::StringRef name) const { return kind == TokenKind::Name && getText() == name; }
  llvm::StringRef getText() const { return {begin, static_cast<size_t>(end - begin)}; }
  llvm::SMRange getRange() const {
    return {llvm::SMLoc::getFromPointer(begin), llvm::SMLoc::getFromPointer(end)};
  }
};

/// How the token is written, for messages: "(", "while"; empty for those that are written in many ways.
llvm::StringRef getSpelling(TokenKind kind);

/// What makes the text no Python.
struct SyntaxError {
  llvm::SMRange range;
  std::string message;
};

class Lexer {
public:
  /// `text` is valid UTF-8 without NUL characters or a byte order mark, and a NUL follows it.
  explicit Lexer(llvm::StringRef text) : begin(text.begin()), end(text.end()), cur(text.begin()) {}

  /// Cuts the whole text. The last token is an EndMarker. Call once.
  void lex();

  std::vector<Token> tokens;
  bool failed = false;
  /// If failed.
  SyntaxError error;
  /// The error is about the layout of lines, and no likelier to be the cause of trouble above it than what
  /// the parser finds there.
  bool isLayoutError = false;

  /// A bracket that was opened; `openBrackets` holds those that the end of the text left open.
  struct Bracket {
    char character;
    const char *loc;
  };
  llvm::SmallVector<Bracket, 16> openBrackets;

  /// The line of a position, from 1, by counting.
  unsigned lineOf(const char *loc) const;

private:
  /// An f-string that is being read. Text of the string and expressions in it alternate; the two depths tell
  /// where an expression, or its format specifier, ends. Both are as CPython's tokenizer has them.
  struct FString {
    const char *start;
    char quote;
    unsigned quoteSize;
    bool isRaw;
    /// What follows is text, not an expression.
    bool inText = true;
    /// Brackets opened since the string began, among them the braces of replacement fields.
    int bracketDepth = 0;
    /// How many replacement fields are open, less one: -1 in the string's own text, 0 in `{x` and in its
    /// format specifier, 1 in a field within that.
    int fieldDepth = -1;
  };

  bool fail(const char *from, const char *to, const llvm::Twine &message);
  bool fail(const char *at, const llvm::Twine &message) { return fail(at, at + 1, message); }
  bool failLayout(const char *at, const llvm::Twine &message) {
    isLayoutError = true;
    return fail(at, message);
  }
  bool failUnterminated(const char *start, const char *quote, llvm::StringRef what);
  void add(TokenKind kind, const char *from);

  /// Each returns false after fail().
  bool lexToken();
  bool lexIndentation();
  bool lexContinuation();
  bool lexNameOrString();
  bool lexString(const char *start, bool isF, bool isRaw);
  bool lexFStringText(FString &string);
  bool lexNumber();
  bool lexRadixDigits(const char *start, unsigned radix);
  bool lexDecimalDigits();
  bool checkEndOfNumber(const char *start, llvm::StringRef what);
  bool lexPunctuation();
  bool openBracket(char c);
  bool closeBracket(char c);

  bool skipNewline();
  bool atEnd() const { return cur == end; }
  bool atNewline() const { return *cur == '\n' || *cur == '\r'; }

  const char *begin;
  const char *end;
  const char *cur;

  bool atLineStart = true;
  /// Columns of the open blocks, with tabs counted to the next multiple of 8 and as 1: source in which the
  /// two disagree would mean different things in different editors.
  struct Column {
    unsigned wide;
    unsigned narrow;
  };
  llvm::SmallVector<Column, 16> indents = {{0, 0}};
  llvm::SmallVector<FString, 4> fstrings;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LEXER_H
