// libdevice under its several paths: NVIDIA's library of element-wise functions, which kernels call by name.
//
// A function has one form or several, each for operands of exactly given types; nothing is promoted, as in
// Triton. On NVIDIA GPUs a call is a call of the library's own function. Elsewhere it becomes, in this order,
// an operation of MLIR that means the same, a function of AMD's library, or a function of
// prelude/libdevice.py; so `libdevice.tanh(x)` is math.tanh on the CPU and `libdevice.add_rz(x, y)` is
// arithmetic that computes it.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

/// One signature of a function: letters for the operands' types and the result's, and the symbol.
struct Form {
  std::string operands;
  std::string symbol;
  char result;
};

static ScalarKind kindOf(char letter) {
  switch (letter) {
  case 'i':
    return ScalarKind::Int32;
  case 'u':
    return ScalarKind::UInt32;
  case 'l':
    return ScalarKind::Int64;
  case 'm':
    return ScalarKind::UInt64;
  case 'f':
    return ScalarKind::FP32;
  default:
    return ScalarKind::FP64;
  }
}

/// What is regular: `__nv_sinf` takes floats and gives one, `__nv_sin` the same for doubles.
static const std::pair<unsigned, const char *> floatFunctions[] = {
    {1, "floor rsqrt ceil trunc exp2 sqrt rint nearbyint sin cos sinpi cospi tan log2 exp exp10 cosh sinh "
        "tanh atan asin acos log log10 log1p acosh asinh atanh expm1 cbrt rcbrt j0 j1 y0 y1 cyl_bessel_i0 "
        "cyl_bessel_i1 erf erfinv erfc erfcx erfcinv normcdfinv normcdf lgamma tgamma round logb"},
    {2, "copysign nextafter atan2 hypot rhypot fmod remainder fdim"},
    {3, "norm3d rnorm3d fma"},
    {4, "norm4d rnorm4d"}};

/// Float32 only, the symbol being the name.
static const std::pair<unsigned, const char *> fastFunctions[] = {
    {1, "saturatef fast_sinf fast_cosf fast_log2f fast_logf fast_expf fast_tanf fast_exp10f fast_log10f "
        "finitef"},
    {2, "fast_powf"}};

/// Arithmetic with a rounding mode: `__nv_fadd_rz`, `__nv_dadd_rz`.
static const std::pair<unsigned, const char *> roundedFunctions[] = {{1, "rcp sqrt"}, {2, "add sub mul div"}};

/// Conversions with a rounding mode, by the types that they take and give.
static const std::pair<const char *, const char *> conversions[] = {{"df", "double2float"},
                                                                    {"di", "double2int double2uint"},
                                                                    {"dl", "double2ll double2ull"},
                                                                    {"fi", "float2int float2uint"},
                                                                    {"fl", "float2ll float2ull"},
                                                                    {"if", "int2float"},
                                                                    {"uf", "uint2float"},
                                                                    {"lf", "ll2float"},
                                                                    {"mf", "ull2float"},
                                                                    {"ld", "ll2double"},
                                                                    {"md", "ull2double"}};

