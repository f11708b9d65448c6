// Reads and writes signatures.
//
// A signature is split at its top-level commas first, because a value may be a quoted string with commas in
// it; each piece is then a type if it starts with `*` or with the name of a scalar type, and a compile-time
// value otherwise. `fp16` is a type and `float16` (or `tl.float16`) a dtype value, as upstream's own two
// spellings have it.
//
// A signature with lists is read once for each signature that it stands for: the first reading finds the
// lists and takes the first element of each, and the others take what `Lists` says, so that each message
// points at the one place in the text.
#include "compiler/model/Specialization.h"

#include "compiler/model/Divisor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace nereid {

namespace {

struct ScalarRow {
  ScalarKind kind;
  const char *name;
  const char *languageName;
  unsigned bits;
};

const ScalarRow scalarRows[] = {
    {ScalarKind::Int1, "i1", "int1", 1},
    {ScalarKind::Int8, "i8", "int8", 8},
    {ScalarKind::Int16, "i16", "int16", 16},
    {ScalarKind::Int32, "i32", "int32", 32},
    {ScalarKind::Int64, "i64", "int64", 64},
    {ScalarKind::UInt8, "u8", "uint8", 8},
    {ScalarKind::UInt16, "u16", "uint16", 16},
    {ScalarKind::UInt32, "u32", "uint32", 32},
    {ScalarKind::UInt64, "u64", "uint64", 64},
    {ScalarKind::FP8E4NV, "fp8e4nv", "float8e4nv", 8},
    {ScalarKind::FP8E4B8, "fp8e4b8", "float8e4b8", 8},
    {ScalarKind::FP8E4B15, "fp8e4b15", "float8e4b15", 8},
    {ScalarKind::FP8E5, "fp8e5", "float8e5", 8},
    {ScalarKind::FP8E5B16, "fp8e5b16", "float8e5b16", 8},
    {ScalarKind::FP16, "fp16", "float16", 16},
    {ScalarKind::BF16, "bf16", "bfloat16", 16},
    {ScalarKind::FP32, "fp32", "float32", 32},
    {ScalarKind::FP64, "fp64", "float64", 64},
};

const ScalarRow &rowOf(ScalarKind kind) {
  return *find_if(scalarRows, [&](const ScalarRow &row) { return row.kind == kind; });
}

} // namespace

StringRef getScalarName(ScalarKind kind) { return rowOf(kind).name; }

unsigned getScalarBits(ScalarKind kind) { return rowOf(kind).bits; }

unsigned getScalarBytes(ScalarKind kind) { return std::max(8u, getScalarBits(kind)) / 8; }

bool isInteger(ScalarKind kind) { return kind <= ScalarKind::UInt64; }

bool isUnsigned(ScalarKind kind) {
  return kind == ScalarKind::Int1 || (kind >= ScalarKind::UInt8 && kind <= ScalarKind::UInt64);
}

IntegerRange getValues(ScalarKind kind) {
  unsigned bits = getScalarBits(kind);
  if (isUnsigned(kind))
    return {0, bits == 64 ? INT64_MAX : (int64_t(1) << bits) - 1};
  return {bits == 64 ? INT64_MIN : -(int64_t(1) << (bits - 1)),
          bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1};
}

/// Triton's own signatures call booleans unsigned.
static constexpr StringLiteral otherNameOfInt1("u1");

std::optional<ScalarKind> parseScalarKind(StringRef name) {
  if (name == otherNameOfInt1)
    return ScalarKind::Int1;
  for (const ScalarRow &row : scalarRows)
    if (name == row.name || name == row.languageName)
      return row.kind;
  return std::nullopt;
}

static std::string printFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest text that reads back as the same value, and never as an integer.
  for (int digits = 1; digits <= 17; ++digits) {
    char text[40];
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, nullptr) == value)
      return StringRef(text).find_first_of(".e") == StringRef::npos ? std::string(text) + ".0" : text;
  }
  return "nan";
}

/// What stands behind a backslash in a quoted string, and for what.
static constexpr char escapeLetters[] = "\"\\'nrt", escapedCharacters[] = "\"\\'\n\r\t";

