// The words that C and C++ keep for themselves, and the rules for names that are made of others.
#include "linker/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

bool isCIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name[0]) && all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

bool isPythonIdentifier(StringRef name) {
  return json::isUTF8(name) && !name.empty() && !isDigit(name[0]) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_' || !isASCII(c); });
}

std::string spellInC(StringRef name) {
  std::string result;
  raw_string_ostream os(result);
  const char *at = name.begin();
  while (at != name.end()) {
    if (isASCII(*at)) {
      os << *at++;
      continue;
    }
    auto *bytes = reinterpret_cast<const UTF8 *>(at), *end = reinterpret_cast<const UTF8 *>(name.end());
    UTF32 character = 0;
    if (convertUTF8Sequence(&bytes, end, &character, strictConversion) != conversionOK)
      character = static_cast<unsigned char>(*at), ++bytes;
    os << 'u' << format_hex_no_prefix(character, 4, /*Upper=*/true);
    at = reinterpret_cast<const char *>(bytes);
  }
  return result;
}

bool isReservedInC(StringRef name) {
  // Of C23 and C++20, with what gcc and clang add in their default modes: asm, and linux and unix as macros.
  static const StringSet<> keywords = {"alignas",      "alignof",
                                       "and",          "and_eq",
                                       "asm",          "auto",
                                       "bitand",       "bitor",
                                       "bool",         "break",
                                       "case",         "catch",
                                       "char",         "char8_t",
                                       "char16_t",     "char32_t",
                                       "class",        "co_await",
                                       "co_return",    "co_yield",
                                       "compl",        "concept",
                                       "const",        "const_cast",
                                       "consteval",    "constexpr",
                                       "constinit",    "continue",
                                       "decltype",     "default",
                                       "delete",       "do",
                                       "double",       "dynamic_cast",
                                       "else",         "enum",
                                       "explicit",     "export",
                                       "extern",       "false",
                                       "float",        "for",
                                       "friend",       "goto",
                                       "if",           "inline",
                                       "int",          "linux",
                                       "long",         "mutable",
                                       "namespace",    "new",
                                       "noexcept",     "not",
                                       "not_eq",       "nullptr",
                                       "operator",     "or",
                                       "or_eq",        "private",
                                       "protected",    "public",
                                       "register",     "reinterpret_cast",
                                       "requires",     "restrict",
                                       "return",       "short",
                                       "signed",       "sizeof",
                                       "static",       "static_assert",
                                       "struct",       "static_cast",
                                       "switch",       "template",
                                       "this",         "throw",
                                       "thread_local", "true",
                                       "try",          "typedef",
                                       "typeid",       "typename",
                                       "typeof",       "typeof_unqual",
                                       "union",        "unix",
                                       "unsigned",     "using",
                                       "virtual",      "void",
                                       "volatile",     "wchar_t",
                                       "while",        "xor",
                                       "xor_eq"};
  return keywords.contains(name) || name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && isUpper(name[1]));
}

std::string whyNotAFunctionName(StringRef name) {
  if (!isCIdentifier(name))
    return "it is not an identifier of C";
  if (isReservedInC(name))
    return name.starts_with("_") ? "C and C++ keep names of this form for themselves"
                                 : "it is a keyword of C or C++";
  if (name == "main" || name == "std")
    return "it means something else in C or C++";
  if (name.starts_with("nrd_") || name.starts_with("NRD_") || name.starts_with("NEREID_"))
    return "names that begin so are the generated code's own";
  if (isCLibraryName(name))
    return "the C library declares that name";
  return "";
}

std::string whyNotALibraryName(StringRef name) {
  std::string start = ("'" + name + "' cannot be the name of a library: ").str();
  if (!isCIdentifier(name))
    return start + "its functions begin with it, so it must be an identifier of C";
  if (name.starts_with("__") || name == "nrd" || name.starts_with("nrd_"))
    return start + "C functions would begin with it, and such names are " +
           (name.starts_with("_") ? "the C compiler's" : "the generated code's own");
  return "";
}

} // namespace nereid
