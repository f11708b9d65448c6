// Only the name is checked here; what a value may be is the frontends' affair.
#include "compiler/model/Definition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

static bool isName(StringRef text) {
  return !text.empty() && !isDigit(text[0]) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; });
}

static bool isDottedName(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  return all_of(parts, isName);
}

std::optional<Definition> parseDefinition(StringRef text, Diagnostics &diagnostics) {
  size_t equals = text.find('=');
  StringRef qualified = text.take_front(equals).trim();
  auto [module, name] = qualified.contains(':') ? qualified.split(':') : std::pair(StringRef(), qualified);
  bool isQualified = qualified.contains(':');
  if (!isName(name) || (isQualified && !isDottedName(module))) {
    diagnostics.error(rangeOf(qualified.empty() ? text : qualified),
                      "'" + qualified + "' is not a name: expected NAME=VALUE or MODULE:NAME=VALUE");
    return std::nullopt;
  }
  StringRef value = equals == StringRef::npos ? StringRef() : text.drop_front(equals + 1).ltrim();
  if (value.trim().empty()) {
    diagnostics.error(rangeOf(text), "'" + qualified + "' is given no value: expected NAME=VALUE");
    return std::nullopt;
  }
  Definition definition;
  definition.module = module.str();
  definition.name = name.str();
  definition.value = value;
  definition.range = rangeOf(qualified);
  return definition;
}

void addDefinitions(std::vector<Definition> &definitions, const std::vector<Definition> &more) {
  for (const Definition &definition : more) {
    erase_if(definitions, [&](const Definition &other) {
      return other.module == definition.module && other.name == definition.name;
    });
    definitions.push_back(definition);
  }
}

} // namespace nereid
