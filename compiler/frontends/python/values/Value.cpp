// How values compare and how they are printed.
#include "compiler/frontends/python/values/Value.h"

#include "compiler/frontends/python/values/Builtin.h"
#include "compiler/frontends/python/values/ClassObject.h"
#include "compiler/frontends/python/values/Function.h"

#include <charconv>
#include <cmath>

using namespace llvm;

namespace nereid::python {

/// The objects that are to be destroyed, while some are; see Value::release.
static thread_local std::vector<std::shared_ptr<const void>> *doomed = nullptr;

template <typename T> static std::shared_ptr<const void> takeLast(T &) { return nullptr; }
template <typename T> static std::shared_ptr<const void> takeLast(std::shared_ptr<T> &reference) {
  return reference.use_count() == 1 ? std::move(reference) : nullptr;
}

/// The last reference to an object is put aside while another object is destroyed, the one that held it, so
/// that the stack never holds more than one of them.
void Value::release() {
  std::shared_ptr<const void> object =
      std::visit([](auto &alternative) { return takeLast(alternative); }, storage);
  if (!object)
    return;
  if (doomed) {
    doomed->push_back(std::move(object));
    return;
  }
  std::vector<std::shared_ptr<const void>> queue;
  doomed = &queue;
  object.reset();
  while (!queue.empty()) {
    object = std::move(queue.back());
    queue.pop_back();
    object.reset();
  }
  doomed = nullptr;
}

Value Value::tuple(std::vector<Value> elements) {
  spendSteps(elements.size() * stepsOfElement);
  auto object = std::make_shared<TupleObject>();
  object->elements = std::move(elements);
  return object;
}

Value Value::sizes(ArrayRef<int64_t> sizes) { return tuple(std::vector<Value>(sizes.begin(), sizes.end())); }

Value Value::list(std::vector<Value> elements) {
  Value value = tuple(std::move(elements));
  value.asTuple().isList = true;
  return value;
}

Value Value::set(std::vector<Value> elements) {
  Value value = tuple({});
  value.asTuple().isSet = true;
  auto &kept = value.asTuple().elements;
  for (Value &element : elements) {
    spendSteps(kept.size() / 16);
    if (none_of(kept, [&](const Value &other) { return equalValues(other, element); }))
      kept.push_back(std::move(element));
  }
  spendSteps(kept.size() * stepsOfElement);
  return value;
}

Value Value::opaque(std::string name, std::string reason) {
  return std::make_shared<const Opaque>(Opaque{std::move(name), std::move(reason)});
}

Value *DictObject::find(const Value &key) {
  spendSteps(entries.size() / 16);
  for (auto &[candidate, value] : entries)
    if (equalValues(candidate, key))
      return &value;
  return nullptr;
}

void DictObject::set(const Value &key, const Value &value) {
  if (Value *entry = find(key))
    *entry = value;
  else {
    spendSteps(2 * stepsOfElement);
    entries.push_back({key, value});
  }
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
  if (isTensor() || parts().empty())
    return isTensor();
  NestingGuard guard;
  return any_of(parts(), [](const Value &part) { return part.hasTensor(); });
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

/// Stands while an object is shown. One that holds itself is `[...]` inside of itself, as in Python.
class Shown {
public:
  explicit Shown(const void *object) : isInside(is_contained(objects, object)) { objects.push_back(object); }
  ~Shown() { objects.pop_back(); }
  Shown(const Shown &) = delete;

  const bool isInside;

private:
  static thread_local std::vector<const void *> objects;
  NestingGuard guard;
};
thread_local std::vector<const void *> Shown::objects;

std::string Value::repr() const {
  std::string text;
  auto append = [&](StringRef more) {
    spendBytes(more.size());
    text += more;
  };
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
    return asRunTime().type.str();
  if (isTuple()) {
    const TupleObject &object = asTuple();
    Shown shown(&object);
    if (shown.isInside)
      return object.isList ? "[...]" : object.isSet ? "{...}" : "(...)";
    for (size_t i = 0; i < object.elements.size(); ++i) {
      append(i ? ", " : "");
      if (!object.fields.empty())
        append(object.fields[i] + "=");
      append(object.elements[i].repr());
    }
    if (object.isList)
      return "[" + text + "]";
    if (object.isSet)
      return text.empty() ? "set()" : "{" + text + "}";
    return object.className + "(" + text +
           (object.elements.size() == 1 && object.fields.empty() ? ",)" : ")");
  }
  if (auto *dict = object<DictObject>()) {
    Shown shown(dict);
    if (shown.isInside)
      return "{...}";
    for (auto &[key, value] : dict->entries)
      append((text.empty() ? "" : ", ") + key.repr() + ": " + value.repr());
    return "{" + text + "}";
  }
  if (auto *instance = object<InstanceObject>()) {
    Shown shown(instance);
    if (shown.isInside)
      return instance->type->name + "(...)";
    for (auto &&[name, value] : zip(instance->names, instance->values))
      append((text.empty() ? "" : ", ") + name + "=" + value.repr());
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
    return (asRunTime().type.isBlock() ? "block of type " : "run-time value of type ") +
           asRunTime().type.str();
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
  if (is<ModuleObject *>())
    return "module '" + get<ModuleObject *>()->path + "'";
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
  if (a.isStr() && b.isStr()) {
    spendSteps(std::min(a.asStr().size(), b.asStr().size()) / 1024);
    return a.asStr() == b.asStr();
  }
  if (a.isTuple() && b.isTuple() && &a.asTuple() == &b.asTuple())
    return true;
  if (a.isTuple() && b.isTuple()) {
    NestingGuard guard;
    const auto &left = a.asTuple().elements, &right = b.asTuple().elements;
    if (left.size() != right.size() || a.asTuple().isList != b.asTuple().isList ||
        a.asTuple().isSet != b.asTuple().isSet)
      return false;
    if (a.asTuple().isSet)
      return all_of(left, [&](const Value &element) {
        spendSteps(right.size() / 16);
        return any_of(right, [&](const Value &other) { return equalValues(element, other); });
      });
    for (size_t i = 0; i < left.size(); ++i)
      if (!equalValues(left[i], right[i]))
        return false;
    return true;
  }
  auto *object = a.object<InstanceObject>(), *other = b.object<InstanceObject>();
  if (object && other && object->type == other->type && object->type->kind == ClassObject::Kind::Dataclass) {
    NestingGuard guard;
    return object == other || llvm::equal(object->values, other->values, equalValues);
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
    return a.asRunTime().handle == b.asRunTime().handle;
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
