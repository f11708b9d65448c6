// Finds the encoding as PEP 263 says: a comment in the first or second line that matches
// `coding[:=]\s*([-\w.]+)`; in the second only if nothing but a comment stands in the first. ASCII, UTF-8 and
// Latin-1 are read here, whatever else the C library can convert through iconv.
#include "compiler/frontends/python/syntax/SourceText.h"

#include "compiler/frontends/python/syntax/Lexer.h"
#include "compiler/frontends/python/syntax/UnicodeIdentifiers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <iconv.h>

using namespace llvm;

namespace nereid::python {

[[noreturn]] static void fail(const char *from, const char *to, const Twine &message) {
  throw SyntaxError{SMRange(SMLoc::getFromPointer(from), SMLoc::getFromPointer(to)), message.str()};
}

/// The encoding's name in the cookie, or an empty one.
static StringRef findCookie(StringRef text) {
  for (unsigned line = 0; line != 2; ++line) {
    size_t lineEnd = std::min(text.find_first_of("\r\n"), text.size());
    StringRef content = text.take_front(lineEnd).ltrim(" \t\f");
    if (!content.empty() && content.front() != '#')
      return StringRef();
    for (size_t at = content.find("coding"); at != StringRef::npos; at = content.find("coding", at + 1)) {
      StringRef rest = content.substr(at + 6);
      if (!rest.consume_front(":") && !rest.consume_front("="))
        continue;
      StringRef name =
          rest.ltrim(" \t").take_while([](char c) { return isAlnum(c) || c == '-' || c == '_' || c == '.'; });
      if (!name.empty())
        return name;
    }
    text = text.drop_front(lineEnd);
    text.consume_front("\r");
    text.consume_front("\n");
  }
  return StringRef();
}

static std::string convertFromLatin1(StringRef text) {
  std::string out;
  out.reserve(text.size());
  for (unsigned char c : text)
    appendCharacter(out, c);
  return out;
}

static std::string convertWithIconv(StringRef text, StringRef cookie) {
  iconv_t converter = iconv_open("UTF-8", cookie.str().c_str());
  // UTF-16 and UTF-32 cannot be what a file is in that holds its cookie as ASCII.
  StringRef family = cookie.take_front(5);
  if (converter == reinterpret_cast<iconv_t>(-1) || family.equals_insensitive("utf16") ||
      cookie.take_front(6).equals_insensitive("utf-16") || family.equals_insensitive("utf32") ||
      cookie.take_front(6).equals_insensitive("utf-32") || cookie.take_front(3).equals_insensitive("ucs")) {
    if (converter != reinterpret_cast<iconv_t>(-1))
      iconv_close(converter);
    fail(cookie.begin(), cookie.end(), "unknown encoding: " + cookie);
  }

  std::string out;
  char *from = const_cast<char *>(text.data());
  size_t fromSize = text.size();
  char buffer[4096];
  bool failed = false;
  while (fromSize && !failed) {
    char *to = buffer;
    size_t toSize = sizeof(buffer);
    failed = iconv(converter, &from, &fromSize, &to, &toSize) == static_cast<size_t>(-1) && errno != E2BIG;
    out.append(buffer, to);
  }
  iconv_close(converter);
  if (failed)
    fail(from, from + 1,
         "invalid " + cookie + " byte 0x" + utohexstr(static_cast<unsigned char>(*from), true, 2));
  return out;
}

StringRef readSourceText(StringRef text, Diagnostics &diagnostics) {
  const char *start = text.data();
  bool hasMark = text.consume_front("\xEF\xBB\xBF");
  StringRef cookie = findCookie(text);
  std::string name = cookie.lower();
  std::replace(name.begin(), name.end(), '_', '-');
  auto isOneOf = [&](std::initializer_list<StringRef> names) {
    return any_of(names, [&](StringRef known) {
      return name == known || StringRef(name).starts_with((known + "-").str());
    });
  };

  if (hasMark && !name.empty() && !isOneOf({"utf-8"}))
    fail(cookie.begin(), cookie.end(), "encoding problem: " + cookie + " with a byte order mark");
  if (name.empty() || isOneOf({"utf-8", "utf8"})) {
    auto *from = reinterpret_cast<const UTF8 *>(text.begin());
    if (!isLegalUTF8String(&from, reinterpret_cast<const UTF8 *>(text.end()))) {
      const char *at = reinterpret_cast<const char *>(from);
      fail(at, at + 1,
           "invalid UTF-8 byte 0x" + utohexstr(*from, true, 2) +
               (cookie.empty() ? ", and no encoding is declared" : ""));
    }
  } else if (!all_of(text, [](char c) { return isASCII(c); })) {
    StringRef path = diagnostics.positionOf(SMLoc::getFromPointer(start)).path;
    std::string converted = isOneOf({"latin-1", "latin1", "iso-8859-1", "iso8859-1", "iso-latin-1"})
                                ? convertFromLatin1(text)
                                : convertWithIconv(text, cookie);
    text = diagnostics.addSource(path, std::move(converted));
  } else if (!isOneOf({"latin-1", "latin1", "iso-8859-1", "iso8859-1", "iso-latin-1", "ascii", "us-ascii"})) {
    // Plain ASCII in whatever encoding: only its name can be wrong.
    convertWithIconv(text, cookie);
  }

  size_t nul = text.find('\0');
  if (nul != StringRef::npos)
    fail(text.begin() + nul, text.begin() + nul + 1, "source code cannot contain null bytes");
  return text;
}

} // namespace nereid::python