/// Those that are written `\x1b`, so that a signature can be shown, and read, anywhere.
static bool isControl(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

static std::string printConstant(const ConstantValue &value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return printFloat(value); }
    std::string operator()(const std::string &value) const {
      std::string text = "\"";
      for (char c : value) {
        size_t escape = StringRef(escapedCharacters).find(c);
        if (escape != StringRef::npos && c != '\'')
          text += {'\\', escapeLetters[escape]};
        else if (isControl(c))
          text += "\\x" + utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, 2);
        else
          text += c;
      }
      return text + "\"";
    }
    std::string operator()(DTypeConstant value) const { return rowOf(value.kind).languageName; }
    std::string operator()(const NameConstant &value) const { return value.text; }
  };
  return std::visit(Printer(), value);
}

std::string ParameterSpec::str() const {
  std::string text = name.empty() ? "" : name + "=";
  if (constant)
    return text + printConstant(*constant);
  if (elements) {
    text += "(";
    for (const ParameterSpec &inner : *elements)
      text += (text.back() == '(' ? "" : ", ") + inner.str();
    return text + (elements->size() == 1 ? ",)" : ")");
  }
  if (!blockShape.empty()) {
    text += "tensordesc<" + getScalarName(element).str() + "[";
    for (int64_t size : blockShape)
      text += (text.back() == '[' ? "" : ", ") + std::to_string(size);
    return text + "]>";
  }
  if (isPointer)
    text += "*";
  text += getScalarName(element);
  if (values) {
    IntegerRange all = getValues(element);
    text += "[" + (values->least == all.least ? "" : std::to_string(values->least)) + ".." +
            (values->most == all.most ? "" : std::to_string(values->most)) + "]";
  }
  if (equalsOne)
    text += ":1";
  else if (divisibleBy > 1)
    text += ":" + std::to_string(divisibleBy);
  return text;
}

std::string Specialization::str() const {
  std::string text;
  for (const ParameterSpec &parameter : parameters) {
    if (!text.empty())
      text += ", ";
    text += parameter.str();
  }
  return text;
}

namespace {

bool isIdentifier(StringRef text) {
  return !text.empty() && !isDigit(text[0]) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_' || !isASCII(c); });
}

/// `name`, `module.name`, `package.module:name`.
bool isQualifiedName(StringRef text) {
  auto [module, name] = text.contains(':') ? text.split(':') : std::pair(StringRef("m"), text);
  for (StringRef path : {module, name}) {
    SmallVector<StringRef> parts;
    path.split(parts, '.');
    if (!all_of(parts, isIdentifier))
      return false;
  }
  return true;
}

/// The lists of a signature, and the element of each that the present reading takes.
class Lists {
public:
  /// The number of the element to take of the list whose text this is. Lists of types with the same elements
  /// are one.
  size_t choose(StringRef text, ArrayRef<StringRef> elements, bool arePointers) {
    bool areTypes = all_of(elements, isTypeName);
    std::string key = areTypes ? join(elements, ",") : std::to_string(uintptr_t(text.data()));
    auto list = find_if(lists, [&](const List &other) { return other.key == key; });
    if (list == lists.end()) {
      lists.push_back({key, elements.size(), 0, false, {}});
      list = std::prev(lists.end());
    }
    // Integers of several widths are variants of one function, by their range.
    list->makesFunctions |= areTypes && (arePointers || !all_of(elements, [](StringRef element) {
                                           return isInteger(*parseScalarKind(element));
                                         }));
    list->chosenText = elements[list->chosen].str();
    return list->chosen;
  }

  /// Goes on to the next combination, if there is one.
  bool advance() {
    for (List &list : reverse(lists)) {
      if (++list.chosen < list.size)
        return true;
      list.chosen = 0;
    }
    return false;
  }

  bool empty() const { return lists.empty(); }

  /// How many signatures there are, or `limit` if there are more than that.
  size_t count(size_t limit) const {
    size_t product = 1;
    for (const List &list : lists)
      product = std::min(limit, product * std::min(limit, list.size));
    return product;
  }

