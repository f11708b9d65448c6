// Methods of what only exists while compiling: strings, numbers, lists, dicts and sets.
//
// Helpers that kernel files evaluate at compile time (@triton.constexpr_function, defaults, heuristics) are
// ordinary Python, so these do what Python's do. Strings are taken as bytes: what counts or cuts characters
// is exact for ASCII.
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace nereid::python {

static StringRef textOf(Evaluator &evaluator, const Value &value, StringRef what) {
  if (!value.isStr())
    evaluator.fail(what + " must be a string, not " + value.describe());
  return value.asStr();
}

static DictObject &dictOf(const Value &value) { return *value.object<DictObject>(); }

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

static Value listOf(ArrayRef<StringRef> parts) {
  std::vector<Value> values;
  for (StringRef part : parts)
    values.push_back(part);
  return Value::list(std::move(values));
}

/// A search, which may take as long as both texts together, or, of texts that are made for it, far longer.
static size_t find(StringRef text, StringRef sought, bool last) {
  spendSteps(text.size() / 1024);
  if (sought.size() > 255)
    spendSteps(text.size() / 64 * sought.size() / 64);
  return last ? text.rfind(sought) : text.find(sought);
}

static Value splitText(Evaluator &evaluator, Arguments &arguments, bool fromRight) {
  StringRef text = arguments[0].asStr();
  BigInt limit = wholeNumber(evaluator, arguments[2], "split()'s maxsplit");
  bool atSpaces = arguments[1].isNone();
  StringRef separator = atSpaces ? StringRef() : textOf(evaluator, arguments[1], "split()'s separator");
  if (!atSpaces && separator.empty())
    evaluator.fail("split()'s separator is empty");
  constexpr StringLiteral spaces(" \t\n\v\f\r");
  SmallVector<StringRef> parts;
  if (atSpaces)
    text = fromRight ? text.rtrim(spaces) : text.ltrim(spaces);
  while (limit < 0 || static_cast<BigInt>(parts.size()) < limit) {
    size_t at = atSpaces    ? (fromRight ? text.find_last_of(spaces) : text.find_first_of(spaces))
                : fromRight ? text.rfind(separator)
                            : text.find(separator);
    if (at == StringRef::npos)
      break;
    size_t width = atSpaces ? 1 : separator.size();
    StringRef before = text.take_front(at), after = text.drop_front(at + width);
    parts.push_back(fromRight ? after : before);
    text = fromRight ? before : after;
    if (atSpaces)
      text = fromRight ? text.rtrim(spaces) : text.ltrim(spaces);
  }
  if (!atSpaces || !text.empty())
    parts.push_back(text);
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  return listOf(parts);
}

static Value stripText(Evaluator &evaluator, Arguments &arguments, bool left, bool right) {
  StringRef text = arguments[0].asStr();
  StringRef unwanted = arguments[1].isNone() ? StringRef(" \t\n\v\f\r")
                                             : textOf(evaluator, arguments[1], "what strip() removes");
  if (left)
    text = text.ltrim(unwanted);
  return right ? text.rtrim(unwanted) : text;
}

static Value replaceText(Evaluator &evaluator, Arguments &arguments) {
  StringRef text = arguments[0].asStr(), old = textOf(evaluator, arguments[1], "what replace() looks for"),
            replacement = textOf(evaluator, arguments[2], "what replace() writes");
  BigInt count = wholeNumber(evaluator, arguments[3], "replace()'s count");
  if (old.empty())
    evaluator.fail("replace() of an empty string is not supported");
  std::string result;
  for (; count != 0; --count) {
    size_t at = find(text, old, /*last=*/false);
    if (at == StringRef::npos)
      break;
    spendBytes(at + replacement.size());
    result += text.take_front(at).str() + replacement.str();
    text = text.drop_front(at + old.size());
  }
  return result + text.str();
}

static bool hasAffix(Evaluator &evaluator, const Value &text, const Value &affix, bool isPrefix) {
  if (affix.isTuple()) {
    NestingGuard guard;
    return any_of(affix.asTuple().elements,
                  [&](const Value &one) { return hasAffix(evaluator, text, one, isPrefix); });
  }
  StringRef wanted = textOf(evaluator, affix, isPrefix ? "a prefix" : "a suffix"), whole = text.asStr();
  return isPrefix ? whole.starts_with(wanted) : whole.ends_with(wanted);
}

static Value padText(Evaluator &evaluator, Arguments &arguments, char alignment) {
  BigInt width = wholeNumber(evaluator, arguments[1], "a width");
  StringRef fill = textOf(evaluator, arguments[2], "what fills up");
  if (fill.size() != 1 || width > 1000)
    evaluator.fail("this width or filling is not supported");
  return formatValue(evaluator, arguments[0],
                     (fill + Twine(alignment) + Twine(static_cast<int>(width))).str());
}

/// `a.b.c`.partition('.'): what is before, the separator, what is after.
static Value partition(Evaluator &evaluator, Arguments &arguments, bool last) {
  StringRef text = arguments[0].asStr(), separator = textOf(evaluator, arguments[1], "a separator");
  size_t at = find(text, separator, last);
  if (at == StringRef::npos)
    return last ? Value::tuple({"", "", text}) : Value::tuple({text, "", ""});
  return Value::tuple({text.take_front(at), separator, text.drop_front(at + separator.size())});
}

static void addSearches(BuiltinTable &table) {
  for (bool last : {false, true})
    for (bool mustExist : {false, true})
      table.add(last ? (mustExist ? "str.rindex" : "str.rfind") : (mustExist ? "str.index" : "str.find"),
                "self, text", [=](Evaluator &evaluator, Arguments &arguments) -> Value {
                  StringRef whole = arguments[0].asStr(),
                            text = textOf(evaluator, arguments[1], "what is sought");
                  size_t at = find(whole, text, last);
                  if (at == StringRef::npos && mustExist)
                    evaluator.fail(arguments[1].repr() + " is not in " + arguments[0].repr());
                  return at == StringRef::npos ? Value(-1) : Value(static_cast<int64_t>(at));
                });
  table.add("str.count", "self, text", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    StringRef text = textOf(evaluator, arguments[1], "what is counted");
    if (text.empty())
      return static_cast<int64_t>(arguments[0].asStr().size() + 1);
    return static_cast<int64_t>(StringRef(arguments[0].asStr()).count(text));
  });
  for (bool isPrefix : {true, false}) {
    table.add(isPrefix ? "str.startswith" : "str.endswith", "self, affix",
              [isPrefix](Evaluator &evaluator, Arguments &arguments) -> Value {
                return hasAffix(evaluator, arguments[0], arguments[1], isPrefix);
              });
    table.add(isPrefix ? "str.removeprefix" : "str.removesuffix", "self, affix",
              [isPrefix](Evaluator &evaluator, Arguments &arguments) -> Value {
                StringRef text = arguments[0].asStr(), affix = textOf(evaluator, arguments[1], "an affix");
                if (isPrefix)
                  text.consume_front(affix);
                else
                  text.consume_back(affix);
                return text;
              });
  }
}

