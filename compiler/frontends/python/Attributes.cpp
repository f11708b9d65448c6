// `object.name`: of run-time values, dtypes, tuples, modules and strings; and slicing with [:, None].
#include "compiler/frontends/python/Broadcasting.h"
#include "compiler/frontends/python/Classes.h"
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/HostFacts.h"
#include "compiler/frontends/python/Isinstance.h"
#include "compiler/frontends/python/MachineFacts.h"

using namespace llvm;

namespace nereid::python {

static Value shapeValue(ArrayRef<int64_t> shape) {
  std::vector<Value> sizes;
  for (int64_t size : shape)
    sizes.push_back(Value(size));
  return Value::tuple(std::move(sizes));
}

/// The attributes of a dtype; `is_floating` and its like are methods.
static std::optional<Value> findTypeAttribute(const Type &type, StringRef name) {
  const BuiltinTable &table = BuiltinTable::get();
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
    return shapeValue(type.isDescriptor() ? type.getElement().getShape() : type.getShape());
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

/// The shape or the strides of the whole tensor behind a descriptor, as it was made with.
static Value descriptorSizes(Emitter &emitter, const Tensor &descriptor, bool strides) {
  auto made = descriptor.handle.getDefiningOp<tt::MakeTensorDescOp>();
  if (!made)
    emitter.fail(
        Twine("the ") + (strides ? "strides" : "shape") +
        " of a tensor descriptor can only be asked of one made in the same function, outside of what "
        "changes it");
  std::vector<Value> sizes;
  for (mlir::Value size : strides ? made.getStrides() : made.getShape())
    sizes.push_back(Tensor{size, strides ? ScalarKind::Int64 : ScalarKind::Int32});
  return Value::tuple(std::move(sizes));
}

/// A method of what only exists while compiling: see PythonMethods.cpp.
static std::optional<Value> findMethod(StringRef type, const Value &object, StringRef name) {
  if (const Builtin *method = BuiltinTable::get().find((type + "." + name).str()))
    return Value(std::make_shared<BoundMethod>(BoundMethod{object, Value(method)}));
  return std::nullopt;
}

/// The types of a tuple's elements; of a compile-time value, the value itself stands for its type.
static Value typeOfTuple(Emitter &emitter, const TupleObject &tuple) {
  auto types = std::make_shared<TupleObject>();
  types->className = tupleTypeName;
  types->fields = tuple.fields;
  for (const Value &element : tuple.elements)
    types->elements.push_back(emitter.findAttribute(element, "type").value_or(element));
  return types;
}

std::optional<Value> Emitter::findAttribute(const Value &object, StringRef name) {
  const BuiltinTable &table = BuiltinTable::get();
  if (object.isTensor()) {
    const Tensor &tensor = object.asTensor();
    if (tensor.type.isDescriptor()) {
      if (name == "dtype")
        return Value(tensor.type.getElement().getScalar());
      if (name == "block_shape")
        return shapeValue(tensor.type.getElement().getShape());
      if (name == "block_type")
        return Value(tensor.type.getElement());
      if (name == "shape" || name == "strides")
        return descriptorSizes(*this, tensor, name == "strides");
      if (const Builtin *method = table.find(("descriptor." + name).str()))
        return Value(std::make_shared<BoundMethod>(BoundMethod{object, Value(method)}));
    }
    if (name == "dtype")
      return Value(tensor.type.getScalar());
    if (name == "type")
      return Value(tensor.type);
    if (name == "shape")
      return shapeValue(tensor.type.getShape());
    if (name == "numel")
      return Value(tensor.type.getNumElements());
    if (name == "T") {
      if (tensor.type.getShape().size() != 2)
        fail(".T takes a block of two dimensions, not " + tensor.type.str() + "; use tl.permute");
      return call(*lookupMember("tl", "trans"), {{object}, {}});
    }
    if (name == "value")
      return object;
    std::string method = name == "to" ? "cast" : name.str();
    if (table.isMethod(method))
      if (auto function = lookupMember("tl", method))
        return Value(std::make_shared<BoundMethod>(BoundMethod{object, *function}));
    return std::nullopt;
  }
  if (object.isType())
    return findTypeAttribute(object.asType(), name);
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
    if (auto method = tuple.className.empty() ? std::nullopt : findMethod(tuple.className, object, name))
      return method;
    return findMethod(tuple.isSet ? "set" : "list", object, name);
  }
  if (object.is<BuiltinModule>())
    return lookupMember(object.get<BuiltinModule>().name, name);
  if (object.is<SourceModule *>()) {
    SourceModule &file = *object.get<SourceModule *>();
    // Of PyTorch's own folder, what depends on the machine is not read either.
    std::string path = file.getDottedName() + "." + name.str();
    if (auto fact = isForeignModule(path) ? findMachineFact(*this, path) : std::nullopt)
      return fact;
    if (auto fact = isForeignModule(path) ? findHostFact(path) : std::nullopt)
      return fact;
    if (auto value = lookupGlobal(file, name))
      return value;
    if (SourceModule *submodule = loader.find(name, 1, file))
      return Value(submodule);
    // `from torch._C import *`: what a module takes from one that is not there could be anything.
    for (const ast::ImportFrom *star : file.getStarImports())
      if (!loader.find(star->module, star->level, file) && (star->level || !findBuiltinModule(star->module)))
        return Value::opaque(file.getDottedName() + "." + name.str(),
                             "it is not defined in the Python part of '" + file.getDottedName() + "'");
    return std::nullopt;
  }
  if (auto *opaque = object.object<const Opaque>()) {
    std::string path = opaque->name + "." + name.str();
    if (auto fact = findMachineFact(*this, path))
      return fact;
    if (auto fact = findHostFact(path))
      return fact;
    return Value::opaque(opaque->name + "." + name.str(), opaque->reason);
  }
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
  // tl.constexpr wraps values in Triton; here the value is itself.
  if (name == "value")
    return object;
  if (object.isStr())
    return findMethod("str", object, name);
  if (object.object<DictObject>())
    return findMethod("dict", object, name);
  if (object.isNumber()) {
    if (auto method = findMethod(object.isFloat() ? "float" : "int", object, name))
      return method;
    if (name == "type" || name == "dtype")
      return std::nullopt;
    std::string method = name == "to" ? "cast" : name.str();
    if (table.isMethod(method))
      if (auto function = lookupMember("tl", method))
        return Value(std::make_shared<BoundMethod>(BoundMethod{Value(toTensor(object)), *function}));
  }
  if (auto *function = object.object<const Function>()) {
    if (name == "__name__")
      return Value(function->name);
    if (name == "fn") // the Python function under the decorator
      return object;
  }
  return std::nullopt;
}

Value Emitter::getAttribute(const Value &object, StringRef name) {
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

Value Emitter::getTensorSlice(const Tensor &tensor, const Value &index) {
  std::vector<Value> parts = index.isTuple() ? index.asTuple().elements : std::vector<Value>{index};
  size_t kept = 0;
  for (const Value &part : parts)
    kept += !part.isNone();
  if (tensor.type.isPointer() && !tensor.type.isBlock())
    if (kept || parts.empty())
      fail("a pointer cannot be indexed in a kernel; use tl.load(pointer + offset)");
  size_t rank = tensor.type.getShape().size();
  Tensor result = tensor;
  unsigned axis = 0;
  for (const Value &part : parts) {
    if (part.isNone()) {
      if (rank && axis > result.type.getShape().size())
        fail("too many indices for a block of type " + tensor.type.str());
      result =
          expandDims(*this, result, std::min<unsigned>(axis, rank ? axis : result.type.getShape().size()));
    } else {
      auto *slice = part.object<SliceObject>();
      if (!slice || !slice->start.isNone() || !slice->stop.isNone() || !slice->step.isNone())
        fail("a block can only be indexed with ':' and None, not with " +
             (slice ? std::string("a part of a slice") : part.describe()) +
             "; use masks, tl.gather or pointers");
    }
    // Like Triton, this lets a ':' pass that has no dimension left to stand for.
    ++axis;
  }
  return result;
}

} // namespace nereid::python
