// nlohmann's messages are cut to what people can read; comments are allowed, as in the manifests of other
// tools.
#include "aot/CheckedJson.h"

#include "linker/JsonDepth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "nlohmann/json.hpp"

using namespace llvm;
using nlohmann::json;

namespace nereid {

/// A message of nlohmann's without its own prefix, and with the end alone of a token that it quotes: in a
/// file that is no manifest, such a token may be the whole of it.
///
///     [json.exception.parse_error.101] parse error at line 3, column 5: syntax error …; last read: '"a'
static std::string shortenParseError(StringRef reason) {
  constexpr size_t limit = 60;
  if (size_t colon = reason.find(": "); colon != StringRef::npos)
    reason = reason.substr(colon + 2);
  constexpr StringLiteral mark = "last read: '";
  size_t begin = reason.find(mark);
  size_t end = reason.rfind('\'');
  if (begin == StringRef::npos || end <= begin + mark.size() + limit)
    return reason.str();
  StringRef token = reason.slice(begin + mark.size(), end).take_back(limit);
  // Not in the middle of a character.
  token = token.drop_while([](char c) { return (c & 0xC0) == 0x80; });
  return (reason.take_front(begin + mark.size()) + "…" + token + reason.drop_front(end)).str();
}

/// The beginning of what is too long to be shown.
static std::string shorten(StringRef text) {
  constexpr size_t limit = 60;
  if (text.size() <= limit)
    return text.str();
  text = text.take_front(limit);
  while (!text.empty() && (text.back() & 0x80))
    text = text.drop_back();
  return (text + "…").str();
}

std::string quoteList(ArrayRef<StringRef> words) { return "\"" + join(words, "\", \"") + "\""; }

CheckedJson::CheckedJson(StringRef path, StringRef text, Diagnostics &diagnostics)
    : path(path), text(text), diagnostics(diagnostics), positions(""), document(std::make_unique<json>()) {}

CheckedJson::CheckedJson(CheckedJson &&) = default;
CheckedJson::~CheckedJson() = default;

std::optional<CheckedJson> CheckedJson::read(StringRef path, Diagnostics &diagnostics) {
  StringRef text = diagnostics.addFile(path);
  if (!text.data())
    return std::nullopt;
  if (std::optional<size_t> deep = findJsonTooDeep(text)) {
    diagnostics.error(rangeOf(text.substr(*deep, 1)), "this is nested too deeply: a manifest may nest " +
                                                          Twine(maxJsonDepth) + " lists and objects");
    return std::nullopt;
  }
  CheckedJson result(path, text, diagnostics);
  try {
    *result.document =
        json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::parse_error &error) {
    SMLoc loc = SMLoc::getFromPointer(text.data() + std::min(text.size(), error.byte ? error.byte - 1 : 0));
    diagnostics.error(loc, "this is not JSON: " + shortenParseError(error.what()));
    return std::nullopt;
  } catch (const json::out_of_range &error) {
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    StringRef number = StringRef(error.what()).split('\'').second.split('\'').first;
    diagnostics.error(rangeOf(findJsonNumber(text, number)),
                      "the number " + shorten(number) + " is too large");
    return std::nullopt;
  }
  result.positions = JsonPositions(text);
  if (!result.checkTexts(*result.document, ""))
    return std::nullopt;
  if (StringRef key = result.positions.getRepeatedKey(); !key.empty()) {
    diagnostics.error(rangeOf(key), "the key " + shorten(key) + " is given twice");
    return std::nullopt;
  }
  return result;
}

/// A NUL would end names of files and of functions before their time, and leave the rest unread.
bool CheckedJson::checkTexts(const json &value, const std::string &pointer) const {
  auto check = [&](StringRef text, const std::string &at) {
    return !text.contains('\0') ||
           fail(
               at,
               "a text with a NUL (\\u0000) is no name of anything; a text in a signature has it as \\\\x00");
  };
  if (value.is_string())
    return check(value.get_ref<const std::string &>(), pointer);
  if (value.is_object())
    return all_of(value.items(), [&](const auto &item) {
      return check(item.key(), pointer) && checkTexts(item.value(), pointer + "/" + item.key());
    });
  if (value.is_array())
    for (size_t index = 0; index < value.size(); ++index)
      if (!checkTexts(value[index], pointer + "/" + utostr(index)))
        return false;
  return true;
}

bool CheckedJson::fail(StringRef pointer, const Twine &message) const {
  diagnostics.error(rangeOf(positions.find(pointer)), message);
  return false;
}

bool CheckedJson::expectObject(const json &value, const std::string &pointer,
                               ArrayRef<StringRef> keys) const {
  if (!value.is_object())
    return fail(pointer, "expected an object with " + quoteList(keys));
  for (const auto &item : value.items())
    if (!is_contained(keys, item.key())) {
      diagnostics.error(rangeOfKey(pointer + "/" + item.key()),
                        "unknown key \"" + shorten(item.key()) + "\": expected one of " + quoteList(keys));
      return false;
    }
  return true;
}

StringRef CheckedJson::view(const json &value, const std::string &pointer) const {
  StringRef raw = positions.find(pointer).drop_front().drop_back();
  const std::string &content = value.get_ref<const std::string &>();
  return raw == content ? raw : diagnostics.addSource(rangeOfValue(pointer).Start, content);
}

} // namespace nereid