static void addTextTests(BuiltinTable &table) {
  auto addTest = [&](StringRef name, bool (*test)(char)) {
    table.add(("str." + name).str(), "self", [test](Evaluator &, Arguments &arguments) -> Value {
      return !arguments[0].asStr().empty() && all_of(arguments[0].asStr(), test);
    });
  };
  addTest("isdigit", [](char c) { return isDigit(c); });
  addTest("isnumeric", [](char c) { return isDigit(c); });
  addTest("isalpha", [](char c) { return isAlpha(c); });
  addTest("isalnum", [](char c) { return isAlnum(c); });
  addTest("isspace", [](char c) { return isSpace(c); });
  for (bool upper : {false, true})
    table.add(upper ? "str.isupper" : "str.islower", "self",
              [upper](Evaluator &, Arguments &arguments) -> Value {
                const std::string &text = arguments[0].asStr();
                return any_of(text, isAlpha) &&
                       none_of(text, [upper](char c) { return upper ? isLower(c) : isUpper(c); });
              });
}

static void addStrings(BuiltinTable &table) {
  addSearches(table);
  addTextTests(table);
  for (bool fromRight : {false, true})
    table.add(fromRight ? "str.rsplit" : "str.split", "self, sep=None, maxsplit=-1",
              [fromRight](Evaluator &evaluator, Arguments &arguments) {
                return splitText(evaluator, arguments, fromRight);
              });
  table.add("str.splitlines", "self", [](Evaluator &, Arguments &arguments) {
    SmallVector<StringRef> lines;
    StringRef text = arguments[0].asStr();
    text.consume_back("\n");
    if (!arguments[0].asStr().empty())
      text.split(lines, '\n');
    return listOf(lines);
  });
  table.add("str.strip", "self, chars=None", [](Evaluator &evaluator, Arguments &arguments) {
    return stripText(evaluator, arguments, true, true);
  });
  table.add("str.lstrip", "self, chars=None", [](Evaluator &evaluator, Arguments &arguments) {
    return stripText(evaluator, arguments, true, false);
  });
  table.add("str.rstrip", "self, chars=None", [](Evaluator &evaluator, Arguments &arguments) {
    return stripText(evaluator, arguments, false, true);
  });
  table.add("str.replace", "self, old, new, count=-1", replaceText);
  for (bool last : {false, true})
    table.add(
        last ? "str.rpartition" : "str.partition", "self, separator",
        [last](Evaluator &evaluator, Arguments &arguments) { return partition(evaluator, arguments, last); });
  for (auto [name, alignment] : {std::pair("str.ljust", '<'), {"str.rjust", '>'}, {"str.center", '^'}})
    table.add(name, "self, width, fill=' '",
              [alignment = alignment](Evaluator &evaluator, Arguments &arguments) {
                return padText(evaluator, arguments, alignment);
              });
  table.add("str.zfill", "self, width", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    std::string text = arguments[0].asStr();
    BigInt width = wholeNumber(evaluator, arguments[1], "a width");
    size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (width > 1000)
      evaluator.fail("this width is not supported");
    if (static_cast<BigInt>(text.size()) < width)
      text.insert(sign, static_cast<size_t>(width) - text.size(), '0');
    return text;
  });
  table.add("str.lower", "self", [](Evaluator &, Arguments &arguments) -> Value {
    return StringRef(arguments[0].asStr()).lower();
  });
  table.add("str.upper", "self", [](Evaluator &, Arguments &arguments) -> Value {
    return StringRef(arguments[0].asStr()).upper();
  });
  for (bool everyWord : {false, true})
    table.add(everyWord ? "str.title" : "str.capitalize", "self",
              [everyWord](Evaluator &, Arguments &arguments) -> Value {
                std::string text = arguments[0].asStr();
                bool starts = true;
                for (char &c : text) {
                  c = starts ? toUpper(c) : toLower(c);
                  starts = everyWord && !isAlpha(c);
                }
                return text;
              });
  table.add("str.join", "self, sequence", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    std::string text;
    for (auto [index, part] : enumerate(evaluator.iterateValue(arguments[1]))) {
      std::string next = (index ? arguments[0].asStr() : "") + part.str();
      spendBytes(next.size());
      text += next;
    }
    return text;
  });
  table.add("str.format", "self, *values, **named", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    std::string text;
    auto append = [&](const std::string &shown) {
      spendBytes(shown.size());
      text += shown;
    };
    StringRef rest = arguments[0].asStr();
    size_t next = 0;
    while (!rest.empty()) {
      if (rest.consume_front("{{") || rest.consume_front("}}")) {
        text += rest.data()[-1];
        continue;
      }
      if (rest.front() != '{') {
        text += rest.front();
        rest = rest.drop_front();
        continue;
      }
      auto [field, after] = rest.drop_front().split('}');
      auto [position, specification] = field.split(':');
      if (const Value *named = position.empty() ? nullptr : dictOf(arguments[2]).find(position)) {
        append(formatValue(evaluator, *named, specification));
        rest = after;
        continue;
      }
      size_t index = next;
      if (position.empty())
        ++next;
      else if (position.getAsInteger(10, index))
        evaluator.fail("this format string is not supported");
      if (index >= arguments.rest(1).size())
        evaluator.fail("this format string needs more values");
      append(formatValue(evaluator, arguments.rest(1)[index], specification));
      rest = after;
    }
    return text;
  });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static void addNumbers(BuiltinTable &table) {
  table.add("int.bit_length", "self", [](Evaluator &, Arguments &arguments) -> Value {
    BigInt value = arguments[0].asInt();
    int64_t length = 0;
    for (auto rest = static_cast<unsigned __int128>(value < 0 ? -value : value); rest; rest >>= 1)
      ++length;
    return length;
  });
  table.add("int.bit_count", "self", [](Evaluator &, Arguments &arguments) -> Value {
    BigInt value = arguments[0].asInt();
    int64_t count = 0;
    for (auto rest = static_cast<unsigned __int128>(value < 0 ? -value : value); rest; rest >>= 1)
      count += static_cast<int64_t>(rest & 1);
    return count;
  });
  table.add("float.is_integer", "self", [](Evaluator &, Arguments &arguments) -> Value {
    double value = arguments[0].asDouble();
    return std::isfinite(value) && value == std::trunc(value);
  });
}

