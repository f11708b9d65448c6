// A walk over text known to be JSON: brackets, strings and everything else up to the next delimiter.
#include "aot/JsonPositions.h"

using namespace llvm;

namespace nereid {

JsonPositions::JsonPositions(StringRef text) : text(text) { walk(""); }

StringRef JsonPositions::find(StringRef pointer) const {
  auto it = values.find(pointer);
  return it == values.end() ? text : it->second;
}

void JsonPositions::skipSpace() {
  while (at < text.size() && StringRef(" \t\r\n").contains(text[at]))
    ++at;
}

StringRef JsonPositions::takeString() {
  size_t begin = at++;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  at = std::min(at + 1, text.size());
  return text.slice(begin, at);
}

void JsonPositions::walk(const std::string &pointer) {
  skipSpace();
  size_t begin = at;
  if (at >= text.size())
    return;
  if (text[at] == '{' || text[at] == '[') {
    char close = text[at] == '{' ? '}' : ']';
    unsigned index = 0;
    ++at;
    for (skipSpace(); at < text.size() && text[at] != close; skipSpace()) {
      std::string key = std::to_string(index++);
      if (close == '}') {
        key = takeString().drop_front().drop_back().str();
        skipSpace();
        ++at;
      }
      walk(pointer + "/" + key);
      skipSpace();
      if (at < text.size() && text[at] == ',')
        ++at;
    }
    ++at;
  } else if (text[at] == '"') {
    takeString();
  } else {
    while (at < text.size() && !StringRef(" \t\r\n,]}").contains(text[at]))
      ++at;
  }
  values[pointer] = text.slice(begin, at);
}

} // namespace nereid