  std::string getTypeSuffix() const {
    std::string suffix;
    for (const List &list : lists)
      if (list.makesFunctions)
        suffix += (suffix.empty() ? "" : "_") + getScalarName(*parseScalarKind(list.chosenText)).str();
    return suffix;
  }

private:
  /// `fp16`, but not `float16`, which is a value.
  static bool isTypeName(StringRef text) {
    return text == otherNameOfInt1 ||
           any_of(scalarRows, [&](const ScalarRow &row) { return text == row.name; });
  }

  struct List {
    std::string key;
    size_t size, chosen;
    /// Its elements are types that C tells apart, so that each is a function of its own.
    bool makesFunctions;
    std::string chosenText;
  };
  std::vector<List> lists;
};

class SignatureParser {
public:
  SignatureParser(StringRef text, Lists &lists, Diagnostics &diagnostics)
      : text(text), lists(lists), diagnostics(diagnostics) {}

  std::optional<Specialization> parse() {
    SmallVector<StringRef> pieces;
    if (!split(text, pieces))
      return std::nullopt;
    Specialization result;
    result.range = rangeOf(text);
    for (auto [index, piece] : enumerate(pieces)) {
      ParameterSpec parameter;
      parameter.range = rangeOf(piece);
      if (piece.empty()) {
        diagnostics.error(parameter.range, "expected a type or a value");
        return std::nullopt;
      }
      StringRef value = takeName(piece, parameter);
      bool isNamed = !parameter.name.empty();
      if (result.named && !isNamed) {
        diagnostics.error(parameter.range,
                          "entries by position stand before those by name: NAME=VALUE is expected here");
        return std::nullopt;
      }
      result.named = isNamed;
      if (isNamed && any_of(result.parameters,
                            [&](const ParameterSpec &other) { return other.name == parameter.name; })) {
        diagnostics.error(parameter.range, "parameter '" + Twine(parameter.name) + "' is given twice");
        return std::nullopt;
      }
      if (!parseValue(value, parameter))
        return std::nullopt;
      result.parameters.push_back(std::move(parameter));
    }
    result.typeSuffix = lists.getTypeSuffix();
    return result;
  }

private:
  /// Follows the brackets of `text` up to `i`: those that are open. `<` is one behind a word (`tensordesc<`),
  /// and the sign of a bound otherwise (`i32:<4096`).
  static void trackBrackets(StringRef text, size_t i, SmallVectorImpl<char> &open) {
    char c = text[i];
    if (c == '(' || c == '[' || (c == '<' && i != 0 && isAlnum(text[i - 1])))
      open.push_back(c);
    else if (!open.empty() && c == (open.back() == '(' ? ')' : open.back() == '[' ? ']' : '>'))
      open.pop_back();
  }

