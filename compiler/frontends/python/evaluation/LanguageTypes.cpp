// What triton and triton.language offer besides operations: dtypes and their methods, tl.constexpr, tl.tensor
// and other classes, the decorators, and triton.cdiv and triton.next_power_of_2 on compile-time values.
#include "compiler/frontends/python/evaluation/Autotune.h"
#include "compiler/frontends/python/evaluation/Classes.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"

using namespace llvm;

namespace nereid::python {

static const Type &typeArgument(Evaluator &evaluator, const Value &value, StringRef what) {
  if (value.isType())
    return value.asType();
  evaluator.fail(what + " must be a dtype such as tl.float32, not a " + value.describe());
}

static void addDtypeMethods(BuiltinTable &table) {
  auto addTest = [&](StringRef name, bool (*test)(const Type &)) {
    table.add(("dtype." + name).str(), "self",
              [test](Evaluator &, Arguments &arguments) -> Value { return test(arguments[0].asType()); });
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
              [kind](Evaluator &, Arguments &arguments) -> Value {
                return arguments[0].asType().getScalar().is(kind);
              });
  }
  table.add("dtype.get_block_shapes", "self", [](Evaluator &, Arguments &arguments) {
    std::vector<Value> sizes;
    for (int64_t size : arguments[0].asType().getShape())
      sizes.push_back(Value(size));
    return Value::tuple(std::move(sizes));
  });
  table.add(
      "dtype.with_element_ty", "self, element_ty", [](Evaluator &evaluator, Arguments &arguments) -> Value {
        return arguments[0].asType().withElement(typeArgument(evaluator, arguments[1], "the element type"));
      });
  table.add("dtype.get_int_max_value", "self",
            [](Evaluator &, Arguments &arguments) -> Value { return arguments[0].asType().getMaxInteger(); });
  table.add("dtype.get_int_min_value", "self",
            [](Evaluator &, Arguments &arguments) -> Value { return arguments[0].asType().getMinInteger(); });
}

static void addClasses(BuiltinTable &table) {
  // tl.constexpr(x) is x: see Value.h. A run-time value stays one, as it does in Triton once it is assigned.
  table.addClass("tl.constexpr", "value",
                 [](Evaluator &, Arguments &arguments) -> Value { return arguments[0]; });
  table.addClass("tl.dtype", "name", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (arguments[0].isStr())
      if (auto kind = parseScalarKind(arguments[0].asStr()))
        return Type(*kind);
    evaluator.fail("there is no dtype " + arguments[0].repr());
  });
  table.addClass("tl.pointer_type", "element_ty, address_space=1, const=False",
                 [](Evaluator &evaluator, Arguments &arguments) -> Value {
                   const Type &element = typeArgument(evaluator, arguments[0], "what a pointer points to");
                   if (!element.isScalarNumber() && !element.isPointer())
                     evaluator.fail("a pointer cannot point to " + element.str());
                   return Type::pointer(element, arguments[2].isTruthy());
                 });
  table.addClass(
      "tl.block_type", "element_ty, shape", [](Evaluator &evaluator, Arguments &arguments) -> Value {
        Shape shape;
        for (const Value &size : evaluator.iterateValue(arguments[1]))
          shape.push_back(static_cast<int64_t>(wholeNumber(evaluator, size, "a block's size")));
        return Type::block(typeArgument(evaluator, arguments[0], "what a block is made of"), shape);
      });
  table.addClass("tl.tuple", "elements", [](Evaluator &evaluator, Arguments &arguments) {
    return Value::tuple(evaluator.iterateValue(arguments[0]));
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
  table.add("tl.get_int_dtype", "bitwidth, signed", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt bits = wholeNumber(evaluator, arguments[0], "the width");
    std::string name = (arguments[1].isTruthy() && bits != 1 ? "int"
                        : bits == 1                          ? "int"
                                                             : "uint") +
                       bigToString(bits);
    if (auto kind = parseScalarKind(name))
      return Type(*kind);
    evaluator.fail("there is no integer type of " + bigToString(bits) + " bits");
  });
}

/// The function with a decorator's changes.
static Value copyFunction(Evaluator &evaluator, StringRef decorator, const Value &value,
                          llvm::function_ref<void(Function &)> change) {
  auto *function = value.object<const Function>();
  if (!function)
    evaluator.fail(decorator + " takes a function, not a " + value.describe());
  auto copy = std::make_shared<Function>(*function);
  change(*copy);
  return std::shared_ptr<const Function>(std::move(copy));
}

