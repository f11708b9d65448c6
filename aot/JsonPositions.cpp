// A walk over text known to be JSON: brackets, strings and everything else up to the next delimiter.
#include "aot/JsonPositions.h"

#include "nlohmann/json.hpp"

using namespace llvm;

namespace nereid {

/// Steps through a text from token to token.
class JsonScanner {
public:
  explicit JsonScanner(StringRef text) : text(text) {}

  /// Comments are space, too: manifests may have them.
  void skipSpace() {
    while (at < text.size()) {
      if (StringRef(" \t\r\n").contains(text[at]))
        ++at;
      else if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      else if (text.substr(at).starts_with("/*"))
        at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      else
        return;
    }
  }
  bool isAtEnd() const { return at >= text.size(); }
  /// 0 at the end.
  char peek() const { return isAtEnd() ? '\0' : text[at]; }
  size_t getPosition() const { return at; }

  /// A bracket, a comma or a colon.
  void skipMark() { ++at; }
  /// With its quotes.
  StringRef takeString() {
    size_t begin = at++;
    while (at < text.size() && text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at + 1, text.size());
    return text.slice(begin, at);
  }
  /// A number or a word.
  StringRef takeWord() {
    size_t begin = at;
    at = std::min(text.find_first_of(" \t\r\n,:[]{}\"/", at), text.size());
    return text.slice(begin, at);
  }

private:
  StringRef text;
  size_t at = 0;
};

JsonPositions::JsonPositions(StringRef text) : text(text) {
  JsonScanner scanner(text);
  walk(scanner);
}

std::optional<unsigned> JsonPositions::findNumber(StringRef pointer) const {
  unsigned value = 0;
  while (pointer.consume_front("/")) {
    // A key may contain slashes, too: the longest one that there is counts.
    size_t size = pointer.size();
    auto member = members.find({value, pointer});
    while (member == members.end() && size != StringRef::npos) {
      size = pointer.take_front(size).rfind('/');
      if (size != StringRef::npos)
        member = members.find({value, pointer.take_front(size)});
    }
    if (member != members.end()) {
      value = member->second;
      pointer = pointer.drop_front(member->first.second.size());
      continue;
    }
    StringRef key = pointer.take_until([](char c) { return c == '/'; });
    pointer = pointer.drop_front(key.size());
    unsigned index = 0;
    auto element = elements.end();
    if (!key.getAsInteger(10, index))
      element = elements.find({value, index});
    if (element == elements.end())
      return std::nullopt;
    value = element->second;
  }
  return value;
}

StringRef JsonPositions::find(StringRef pointer) const {
  std::optional<unsigned> number = findNumber(pointer);
  return number ? values[*number] : text;
}

StringRef JsonPositions::findKey(StringRef pointer) const {
  std::optional<unsigned> number = findNumber(pointer);
  return !number ? text : keys[*number].empty() ? values[*number] : keys[*number];
}

unsigned JsonPositions::walk(JsonScanner &scanner) {
  scanner.skipSpace();
  size_t begin = scanner.getPosition();
  unsigned number = values.size();
  values.push_back(text);
  keys.emplace_back();
  char first = scanner.peek();
  if (first == '{' || first == '[') {
    bool isObject = first == '{';
    scanner.skipMark();
    unsigned index = 0;
    char close = isObject ? '}' : ']';
    for (scanner.skipSpace(); !scanner.isAtEnd() && scanner.peek() != close; scanner.skipSpace()) {
      if (isObject) {
        StringRef quoted = scanner.takeString(), key = quoted.drop_front().drop_back();
        if (key.contains('\\'))
          key = decodedKeys.emplace_back(nlohmann::json::parse(quoted.str()).get<std::string>());
        scanner.skipSpace();
        scanner.skipMark();
        unsigned member = walk(scanner);
        keys[member] = quoted;
        if (!members.insert({{number, key}, member}).second && repeatedKey.empty())
          repeatedKey = quoted;
      } else {
        unsigned element = walk(scanner);
        elements[{number, index++}] = element;
      }
      scanner.skipSpace();
      if (scanner.peek() == ',')
        scanner.skipMark();
    }
    scanner.skipMark();
  } else if (first == '"') {
    scanner.takeString();
  } else {
    scanner.takeWord();
  }
  values[number] = text.slice(begin, scanner.getPosition());
  return number;
}

StringRef findJsonNumber(StringRef text, StringRef spelling) {
  JsonScanner scanner(text);
  for (scanner.skipSpace(); !scanner.isAtEnd(); scanner.skipSpace()) {
    if (scanner.peek() == '"') {
      scanner.takeString();
      continue;
    }
    StringRef word = scanner.takeWord();
    if (word.empty())
      scanner.skipMark();
    else if (word == spelling)
      return word;
  }
  return text;
}

} // namespace nereid
