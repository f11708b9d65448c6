// The values of literals. What is wrong with one is thrown as a SyntaxError.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LITERALS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LITERALS_H

#include "compiler/frontends/python/syntax/Ast.h"

namespace nereid::python {

/// A string literal that is no f-string, taken apart.
struct StringLiteral {
  llvm::StringRef body;
  bool isBytes = false;
  bool isRaw = false;
  bool hasUnicodePrefix = false;

  explicit StringLiteral(llvm::StringRef token);
};

/// Replaces escapes and makes every line end "\n". Returns a view of the source where that is the value
/// already.
llvm::StringRef decodeString(AstContext &context, const StringLiteral &literal);

/// The same for text of an f-string. `{{` and `}}` stand for one brace, unless in a format specifier.
llvm::StringRef decodeFStringText(AstContext &context, llvm::StringRef text, bool isRaw, bool inSpecifier);

/// Sets type and value of `constant` from the text of a Number token.
void decodeNumber(AstContext &context, llvm::StringRef text, ast::Constant &constant);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_LITERALS_H
