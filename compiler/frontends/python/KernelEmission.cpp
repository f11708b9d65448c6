// See KernelEmission.h.
#include "compiler/frontends/python/KernelEmission.h"

#include "compiler/frontends/python/KernelLookup.h"
#include "compiler/model/SignaturePositions.h"

using namespace llvm;

namespace nereid::python {

std::string KernelEmission::listParameters() const {
  std::string text =
      "'" + kernel->name + (parameters.empty() ? "' has no parameters" : "' has the parameters ");
  for (auto [index, parameter] : enumerate(parameters))
    text += (index ? ", " : "") + parameter.node->arg.str() + (parameter.isConstexpr ? ": tl.constexpr" : "");
  return text;
}

Value KernelEmission::evaluateDefault(const DeclaredParameter &parameter) {
  Frame frame;
  frame.module = kernel->module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  Value value = emitter.evaluate(parameter.defaultValue);
  emitter.frame = nullptr;
  return value;
}

void KernelEmission::bindMissing(const Specialization &specialization, size_t index) {
  const DeclaredParameter &parameter = parameters[index];
  StringRef name = parameter.node->arg;
  KernelParameter &entry = info.parameters[firstEntries[index]];
  for (auto &[heuristic, function] : kernel->heuristics) {
    if (heuristic != name)
      continue;
    auto arguments = std::make_shared<DictObject>();
    for (const KernelParameter &other : info.parameters) {
      Value value = other.equalsOne  ? Value(1)
                    : other.constant ? valueOf(emitter, file, *other.constant)
                                     : Value::opaque(other.name, "its value is only known at run time");
      arguments->entries.push_back({Value(other.name), value});
    }
    try {
      Frame frame;
      frame.module = kernel->module;
      frame.atCompileTime = true;
      emitter.frame = &frame;
      Value value = emitter.call(function, {{Value(arguments)}, {}});
      emitter.frame = nullptr;
      values[name] = value;
      entry.constant = constantOf(value);
      return;
    } catch (Refusal &refusal) {
      emitter.frame = nullptr;
      if (emitter.meter.isExceeded())
        throw;
      emitter.fail(specialization.range,
                   "the parameter '" + name +
                       "' is computed by @triton.heuristics from what is only known at run time; "
                       "give its value in the signature",
                   {refusal.range, refusal.message});
    }
  }
  if (!parameter.defaultValue)
    emitter.fail(specialization.range,
                 "the signature has no " + Twine(parameter.isConstexpr ? "value" : "type") +
                     " for the parameter '" + name + "'",
                 {kernel->getRange(), listParameters()});
  Value value = evaluateDefault(parameter);
  values[name] = value;
  entry.constant = constantOf(value);
}

static bool isDtype(const ParameterSpec &spec) {
  return !spec.constant && !spec.elements && spec.blockShape.empty() && !spec.isPointer &&
         spec.divisibleBy == 1 && !spec.equalsOne && !spec.values;
}

static bool isCompileTime(const ParameterSpec &spec) {
  return spec.elements ? all_of(*spec.elements, isCompileTime) : spec.constant || spec.equalsOne;
}

static ParameterSpec withoutName(ParameterSpec spec) {
  spec.name.clear();
  return spec;
}

void KernelEmission::addEntries(const ParameterSpec &spec, const std::string &name) {
  if (spec.elements) {
    for (auto [index, element] : enumerate(*spec.elements))
      addEntries(element, name + "_" + (element.name.empty() ? std::to_string(index) : element.name));
    return;
  }
  KernelParameter entry;
  entry.name = name;
  entry.constant = spec.constant;
  entry.isPointer = spec.isPointer || !spec.blockShape.empty();
  entry.element = spec.element;
  entry.divisibleBy = spec.divisibleBy;
  entry.equalsOne = spec.equalsOne;
  entry.values = spec.values;
  if (spec.equalsOne && spec.isPointer)
    emitter.fail(spec.range, "a pointer cannot be specialized to equal 1");
  info.parameters.push_back(entry);
  size_t rank = spec.blockShape.size();
  for (bool isStride : {false, true})
    for (size_t axis = 0; axis + isStride < rank; ++axis) {
      KernelParameter size;
      size.name = name + (isStride ? "_stride_" : "_shape_") + std::to_string(axis);
      size.element = isStride ? ScalarKind::Int64 : ScalarKind::Int32;
      info.parameters.push_back(size);
    }
}

Value KernelEmission::takeArgument(const ParameterSpec &spec, ArrayRef<Tensor> &arguments) {
  if (spec.elements) {
    std::vector<Value> elements;
    std::vector<std::string> fields;
    for (const ParameterSpec &element : *spec.elements) {
      elements.push_back(takeArgument(element, arguments));
      if (!element.name.empty())
        fields.push_back(element.name);
    }
    Value tuple = Value::tuple(std::move(elements));
    tuple.asTuple().fields = std::move(fields);
    return tuple;
  }
  if (spec.constant) {
    PositionScope position(emitter, spec.range);
    return valueOf(emitter, file, *spec.constant);
  }
  if (spec.equalsOne)
    return Type(spec.element).isFloat() ? Value(1.0) : Value(1);
  Tensor first = arguments.consume_front();
  if (spec.blockShape.empty())
    return first;
  // As if the kernel had begun with tl.make_tensor_descriptor.
  size_t rank = spec.blockShape.size();
  std::vector<Value> shape, strides, block;
  for (size_t axis = 0; axis < rank; ++axis)
    shape.push_back(arguments.consume_front());
  for (size_t axis = 0; axis + 1 < rank; ++axis)
    strides.push_back(arguments.consume_front());
  strides.push_back(Value(1));
  for (int64_t size : spec.blockShape)
    block.push_back(Value(size));
  PositionScope position(emitter, spec.range);
  return emitter.call(*emitter.lookupMember("tl", "make_tensor_descriptor"),
                      {{first, Value::tuple(shape), Value::tuple(strides), Value::tuple(block)}, {}});
}

void KernelEmission::bind(const Specialization &specialization) {
  Refusal::Note list{kernel->getRange(), listParameters()};
  size_t given = specialization.parameters.size();
  if (countByPosition(specialization) > parameters.size())
    emitter.fail(specialization.parameters[parameters.size()].range,
                 "the signature has " + Twine(given) + (given == 1 ? " parameter" : " parameters") +
                     ", but '" + kernel->name + "' has " + Twine(parameters.size()),
                 list);
  std::vector<const ParameterSpec *> specs(parameters.size(), nullptr);
  for (size_t position = 0; position < given; ++position) {
    const ParameterSpec &spec = specialization.parameters[position];
    size_t index = position;
    if (!spec.name.empty()) {
      auto found = find_if(parameters, [&](const DeclaredParameter &p) { return p.node->arg == spec.name; });
      if (found == parameters.end())
        emitter.fail(spec.range, "'" + kernel->name + "' has no parameter '" + spec.name + "'", list);
      index = found - parameters.begin();
      if (specs[index])
        emitter.fail(spec.range, "the signature gives the parameter '" + spec.name + "' twice", list);
    }
    specs[index] = &spec;
  }
  info.parameters.clear();
  for (auto [parameter, spec] : zip(parameters, specs)) {
    firstEntries.push_back(info.parameters.size());
    std::string name = parameter.node->arg.str();
    if (!spec) {
      info.parameters.push_back(KernelParameter());
      info.parameters.back().name = name;
      continue;
    }
    addEntries(*spec, name);
    if (parameter.isConstexpr && isDtype(*spec)) {
      // `fp16` for a compile-time parameter is the dtype.
      info.parameters.back().constant = DTypeConstant{spec->element};
      values[parameter.node->arg] = Type(spec->element);
    } else if (isCompileTime(*spec)) {
      ArrayRef<Tensor> none;
      values[parameter.node->arg] = takeArgument(*spec, none);
    } else if (parameter.isConstexpr) {
      emitter.fail(spec->range,
                   "the parameter '" + parameter.node->arg +
                       "' is tl.constexpr and needs a value, not the type " + withoutName(*spec).str(),
                   {parameter.node->range, "it is declared here"});
    } else {
      passed[parameter.node->arg] = spec;
    }
  }
  for (size_t index = 0; index < parameters.size(); ++index)
    if (!specs[index])
      bindMissing(specialization, index);
}

void KernelEmission::emit() {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::MLIRContext *context = builder.getContext();
  mlir::Location location = emitter.getLocation(kernel->definition->range.Start);
  emitter.module->setLoc(location);

  Frame frame;
  frame.function = kernel.get();
  frame.module = kernel->module;
  frame.closure = kernel->closure;
  SmallVector<mlir::Type> types;
  SmallVector<mlir::DictionaryAttr> attributes;
  std::vector<std::pair<StringRef, Type>> arguments;
  for (const KernelParameter &entry : info.parameters) {
    if (!entry.isPassedToImage())
      continue;
    Type type = entry.isPointer ? Type::pointer(entry.element) : Type(entry.element);
    types.push_back(toMLIR(type, context));
    SmallVector<mlir::NamedAttribute, 1> promises;
    if (entry.divisibleBy > 1)
      promises.push_back(builder.getNamedAttr(
          "tt.divisibility", builder.getI32IntegerAttr(static_cast<int32_t>(entry.divisibleBy))));
    attributes.push_back(mlir::DictionaryAttr::get(context, promises));
    arguments.push_back({entry.name, type});
  }
  builder.setInsertionPointToEnd(emitter.module.getBody());
  auto function =
      tt::FuncOp::create(builder, location, symbolOf(*kernel), builder.getFunctionType(types, {}));
  for (auto [index, attribute] : enumerate(attributes))
    if (!attribute.empty())
      function.setArgAttrs(index, attribute);
  function.setVisibility(mlir::SymbolTable::Visibility::Public);
  // Spelled out, as upstream prints it.
  function->setAttr(mlir::SymbolTable::getVisibilityAttrName(), builder.getStringAttr("public"));
  function->setAttr("noinline", builder.getBoolAttr(false));
  mlir::Block &entry = function.getBody().emplaceBlock();
  std::vector<Tensor> handles;
  for (auto [type, argument] : zip(types, arguments)) {
    mlir::Value handle =
        entry.addArgument(type, mlir::NameLoc::get(builder.getStringAttr(argument.first), location));
    handles.push_back({handle, argument.second});
  }
  builder.setInsertionPointToStart(&entry);
  emitter.frame = &frame;
  ArrayRef<Tensor> rest(handles);
  for (const DeclaredParameter &parameter : parameters) {
    StringRef name = parameter.node->arg;
    auto value = values.find(name);
    frame.locals[name] = value != values.end() ? value->second : takeArgument(*passed[name], rest);
  }
  emitter.debug |= kernel->debug;
  emitter.execute(kernel->definition->body, nullptr);
  emitter.create<tt::ReturnOp>();
  emitter.frame = nullptr;
}

} // namespace nereid::python