/// @triton.jit and its like, used as functions: `kernel = triton.jit(kernel_impl)`.
static void addDecorators(BuiltinTable &table) {
  auto makeJit = [](Evaluator &evaluator, const Value &value) -> Value {
    return copyFunction(evaluator, "triton.jit", value,
                        [](Function &function) { function.kind = Function::Kind::Jit; });
  };
  auto makeJitOf = [makeJit](Evaluator &evaluator, Arguments &arguments) {
    return makeJit(evaluator, arguments[0]);
  };
  table.add("triton.jit",
            "fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, "
            "do_not_specialize_on_alignment=None, debug=None, noinline=None",
            [makeJit](Evaluator &evaluator, Arguments &arguments) -> Value {
              return arguments[0].isNone() ? Value(evaluator.builtins.find("triton.jit"))
                                           : makeJit(evaluator, arguments[0]);
            });
  table.addClass("triton.JITFunction", "fn", [makeJit](Evaluator &evaluator, Arguments &arguments) {
    return makeJit(evaluator, arguments[0]);
  });
  // A decorator with arguments gives a decorator, which gives the function itself.
  table.add("triton.same", "fn", [](Evaluator &, Arguments &arguments) { return arguments[0]; });
  // `while tl.condition(x):`
  table.add("tl.condition", "arg, disable_licm=False",
            [](Evaluator &, Arguments &arguments) { return arguments[0]; });
  table.add("triton.constexpr_function", "fn", [](Evaluator &evaluator, Arguments &arguments) {
    if (!arguments[0].object<const Function>())
      return arguments[0];
    return copyFunction(evaluator, "triton.constexpr_function", arguments[0],
                        [](Function &function) { function.isConstexprFunction = true; });
  });
  addAutotune(table);
  table.add("triton.heuristics", "values", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    return std::make_shared<BoundMethod>(
        BoundMethod{arguments[0], evaluator.builtins.find("triton.computed")});
  });
  table.add("triton.computed", "values, fn", [](Evaluator &evaluator, Arguments &arguments) {
    return copyFunction(evaluator, "triton.heuristics", arguments[1], [&](Function &function) {
      if (auto *entries = arguments[0].object<DictObject>())
        for (auto &[key, value] : entries->entries)
          if (key.isStr())
            function.heuristics.push_back({key.asStr(), value});
    });
  });
  table.add("triton.Config",
            "kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None",
            [](Evaluator &, Arguments &arguments) -> Value {
              auto config = std::make_shared<TupleObject>();
              config->className = "triton.Config";
              config->fields = {"kwargs",  "num_warps", "num_stages", "num_ctas",
                                "maxnreg", "pre_hook",  "ir_override"};
              config->elements.assign(arguments.values.begin(), arguments.values.begin() + 7);
              return config;
            });
  table.add("triton.Config.all_kwargs", "self", [](Evaluator &, Arguments &arguments) -> Value {
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
  // `triton.runtime.jit` is a module, and the decorator.
  table.addAlias("triton.jit.constexpr_function", "triton.constexpr_function");
  // On a class; see Classes.h.
  table.add("tl._aggregate", "cls", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    auto *type = arguments[0].object<const ClassObject>();
    if (!type)
      evaluator.fail("an aggregate is made of a class, not of a " + arguments[0].describe());
    auto copy = std::make_shared<ClassObject>(*type);
    copy->kind = ClassObject::Kind::Aggregate;
    return ClassPointer(std::move(copy));
  });
  table.addAlias("tl._unwrap_if_constexpr", "triton.same");
}

static void addTritonFunctions(BuiltinTable &table) {
  table.add("triton.cdiv", "x, y", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    if (arguments[0].isTensor() || arguments[1].isTensor())
      return evaluator.call(*evaluator.lookupMember("tl", "cdiv"), {{arguments[0], arguments[1]}, {}});
    Value sum = evaluator.applyBinary(ast::Operator::Add, arguments[0],
                                      evaluator.applyBinary(ast::Operator::Sub, arguments[1], Value(1)));
    return evaluator.applyBinary(ast::Operator::FloorDiv, sum, arguments[1]);
  });
  table.add("triton.next_power_of_2", "n", [](Evaluator &evaluator, Arguments &arguments) -> Value {
    BigInt n = wholeNumber(evaluator, arguments[0], "the argument of triton.next_power_of_2"), power = 1;
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
