// Identifiers beyond ASCII: which characters may stand in them, and their normal form.
//
// Python compares identifiers after NFKC normalization, so that `ﬁx` (with the ligature) and `fix` name the
// same thing. The tables are made by generate_unicode_tables.py from the Unicode database that CPython
// carries.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_UNICODEIDENTIFIERS_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_UNICODEIDENTIFIERS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::python {

/// Reads one character from UTF-8 and moves behind it. The text is valid UTF-8.
char32_t readCharacter(const char *&cur);
/// Appends a character, surrogates too, in the way of UTF-8.
void appendCharacter(std::string &text, char32_t c);

bool isIdentifierStart(char32_t c);
bool isIdentifierPart(char32_t c);

/// The NFKC form of an identifier that has characters beyond ASCII.
std::string normalizeIdentifier(llvm::StringRef identifier);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_SYNTAX_UNICODEIDENTIFIERS_H