//===----------------------------------------------------------------------===//
// Lists and tuples
//===----------------------------------------------------------------------===//

static std::vector<Value> &listElements(Evaluator &evaluator, Arguments &arguments) {
  if (!arguments[0].asTuple().isList)
    evaluator.fail("a tuple cannot be changed");
  return arguments[0].asTuple().elements;
}

static size_t positionIn(Evaluator &evaluator, const std::vector<Value> &elements, const Value &sought) {
  for (auto [index, element] : enumerate(elements))
    if (equalValues(element, sought))
      return index;
  evaluator.fail(sought.repr() + " is not in this list");
}

static void addLists(BuiltinTable &table) {
  table.add("list.append", "self, element", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    spendSteps(stepsOfElement);
    listElements(evaluator, arguments).push_back(arguments[1]);
    return {};
  });
  table.add("list.extend", "self, sequence", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    std::vector<Value> more = evaluator.iterateValue(arguments[1]);
    auto &elements = listElements(evaluator, arguments);
    spendSteps(more.size() * stepsOfElement);
    elements.insert(elements.end(), more.begin(), more.end());
    return {};
  });
  table.add("list.insert", "self, index, element", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto &elements = listElements(evaluator, arguments);
    BigInt size = static_cast<BigInt>(elements.size()), at = wholeNumber(evaluator, arguments[1], "an index");
    at = std::clamp<BigInt>(at < 0 ? at + size : at, 0, size);
    spendSteps(stepsOfElement);
    elements.insert(elements.begin() + static_cast<ptrdiff_t>(at), arguments[2]);
    return {};
  });
  table.add("list.pop", "self, index=-1", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto &elements = listElements(evaluator, arguments);
    BigInt size = static_cast<BigInt>(elements.size()), at = wholeNumber(evaluator, arguments[1], "an index");
    at = at < 0 ? at + size : at;
    if (at < 0 || at >= size)
      evaluator.fail("pop() from a list of " + Twine(elements.size()) + " has no element " +
                     arguments[1].repr());
    Value taken = elements[static_cast<size_t>(at)];
    elements.erase(elements.begin() + static_cast<ptrdiff_t>(at));
    return taken;
  });
  table.add("list.remove", "self, element", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto &elements = listElements(evaluator, arguments);
    elements.erase(elements.begin() + static_cast<ptrdiff_t>(positionIn(evaluator, elements, arguments[1])));
    return {};
  });
  table.add("list.sort", "self, *, key=None, reverse=False",
            [](Evaluator &evaluator, Arguments &arguments) -> Value {
              auto &elements = listElements(evaluator, arguments);
              Value sorted =
                  evaluator.call(*evaluator.lookupPythonBuiltin("sorted"),
                                 {{arguments[0]}, {{"key", arguments[1]}, {"reverse", arguments[2]}}});
              elements = sorted.asTuple().elements;
              return {};
            });
  table.add("list.reverse", "self", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto &elements = listElements(evaluator, arguments);
    std::reverse(elements.begin(), elements.end());
    return {};
  });
  table.add("list.clear", "self", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    listElements(evaluator, arguments).clear();
    return {};
  });
  table.add("list.copy", "self",
            [](Evaluator &, Arguments &arguments) { return Value::list(arguments[0].asTuple().elements); });
  table.add("list.index", "self, element", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    return static_cast<int64_t>(positionIn(evaluator, arguments[0].asTuple().elements, arguments[1]));
  });
  table.add("list.count", "self, element", [](Evaluator &, Arguments &arguments) -> Value {
    return static_cast<int64_t>(count_if(arguments[0].asTuple().elements,
                                         [&](const Value &x) { return equalValues(x, arguments[1]); }));
  });
}

