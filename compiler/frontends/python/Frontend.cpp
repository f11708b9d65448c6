// From a file and a specialization to a module: finding the kernel, giving its parameters their types or
// values, and walking its body.
#include "compiler/frontends/python/Frontend.h"

#include "compiler/dialects/tt/Registration.h"
#include "compiler/frontends/python/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::python {

namespace {

/// A name is looked up in the file that is compiled.
Value valueOf(Emitter &emitter, SourceModule &file, const ConstantValue &constant) {
  struct Visitor {
    Value operator()(std::monostate) { return {}; }
    Value operator()(bool value) { return value; }
    Value operator()(int64_t value) { return value; }
    Value operator()(double value) { return value; }
    Value operator()(const std::string &value) { return value; }
    Value operator()(const DTypeConstant &value) { return Type(value.kind); }
    Value operator()(const NameConstant &value) { return emitter.lookupQualified(file, value.text); }
    Emitter &emitter;
    SourceModule &file;
  };
  return std::visit(Visitor{emitter, file}, constant);
}

/// What dispatch and messages show of a value; callers cannot see it, so a form that has no spelling in a
/// signature (a tuple, a function) is given as text.
ConstantValue constantOf(const Value &value) {
  if (value.isNone())
    return std::monostate();
  if (value.isBool())
    return value.asBool();
  if (value.isInt() && value.asInt() >= INT64_MIN && value.asInt() <= INT64_MAX)
    return static_cast<int64_t>(value.asInt());
  if (value.isFloat())
    return value.asDouble();
  if (value.isType() && value.asType().isScalarNumber())
    return DTypeConstant{value.asType().getScalarKind()};
  if (auto *function = value.object<const Function>(); function && function->definition)
    return NameConstant{function->name};
  return value.str();
}

/// A parameter of the kernel: what the file says of it.
struct Parameter {
  const ast::Arg *node = nullptr;
  const ast::Expression *defaultValue = nullptr;
  bool isConstexpr = false;
};

std::vector<Parameter> parametersOf(Emitter &emitter, const Function &kernel) {
  const ast::Arguments &arguments = kernel.getArguments();
  for (const ast::Arg *rest : {arguments.vararg, arguments.kwarg})
    if (rest)
      emitter.fail(rest->range,
                   "a kernel cannot have the parameter '*" + rest->arg + "'; list its parameters");
  std::vector<Parameter> parameters;
  for (const ast::Arg *node : concat<const ast::Arg *const>(arguments.posonlyargs, arguments.args))
    parameters.push_back({node, nullptr, emitter.isConstexprParameter(kernel, *node)});
  size_t firstDefault = parameters.size() - arguments.defaults.size();
  for (auto [index, value] : enumerate(arguments.defaults))
    parameters[firstDefault + index].defaultValue = value;
  for (auto [node, value] : zip(arguments.kwonlyargs, arguments.kw_defaults))
    parameters.push_back({node, value, emitter.isConstexprParameter(kernel, *node)});
  return parameters;
}

/// What a kernel is called in an image: `kernel` of `Class.kernel`.
StringRef symbolOf(const Function &kernel) {
  return StringRef(kernel.name).substr(StringRef(kernel.name).rfind('.') + 1);
}

/// The kernel of that name, or a refusal that says what there is instead.
std::shared_ptr<const Function> findFunction(Emitter &emitter, SourceModule &file, StringRef name) {
  std::string path = file.getPath().str();
  auto kernelIn = [](const std::optional<Value> &value) -> std::shared_ptr<const Function> {
    if (!value || !value->object<const Function>())
      return nullptr;
    auto function = value->get<std::shared_ptr<const Function>>();
    return function->kind == Function::Kind::Jit && function->definition ? function : nullptr;
  };
  // A static method is named as in Python, `Class.kernel`, and so is what stands in a function.
  if (name.contains('.'))
    if (auto kernel = kernelIn(emitter.lookupNested(file, name)))
      return kernel;
  auto [first, members] = name.split('.');
  std::optional<Value> value = emitter.lookupGlobal(file, first);
  while (value && !members.empty()) {
    StringRef member;
    std::tie(member, members) = members.split('.');
    value = emitter.findAttribute(*value, member);
  }
  if (auto kernel = kernelIn(value))
    return kernel;
  if (!value)
    if (auto kernel = kernelIn(emitter.lookupNested(file, name)))
      return kernel;
  // The name may have gone on to the function that launches the kernel (`kernel = f` before it).
  if (const auto *bindings = file.getBindings(name))
    for (const SourceModule::Binding &binding : reverse(*bindings)) {
      SaveAndRestore asOf(file.asOf, binding.statement->range.End.getPointer());
      if (auto kernel = kernelIn(emitter.lookupGlobal(file, name)))
        return kernel;
    }
  if (value && value->object<const Function>()) {
    auto function = value->get<std::shared_ptr<const Function>>();
    emitter.fail(function->getRange(), "'" + name + "' is not decorated with @triton.jit");
  }
  if (value && value->object<const Opaque>())
    emitter.fail("'" + name + "' in '" + path +
                 "' is not a kernel: " + value->object<const Opaque>()->reason);
  if (value)
    emitter.fail("'" + name + "' in '" + path + "' is not a kernel (" + value->describe() + ")");
  std::string kernels;
  std::vector<StringRef> names = file.getNames();
  llvm::sort(names);
  for (StringRef candidate : names)
    for (const SourceModule::Binding &binding : *file.getBindings(candidate))
      if (auto *definition = dyn_cast<ast::FunctionDef>(binding.statement)) {
        if (!definition->decorator_list.empty())
          kernels += (kernels.empty() ? "" : ", ") + candidate.str();
        for (const ast::Statement *statement : definition->body)
          if (auto *inner = dyn_cast<ast::FunctionDef>(statement); inner && !inner->decorator_list.empty())
            kernels += (kernels.empty() ? "" : ", ") + (candidate + "." + inner->name).str();
      } else if (auto *type = dyn_cast<ast::ClassDef>(binding.statement)) {
        for (const ast::Statement *statement : type->body)
          if (auto *method = dyn_cast<ast::FunctionDef>(statement);
              method && method->decorator_list.size() > 1)
            kernels += (kernels.empty() ? "" : ", ") + (candidate + "." + method->name).str();
      }
  emitter.fail("there is no kernel '" + name + "' in '" + path + "'" +
               (kernels.empty() ? "" : "; its decorated functions are " + kernels));
}

/// One kernel for one specialization.
class KernelEmission {
public:
  KernelEmission(Emitter &emitter, SourceModule &file, std::shared_ptr<const Function> kernel,
                 KernelInfo &info)
      : emitter(emitter), file(file), kernel(std::move(kernel)), info(info),
        parameters(parametersOf(emitter, *this->kernel)) {}

