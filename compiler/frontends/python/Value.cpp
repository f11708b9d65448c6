// How values compare and how they are printed.
#include "compiler/frontends/python/Value.h"

#include "compiler/frontends/python/Builtins.h"
#include "compiler/frontends/python/Classes.h"
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

Value Value::set(std::vector<Value> elements) {
  Value value = tuple({});
  value.asTuple().isSet = true;
  auto &kept = value.asTuple().elements;
  for (Value &element : elements)
    if (none_of(kept, [&](const Value &other) { return equalValues(other, element); }))
      kept.push_back(std::move(element));
  return value;
}

Value Value::opaque(std::string name, std::string reason) {
  return std::make_shared<const Opaque>(Opaque{std::move(name), std::move(reason)});
}

Value *DictObject::find(const Value &key) {
  for (auto &[candidate, value] : entries)
    if (equalValues(candidate, key))
      return &value;
  return nullptr;
}

void DictObject::set(const Value &key, const Value &value) {
  if (Value *entry = find(key))
    *entry = value;
  else
    entries.push_back({key, value});
}

ArrayRef<Value> Value::parts() const {
  if (isTuple())
    return asTuple().elements;
  if (auto *instance = object<InstanceObject>())
    return instance->values;
  return {};
}

Value Value::withParts(std::vector<Value> parts) const {
  if (isTuple()) {
    auto copy = std::make_shared<TupleObject>(asTuple());
    copy->elements = std::move(parts);
    return copy;
  }
  if (auto *instance = object<InstanceObject>()) {
    auto copy = std::make_shared<InstanceObject>(*instance);
    copy->values = std::move(parts);
    return copy;
  }
  return *this;
}

bool Value::hasTensor() const {
  return isTensor() || any_of(parts(), [](const Value &part) { return part.hasTensor(); });
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
    if (object.isSet)
      return text.empty() ? "set()" : "{" + text + "}";
    return object.className + "(" + text +
           (object.elements.size() == 1 && object.fields.empty() ? ",)" : ")");
  }
  if (auto *dict = object<DictObject>()) {
    std::string text;
    for (auto &[key, value] : dict->entries)
      text += (text.empty() ? "" : ", ") + key.repr() + ": " + value.repr();
    return "{" + text + "}";
  }
  if (auto *instance = object<InstanceObject>()) {
    std::string text;
    for (auto &&[name, value] : zip(instance->names, instance->values))
      text += (text.empty() ? "" : ", ") + name + "=" + value.repr();
    return instance->type->name + "(" + text + ")";
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
           : asTuple().isSet          ? "set"
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
  if (auto *type = object<const ClassObject>())
    return "class '" + type->name + "'";
  if (auto *instance = object<InstanceObject>())
    return "object of class '" + instance->type->name + "'";
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
    if (left.size() != right.size() || a.asTuple().isList != b.asTuple().isList ||
        a.asTuple().isSet != b.asTuple().isSet)
      return false;
    if (a.asTuple().isSet)
      return all_of(left, [&](const Value &element) {
        return any_of(right, [&](const Value &other) { return equalValues(element, other); });
      });
    for (size_t i = 0; i < left.size(); ++i)
      if (!equalValues(left[i], right[i]))
        return false;
    return true;
  }
  auto *object = a.object<InstanceObject>(), *other = b.object<InstanceObject>();
  if (object && other && object->type == other->type && object->type->kind == ClassObject::Kind::Dataclass)
    return llvm::equal(object->values, other->values, equalValues);
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
  if (auto *type = a.object<const ClassObject>())
    return type == b.object<const ClassObject>();
  if (auto *instance = a.object<InstanceObject>())
    return instance == b.object<InstanceObject>();
  return false;
}

} // namespace nereid::python
