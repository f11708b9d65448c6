// How values compare and how they are printed.
#include "compiler/frontends/python/Value.h"

#include "compiler/frontends/python/Builtins.h"
#include "compiler/frontends/python/SourceModule.h"

#include <charconv>
#include <cmath>

using namespace llvm;

namespace nereid::python {

Value Value::tuple(std::vector<Value> elements) {
  auto object = std::make_shared<TupleObject>();
  object->elements = std::move(elements);
  return object;
}

Value Value::list(std::vector<Value> elements) {
  Value value = tuple(std::move(elements));
  value.asTuple().isList = true;
  return value;
}

Value Value::opaque(std::string name, std::string reason) {
  return std::make_shared<const Opaque>(Opaque{std::move(name), std::move(reason)});
}

bool Value::hasTensor() const {
  if (isTensor())
    return true;
  if (isTuple())
    for (const Value &element : asTuple().elements)
      if (element.hasTensor())
        return true;
  return false;
}

bool Value::isTruthy() const {
  if (isNone())
    return false;
  if (isIntLike())
    return asInt() != 0;
  if (isFloat())
    return asDouble() != 0.0;
  if (isStr())
    return !asStr().empty();
  if (isTuple())
    return !asTuple().elements.empty();
  if (auto *dict = object<DictObject>())
    return !dict->entries.empty();
  return true;
}

std::string floatToString(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  double magnitude = std::fabs(value);
  // Python turns to exponents below 1e-4 and from 1e16 on.
  auto format = (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) ? std::chars_format::scientific
                                                                            : std::chars_format::fixed;
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, format).ptr;
  std::string text(buffer, end);
  if (format == std::chars_format::fixed && text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

static std::string quote(StringRef text) {
  char mark = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string quoted(1, mark);
  for (char c : text) {
    if (c == mark || c == '\\')
      quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + mark;
}

std::string Value::repr() const {
  if (isNone())
    return "None";
  if (isBool())
    return asBool() ? "True" : "False";
  if (isInt())
    return bigToString(asInt());
  if (isFloat())
    return floatToString(asDouble());
  if (isStr())
    return quote(asStr());
  if (isType())
    return asType().str();
  if (isTensor())
    return asTensor().type.str();
  if (isTuple()) {
    const TupleObject &object = asTuple();
    std::string text;
    for (size_t i = 0; i < object.elements.size(); ++i) {
      text += i ? ", " : "";
      if (!object.fields.empty())
        text += object.fields[i] + "=";
      text += object.elements[i].repr();
    }
    if (object.isList)
      return "[" + text + "]";
    return object.className + "(" + text +
           (object.elements.size() == 1 && object.fields.empty() ? ",)" : ")");
  }
  if (auto *dict = object<DictObject>()) {
    std::string text;
    for (auto &[key, value] : dict->entries)
      text += (text.empty() ? "" : ", ") + key.repr() + ": " + value.repr();
    return "{" + text + "}";
  }
  return "<" + describe() + ">";
}

std::string Value::str() const { return isStr() ? asStr() : repr(); }

std::string Value::describe() const {
  if (isNone())
    return "None";
  if (isBool())
    return "compile-time bool";
  if (isInt())
    return "compile-time int";
  if (isFloat())
    return "compile-time float";
  if (isStr())
    return "compile-time str";
  if (isType())
    return "dtype " + asType().str();
  if (isTensor())
    return (asTensor().type.isBlock() ? "block of type " : "run-time value of type ") + asTensor().type.str();
  if (isTuple())
    return asTuple().isList           ? "list"
           : asTuple().fields.empty() ? "tuple"
                                      : "named tuple " + asTuple().className;
  if (object<DictObject>())
    return "dict";
  if (object<SliceObject>())
    return "slice";
  if (object<RangeObject>())
    return "range";
  if (auto *function = object<const Function>())
    return "function '" + function->name + "'";
  if (is<const Builtin *>())
    return "function '" + get<const Builtin *>()->name + "'";
  if (auto *method = object<BoundMethod>())
    return "method of " + method->self.describe();
  if (auto *type = object<const NamedTupleClass>())
    return "class '" + type->name + "'";
  if (is<BuiltinModule>())
    return "module '" + get<BuiltinModule>().name + "'";
  if (is<SourceModule *>())
    return "module '" + get<SourceModule *>()->getPath().str() + "'";
  if (auto *opaque = object<const Opaque>())
    return "'" + opaque->name + "'";
  return "object";
}

bool equalValues(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber()) {
    if (a.isFloat() || b.isFloat())
      return a.asDouble() == b.asDouble();
    return a.asInt() == b.asInt();
  }
  if (a.isStr() && b.isStr())
    return a.asStr() == b.asStr();
  if (a.isTuple() && b.isTuple()) {
    const auto &left = a.asTuple().elements, &right = b.asTuple().elements;
    if (left.size() != right.size() || a.asTuple().isList != b.asTuple().isList)
      return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (!equalValues(left[i], right[i]))
        return false;
    return true;
  }
  return identicalValues(a, b);
}

bool identicalValues(const Value &a, const Value &b) {
  if (a.isNone() || b.isNone())
    return a.isNone() && b.isNone();
  if (a.isBool() || b.isBool())
    return a.isBool() && b.isBool() && a.asBool() == b.asBool();
  if (a.isInt() || b.isInt())
    return a.isInt() && b.isInt() && a.asInt() == b.asInt();
  if (a.isFloat() && b.isFloat())
    return a.asDouble() == b.asDouble();
  if (a.isStr() && b.isStr())
    return a.asStr() == b.asStr();
  if (a.isType() && b.isType())
    return a.asType() == b.asType();
  if (a.isTensor() && b.isTensor())
    return a.asTensor().handle == b.asTensor().handle;
  if (a.isTuple() && b.isTuple())
    return &a.asTuple() == &b.asTuple();
  if (a.is<const Builtin *>() && b.is<const Builtin *>())
    return a.get<const Builtin *>() == b.get<const Builtin *>();
  if (auto *function = a.object<const Function>())
    return function == b.object<const Function>();
  if (auto *type = a.object<const NamedTupleClass>())
    return type == b.object<const NamedTupleClass>();
  return false;
}

} // namespace nereid::python
