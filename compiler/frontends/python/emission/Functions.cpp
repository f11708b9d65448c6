// Functions that are emitted apart, for noinline, and those that a reduction, scan or map combines elements
// with.
#include "compiler/frontends/python/emission/Emitter.h"
#include "compiler/frontends/python/emission/RunTimeParts.h"
#include "compiler/frontends/python/values/ClassObject.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace nereid::python {

/// What a function is specialized for by an argument: types where it is a run-time value, constants
/// elsewhere.
static std::string mangle(const Value &value) {
  if (value.isTensor())
    return value.asRunTime().type.str();
  if (!value.hasTensor())
    return "c" + value.repr();
  auto *object = value.object<InstanceObject>();
  std::string name = object ? object->type->name : "";
  for (const Value &part : value.parts())
    name += "_" + mangle(part);
  return name;
}

/// An instance of a function: its own name, the types it gets and the constants it is specialized for.
static std::string describeInstance(const Function &function, const Scope &arguments) {
  std::string name = function.name + "__";
  for (auto &[parameter, value] : arguments)
    name += "_" + mangle(value);
  return name;
}

/// The instance's name in the module, which must not make two of them one.
static std::string makeSymbol(mlir::ModuleOp module, StringRef instance) {
  std::string legal;
  for (char c : instance)
    legal += isAlnum(c) || c == '_' ? c : c == '-' ? 'm' : '_';
  std::string symbol = legal;
  for (unsigned count = 2; module.lookupSymbol(symbol); ++count)
    symbol = legal + "_" + std::to_string(count);
  return symbol;
}

Value Emitter::callNoInline(const Function &function, const Scope &arguments) {
  SmallVector<Tensor> tensors;
  for (auto &[name, value] : arguments)
    flatten(value, tensors);
  std::string instance = describeInstance(function, arguments);
  Outlined &known = outlined[{function.definition, instance}];
  if (known.callee && !known.result)
    fail("'" + function.name + "' calls itself, which a noinline function cannot");
  SmallVector<mlir::Type> types = typesOf(tensors);
  if (!known.callee) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    mlir::Location location = getLocation(function.getRange().Start);
    auto callee = tt::FuncOp::create(builder, location, makeSymbol(module, instance),
                                     builder.getFunctionType(types, {}));
    known.callee = callee;
    callee.setVisibility(mlir::SymbolTable::Visibility::Private);
    callee->setAttr("noinline", builder.getBoolAttr(true));
    mlir::Block *entry = &callee.getBody().emplaceBlock();
    Scope inner;
    SmallVector<mlir::Value> handles;
    for (mlir::Type type : types)
      handles.push_back(entry->addArgument(type, location));
    ArrayRef<mlir::Value> rest(handles);
    for (auto &[name, value] : arguments) {
      inner[name] = unflatten(value, rest);
      SmallVector<Tensor> parts;
      flatten(inner[name], parts);
      for (Tensor &part : parts)
        part.handle.setLoc(mlir::NameLoc::get(builder.getStringAttr(name), part.handle.getLoc()));
    }
    builder.setInsertionPointToStart(entry);
    Frame body;
    body.function = &function;
    body.module = function.module;
    body.caller = frame;
    body.closure = function.closure;
    body.locals = std::move(inner);
    calls.push_back({range, assignedName, function.name, /*isApart=*/true});
    Frame *saved = frame;
    StringRef savedName = assignedName;
    frame = &body;
    assignedName = "";
    scope_exit restore([&] {
      frame = saved;
      assignedName = savedName;
      calls.pop_back();
    });
    execute(function.definition->body, nullptr);
    Value result = body.returned.value_or(Value());
    SmallVector<Tensor> results;
    flatten(result, results);
    create<tt::ReturnOp>(handlesOf(results));
    callee.setFunctionType(builder.getFunctionType(types, typesOf(results)));
    known.result = result;
  }
  auto call = create<tt::CallOp>(known.callee, handlesOf(tensors));
  SmallVector<mlir::Value> results(call->getResults());
  ArrayRef<mlir::Value> rest(results);
  return unflatten(*known.result, rest);
}

template <typename Return>
std::vector<Type> Emitter::fillCombineRegion(mlir::Region &region, ArrayRef<Type> types,
                                             const Value &combine) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = region.empty() ? &region.emplaceBlock() : &region.front();
  CallArguments arguments;
  for (const Type &type : types)
    arguments.positional.push_back(
        Tensor{block->addArgument(toMLIR(type, getMLIRContext()), getLocation()), type});
  builder.setInsertionPointToStart(block);
  Value result = call(combine, std::move(arguments));
  std::vector<Value> parts = result.isTuple() ? result.asTuple().elements : std::vector<Value>{result};
  std::vector<Type> returned;
  SmallVector<mlir::Value> handles;
  for (Value &part : parts) {
    Tensor tensor = toTensor(part);
    if (tensor.type.isBlock())
      fail("a combining function must return scalars, but " + combine.describe() +
           " returns a block of type " + tensor.type.str());
    handles.push_back(tensor.handle);
    returned.push_back(tensor.type);
  }
  if constexpr (!std::is_same_v<Return, tt::MapElementwiseReturnOp>)
    if (ArrayRef<Type>(returned) != types.take_front(types.size() / 2)) {
      auto list = [](ArrayRef<Type> all) {
        std::string text;
        for (const Type &type : all)
          text += (text.empty() ? "" : ", ") + type.str();
        return text;
      };
      fail(combine.describe() + " must return what it combines, " + list(types.take_front(types.size() / 2)) +
           ", but returns " + list(returned));
    }
  create<Return>(handles);
  return returned;
}

template std::vector<Type> Emitter::fillCombineRegion<tt::ReduceReturnOp>(mlir::Region &, ArrayRef<Type>,
                                                                          const Value &);
template std::vector<Type> Emitter::fillCombineRegion<tt::ScanReturnOp>(mlir::Region &, ArrayRef<Type>,
                                                                        const Value &);
template std::vector<Type>
Emitter::fillCombineRegion<tt::MapElementwiseReturnOp>(mlir::Region &, ArrayRef<Type>, const Value &);

} // namespace nereid::python