//===----------------------------------------------------------------------===//
// Dicts and sets
//===----------------------------------------------------------------------===//

static void addDicts(BuiltinTable &table) {
  table.add("dict.get", "self, key, default=None", [](Evaluator &, Arguments &arguments) {
    const Value *entry = dictOf(arguments[0]).find(arguments[1]);
    return entry ? *entry : arguments[2];
  });
  table.add("dict.setdefault", "self, key, default=None", [](Evaluator &, Arguments &arguments) {
    if (!dictOf(arguments[0]).find(arguments[1]))
      dictOf(arguments[0]).set(arguments[1], arguments[2]);
    return *dictOf(arguments[0]).find(arguments[1]);
  });
  table.add("dict.pop", "self, key, *default", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto &entries = dictOf(arguments[0]).entries;
    for (auto at = entries.begin(); at != entries.end(); ++at)
      if (equalValues(at->first, arguments[1])) {
        Value taken = at->second;
        entries.erase(at);
        return taken;
      }
    if (arguments.rest(2).empty())
      evaluator.fail("key " + arguments[1].repr() + " is not in this dict");
    return arguments.rest(2)[0];
  });
  table.add("dict.update", "self, *others, **named", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    std::vector<Value> sources = arguments.rest(1);
    sources.push_back(arguments[2]);
    for (const Value &source : sources) {
      auto *other = source.object<DictObject>();
      if (!other)
        evaluator.fail("update() takes a dict, not " + source.describe());
      auto entries = other->entries;
      for (auto &[key, value] : entries)
        dictOf(arguments[0]).set(key, value);
    }
    return {};
  });
  table.add("dict.copy", "self", [](Evaluator &, Arguments &arguments) -> Value {
    spendSteps(dictOf(arguments[0]).entries.size() * 2 * stepsOfElement);
    return std::make_shared<DictObject>(dictOf(arguments[0]));
  });
  table.add("dict.clear", "self", [](Evaluator &, Arguments &arguments) -> Value {
    dictOf(arguments[0]).entries.clear();
    return {};
  });
  table.add("dict.keys", "self", [](Evaluator &evaluator, Arguments &arguments) {
    return Value::list(iterate(evaluator, arguments[0]));
  });
  table.add("dict.values", "self", [](Evaluator &, Arguments &arguments) {
    std::vector<Value> values;
    for (auto &entry : dictOf(arguments[0]).entries)
      values.push_back(entry.second);
    return Value::list(std::move(values));
  });
  table.add("dict.items", "self", [](Evaluator &, Arguments &arguments) {
    std::vector<Value> items;
    for (auto &[key, value] : dictOf(arguments[0]).entries)
      items.push_back(Value::tuple({key, value}));
    return Value::list(std::move(items));
  });
}

