// Which class each kind of value belongs to.
//
// In Triton a compile-time value is wrapped in tl.constexpr, but isinstance, like every function of Python,
// gets what is inside: in a kernel `isinstance(N, tl.constexpr)` is always false and `isinstance(N, int)`
// true. Only plain Python that is handed a kernel's values sees the wrapper.
#include "compiler/frontends/python/evaluation/Isinstance.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "compiler/frontends/python/evaluation/Classes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::python {

/// Whether the code being evaluated would see tl.constexpr objects in Triton.
static bool seesWrappers(const Evaluator &evaluator) {
  const Function *function = evaluator.frame ? evaluator.frame->function : nullptr;
  if (!function)
    return false;
  return function->isExtern ||
         (function->kind == Function::Kind::CompileTime && !function->isConstexprFunction);
}

static bool isOfBuiltinClass(Evaluator &evaluator, const Value &value, StringRef name) {
  bool isTupleType = value.isTuple() && value.asTuple().className == tupleTypeName;
  bool isSequence = value.isTuple() && !isTupleType;
  bool isPlainTuple = isSequence && !value.asTuple().isList && !value.asTuple().isSet;
  bool isDescriptor = value.isTensor() && value.asRunTime().type.isDescriptor();
  bool isDescriptorType = value.isType() && value.asType().isDescriptor();
  bool isObject = value.object<InstanceObject>() &&
                  value.object<InstanceObject>()->type->kind == ClassObject::Kind::Aggregate;
  return StringSwitch<bool>(name)
      .Case("py.object", true)
      .Case("py.int", value.isIntLike())
      .Case("py.bool", value.isBool())
      .Case("py.float", value.isFloat())
      .Case("py.str", value.isStr())
      .Case("py.tuple", isPlainTuple)
      .Case("py.list", isSequence && value.asTuple().isList)
      .Case("py.set", isSequence && value.asTuple().isSet)
      .Case("py.dict", value.object<DictObject>() != nullptr)
      .Case("py.range", value.object<RangeObject>() != nullptr)
      .Case("py.slice", value.object<SliceObject>() != nullptr)
      .Case("tl.tuple", isSequence)
      .Case("tl.tensor", value.isTensor() && !isDescriptor)
      .Cases({"tl.tensor_descriptor", "tl.tensor_descriptor_base"}, isDescriptor)
      .Case("tl.base_value", value.isTensor() || isSequence || isObject)
      .Case("tl.constexpr", seesWrappers(evaluator) && !value.hasTensor())
      .Case("tl.dtype", value.isType() && !isDescriptorType)
      .Case("tl.pointer_type", value.isType() && value.asType().isPointer())
      .Case("tl.block_type", value.isType() && value.asType().isBlock())
      .Case("tl.tuple_type", isTupleType)
      .Cases({"tl.tensor_descriptor_type", "tl.tensor_descriptor_base_type"}, isDescriptorType)
      .Case("tl.base_type", value.isType() || isTupleType)
      .Case("triton.JITFunction",
            value.object<const Function>() && value.object<const Function>()->kind == Function::Kind::Jit)
      .Default(false);
}

bool isInstance(Evaluator &evaluator, const Value &value, const Value &type) {
  if (type.isTuple() && type.asTuple().className.empty()) {
    NestingGuard guard;
    return any_of(type.asTuple().elements,
                  [&](const Value &one) { return isInstance(evaluator, value, one); });
  }
  if (auto *wanted = type.object<const ClassObject>()) {
    auto *instance = value.object<InstanceObject>();
    const ClassObject *actual = instance          ? instance->type.get()
                                : value.isTuple() ? value.asTuple().type.get()
                                                  : nullptr;
    return isDerivedFrom(actual, wanted);
  }
  if (type.object<const Opaque>())
    return false; // no value of a kernel is of a class that is not known here
  if (!type.is<const Builtin *>() || !type.get<const Builtin *>()->isClass)
    evaluator.fail("isinstance() takes a class, not a " + type.describe());
  return isOfBuiltinClass(evaluator, value, type.get<const Builtin *>()->name);
}

static Value typeOf(Evaluator &evaluator, const Value &x) {
  if (auto *instance = x.object<InstanceObject>())
    return instance->type;
  if (x.isTuple() && x.asTuple().type)
    return x.asTuple().type;
  const char *name = x.isBool()                   ? "py.bool"
                     : x.isInt()                  ? "py.int"
                     : x.isFloat()                ? "py.float"
                     : x.isStr()                  ? "py.str"
                     : x.isTensor()               ? "tl.tensor"
                     : x.isType()                 ? "tl.dtype"
                     : x.object<DictObject>()     ? "py.dict"
                     : !x.isTuple()               ? nullptr
                     : x.asTuple().isList         ? "py.list"
                     : x.asTuple().isSet          ? "py.set"
                     : x.asTuple().fields.empty() ? "py.tuple"
                                                  : nullptr;
  if (!name)
    evaluator.fail("type() of a " + x.describe() + " is not supported in a kernel");
  return evaluator.builtins.find(name);
}

void addIsinstance(BuiltinTable &table) {
  table.add("py.isinstance", "x, type", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    return isInstance(evaluator, arguments[0], arguments[1]);
  });
  table.add("py.type", "x",
            [](Evaluator &evaluator, Arguments &arguments) { return typeOf(evaluator, arguments[0]); });
  for (const char *name : {"tl.tensor", "tl.tensor_descriptor", "tl.tensor_descriptor_base", "tl.const",
                           "tl.base_value", "tl.base_type", "tl.constexpr_type", "tl.tuple_type",
                           "tl.tensor_descriptor_type", "tl.tensor_descriptor_base_type", "tl.slice_type"})
    table.addClass(name, "*values", [name](Evaluator &evaluator, Arguments &) -> Value {
      evaluator.fail(Twine(name) + " cannot be called in a kernel");
    });
}

} // namespace nereid::python