/// The others, form by form: operands, symbol, result.
static const std::pair<const char *, std::vector<Form>> &irregular(size_t index) {
  static const std::pair<const char *, std::vector<Form>> functions[] = {
      {"clz", {{"i", "clz", 'i'}, {"l", "clzll", 'i'}}},
      {"popc", {{"i", "popc", 'i'}, {"l", "popcll", 'i'}}},
      {"ffs", {{"i", "ffs", 'i'}, {"l", "ffsll", 'i'}}},
      {"brev", {{"i", "brev", 'i'}, {"l", "brevll", 'l'}}},
      {"byte_perm", {{"iii", "byte_perm", 'i'}}},
      {"mulhi",
       {{"ii", "mulhi", 'i'}, {"uu", "umulhi", 'u'}, {"ll", "mul64hi", 'l'}, {"mm", "umul64hi", 'm'}}},
      {"mul24", {{"ii", "mul24", 'i'}, {"uu", "umul24", 'u'}}},
      {"hadd", {{"ii", "hadd", 'i'}, {"uu", "uhadd", 'u'}}},
      {"rhadd", {{"ii", "rhadd", 'i'}, {"uu", "urhadd", 'u'}}},
      {"sad", {{"iiu", "sad", 'i'}, {"uuu", "usad", 'u'}}},
      {"abs", {{"i", "abs", 'i'}, {"l", "llabs", 'l'}, {"f", "fabsf", 'f'}, {"d", "fabs", 'd'}}},
      {"rcp64h", {{"d", "rcp64h", 'd'}}},
      {"rsqrt_rn", {{"f", "frsqrt_rn", 'f'}}},
      {"fast_dividef", {{"ff", "fast_fdividef", 'f'}}},
      {"int2double_rn", {{"i", "int2double_rn", 'd'}}},
      {"uint2double_rn", {{"u", "uint2double_rn", 'd'}}},
      {"hiloint2double", {{"ii", "hiloint2double", 'd'}}},
      {"double2loint", {{"d", "double2loint", 'i'}}},
      {"double2hiint", {{"d", "double2hiint", 'i'}}},
      {"int_as_float", {{"i", "int_as_float", 'f'}}},
      {"float_as_int", {{"f", "float_as_int", 'i'}}},
      {"uint_as_float", {{"u", "uint_as_float", 'f'}}},
      {"float_as_uint", {{"f", "float_as_uint", 'i'}}},
      {"longlong_as_double", {{"l", "longlong_as_double", 'd'}}},
      {"double_as_longlong", {{"d", "double_as_longlong", 'l'}}},
      {"llrint", {{"f", "llrintf", 'l'}, {"d", "llrint", 'l'}}},
      {"llround", {{"f", "llroundf", 'l'}, {"d", "llround", 'l'}}},
      {"ilogb", {{"f", "ilogbf", 'i'}, {"d", "ilogb", 'i'}}},
      {"isnan", {{"f", "isnanf", 'i'}, {"d", "isnand", 'i'}}},
      {"isinf", {{"f", "isinff", 'i'}, {"d", "isinfd", 'i'}}},
      {"isfinited", {{"d", "isfinited", 'i'}}},
      {"signbit", {{"f", "signbitf", 'i'}, {"d", "signbitd", 'i'}}},
      {"jn", {{"if", "jnf", 'f'}, {"id", "jn", 'd'}}},
      {"yn", {{"if", "ynf", 'f'}, {"id", "yn", 'd'}}},
      {"ldexp", {{"fi", "ldexpf", 'f'}, {"di", "ldexp", 'd'}}},
      {"scalbn", {{"fi", "scalbnf", 'f'}, {"di", "scalbn", 'd'}}},
      {"pow", {{"fi", "powif", 'f'}, {"di", "powi", 'd'}, {"ff", "powf", 'f'}, {"dd", "pow", 'd'}}},
      {nullptr, {}}};
  return functions[index];
}

using EmitOperation = mlir::Value (*)(Emitter &, ArrayRef<mlir::Value>);

template <typename Op> static mlir::Value emitOp(Emitter &emitter, ArrayRef<mlir::Value> v) {
  if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
    return emitter.create<Op>(v[0]);
  else if constexpr (Op::template hasTrait<OpTrait::NOperands<2>::Impl>())
    return emitter.create<Op>(v[0], v[1]);
  else
    return emitter.create<Op>(v[0], v[1], v[2]);
}

