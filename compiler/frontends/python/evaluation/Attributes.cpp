// `object.name` of what is known while compiling: dtypes, tuples, strings, numbers, classes and their
// objects.
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/evaluation/Isinstance.h"

using namespace llvm;

namespace nereid::python {

/// The attributes of a dtype; `is_floating` and its like are methods.
static std::optional<Value> findTypeAttribute(const BuiltinTable &table, const Type &type, StringRef name) {
  if (const Builtin *method = table.find(("dtype." + name).str()))
    return Value(std::make_shared<BoundMethod>(BoundMethod{Value(type), Value(method)}));
  if (name == "element_ty" && (type.isPointer() || type.isBlock() || type.isDescriptor()))
    return Value(type.getElement());
  if (name == "scalar")
    return Value(type.getScalar());
  if (name == "value") // as of any other constexpr
    return Value(type);
  if (name == "name")
    return Value(type.str());
  if (name == "shape" || name == "block_shape")
    return Value::sizes(type.isDescriptor() ? type.getElement().getShape() : type.getShape());
  if (name == "numel")
    return Value(type.getNumElements());
  const Type &scalar = type.getScalar();
  if (name == "primitive_bitwidth" || name == "itemsize" || name == "nbytes") {
    int64_t bits = scalar.isPointer() ? 64 : scalar.getBits();
    if (name == "primitive_bitwidth")
      return Value(bits);
    return Value(bits / 8 * (name == "nbytes" ? type.getNumElements() : 1));
  }
  if (name == "int_bitwidth" && scalar.isInteger())
    return Value(static_cast<int64_t>(scalar.getBits()));
  if (name == "int_signedness" && scalar.isInteger())
    return Value(scalar.isSignedInteger() ? "signed" : "unsigned");
  if (name == "fp_mantissa_width" && scalar.isFloat())
    return Value(static_cast<int64_t>(scalar.getMantissaWidth()));
  if (name == "exponent_bias" && scalar.isFloat()) {
    switch (scalar.getScalarKind()) {
    case ScalarKind::FP8E4NV:
      return Value(7);
    case ScalarKind::FP8E4B8:
      return Value(8);
    case ScalarKind::FP8E5B16:
      return Value(16);
    case ScalarKind::BF16:
    case ScalarKind::FP32:
      return Value(127);
    case ScalarKind::FP64:
      return Value(1023);
    default:
      return Value(15);
    }
  }
  return std::nullopt;
}

/// A method of what only exists while compiling: see PythonMethods.cpp.
static std::optional<Value> findMethod(const BuiltinTable &table, StringRef type, const Value &object,
                                       StringRef name) {
  if (const Builtin *method = table.find((type + "." + name).str()))
    return Value(std::make_shared<BoundMethod>(BoundMethod{object, Value(method)}));
  return std::nullopt;
}

/// The types of a tuple's elements; of a compile-time value, the value itself stands for its type.
static Value typeOfTuple(Evaluator &evaluator, const TupleObject &tuple) {
  auto types = std::make_shared<TupleObject>();
  types->className = tupleTypeName;
  types->fields = tuple.fields;
  for (const Value &element : tuple.elements)
    types->elements.push_back(evaluator.findAttribute(element, "type").value_or(element));
  return types;
}

std::optional<Value> Evaluator::findAttribute(const Value &object, StringRef name) {
  if (object.isTensor())
    return findTensorAttribute(object, name);
  if (object.isType())
    return findTypeAttribute(builtins, object.asType(), name);
  if (object.isTuple()) {
    const TupleObject &tuple = object.asTuple();
    for (auto [field, element] : zip(tuple.fields, tuple.elements))
      if (field == name)
        return element;
    if (tuple.type)
      if (auto member = findMember(*this, tuple.type, name, &object))
        return member;
    if (name == "type")
      return typeOfTuple(*this, tuple);
    if (name == "types" && tuple.className == tupleTypeName)
      return Value::tuple(tuple.elements);
    if (name == "values" && !tuple.isSet)
      return Value::tuple(tuple.elements);
    if (name == "value")
      return object;
    if (auto method =
            tuple.className.empty() ? std::nullopt : findMethod(builtins, tuple.className, object, name))
      return method;
    return findMethod(builtins, tuple.isSet ? "set" : "list", object, name);
  }
  if (object.is<BuiltinModule>())
    return lookupMember(object.get<BuiltinModule>().name, name);
  if (object.is<ModuleObject *>())
    return findModuleAttribute(*object.get<ModuleObject *>(), name);
  if (auto *opaque = object.object<const Opaque>())
    return getUnknownAttribute(*opaque, name);
  if (auto *instance = object.object<InstanceObject>()) {
    for (auto [field, value] : zip(instance->names, instance->values))
      if (field == name)
        return value;
    if (name == "__class__")
      return Value(instance->type);
    return findMember(*this, instance->type, name, &object);
  }
  if (object.object<const ClassObject>()) {
    if (name == "__name__")
      return Value(object.object<const ClassObject>()->name);
    return findMember(*this, object.get<ClassPointer>(), name);
  }
  // `triton.runtime.jit` is the decorator here, but a module as well.
  if (object.is<const Builtin *>())
    if (const Builtin *member = builtins.find(object.get<const Builtin *>()->name + "." + name.str()))
      return Value(member);
  // tl.constexpr wraps values in Triton; here the value is itself.
  if (name == "value")
    return object;
  if (object.isStr())
    return findMethod(builtins, "str", object, name);
  if (object.object<DictObject>())
    return findMethod(builtins, "dict", object, name);
  if (object.isNumber()) {
    if (auto method = findMethod(builtins, object.isFloat() ? "float" : "int", object, name))
      return method;
    if (name == "type" || name == "dtype")
      return std::nullopt;
    std::string method = name == "to" ? "cast" : name.str();
    if (builtins.isMethod(method))
      if (auto function = lookupMember("tl", method))
        return Value(std::make_shared<BoundMethod>(BoundMethod{emitNumber(object), *function}));
  }
  if (auto *function = object.object<const Function>()) {
    if (name == "__name__")
      return Value(function->name);
    if (name == "fn") // the Python function under the decorator
      return object;
  }
  return std::nullopt;
}

Value Evaluator::getAttribute(const Value &object, StringRef name) {
  if (auto value = findAttribute(object, name))
    return *value;
  if (object.is<BuiltinModule>()) {
    const std::string &module = object.get<BuiltinModule>().name;
    fail("'" + module + "." + name + "' is not supported yet");
  }
  if (object.isTensor() || object.isNumber() || object.isStr() || object.isTuple())
    fail("a " + object.describe() + " has no attribute '" + name + "'");
  fail(object.describe() + " has no attribute '" + name + "'");
}

} // namespace nereid::python