static bool isMember(const Value &set, const Value &element) {
  spendSteps(set.asTuple().elements.size() / 16);
  return any_of(set.asTuple().elements, [&](const Value &other) { return equalValues(other, element); });
}

static void addSets(BuiltinTable &table) {
  table.add("set.add", "self, element", [](Evaluator &, Arguments &arguments) -> Value {
    if (!isMember(arguments[0], arguments[1])) {
      spendSteps(stepsOfElement);
      arguments[0].asTuple().elements.push_back(arguments[1]);
    }
    return {};
  });
  for (bool mustExist : {false, true})
    table.add(mustExist ? "set.remove" : "set.discard", "self, element",
              [mustExist](Evaluator &evaluator, Arguments &arguments) -> Value {
                if (mustExist && !isMember(arguments[0], arguments[1]))
                  evaluator.fail(arguments[1].repr() + " is not in this set");
                erase_if(arguments[0].asTuple().elements,
                         [&](const Value &element) { return equalValues(element, arguments[1]); });
                return {};
              });
  table.add("set.copy", "self",
            [](Evaluator &, Arguments &arguments) { return Value::set(arguments[0].asTuple().elements); });
  for (bool mutates : {false, true})
    table.add(mutates ? "set.update" : "set.union", "self, *others",
              [mutates](Evaluator &evaluator, Arguments &arguments) {
                std::vector<Value> all = arguments[0].asTuple().elements;
                for (const Value &other : arguments.rest(1))
                  for (Value &element : evaluator.iterateValue(other))
                    all.push_back(std::move(element));
                Value result = Value::set(std::move(all));
                if (mutates)
                  arguments[0].asTuple().elements = result.asTuple().elements;
                return mutates ? Value() : result;
              });
  for (bool keepsCommon : {false, true})
    table.add(keepsCommon ? "set.intersection" : "set.difference", "self, other",
              [keepsCommon](Evaluator &evaluator, Arguments &arguments) {
                Value other = Value::set(evaluator.iterateValue(arguments[1]));
                std::vector<Value> kept;
                for (const Value &element : arguments[0].asTuple().elements)
                  if (isMember(other, element) == keepsCommon)
                    kept.push_back(element);
                return Value::set(std::move(kept));
              });
  for (bool isSubset : {false, true})
    table.add(isSubset ? "set.issubset" : "set.issuperset", "self, other",
              [isSubset](Evaluator &evaluator, Arguments &arguments) -> Value {
                Value other = Value::set(evaluator.iterateValue(arguments[1]));
                const Value &inner = isSubset ? arguments[0] : other,
                            &outer = isSubset ? other : arguments[0];
                return all_of(inner.asTuple().elements,
                              [&](const Value &element) { return isMember(outer, element); });
              });
}

void addPythonMethods(BuiltinTable &table) {
  addStrings(table);
  addNumbers(table);
  addLists(table);
  addDicts(table);
  addSets(table);
}

} // namespace nereid::python