/// The operations that mean the same as a function, for operands of the result's type.
static EmitOperation findOperation(StringRef name, bool isFloat) {
  static const llvm::StringMap<EmitOperation> operations = {
      {"exp", emitOp<math::ExpOp>},         {"exp2", emitOp<math::Exp2Op>},
      {"expm1", emitOp<math::ExpM1Op>},     {"log", emitOp<math::LogOp>},
      {"log2", emitOp<math::Log2Op>},       {"log10", emitOp<math::Log10Op>},
      {"log1p", emitOp<math::Log1pOp>},     {"sqrt", emitOp<math::SqrtOp>},
      {"rsqrt", emitOp<math::RsqrtOp>},     {"cbrt", emitOp<math::CbrtOp>},
      {"sin", emitOp<math::SinOp>},         {"cos", emitOp<math::CosOp>},
      {"tan", emitOp<math::TanOp>},         {"asin", emitOp<math::AsinOp>},
      {"acos", emitOp<math::AcosOp>},       {"atan", emitOp<math::AtanOp>},
      {"sinh", emitOp<math::SinhOp>},       {"cosh", emitOp<math::CoshOp>},
      {"tanh", emitOp<math::TanhOp>},       {"asinh", emitOp<math::AsinhOp>},
      {"acosh", emitOp<math::AcoshOp>},     {"atanh", emitOp<math::AtanhOp>},
      {"erf", emitOp<math::ErfOp>},         {"erfc", emitOp<math::ErfcOp>},
      {"floor", emitOp<math::FloorOp>},     {"ceil", emitOp<math::CeilOp>},
      {"trunc", emitOp<math::TruncOp>},     {"round", emitOp<math::RoundOp>},
      {"rint", emitOp<math::RoundEvenOp>},  {"nearbyint", emitOp<math::RoundEvenOp>},
      {"fast_expf", emitOp<math::ExpOp>},   {"fast_logf", emitOp<math::LogOp>},
      {"fast_log2f", emitOp<math::Log2Op>}, {"fast_log10f", emitOp<math::Log10Op>},
      {"fast_sinf", emitOp<math::SinOp>},   {"fast_cosf", emitOp<math::CosOp>},
      {"fast_tanf", emitOp<math::TanOp>},   {"sqrt_rn", emitOp<tt::PreciseSqrtOp>},
      {"fma", emitOp<math::FmaOp>},         {"fma_rn", emitOp<math::FmaOp>},
      {"pow", emitOp<math::PowFOp>},        {"fast_powf", emitOp<math::PowFOp>},
      {"atan2", emitOp<math::Atan2Op>},     {"copysign", emitOp<math::CopySignOp>},
      {"fmod", emitOp<arith::RemFOp>},      {"fast_dividef", emitOp<arith::DivFOp>},
      {"popc", emitOp<math::CtPopOp>},      {"clz", emitOp<math::CountLeadingZerosOp>}};
  if (name == "abs")
    return isFloat ? emitOp<math::AbsFOp> : emitOp<math::AbsIOp>;
  return operations.lookup(name);
}

/// AMD's library has these under other names or the same.
static StringRef findOCMLName(StringRef name) {
  static const llvm::StringSet<> same = {
      "erfinv", "erfcinv", "erfcx", "lgamma", "tgamma", "exp10",  "rcbrt", "sinpi",     "cospi",    "j0",
      "j1",     "y0",      "y1",    "logb",   "hypot",  "rhypot", "fdim",  "nextafter", "remainder"};
  if (same.contains(name))
    return name;
  return llvm::StringSwitch<StringRef>(name)
      .Case("cyl_bessel_i0", "i0")
      .Case("cyl_bessel_i1", "i1")
      .Case("normcdf", "ncdf")
      .Case("normcdfinv", "ncdfinv")
      .Default("");
}

static Value emitExtern(Emitter &emitter, ArrayRef<Tensor> operands, const Type &result, StringRef symbol) {
  SmallVector<mlir::Value> handles;
  for (const Tensor &operand : operands)
    handles.push_back(operand.handle);
  return Tensor{emitter.create<tt::ExternElementwiseOp>(toMLIR(result, emitter.getMLIRContext()), handles, "",
                                                        "", symbol, true),
                result};
}

