#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

bool isCIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name[0]) && all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

bool isReservedInC(StringRef name) {
  static const StringRef keywords[] = {
      "alignas",  "alignof",  "and",     "asm",       "auto",    "bool",      "break",    "case",
      "catch",    "char",     "class",   "concept",   "const",   "constexpr", "continue", "decltype",
      "default",  "delete",   "do",      "double",    "else",    "enum",      "explicit", "export",
      "extern",   "false",    "float",   "for",       "friend",  "goto",      "if",       "inline",
      "int",      "long",     "mutable", "namespace", "new",     "noexcept",  "not",      "nullptr",
      "operator", "or",       "private", "protected", "public",  "register",  "requires", "restrict",
      "return",   "short",    "signed",  "sizeof",    "static",  "struct",    "switch",   "template",
      "this",     "throw",    "true",    "try",       "typedef", "typeid",    "typename", "typeof",
      "union",    "unsigned", "using",   "virtual",   "void",    "volatile",  "while",    "xor"};
  return is_contained(keywords, name) || name.starts_with("__");
}

} // namespace nereid