  /// Where the list that begins `text` ends: just behind its bracket. Nothing if it does not.
  static std::optional<size_t> findEndOfList(StringRef text) {
    SmallVector<char> open;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"' || text[i] == '\'') {
        size_t quote = i;
        for (++i; i < text.size() && text[i] != text[quote]; ++i)
          if (text[i] == '\\')
            ++i;
        continue;
      }
      trackBrackets(text, i, open);
      if (open.empty())
        return i + 1;
    }
    return std::nullopt;
  }

  /// The element that this reading takes of the list which begins `text`, which is cut off it.
  std::optional<StringRef> takeList(StringRef &text, bool arePointers) {
    std::optional<size_t> end = findEndOfList(text);
    if (!end) {
      diagnostics.error(rangeOf(text), "this list is not closed");
      return std::nullopt;
    }
    StringRef list = text.take_front(*end);
    text = text.drop_front(*end);
    SmallVector<StringRef> elements;
    if (!split(list.drop_front().drop_back(), elements))
      return std::nullopt;
    if (elements.empty()) {
      diagnostics.error(rangeOf(list), "this list is empty, so that no signature is left");
      return std::nullopt;
    }
    for (auto [index, element] : enumerate(elements)) {
      if (element.empty() || element.starts_with("[")) {
        diagnostics.error(rangeOf(element.empty() ? list : element),
                          element.empty() ? "expected a value between the commas of this list"
                                          : "a list cannot hold another one");
        return std::nullopt;
      }
      if (is_contained(ArrayRef(elements).take_front(index), element)) {
        diagnostics.error(rangeOf(element), "'" + element + "' is twice in this list");
        return std::nullopt;
      }
    }
    return elements[lists.choose(list, elements, arePointers)];
  }

  /// Cuts the text at its commas, leaving quoted strings and what is in brackets whole. An empty signature
  /// has no pieces.
  bool split(StringRef text, SmallVectorImpl<StringRef> &pieces) {
    if (text.trim().empty())
      return true;
    size_t begin = 0;
    SmallVector<char> brackets;
    for (size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && (text[i] == '"' || text[i] == '\'')) {
        size_t open = i;
        for (++i; i < text.size() && text[i] != text[open]; ++i)
          if (text[i] == '\\')
            ++i;
        if (i >= text.size()) {
          diagnostics.error(rangeOf(text.substr(open)), "this string is not closed");
          return false;
        }
      } else if (i == text.size() || (text[i] == ',' && brackets.empty())) {
        pieces.push_back(text.slice(begin, i).trim());
        begin = i + 1;
      } else {
        trackBrackets(text, i, brackets);
      }
    }
    // As in Python, a comma may follow the last one.
    if (pieces.size() > 1 && pieces.back().empty())
      pieces.pop_back();
    return true;
  }

  /// Sets the name in `name=value` and gives what is left of the text.
  StringRef takeName(StringRef piece, ParameterSpec &parameter) {
    size_t equals = piece.find('=');
    if (equals == StringRef::npos || !isIdentifier(piece.take_front(equals).rtrim()))
      return piece;
    parameter.name = piece.take_front(equals).rtrim().str();
    return piece.drop_front(equals + 1).ltrim();
  }

  bool parseValue(StringRef value, ParameterSpec &parameter) {
    if (value.empty()) {
      diagnostics.error(parameter.range, "expected a type or a value after '='");
      return false;
    }
    if (value.starts_with("[")) {
      StringRef rest = value;
      std::optional<StringRef> element = takeList(rest, /*arePointers=*/false);
      if (!element)
        return false;
      // A list of types may have a trait behind it, `[i32, i64]:16`.
      if (!rest.trim().empty())
        return parseType(*element, rest, /*isPointer=*/false, parameter);
      return parseValue(*element, parameter);
    }
    if (value.starts_with("*")) {
      StringRef rest = value.drop_front().ltrim();
      if (rest.starts_with("[")) {
        std::optional<StringRef> element = takeList(rest, /*arePointers=*/true);
        return element && parseType(*element, rest, /*isPointer=*/true, parameter);
      }
      return parseType(value.drop_front(), /*isPointer=*/true, parameter);
    }
    if (value.starts_with("("))
      return parseTuple(value, parameter);
    if (value.starts_with("tensordesc"))
      return parseDescriptor(value, parameter);
    StringRef head = value.take_until([](char c) { return c == ':' || c == '['; }).rtrim();
    for (const ScalarRow &row : scalarRows)
      if (head == row.name || head == otherNameOfInt1)
        return parseType(value, /*isPointer=*/false, parameter);
    return parseConstant(value, parameter);
  }

  bool parseType(StringRef value, bool isPointer, ParameterSpec &parameter) {
    size_t end = std::min(value.find_first_of(":["), value.size());
    return parseType(value.take_front(end), value.drop_front(end), isPointer, parameter);
  }

  /// `traits` is what stands behind the type: `[0..4095]`, `:16`, both, or nothing.
  bool parseType(StringRef name, StringRef traits, bool isPointer, ParameterSpec &parameter) {
    StringRef all = name;
    name = name.trim();
    std::optional<ScalarKind> kind = parseScalarKind(name);
    // Upstream writes *k for a pointer that is only read; Nereid finds that out by itself.
    if (!kind && isPointer && name.starts_with("k"))
      kind = parseScalarKind(name.drop_front());
    if (!kind) {
      diagnostics.error(rangeOf(name.empty() ? all : name),
                        name.empty() ? Twine("expected an element type after '*'")
                        : name == "None"
                            ? Twine("None is no element type: a pointer that may be None is [*fp16, None]")
                            : "unknown element type '" + name + "': expected one of " + scalarNames());
      return false;
    }
    parameter.isPointer = isPointer;
    parameter.element = *kind;
    traits = traits.trim();
    if (traits.starts_with("[")) {
      size_t end = std::min(traits.find(']'), traits.size() - 1) + 1;
      if (!parseRange(traits.take_front(end), parameter))
        return false;
      traits = traits.drop_front(end).ltrim();
    }
    return traits.empty() || parseTrait(traits, parameter);
  }

  /// `:16`, `:1`, `:<4096`.
  bool parseTrait(StringRef text, ParameterSpec &parameter) {
    bool isPointer = parameter.isPointer;
    bool isInteger =
        !isPointer && parameter.element <= ScalarKind::UInt64 && parameter.element != ScalarKind::Int1;
    StringRef trait = text;
    if (!trait.consume_front(":")) {
      diagnostics.error(rangeOf(text), "unexpected text after the type: '" + text + "'");
      return false;
    }
    trait = trait.trim();
    unsigned divisor;
    if ((isPointer || isInteger) && !trait.getAsInteger(10, divisor) && divisor > 1 && isDivisor(divisor)) {
      parameter.divisibleBy = divisor;
      return true;
    }
    if (trait == "1" && isInteger) {
      parameter.equalsOne = true;
      if (parameter.values && (parameter.values->least > 1 || parameter.values->most < 1)) {
        diagnostics.error(rangeOf(trait), "1 is not in the range that is promised");
        return false;
      }
      parameter.values.reset();
      return true;
    }
    if (isInteger && !trait.empty() && StringRef("<>").contains(trait.front()))
      return parseBound(trait, parameter);
    StringRef expected =
        isPointer   ? "a pointer takes ':16', divisible by 16 (or by another power of 2 up to 4096)"
        : isInteger ? "an integer takes ':16', divisible by 16 (or by another power of 2 up to 4096), ':1', "
                      "equal to 1, or a bound such as ':<4096'"
                    : "only pointers and integers take one";
    diagnostics.error(rangeOf(trait.empty() ? text : trait),
                      "unknown specialization '" + trait + "': " + expected);
    return false;
  }

  /// `<4096`, `<=`, `>`, `>=`.
  bool parseBound(StringRef text, ParameterSpec &parameter) {
    StringRef number = text;
    bool isUpper = number.front() == '<';
    number = number.drop_front();
    bool isIncluded = number.consume_front("=");
    IntegerRange range = parameter.values.value_or(getValues(parameter.element));
    IntegerRange bound = getValues(parameter.element);
    int64_t &end = isUpper ? bound.most : bound.least;
    if (!parseInteger(number.trim(), end))
      return false;
    if (!isIncluded && end == (isUpper ? INT64_MIN : INT64_MAX))
      return refuseRange(text, parameter);
    if (!isIncluded)
      end += isUpper ? -1 : 1;
    range.least = std::max(range.least, bound.least);
    range.most = std::min(range.most, bound.most);
    return setRange(text, range, parameter);
  }

  /// `[0..4095]`, `[..4095]`, `[1..]`.
  bool parseRange(StringRef text, ParameterSpec &parameter) {
    StringRef inner = text.drop_front();
    if (parameter.isPointer || !nereid::isInteger(parameter.element) ||
        parameter.element == ScalarKind::Int1) {
      diagnostics.error(rangeOf(text), "only an integer has a range");
      return false;
    }
    if (!inner.consume_back("]") || !inner.contains("..")) {
      diagnostics.error(rangeOf(text), "expected a range such as [0..4095], [..4095] or [1..]");
      return false;
    }
    IntegerRange all = getValues(parameter.element), range = all;
    auto [least, most] = inner.split("..");
    if ((!least.trim().empty() && !parseInteger(least.trim(), range.least)) ||
        (!most.trim().empty() && !parseInteger(most.trim(), range.most)))
      return false;
    return setRange(text, range, parameter);
  }

  bool parseInteger(StringRef text, int64_t &out) {
    ParameterSpec number;
    if (text.empty() || !(isDigit(text.front()) || text.front() == '-' || text.front() == '+')) {
      diagnostics.error(rangeOf(text), "expected an integer");
      return false;
    }
    if (!parseNumber(text, number))
      return false;
    const int64_t *value = std::get_if<int64_t>(&*number.constant);
    if (!value) {
      diagnostics.error(rangeOf(text), "expected an integer, not '" + text + "'");
      return false;
    }
    out = *value;
    return true;
  }

  bool refuseRange(StringRef text, const ParameterSpec &parameter) {
    diagnostics.error(rangeOf(text), "no " + getScalarName(parameter.element) + " is in this range");
    return false;
  }

  bool setRange(StringRef text, IntegerRange range, ParameterSpec &parameter) {
    IntegerRange all = getValues(parameter.element);
    range.least = std::max(range.least, all.least);
    range.most = std::min(range.most, all.most);
    if (range.least > range.most)
      return refuseRange(text, parameter);
    if (!(range == all))
      parameter.values = range;
    return true;
  }

  bool parseTuple(StringRef value, ParameterSpec &parameter) {
    StringRef inner = value.drop_front();
    if (!inner.consume_back(")")) {
      diagnostics.error(rangeOf(value), "this tuple is not closed");
      return false;
    }
    SmallVector<StringRef> pieces;
    if (!split(inner, pieces))
      return false;
    parameter.elements.emplace();
    for (StringRef piece : pieces) {
      ParameterSpec element;
      element.range = rangeOf(piece);
      if (piece.empty()) {
        diagnostics.error(rangeOf(value), "expected a type or a value between the commas of this tuple");
        return false;
      }
      StringRef text = takeName(piece, element);
      std::vector<ParameterSpec> &elements = *parameter.elements;
      if (!elements.empty() && elements[0].name.empty() != element.name.empty()) {
        diagnostics.error(element.range, "either all fields of a tuple have names or none has");
        return false;
      }
      if (!element.name.empty() &&
          any_of(elements, [&](const ParameterSpec &other) { return other.name == element.name; })) {
        diagnostics.error(element.range, "the field '" + Twine(element.name) + "' is given twice");
        return false;
      }
      if (!parseValue(text, element))
        return false;
      elements.push_back(std::move(element));
    }
    return true;
  }

  /// `tensordesc<fp16[64, 64]>`.
  bool parseDescriptor(StringRef value, ParameterSpec &parameter) {
    StringRef inner = value;
    inner.consume_front("tensordesc");
    size_t open = inner.find('[');
    if (!inner.consume_front("<") || !inner.consume_back("]>") || open == StringRef::npos) {
      diagnostics.error(rangeOf(value), "expected a tensor descriptor such as tensordesc<fp16[64, 64]>");
      return false;
    }
    auto [element, sizes] = inner.split('[');
    if (!parseType(element.trim(), /*isPointer=*/false, parameter))
      return false;
    SmallVector<StringRef> pieces;
    sizes.split(pieces, ',');
    for (StringRef piece : pieces) {
      int64_t size = 0;
      if (piece.trim().getAsInteger(10, size) || size <= 0) {
        diagnostics.error(rangeOf(piece.trim()), "expected the size of a block");
        return false;
      }
      parameter.blockShape.push_back(size);
    }
    return true;
  }

  bool parseConstant(StringRef value, ParameterSpec &parameter) {
    if (value == "None") {
      parameter.constant = std::monostate();
    } else if (value == "True" || value == "False") {
      parameter.constant = value == "True";
    } else if (value.front() == '"' || value.front() == '\'') {
      return parseString(value, parameter);
    } else if (isDigit(value.front()) || value.front() == '-' || value.front() == '+' ||
               value.front() == '.' || value == "inf" || value == "nan") {
      return parseNumber(value, parameter);
    } else {
      StringRef name = value;
      if (!name.consume_front("tl."))
        name.consume_front("triton.language.");
      for (const ScalarRow &row : scalarRows)
        if (name == row.languageName)
          parameter.constant = DTypeConstant{row.kind};
      if (name == "float8_e4m3fn")
        parameter.constant = DTypeConstant{ScalarKind::FP8E4NV};
      if (!parameter.constant && isQualifiedName(value))
        parameter.constant = NameConstant{value.str()};
      if (!parameter.constant) {
        diagnostics.error(
            rangeOf(value),
            "'" + value + "' is neither a type nor a compile-time value: expected *TYPE, TYPE (" +
                scalarNames() +
                "), a number, True, False, None, a quoted string or a name of the kernel's file");
        return false;
      }
    }
    return true;
  }

  bool parseString(StringRef value, ParameterSpec &parameter) {
    std::string content;
    size_t i = 1;
    for (; i < value.size() && value[i] != value[0]; ++i) {
      if (value[i] != '\\' || i + 1 == value.size()) {
        content += value[i];
        continue;
      }
      if (value[++i] == 'x') {
        StringRef digits = value.substr(i + 1, 2);
        unsigned code = 0;
        // Beyond that Python means characters, which are more than a byte.
        if (digits.size() != 2 || !all_of(digits, isHexDigit) || digits.getAsInteger(16, code) ||
            code > 0x7f) {
          diagnostics.error(rangeOf(value.substr(i - 1, 4)), "expected two digits from \\x00 to \\x7f");
          return false;
        }
        content += static_cast<char>(code);
        i += 2;
        continue;
      }
      size_t escape = StringRef(escapeLetters).find(value[i]);
      if (escape == StringRef::npos) {
        diagnostics.error(
            rangeOf(value.substr(i - 1, 2)),
            "this escape is not known here: there are \\\\, \\\", \\', \\n, \\r, \\t and \\x1b");
        return false;
      }
      content += escapedCharacters[escape];
    }
    if (i + 1 != value.size()) {
      diagnostics.error(rangeOf(value.drop_front(std::min(i + 1, value.size()))),
                        "unexpected text after the string");
      return false;
    }
    parameter.constant = std::move(content);
    return true;
  }

  bool parseNumber(StringRef value, ParameterSpec &parameter) {
    // Python allows underscores between digits.
    std::string digits;
    for (char c : value)
      if (c != '_')
        digits += c;
    StringRef number = digits;
    number.consume_front("+");
    int64_t integer = 0;
    double real = 0;
    bool isHex = number.contains_insensitive("0x");
    if (!number.getAsInteger(0, integer) && !(number.size() > 1 && number[0] == '0' && isDigit(number[1]))) {
      parameter.constant = integer;
      return true;
    }
    StringRef magnitude = number;
    bool negative = magnitude.consume_front("-");
    if (magnitude == "inf" || magnitude == "nan") {
      real = magnitude == "inf" ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
      parameter.constant = negative ? -real : real;
      return true;
    }
    if (!isHex && magnitude.find_first_of(".eE") != StringRef::npos && !number.getAsDouble(real)) {
      parameter.constant = real;
      return true;
    }
    bool tooLarge = !magnitude.empty() && all_of(magnitude, isDigit);
    diagnostics.error(rangeOf(value), tooLarge ? "the integer " + value + " does not fit in 64 bits"
                                               : "'" + value + "' is not a number");
    return false;
  }

  static std::string scalarNames() {
    SmallVector<StringRef> names;
    for (const ScalarRow &row : scalarRows)
      names.push_back(row.name);
    return join(names, ", ");
  }

  StringRef text;
  Lists &lists;
  Diagnostics &diagnostics;
};

/// More than any library has variants.
constexpr size_t maxSignatures = 4096;

} // namespace

std::optional<Specialization> parseSignature(StringRef text, Diagnostics &diagnostics) {
  Lists lists;
  std::optional<Specialization> result = SignatureParser(text, lists, diagnostics).parse();
  if (result && !lists.empty()) {
    diagnostics.error(rangeOf(text), "a list makes several signatures of this one, and one is needed here");
    return std::nullopt;
  }
  return result;
}

std::optional<std::vector<Specialization>> parseSignatures(StringRef text, Diagnostics &diagnostics) {
  Lists lists;
  std::vector<Specialization> all;
  do {
    std::optional<Specialization> one = SignatureParser(text, lists, diagnostics).parse();
    if (!one)
      return std::nullopt;
    if (lists.count(maxSignatures + 1) > maxSignatures) {
      diagnostics.error(rangeOf(text),
                        "the lists of this signature make more than " + Twine(maxSignatures) + " signatures");
      return std::nullopt;
    }
    all.push_back(std::move(*one));
  } while (lists.advance());
  return all;
}

} // namespace nereid
