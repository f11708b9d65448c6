// Counts brackets outside of strings and comments.
#include "linker/JsonDepth.h"

using namespace llvm;

namespace nereid {

std::optional<size_t> findJsonTooDeep(StringRef text) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    StringRef rest = text.drop_front(at);
    switch (text[at]) {
    case '[':
    case '{':
      if (++depth > maxJsonDepth)
        return at;
      break;
    case ']':
    case '}':
      depth -= depth != 0;
      break;
    case '"':
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
      break;
    case '/':
      if (rest.starts_with("//")) {
        at = text.find('\n', at);
      } else if (rest.starts_with("/*")) {
        at = text.find("*/", at + 2);
        at += at != StringRef::npos;
      }
      if (at == StringRef::npos)
        return std::nullopt;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

} // namespace nereid
