// Making classes, objects and their attributes.
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Isinstance.h"
#include "compiler/frontends/python/evaluation/ModuleScope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

/// All fields, those of base classes first.
static std::vector<const ClassObject::Field *> fieldsOf(const ClassObject &type) {
  std::vector<const ClassObject::Field *> fields;
  if (type.base)
    fields = fieldsOf(*type.base);
  for (const ClassObject::Field &field : type.fields)
    fields.push_back(&field);
  return fields;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// The constants of an Enum, or of a class that holds nothing else, read as a record of them.
static std::optional<Value> makeRecord(Evaluator &evaluator, const ast::ClassDef *definition) {
  auto object = std::make_shared<TupleObject>();
  object->className = definition->name.str();
  for (const ast::Statement *statement : definition->body)
    if (auto *constant = dyn_cast<ast::Assign>(statement))
      if (auto *name = dyn_cast<ast::Name>(constant->targets[0])) {
        try {
          object->elements.push_back(evaluator.evaluate(constant->value));
          object->fields.push_back(name->id.str());
        } catch (Refusal &) {
          // Not a constant; a use of it says that the class has no such attribute.
        }
      }
  if (object->fields.empty())
    return std::nullopt;
  return Value(std::move(object));
}

/// What a decorator or a base class is, or nothing where it cannot be evaluated.
static Value evaluateQuietly(Evaluator &evaluator, const ast::Expression *expression) {
  try {
    return evaluator.evaluate(expression);
  } catch (Refusal &) {
    return {};
  }
}

Value Evaluator::makeClass(ModuleObject &owner, const ast::ClassDef *definition) {
  auto type = std::make_shared<ClassObject>();
  type->name = definition->name.str();
  type->module = &owner;
  type->definition = definition;
  for (const ast::Expression *expression : definition->bases) {
    Value base = evaluateQuietly(*this, expression);
    if (auto *parent = base.object<const ClassObject>()) {
      type->base = base.get<ClassPointer>();
      type->kind = parent->kind;
      continue;
    }
    auto *attribute = dyn_cast<ast::Attribute>(expression);
    auto *name = dyn_cast<ast::Name>(expression);
    StringRef text = attribute ? attribute->attr : name ? name->id : "";
    if (text == "NamedTuple")
      type->kind = ClassObject::Kind::NamedTuple;
    else if (text == "Enum" || text == "IntEnum" || text == "IntFlag" || text == "StrEnum")
      return makeRecord(*this, definition)
          .value_or(Value::opaque(type->name, "it has no member that is known when kernels are compiled"));
    else if (text != "object" && text != "Generic" && text != "Protocol" && text != "ABC")
      type->unavailable = "it is derived from what is not known when kernels are compiled";
  }
  for (const ast::Expression *decorator : definition->decorator_list) {
    auto *call = dyn_cast<ast::Call>(decorator);
    Value meaning = evaluateQuietly(*this, call ? call->func : decorator);
    auto *opaque = meaning.object<const Opaque>();
    if (meaning.is<const Builtin *>() && meaning.get<const Builtin *>()->name == "tl._aggregate")
      type->kind = ClassObject::Kind::Aggregate;
    else if (opaque && StringRef(opaque->name).ends_with("dataclass"))
      type->kind = ClassObject::Kind::Dataclass;
  }
  for (const ast::Statement *statement : definition->body)
    if (auto *field = dyn_cast<ast::AnnAssign>(statement))
      if (auto *name = dyn_cast<ast::Name>(field->target))
        type->fields.push_back({name->id.str(), field->annotation, field->value});
  return ClassPointer(std::move(type));
}

std::optional<Value> findMember(Evaluator &evaluator, const ClassPointer &type, StringRef name,
                                const Value *object) {
  auto known = type->members.find(name);
  if (known == type->members.end()) {
    Value found;
    bool isFound = false;
    if (type->definition) {
      ModuleScope scope(evaluator, *type->module);
      for (const ast::Statement *statement : type->definition->body) {
        const ast::Expression *constant = nullptr;
        if (auto *function = dyn_cast<ast::FunctionDef>(statement)) {
          if (function->name != name)
            continue;
          found = evaluator.makeMethod(*type->module, function, type->name);
          isFound = true;
        } else if (auto *assign = dyn_cast<ast::Assign>(statement)) {
          auto *target = dyn_cast<ast::Name>(assign->targets[0]);
          constant = target && target->id == name ? assign->value : nullptr;
        } else if (auto *assign = dyn_cast<ast::AnnAssign>(statement)) {
          auto *target = dyn_cast<ast::Name>(assign->target);
          constant = target && target->id == name ? assign->value : nullptr;
        }
        if (constant) {
          found = evaluator.evaluate(constant);
          isFound = true;
        }
      }
    }
    if (!isFound)
      return type->base ? findMember(evaluator, type->base, name, object) : std::nullopt;
    known = type->members.insert({name, found}).first;
  }
  auto *function = known->second.object<const Function>();
  if (!function || function->binding == Function::Binding::Static)
    return known->second;
  if (function->binding == Function::Binding::OfClass)
    return Value(std::make_shared<BoundMethod>(BoundMethod{Value(type), known->second}));
  if (!object)
    return known->second;
  if (function->binding == Function::Binding::Property)
    return evaluator.call(known->second, {{*object}, {}});
  return Value(std::make_shared<BoundMethod>(BoundMethod{*object, known->second}));
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// `field(default=…)` and `field(default_factory=…)` of a dataclass, or the default itself.
static Value evaluateDefault(Evaluator &evaluator, const ClassObject &type,
                             const ast::Expression *expression) {
  ModuleScope scope(evaluator, *type.module);
  auto *call = dyn_cast<ast::Call>(expression);
  auto *name = call ? dyn_cast<ast::Name>(call->func) : nullptr;
  auto *attribute = call ? dyn_cast<ast::Attribute>(call->func) : nullptr;
  if ((name && name->id == "field") || (attribute && attribute->attr == "field")) {
    for (const ast::Keyword *keyword : call->keywords) {
      if (keyword->arg == "default")
        return evaluator.evaluate(keyword->value);
      if (keyword->arg == "default_factory")
        return evaluator.call(evaluator.evaluate(keyword->value), {});
    }
  }
  return evaluator.evaluate(expression);
}

/// The values of a class's fields, as the `__init__` that Python writes for it would take them.
static std::vector<Value> takeFields(Evaluator &evaluator, const ClassObject &type,
                                     const CallArguments &arguments) {
  auto fields = fieldsOf(type);
  if (arguments.positional.size() > fields.size())
    evaluator.fail(type.name + "() takes " + Twine(fields.size()) +
                   (fields.size() == 1 ? " argument" : " arguments") + ", but " +
                   Twine(arguments.positional.size()) + " are given");
  for (auto &keyword : arguments.keywords)
    if (none_of(fields, [&](const ClassObject::Field *field) { return field->name == keyword.first; }))
      evaluator.fail(type.name + "() has no parameter '" + keyword.first + "'");
  std::vector<Value> values;
  for (auto [index, field] : enumerate(fields)) {
    const Value *given = index < arguments.positional.size() ? &arguments.positional[index] : nullptr;
    for (auto &[name, keyword] : arguments.keywords) {
      if (name != field->name)
        continue;
      if (given)
        evaluator.fail(type.name + "() gets the argument '" + name + "' twice");
      given = &keyword;
    }
    if (!given && !field->defaultValue)
      evaluator.fail(type.name + "() is missing the argument '" + field->name + "'");
    values.push_back(given ? *given : evaluateDefault(evaluator, type, field->defaultValue));
  }
  return values;
}

/// Puts an aggregate's attributes in the order of its fields, all of which must be there.
static void complete(Evaluator &evaluator, InstanceObject &object) {
  std::vector<std::string> names;
  std::vector<Value> values;
  for (const ClassObject::Field *field : fieldsOf(*object.type)) {
    auto found = find(object.names, field->name);
    if (found == object.names.end())
      evaluator.fail("__init__ of '" + object.type->name + "' gives the attribute '" + field->name +
                     "' no value");
    names.push_back(field->name);
    values.push_back(object.values[found - object.names.begin()]);
  }
  object.names = std::move(names);
  object.values = std::move(values);
}

Value makeObject(Evaluator &evaluator, const ClassPointer &type, const CallArguments &arguments) {
  if (type->kind == ClassObject::Kind::NamedTuple) {
    auto object = std::make_shared<TupleObject>();
    object->className = type->name;
    object->type = type;
    for (const ClassObject::Field *field : fieldsOf(*type))
      object->fields.push_back(field->name);
    object->elements = takeFields(evaluator, *type, arguments);
    return object;
  }
  if (!type->unavailable.empty())
    evaluator.fail("'" + type->name + "' cannot be called in a kernel: " + type->unavailable);
  auto object = std::make_shared<InstanceObject>();
  object->type = type;
  Value self(object);
  if (auto initialize = findMember(evaluator, type, "__init__", &self)) {
    object->isUnderConstruction = true;
    scope_exit finish([&] { object->isUnderConstruction = false; });
    evaluator.call(*initialize, arguments);
  } else {
    std::vector<Value> values = takeFields(evaluator, *type, arguments);
    object->isUnderConstruction = true;
    for (auto [field, value] : zip(fieldsOf(*type), values))
      setAttribute(evaluator, self, field->name, value);
    object->isUnderConstruction = false;
  }
  if (type->kind == ClassObject::Kind::Aggregate)
    complete(evaluator, *object);
  return self;
}

/// An aggregate says what each of its attributes is; a wrong one would only be noticed far away.
static void checkAnnotation(Evaluator &evaluator, const ClassObject &type, const ClassObject::Field &field,
                            const Value &value) {
  if (!field.annotation || isa<ast::Constant>(field.annotation))
    return;
  ModuleScope scope(evaluator, *type.module);
  Value annotation = evaluateQuietly(evaluator, field.annotation);
  bool isConstexpr =
      annotation.is<const Builtin *>() && annotation.get<const Builtin *>()->name == "tl.constexpr";
  bool isClass = annotation.object<const ClassObject>() ||
                 (annotation.is<const Builtin *>() && annotation.get<const Builtin *>()->isClass);
  if (!isClass || (isConstexpr ? !value.hasTensor() : isInstance(evaluator, value, annotation)))
    return;
  evaluator.fail("the attribute '" + field.name + "' of '" + type.name + "' is declared as " +
                 (annotation.is<const Builtin *>() ? annotation.get<const Builtin *>()->name
                                                   : annotation.object<const ClassObject>()->name) +
                 ", but gets a " + value.describe());
}

void setAttribute(Evaluator &evaluator, const Value &object, StringRef name, const Value &value) {
  auto *instance = object.object<InstanceObject>();
  if (!instance && !evaluator.frame->atCompileTime)
    evaluator.fail("attributes cannot be assigned in a kernel");
  if (!instance)
    evaluator.fail("attributes of a " + object.describe() + " cannot be assigned");
  bool isAggregate = instance->type->kind == ClassObject::Kind::Aggregate;
  if (!instance->isUnderConstruction && (isAggregate || !evaluator.frame->atCompileTime))
    evaluator.fail("attributes cannot be assigned in a kernel; make a new object of '" +
                   instance->type->name + "'");
  if (isAggregate) {
    const ClassObject::Field *field = instance->type->findField(name);
    if (!field)
      evaluator.fail("'" + instance->type->name + "' declares no attribute '" + name + "'");
    checkAnnotation(evaluator, *instance->type, *field, value);
  }
  auto found = find(instance->names, name);
  if (found != instance->names.end()) {
    instance->values[found - instance->names.begin()] = value;
    return;
  }
  instance->names.push_back(name.str());
  instance->values.push_back(value);
}

std::optional<Value> callOperator(Evaluator &evaluator, StringRef method, const Value &left,
                                  const Value &right) {
  auto callOn = [&](const Value &object, const Twine &name, const Value &other) -> std::optional<Value> {
    auto *instance = object.object<InstanceObject>();
    if (!instance)
      return std::nullopt;
    auto function = findMember(evaluator, instance->type, name.str(), &object);
    if (!function)
      return std::nullopt;
    return evaluator.call(*function, {{other}, {}});
  };
  if (auto result = callOn(left, method, right))
    return result;
  return callOn(right, "__r" + method.drop_front(2), left);
}

} // namespace nereid::python