/// The call for one target, the operands being of the form's types and of one shape.
static Value emitCall(Emitter &emitter, StringRef name, const Form &form, ArrayRef<Tensor> operands) {
  Type element = kindOf(form.result);
  Type result = operands[0].type.withElement(element);
  std::string symbol = "__nv_" + form.symbol;
  if (emitter.target.backend == Backend::CUDA)
    return emitExtern(emitter, operands, result, symbol);
  // Bits keep their places: float_as_int and its like.
  if (name.contains("_as_"))
    return bitcastTo(emitter, operands[0], element);
  if (EmitOperation emit = findOperation(name, element.isFloat())) {
    SmallVector<mlir::Value> handles;
    for (const Tensor &operand : operands)
      handles.push_back(element.isFloat() ? castTo(emitter, operand, element).handle : operand.handle);
    Tensor value{emit(emitter, handles), element.isFloat() ? result : operands[0].type};
    return castTo(emitter, value, element);
  }
  StringRef ocml = findOCMLName(name);
  if (emitter.target.backend == Backend::HIP && !ocml.empty())
    return emitExtern(emitter, operands, result,
                      ("__ocml_" + ocml + (element.is(ScalarKind::FP64) ? "_f64" : "_f32")).str());

  CallArguments arguments;
  arguments.positional.assign(operands.begin(), operands.end());
  SourceModule &prelude = emitter.loader.getLibdevice();
  if (prelude.getBindings(name))
    return emitter.call(*emitter.lookupGlobal(prelude, name), std::move(arguments));
  auto [stem, mode] = name.rsplit("_r");
  std::string directed = (stem + "_directed").str();
  if (mode.size() == 1 && prelude.getBindings(directed)) {
    arguments.positional.push_back(Value(mode));
    return emitter.call(*emitter.lookupGlobal(prelude, directed), std::move(arguments));
  }
  if (emitter.target.backend == Backend::HIP)
    emitter.fail("libdevice." + name + " is not available on AMD GPUs");
  return emitExtern(emitter, operands, result, symbol);
}

static std::string listForms(ArrayRef<Form> forms) {
  std::string text;
  for (const Form &form : forms) {
    text += text.empty() ? "(" : " or (";
    for (auto [index, letter] : enumerate(form.operands))
      text += (index ? ", " : "") + getTypeName(kindOf(letter)).str();
    text += ")";
  }
  return text;
}

static void addFunction(LanguageTable &table, StringRef name, std::vector<Form> forms) {
  std::string parameters;
  for (size_t i = 0; i < forms[0].operands.size(); ++i)
    parameters += (i ? ", arg" : "arg") + std::to_string(i);
  table.add(("libdevice." + name).str(), parameters,
            [name = name.str(), forms = std::move(forms)](Emitter &emitter, Arguments &arguments) -> Value {
              SmallVector<Tensor> operands;
              std::string given;
              for (const Value &argument : arguments.values) {
                operands.push_back(emitter.toTensor(argument));
                given += (given.empty() ? "" : ", ") + operands.back().type.getScalar().str();
              }
              auto form = find_if(forms, [&](const Form &candidate) {
                return all_of(zip(candidate.operands, operands), [](auto pair) {
                  return std::get<1>(pair).type.getScalar().is(kindOf(std::get<0>(pair)));
                });
              });
              if (form == forms.end())
                emitter.fail("libdevice." + name + " takes " + listForms(forms) + ", not (" + given + ")");
              for (size_t round = 0; round < 2; ++round)
                for (size_t i = 1; i < operands.size(); ++i)
                  matchShapes(emitter, operands[0], operands[i]);
              Value result = emitCall(emitter, name, *form, operands);
              // The library answers these with an int, Triton with a truth value: ~isnan(x) is what it says.
              bool isQuestion =
                  name == "isnan" || name == "isinf" || name == "finitef" || name == "isfinited";
              return isQuestion ? Value(castToBool(emitter, tensorOf(result))) : result;
            });
}

/// tl.extern_elementwise: the table of forms is the kernel's own, by tuples of dtypes.
static Value externElementwise(Emitter &emitter, Arguments &arguments) {
  SmallVector<Tensor> operands;
  std::vector<Value> types;
  for (const Value &argument : emitter.iterateValue(arguments[2])) {
    operands.push_back(emitter.toTensor(argument));
    types.push_back(operands.back().type.getScalar());
  }
  auto *forms = arguments[3].object<DictObject>();
  if (!forms || operands.empty())
    emitter.fail(
        "tl.extern_elementwise takes a list of operands and a dict from tuples of dtypes to a symbol and "
        "a dtype");
  Value key = Value::tuple(types);
  for (auto &[operandTypes, form] : forms->entries) {
    if (!equalValues(operandTypes, key))
      continue;
    std::vector<Value> parts = emitter.iterateValue(form);
    if (parts.size() != 2 || !parts[0].isStr() || !parts[1].isType())
      emitter.fail("a form of tl.extern_elementwise is a symbol and the dtype of its result, not " +
                   form.repr());
    for (size_t round = 0; round < 2; ++round)
      for (size_t i = 1; i < operands.size(); ++i)
        matchShapes(emitter, operands[0], operands[i]);
    return emitExtern(emitter, operands, operands[0].type.withElement(parts[1].asType()), parts[0].asStr());
  }
  emitter.fail("tl.extern_elementwise has no form for " + key.repr());
}

