// What triton and triton.language offer besides operations: dtypes and their methods, tl.constexpr, tl.tensor
// and other classes, the decorators, and triton.cdiv and triton.next_power_of_2 on compile-time values.
#include "compiler/frontends/python/Casting.h"
#include "compiler/frontends/python/Classes.h"
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"

using namespace llvm;

namespace nereid::python {

static const Type &typeArgument(Emitter &emitter, const Value &value, StringRef what) {
  if (value.isType())
    return value.asType();
  emitter.fail(what + " must be a dtype such as tl.float32, not a " + value.describe());
}

static void addDtypeMethods(BuiltinTable &table) {
  auto addTest = [&](StringRef name, bool (*test)(const Type &)) {
    table.add(("dtype." + name).str(), "self",
              [test](Emitter &, Arguments &arguments) -> Value { return test(arguments[0].asType()); });
  };
  addTest("is_ptr", [](const Type &type) { return type.isPointer(); });
  addTest("is_block", [](const Type &type) { return type.isBlock(); });
  addTest("is_const", [](const Type &type) { return type.isConstPointer(); });
  addTest("is_void", [](const Type &type) { return type.isVoid(); });
  addTest("is_floating", [](const Type &type) { return type.getScalar().isFloat(); });
  addTest("is_standard_floating", [](const Type &type) { return type.getScalar().isStandardFloat(); });
  addTest("is_int", [](const Type &type) { return type.getScalar().isInteger(); });
  addTest("is_int_signed", [](const Type &type) { return type.getScalar().isSignedInteger(); });
  addTest("is_int_unsigned", [](const Type &type) { return type.getScalar().isUnsignedInteger(); });
  addTest("is_bool", [](const Type &type) { return type.getScalar().isBool(); });
  addTest("is_fp8", [](const Type &type) { return type.getScalar().isFP8(); });
  for (int i = 0; i <= static_cast<int>(ScalarKind::FP64); ++i) {
    auto kind = static_cast<ScalarKind>(i);
    table.add(("dtype.is_" + getTypeName(kind)).str(), "self",
              [kind](Emitter &, Arguments &arguments) -> Value {
                return arguments[0].asType().getScalar().is(kind);
              });
  }
  table.add("dtype.get_block_shapes", "self", [](Emitter &, Arguments &arguments) {
    std::vector<Value> sizes;
    for (int64_t size : arguments[0].asType().getShape())
      sizes.push_back(Value(size));
    return Value::tuple(std::move(sizes));
  });
  table.add("dtype.with_element_ty", "self, element_ty", [](Emitter &emitter, Arguments &arguments) -> Value {
    return arguments[0].asType().withElement(typeArgument(emitter, arguments[1], "the element type"));
  });
  table.add("dtype.get_int_max_value", "self",
            [](Emitter &, Arguments &arguments) -> Value { return arguments[0].asType().getMaxInteger(); });
  table.add("dtype.get_int_min_value", "self",
            [](Emitter &, Arguments &arguments) -> Value { return arguments[0].asType().getMinInteger(); });
}

static void addClasses(BuiltinTable &table) {
  // tl.constexpr(x) is x: see Value.h. A run-time value stays one, as it does in Triton once it is assigned.
  table.addClass("tl.constexpr", "value",
                 [](Emitter &, Arguments &arguments) -> Value { return arguments[0]; });
  table.addClass("tl.dtype", "name", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (arguments[0].isStr())
      if (auto kind = parseScalarKind(arguments[0].asStr()))
        return Type(*kind);
    emitter.fail("there is no dtype " + arguments[0].repr());
  });
  table.addClass("tl.pointer_type", "element_ty, address_space=1, const=False",
                 [](Emitter &emitter, Arguments &arguments) -> Value {
                   const Type &element = typeArgument(emitter, arguments[0], "what a pointer points to");
                   if (!element.isScalarNumber() && !element.isPointer())
                     emitter.fail("a pointer cannot point to " + element.str());
                   return Type::pointer(element, arguments[2].isTruthy());
                 });
  table.addClass("tl.block_type", "element_ty, shape", [](Emitter &emitter, Arguments &arguments) -> Value {
    Shape shape;
    for (const Value &size : emitter.iterateValue(arguments[1]))
      shape.push_back(static_cast<int64_t>(wholeNumber(emitter, size, "a block's size")));
    return Type::block(typeArgument(emitter, arguments[0], "what a block is made of"), shape);
  });
  table.addClass("tl.tuple", "elements", [](Emitter &emitter, Arguments &arguments) {
    return Value::tuple(emitter.iterateValue(arguments[0]));
  });
  for (int i = 0; i <= static_cast<int>(ScalarKind::FP64); ++i) {
    auto kind = static_cast<ScalarKind>(i);
    table.addConstant("tl." + getLanguageName(kind), Type(kind));
  }
  table.addConstant("tl.N_ROUNDS_DEFAULT", 10);
  table.addConstant("tl.void", Type());
  table.addConstant("tl.pi32_t", Type::pointer(ScalarKind::Int32));
  table.addConstant("tl.TRITON_MAX_TENSOR_NUMEL", 1048576);
  auto propagation = std::make_shared<TupleObject>();
  propagation->className = "PropagateNan";
  propagation->fields = {"NONE", "ALL"};
  propagation->elements = {Value("none"), Value("all")};
  table.addConstant("tl.PropagateNan", propagation);
  table.add("tl.get_int_dtype", "bitwidth, signed", [](Emitter &emitter, Arguments &arguments) -> Value {
    BigInt bits = wholeNumber(emitter, arguments[0], "the width");
    std::string name = (arguments[1].isTruthy() && bits != 1 ? "int"
                        : bits == 1                          ? "int"
                                                             : "uint") +
                       bigToString(bits);
    if (auto kind = parseScalarKind(name))
      return Type(*kind);
    emitter.fail("there is no integer type of " + bigToString(bits) + " bits");
  });
}