  void bind(const Specialization &specialization);
  void emit();

private:
  std::string listParameters() const;
  Value evaluateDefault(const Parameter &parameter);
  void bindMissing(const Specialization &specialization, size_t index);
  /// Appends to info.parameters what callers pass for a parameter: of a tuple, its elements; of a tensor
  /// descriptor, a pointer to the whole tensor, its sizes and the strides but the last, which is 1.
  void addEntries(const ParameterSpec &spec, const std::string &name);
  /// The value of a parameter, made of the arguments that were added for it, which are taken off the front.
  Value takeArgument(const ParameterSpec &spec, ArrayRef<Tensor> &arguments);

  Emitter &emitter;
  /// The file that is compiled, which may have the kernel from another one.
  SourceModule &file;
  std::shared_ptr<const Function> kernel;
  KernelInfo &info;
  std::vector<Parameter> parameters;
  /// Where the entries of each parameter start in info.parameters.
  std::vector<size_t> firstEntries;
  /// Compile-time parameters, and what the signature says of the others.
  Scope values;
  MapVector<StringRef, const ParameterSpec *> passed;
};

std::string KernelEmission::listParameters() const {
  std::string text = "'" + kernel->name + "' has the parameters ";
  for (auto [index, parameter] : enumerate(parameters))
    text += (index ? ", " : "") + parameter.node->arg.str() + (parameter.isConstexpr ? ": tl.constexpr" : "");
  return text;
}

Value KernelEmission::evaluateDefault(const Parameter &parameter) {
  Frame frame;
  frame.module = kernel->module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  Value value = emitter.evaluate(parameter.defaultValue);
  emitter.frame = nullptr;
  return value;
}

void KernelEmission::bindMissing(const Specialization &specialization, size_t index) {
  const Parameter &parameter = parameters[index];
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
         !spec.divisibleBy16 && !spec.equalsOne;
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
  entry.divisibleBy16 = spec.divisibleBy16;
  entry.equalsOne = spec.equalsOne;
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
  if (!specialization.named && given > parameters.size())
    emitter.fail(specialization.parameters[parameters.size()].range,
                 "the signature has " + Twine(given) + (given == 1 ? " parameter" : " parameters") +
                     ", but '" + kernel->name + "' has " + Twine(parameters.size()),
                 list);
  std::vector<const ParameterSpec *> specs(parameters.size(), nullptr);
  for (size_t position = 0; position < given; ++position) {
    const ParameterSpec &spec = specialization.parameters[position];
    size_t index = position;
    if (specialization.named) {
      auto found = find_if(parameters, [&](const Parameter &p) { return p.node->arg == spec.name; });
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
    types.push_back(type.toMLIR(context));
    SmallVector<mlir::NamedAttribute, 1> promises;
    if (entry.divisibleBy16)
      promises.push_back(builder.getNamedAttr("tt.divisibility", builder.getI32IntegerAttr(16)));
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
  for (const Parameter &parameter : parameters) {
    StringRef name = parameter.node->arg;
    auto value = values.find(name);
    frame.locals[name] = value != values.end() ? value->second : takeArgument(*passed[name], rest);
  }
  emitter.debug = kernel->debug;
  emitter.execute(kernel->definition->body, nullptr);
  emitter.create<tt::ReturnOp>();
  emitter.frame = nullptr;
}

/// Turns a refusal into an error. One inside the language's own functions is the fault of whoever called
/// them.
void report(Diagnostics &diagnostics, Refusal refusal) {
  if (refusal.message.empty())
    return; // A file that does not parse: its error is there already.
  auto isInternal = [&](SMRange range) {
    return range.isValid() && diagnostics.positionOf(range.Start).path.starts_with("triton/language/");
  };
  while (isInternal(refusal.range) && !refusal.notes.empty()) {
    refusal.range = refusal.notes.front().range;
    refusal.notes.erase(refusal.notes.begin());
  }
  if (refusal.range.isValid())
    diagnostics.error(refusal.range, refusal.message);
  else
    diagnostics.error(refusal.message);
  for (const Refusal::Note &note : refusal.notes)
    if (note.range.isValid() && !isInternal(note.range))
      diagnostics.note(note.range, note.message);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const CompileRequest &request,
                                             Diagnostics &diagnostics, KernelInfo &info,
                                             std::vector<std::string> &dependencies) {
  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  unsigned errorsBefore = diagnostics.getErrorCount();
  ModuleLoader loader(diagnostics, request.importPaths, dependencies);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Emitter emitter(context, diagnostics, loader, *module, request.target);
  try {
    SourceModule *file = loader.loadFile(request.sourcePath);
    if (!file)
      return nullptr;
    auto kernel = findFunction(emitter, *file, request.kernel);
    info.name = symbolOf(*kernel).str();
    emitter.numWarps = request.numWarps;
    KernelEmission emission(emitter, *file, kernel, info);
    emission.bind(request.specialization);
    emission.emit();
  } catch (Refusal &refusal) {
    report(diagnostics, std::move(refusal));
    return nullptr;
  }
  if (diagnostics.getErrorCount() != errorsBefore || failed(mlir::verify(*module)))
    return nullptr;
  return module;
}

/// The configurations of @triton.autotune. They are the concern of whoever picks one: what cannot be
/// evaluated is left out, and `problem` says why.
static std::vector<KernelDeclaration::Config> findConfigs(Emitter &emitter, const Function &kernel,
                                                          std::string &problem) {
  std::vector<KernelDeclaration::Config> configs;
  Frame frame;
  frame.module = kernel.module;
  frame.atCompileTime = true;
  emitter.frame = &frame;
  scope_exit leave([&] { emitter.frame = nullptr; });
  try {
    Value list = kernel.configs;
    if (kernel.autotune)
      list = emitter.evaluateConfigs(kernel.autotune);
    if (list.isNone())
      return configs;
    for (const Value &value : emitter.iterateValue(list)) {
      if (!value.isTuple() || value.asTuple().className != "triton.Config") {
        problem = value.describe() + " is none";
        return {};
      }
      const std::vector<Value> &fields = value.asTuple().elements;
      KernelDeclaration::Config config;
      if (auto *constants = fields[0].object<DictObject>())
        for (auto &[name, constant] : constants->entries)
          config.constants.push_back({name.str(), constantOf(constant)});
      if (fields[1].isInt())
        config.numWarps = static_cast<unsigned>(fields[1].asInt());
      if (fields[2].isInt())
        config.numStages = static_cast<unsigned>(fields[2].asInt());
      configs.push_back(std::move(config));
    }
    return configs;
  } catch (Refusal &refusal) {
    problem = refusal.message;
    return {};
  }
}

static KernelDeclaration declare(Emitter &emitter, const Function &kernel) {
  KernelDeclaration declaration;
  declaration.name = symbolOf(kernel).str();
  declaration.line = emitter.diagnostics.positionOf(kernel.getRange().Start).line;
  for (const Parameter &parameter : parametersOf(emitter, kernel)) {
    bool computed =
        any_of(kernel.heuristics, [&](auto &entry) { return entry.first == parameter.node->arg; });
    declaration.parameters.push_back(
        {parameter.node->arg.str(), parameter.isConstexpr, parameter.defaultValue != nullptr || computed});
  }
  declaration.configs = findConfigs(emitter, kernel, declaration.configsProblem);
  return declaration;
}

/// Calls `read` with a file that nothing is compiled from, and reports what it refuses.
template <typename Result>
static std::optional<Result> readFile(StringRef sourcePath, const std::vector<std::string> &importPaths,
                                      Diagnostics &diagnostics,
                                      function_ref<Result(Emitter &, SourceModule &)> read) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> dependencies;
  ModuleLoader loader(diagnostics, importPaths, dependencies);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Target target;
  Emitter emitter(context, diagnostics, loader, *module, target);
  emitter.warns = false;
  try {
    SourceModule *file = loader.loadFile(sourcePath);
    if (!file)
      return std::nullopt;
    return read(emitter, *file);
  } catch (Refusal &refusal) {
    report(diagnostics, std::move(refusal));
    return std::nullopt;
  }
}

std::optional<KernelDeclaration> findKernel(StringRef sourcePath, StringRef kernel,
                                            const std::vector<std::string> &importPaths,
                                            Diagnostics &diagnostics) {
  return readFile<KernelDeclaration>(sourcePath, importPaths, diagnostics,
                                     [&](Emitter &emitter, SourceModule &file) {
                                       return declare(emitter, *findFunction(emitter, file, kernel));
                                     });
}

std::optional<std::vector<KernelDeclaration>>
listKernels(StringRef sourcePath, const std::vector<std::string> &importPaths, Diagnostics &diagnostics) {
  using Kernels = std::vector<KernelDeclaration>;
  return readFile<Kernels>(sourcePath, importPaths, diagnostics, [&](Emitter &emitter, SourceModule &file) {
    Kernels kernels;
    for (StringRef name : file.getNames()) {
      // What else a file defines need not make sense here.
      try {
        std::optional<Value> value = emitter.lookupGlobal(file, name);
        auto *function = value ? value->object<const Function>() : nullptr;
        if (function && function->kind == Function::Kind::Jit && function->definition &&
            function->module == &file && function->name == name)
          kernels.push_back(declare(emitter, *function));
      } catch (Refusal &) {
        continue;
      }
    }
    sort(kernels, [](auto &left, auto &right) { return left.line < right.line; });
    return kernels;
  });
}

} // namespace nereid::python