template <typename Body> static void forEachName(StringRef names, Body body) {
  SmallVector<StringRef> list;
  names.split(list, ' ');
  for (StringRef name : list)
    body(name);
}

void addLibdeviceBuiltins(LanguageTable &table) {
  table.add("tl.extern_elementwise", "lib_name, lib_path, args, arg_type_symbol_dict, is_pure=False",
            externElementwise);
  for (auto [count, names] : floatFunctions)
    forEachName(names, [&, count = count](StringRef name) {
      addFunction(
          table, name,
          {{std::string(count, 'f'), (name + "f").str(), 'f'}, {std::string(count, 'd'), name.str(), 'd'}});
    });
  for (auto [count, names] : fastFunctions)
    forEachName(names, [&, count = count](StringRef name) {
      addFunction(table, name, {{std::string(count, 'f'), name.str(), name == "finitef" ? 'i' : 'f'}});
    });
  for (StringRef mode : {"_rn", "_rz", "_rd", "_ru"}) {
    for (auto [count, names] : roundedFunctions)
      forEachName(names, [&, count = count](StringRef stem) {
        std::string name = (stem + mode).str();
        addFunction(table, name,
                    {{std::string(count, 'f'), "f" + name, 'f'}, {std::string(count, 'd'), "d" + name, 'd'}});
      });
    addFunction(table, ("fma" + mode).str(),
                {{"fff", ("fmaf" + mode).str(), 'f'}, {"ddd", ("fma" + mode).str(), 'd'}});
    for (auto [types, names] : conversions)
      forEachName(names, [&, types = types](StringRef stem) {
        std::string name = (stem + mode).str();
        addFunction(table, name, {{std::string(1, types[0]), name, types[1]}});
      });
  }
  for (size_t i = 0; irregular(i).first; ++i)
    addFunction(table, irregular(i).first, irregular(i).second);

  // Older names of the same functions.
  using EmitBinary = mlir::Value (*)(Emitter &, ArrayRef<mlir::Value>);
  static const std::pair<const char *, EmitBinary> older[] = {{"max", emitOp<arith::MaxNumFOp>},
                                                              {"min", emitOp<arith::MinNumFOp>},
                                                              {"fmax", emitOp<arith::MaxNumFOp>},
                                                              {"fmin", emitOp<arith::MinNumFOp>}};
  for (auto &[name, emit] : older)
    table.add(("libdevice." + Twine(name)).str(), "x, y",
              [emit = emit](Emitter &emitter, Arguments &arguments) -> Value {
                Tensor x = emitter.toTensor(arguments[0]), y = emitter.toTensor(arguments[1]);
                if (!x.type.getScalar().isFloat() || x.type.getScalar() != y.type.getScalar())
                  emitter.fail("this function of libdevice takes two floats of one type, not " +
                               x.type.str() + " and " + y.type.str());
                matchShapes(emitter, x, y);
                return Tensor{emit(emitter, {x.handle, y.handle}), x.type};
              });
  table.addAlias("libdevice.fabs", "libdevice.abs");
  table.addAlias("libdevice.fdividef", "libdevice.fast_dividef");
  table.add("libdevice.fast_tanhf", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor x = emitter.toTensor(arguments[0]);
    if (!x.type.getScalar().is(ScalarKind::FP32))
      emitter.fail("libdevice.fast_tanhf takes (fp32), not (" + x.type.getScalar().str() + ")");
    return Tensor{emitter.create<math::TanhOp>(x.handle), x.type};
  });
}

} // namespace nereid::python
