// Text to preprocessing tokens. Nothing is expanded here.
//
// Two things differ from C, both for ranges: `0...16` is three tokens, where C sees one malformed number; and
// `@` is a punctuator. A backslash at the end of a line joins it with the next one between tokens and in
// comments, not in the middle of a name.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LEXER_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LEXER_H

#include "compiler/frontends/triton_c/syntax/Token.h"

namespace nereid::triton_c {

class Lexer {
public:
  /// `text` is a view of text that a Diagnostics owns.
  explicit Lexer(llvm::StringRef text) : position(text.begin()), end(text.end()) {
    // A byte order mark.
    if (text.starts_with("\xEF\xBB\xBF"))
      position += 3;
  }

  /// The next token; End at the end, again and again. Throws a Refusal at a comment or a literal that does
  /// not end.
  Token next();
  /// Leaves the rest of the line; the next token starts one.
  void skipLine();
  /// Leaves lines until one begins with #, and that too. False at the end of the text. What is left need not
  /// be C.
  bool skipToDirective();

private:
  void skipSpace(bool &space);
  void lexLiteral(char quote);
  void lexNumber(const char *begin);
  unsigned getPunctuatorLength() const;

  const char *position;
  const char *end;
  bool startsLine = true;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_LEXER_H