/// The function with a decorator's changes.
static Value copyFunction(Emitter &emitter, StringRef decorator, const Value &value,
                          llvm::function_ref<void(Function &)> change) {
  auto *function = value.object<const Function>();
  if (!function)
    emitter.fail(decorator + " takes a function, not a " + value.describe());
  auto copy = std::make_shared<Function>(*function);
  change(*copy);
  return std::shared_ptr<const Function>(std::move(copy));
}

/// @triton.jit and its like, used as functions: `kernel = triton.jit(kernel_impl)`.
static void addDecorators(BuiltinTable &table) {
  auto makeJit = [](Emitter &emitter, const Value &value) -> Value {
    return copyFunction(emitter, "triton.jit", value,
                        [](Function &function) { function.kind = Function::Kind::Jit; });
  };
  auto makeJitOf = [makeJit](Emitter &emitter, Arguments &arguments) {
    return makeJit(emitter, arguments[0]);
  };
  table.add("triton.jit",
            "fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, "
            "do_not_specialize_on_alignment=None, debug=None, noinline=None",
            [makeJit](Emitter &emitter, Arguments &arguments) -> Value {
              return arguments[0].isNone() ? Value(BuiltinTable::get().find("triton.jit"))
                                           : makeJit(emitter, arguments[0]);
            });
  table.addClass("triton.JITFunction", "fn", [makeJit](Emitter &emitter, Arguments &arguments) {
    return makeJit(emitter, arguments[0]);
  });
  // A decorator with arguments gives a decorator, which gives the function itself.
  table.add("triton.same", "fn", [](Emitter &, Arguments &arguments) { return arguments[0]; });
  // `while tl.condition(x):`
  table.add("tl.condition", "arg, disable_licm=False",
            [](Emitter &, Arguments &arguments) { return arguments[0]; });
  table.add("triton.constexpr_function", "fn", [](Emitter &emitter, Arguments &arguments) {
    if (!arguments[0].object<const Function>())
      return arguments[0];
    return copyFunction(emitter, "triton.constexpr_function", arguments[0],
                        [](Function &function) { function.isConstexprFunction = true; });
  });
  table.add("triton.autotune", "configs=None", [](Emitter &, Arguments &arguments) -> Value {
    return std::make_shared<BoundMethod>(
        BoundMethod{arguments[0], BuiltinTable::get().find("triton.autotuned")});
  });
  table.add("triton.autotuned", "configs, fn", [](Emitter &emitter, Arguments &arguments) {
    return copyFunction(emitter, "triton.autotune", arguments[1],
                        [&](Function &function) { function.configs = arguments[0]; });
  });
  table.add("triton.heuristics", "values", [](Emitter &, Arguments &arguments) -> Value {
    return std::make_shared<BoundMethod>(
        BoundMethod{arguments[0], BuiltinTable::get().find("triton.computed")});
  });
  table.add("triton.computed", "values, fn", [](Emitter &emitter, Arguments &arguments) {
    return copyFunction(emitter, "triton.heuristics", arguments[1], [&](Function &function) {
      if (auto *entries = arguments[0].object<DictObject>())
        for (auto &[key, value] : entries->entries)
          if (key.isStr())
            function.heuristics.push_back({key.asStr(), value});
    });
  });
  table.add("triton.Config",
            "kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None",
            [](Emitter &, Arguments &arguments) -> Value {
              auto config = std::make_shared<TupleObject>();
              config->className = "triton.Config";
              config->fields = {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"};
              config->elements.assign(arguments.values.begin(), arguments.values.begin() + 6);
              return config;
            });
  table.add("triton.Config.all_kwargs", "self", [](Emitter &, Arguments &arguments) -> Value {
    const TupleObject &config = arguments[0].asTuple();
    auto all = std::make_shared<DictObject>();
    if (auto *constants = config.elements[0].object<DictObject>())
      *all = *constants;
    for (auto [field, value] : drop_begin(zip(config.fields, config.elements)))
      if (!value.isNone() && field != "pre_hook")
        all->set(Value(field), value);
    return all;
  });
  // Functions that take part in the compiler: `@core.extern def f(x, _semantic=None)`.
  table.add("tl.extern", "fn", makeJitOf);
  table.add("tl.builtin", "fn", makeJitOf);
  table.addAlias("tl.constexpr_function", "triton.constexpr_function");
  // On a class; see Classes.h.
  table.add("tl._aggregate", "cls", [](Emitter &emitter, Arguments &arguments) -> Value {
    auto *type = arguments[0].object<const ClassObject>();
    if (!type)
      emitter.fail("an aggregate is made of a class, not of a " + arguments[0].describe());
    auto copy = std::make_shared<ClassObject>(*type);
    copy->kind = ClassObject::Kind::Aggregate;
    return ClassPointer(std::move(copy));
  });
  table.addAlias("tl._unwrap_if_constexpr", "triton.same");
}

static void addTritonFunctions(BuiltinTable &table) {
  table.add("triton.cdiv", "x, y", [](Emitter &emitter, Arguments &arguments) -> Value {
    if (arguments[0].isTensor() || arguments[1].isTensor())
      return emitter.call(*emitter.lookupMember("tl", "cdiv"), {{arguments[0], arguments[1]}, {}});
    Value sum = emitter.applyBinary(ast::Operator::Add, arguments[0],
                                    emitter.applyBinary(ast::Operator::Sub, arguments[1], Value(1)));
    return emitter.applyBinary(ast::Operator::FloorDiv, sum, arguments[1]);
  });
  table.add("triton.next_power_of_2", "n", [](Emitter &emitter, Arguments &arguments) -> Value {
    BigInt n = wholeNumber(emitter, arguments[0], "the argument of triton.next_power_of_2"), power = 1;
    while (power < n)
      power <<= 1;
    return n <= 0 ? Value(0) : Value(power);
  });
  table.addConstant("triton.__version__", "3.6.0");
}

void addLanguageTypes(BuiltinTable &table) {
  addDtypeMethods(table);
  addClasses(table);
  addDecorators(table);
  addTritonFunctions(table);
}

} // namespace nereid::python
