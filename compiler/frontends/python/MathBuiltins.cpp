// Element-wise mathematics: tl.exp and its like, tl.where, minimum and maximum, and libdevice under its
// several paths.
//
// As in Triton, most functions take float32 and float64 only; a narrower float is converted by the kernel's
// author, who then sees where precision goes. A libdevice function becomes an operation of MLIR's math
// dialect where that has one with the same meaning, so that every target can provide it, and a call by name
// otherwise.
#include "compiler/frontends/python/Arithmetic.h"
#include "compiler/frontends/python/Broadcasting.h"
#include "compiler/frontends/python/Casting.h"
#include "compiler/frontends/python/Emitter.h"
#include "compiler/frontends/python/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace llvm;
using namespace mlir;

namespace nereid::python {

using EmitUnary = mlir::Value (*)(Emitter &, mlir::Value);

template <typename Op> static mlir::Value emitUnary(Emitter &emitter, mlir::Value operand) {
  return emitter.create<Op>(operand);
}
template <typename Op> static mlir::Value emitBinaryOp(Emitter &emitter, mlir::Value a, mlir::Value b) {
  return emitter.create<Op>(a, b);
}

static void checkFloat(Emitter &emitter, const Tensor &tensor, ArrayRef<ScalarKind> kinds) {
  const Type &scalar = tensor.type.getScalar();
  if (any_of(kinds, [&](ScalarKind kind) { return scalar.is(kind); }))
    return;
  std::string expected;
  for (ScalarKind kind : kinds)
    expected += (expected.empty() ? "'" : ", '") + getTypeName(kind).str() + "'";
  emitter.fail("Expected dtype [" + expected + "] but got " + scalar.str());
}

static void addFloatFunction(BuiltinTable &table, StringRef name, EmitUnary emit, bool onlyFP32 = false) {
  table.add(name, "x", [emit, onlyFP32](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor x = emitter.toTensor(arguments[0]);
    checkFloat(emitter, x,
               onlyFP32 ? ArrayRef<ScalarKind>{ScalarKind::FP32}
                        : ArrayRef<ScalarKind>{ScalarKind::FP32, ScalarKind::FP64});
    return Tensor{emit(emitter, x.handle), x.type};
  });
}

static Value absolute(Emitter &emitter, Arguments &arguments) {
  Tensor x = emitter.toTensor(arguments[0]);
  const Type &scalar = x.type.getScalar();
  if (scalar.isFloat() && !scalar.is(ScalarKind::FP8E4B15))
    return Tensor{emitter.create<math::AbsFOp>(x.handle), x.type};
  if (scalar.isSignedInteger())
    return Tensor{emitter.create<math::AbsIOp>(x.handle), x.type};
  if (scalar.isUnsignedInteger())
    return x;
  emitter.fail("tl.abs does not go with " + x.type.str());
}

static Value where(Emitter &emitter, Arguments &arguments) {
  Tensor condition = castToBool(emitter, emitter.toTensor(arguments[0]));
  OperandRules rules;
  rules.leftPointer = rules.rightPointer = true;
  auto [x, y] = matchOperands(emitter, arguments[1], arguments[2], rules);
  if (x.type.getScalar() != y.type.getScalar())
    emitter.fail("the values of tl.where have types " + x.type.str() + " and " + y.type.str() +
                 ", which do not go together");
  if (condition.type.isBlock()) {
    matchShapes(emitter, condition, x);
    matchShapes(emitter, x, y);
  } else if (x.type.isBlock()) {
    condition = splat(emitter, condition, x.type.getShape());
  }
  return Tensor{emitter.create<arith::SelectOp>(condition.handle, x.handle, y.handle), x.type};
}

static bool propagatesNaN(Emitter &emitter, const Value &value) {
  if (value.isStr() && (value.asStr() == "all" || value.asStr() == "none"))
    return value.asStr() == "all";
  emitter.fail("propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE, not " + value.repr());
}

static Value clamp(Emitter &emitter, Arguments &arguments) {
  auto [low, high] = matchOperands(emitter, arguments[1], arguments[2]);
  auto [x, low2] = matchOperands(emitter, arguments[0], low);
  auto [x2, high2] = matchOperands(emitter, x, high);
  auto [x3, low3] = matchOperands(emitter, x2, low2);
  if (!x3.type.getScalar().isFloat())
    emitter.fail("tl.clamp takes floats, not " + x3.type.str() + "; use tl.minimum and tl.maximum");
  auto nan = propagatesNaN(emitter, arguments[3]) ? tt::PropagateNan::ALL : tt::PropagateNan::NONE;
  return Tensor{emitter.create<tt::ClampFOp>(x3.handle.getType(), x3.handle, low3.handle, high2.handle, nan),
                x3.type};
}

static Value fusedMultiplyAdd(Emitter &emitter, Arguments &arguments) {
  auto [x, y] = matchOperands(emitter, arguments[0], arguments[1]);
  auto [z, x2] = matchOperands(emitter, arguments[2], x);
  auto [z2, y2] = matchOperands(emitter, z, y);
  auto [x3, z3] = matchOperands(emitter, x2, z2);
  if (!x3.type.getScalar().isFloat())
    emitter.fail("tl.fma takes floats, not " + x3.type.str());
  return Tensor{emitter.create<math::FmaOp>(x3.handle, y2.handle, z3.handle), x3.type};
}

static Value divideFloats(Emitter &emitter, Arguments &arguments) {
  for (size_t i : {0, 1})
    if (!emitter.toTensor(arguments[i]).type.getScalar().isFloat())
      emitter.fail("tl.fdiv takes floats, not " + emitter.toTensor(arguments[i]).type.str());
  auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
  return Tensor{emitter.create<arith::DivFOp>(x.handle, y.handle), x.type};
}

static Value multiplyHigh(Emitter &emitter, Arguments &arguments) {
  auto [x, y] = matchOperands(emitter, arguments[0], arguments[1]);
  const Type &scalar = x.type.getScalar();
  if (!scalar.isInteger() || scalar.getBits() < 32)
    emitter.fail("Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got " + scalar.str());
  return Tensor{emitter.create<tt::MulhiUIOp>(x.handle, y.handle), x.type};
}

//===----------------------------------------------------------------------===//
// libdevice
//===----------------------------------------------------------------------===//

/// A call of a device library's function by name: `__nv_rhypotf`, `__ocml_rhypot_f32`.
static Value emitExtern(Emitter &emitter, StringRef name, std::vector<Value> operands, Type resultElement) {
  std::vector<Tensor> tensors;
  for (Value &operand : operands)
    tensors.push_back(emitter.toTensor(operand));
  for (size_t i = 1; i < tensors.size(); ++i)
    std::tie(tensors[0], tensors[i]) = matchOperands(emitter, tensors[0], tensors[i]);
  for (size_t i = 1; i < tensors.size(); ++i)
    std::tie(tensors[0], tensors[i]) = matchOperands(emitter, tensors[0], tensors[i]);
  checkFloat(emitter, tensors[0], {ScalarKind::FP32, ScalarKind::FP64});
  bool isDouble = tensors[0].type.getScalar().is(ScalarKind::FP64);
  std::string symbol;
  if (emitter.target.backend == Backend::HIP)
    symbol = ("__ocml_" + name + (isDouble ? "_f64" : "_f32")).str();
  else if (isDouble && name == "isfinited")
    symbol = "__nv_isfinited";
  else if (!isDouble && name == "isfinited")
    symbol = "__nv_finitef";
  else
    symbol = ("__nv_" + name + (isDouble ? (name == "isnan" || name == "isinf" ? "d" : "") : "f")).str();
  Type result =
      tensors[0].type.withElement(resultElement.isVoid() ? tensors[0].type.getScalar() : resultElement);
  SmallVector<mlir::Value> handles;
  for (Tensor &tensor : tensors)
    handles.push_back(tensor.handle);
  return Tensor{emitter.create<tt::ExternElementwiseOp>(result.toMLIR(emitter.getMLIRContext()), handles, "",
                                                        "", symbol, true),
                result};
}

/// Inline assembly over packs of elements, for GPU targets.
static Value inlineAssembly(Emitter &emitter, Arguments &arguments) {
  for (size_t i : {0, 1})
    if (!arguments[i].isStr())
      emitter.fail("the assembly and its constraints must be strings, not a " + arguments[i].describe());
  std::vector<Tensor> inputs;
  for (const Value &input : emitter.iterateValue(arguments[2]))
    inputs.push_back(emitter.toTensor(input));
  for (size_t round = 0; round < 2; ++round)
    for (size_t i = 1; i < inputs.size(); ++i)
      matchShapes(emitter, inputs[0], inputs[i]);
  if (!arguments[5].isIntLike() || arguments[5].asInt() < 1)
    emitter.fail("pack must be a positive integer, not " + arguments[5].repr());
  std::vector<Value> types =
      arguments[3].isTuple() ? arguments[3].asTuple().elements : std::vector<Value>{arguments[3]};
  std::vector<Type> results;
  SmallVector<mlir::Type> mlirTypes;
  for (const Value &type : types) {
    if (!type.isType())
      emitter.fail("expected a dtype such as tl.float32, but got a " + type.describe());
    results.push_back(inputs.empty() ? type.asType() : inputs[0].type.withElement(type.asType()));
    mlirTypes.push_back(results.back().toMLIR(emitter.getMLIRContext()));
  }
  SmallVector<mlir::Value> handles;
  for (const Tensor &input : inputs)
    handles.push_back(input.handle);
  auto op = emitter.create<tt::ElementwiseInlineAsmOp>(mlirTypes, arguments[0].asStr(), arguments[1].asStr(),
                                                       arguments[4].isTruthy(),
                                                       static_cast<uint32_t>(arguments[5].asInt()), handles);
  std::vector<Value> values;
  for (auto [index, type] : enumerate(results))
    values.push_back(Tensor{op->getResult(index), type});
  return arguments[3].isTuple() ? Value::tuple(std::move(values)) : values[0];
}

static void addLibdevice(BuiltinTable &table) {
  static const std::pair<const char *, EmitUnary> unary[] = {
      {"exp", emitUnary<math::ExpOp>},           {"exp2", emitUnary<math::Exp2Op>},
      {"expm1", emitUnary<math::ExpM1Op>},       {"log", emitUnary<math::LogOp>},
      {"log2", emitUnary<math::Log2Op>},         {"log10", emitUnary<math::Log10Op>},
      {"log1p", emitUnary<math::Log1pOp>},       {"sqrt", emitUnary<math::SqrtOp>},
      {"rsqrt", emitUnary<math::RsqrtOp>},       {"cbrt", emitUnary<math::CbrtOp>},
      {"sin", emitUnary<math::SinOp>},           {"cos", emitUnary<math::CosOp>},
      {"tan", emitUnary<math::TanOp>},           {"asin", emitUnary<math::AsinOp>},
      {"acos", emitUnary<math::AcosOp>},         {"atan", emitUnary<math::AtanOp>},
      {"sinh", emitUnary<math::SinhOp>},         {"cosh", emitUnary<math::CoshOp>},
      {"tanh", emitUnary<math::TanhOp>},         {"asinh", emitUnary<math::AsinhOp>},
      {"acosh", emitUnary<math::AcoshOp>},       {"atanh", emitUnary<math::AtanhOp>},
      {"erf", emitUnary<math::ErfOp>},           {"erfc", emitUnary<math::ErfcOp>},
      {"floor", emitUnary<math::FloorOp>},       {"ceil", emitUnary<math::CeilOp>},
      {"trunc", emitUnary<math::TruncOp>},       {"round", emitUnary<math::RoundOp>},
      {"rint", emitUnary<math::RoundEvenOp>},    {"nearbyint", emitUnary<math::RoundEvenOp>},
      {"fabs", emitUnary<math::AbsFOp>},         {"fast_expf", emitUnary<math::ExpOp>},
      {"fast_logf", emitUnary<math::LogOp>},     {"fast_log2f", emitUnary<math::Log2Op>},
      {"fast_log10f", emitUnary<math::Log10Op>}, {"fast_sinf", emitUnary<math::SinOp>},
      {"fast_cosf", emitUnary<math::CosOp>},     {"fast_tanf", emitUnary<math::TanOp>},
      {"fast_tanhf", emitUnary<math::TanhOp>},   {"sqrt_rn", emitUnary<tt::PreciseSqrtOp>}};
  for (auto &[name, emit] : unary)
    addFloatFunction(table, ("libdevice." + Twine(name)).str(), emit);
  table.addAlias("libdevice.abs", "tl.abs");
  table.addAlias("libdevice.fma", "tl.fma");
  table.addAlias("libdevice.div_rn", "tl.div_rn");

  using EmitBinary = mlir::Value (*)(Emitter &, mlir::Value, mlir::Value);
  static const std::pair<const char *, EmitBinary> binary[] = {
      {"pow", emitBinaryOp<math::PowFOp>},          {"atan2", emitBinaryOp<math::Atan2Op>},
      {"copysign", emitBinaryOp<math::CopySignOp>}, {"fmod", emitBinaryOp<arith::RemFOp>},
      {"fast_powf", emitBinaryOp<math::PowFOp>},    {"fast_dividef", emitBinaryOp<arith::DivFOp>},
      {"fdividef", emitBinaryOp<arith::DivFOp>},    {"max", emitBinaryOp<arith::MaxNumFOp>},
      {"min", emitBinaryOp<arith::MinNumFOp>},      {"fmax", emitBinaryOp<arith::MaxNumFOp>},
      {"fmin", emitBinaryOp<arith::MinNumFOp>}};
  for (auto &[name, emit] : binary)
    table.add(("libdevice." + Twine(name)).str(), "x, y",
              [emit = emit](Emitter &emitter, Arguments &arguments) -> Value {
                auto [x, y] = matchOperands(emitter, arguments[0], arguments[1]);
                checkFloat(emitter, x, {ScalarKind::FP32, ScalarKind::FP64});
                return Tensor{emit(emitter, x.handle, y.handle), x.type};
              });
  for (const char *name :
       {"erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv", "lgamma", "tgamma", "exp10", "rcbrt", "sinpi",
        "cospi", "tanpi", "j0", "j1", "y0", "y1", "logb", "cyl_bessel_i0", "cyl_bessel_i1"})
    table.add(("libdevice." + Twine(name)).str(), "x", [name](Emitter &emitter, Arguments &arguments) {
      return emitExtern(emitter, name, {arguments[0]}, Type());
    });
  for (const char *name : {"hypot", "rhypot", "fdim", "nextafter", "remainder"})
    table.add(("libdevice." + Twine(name)).str(), "x, y", [name](Emitter &emitter, Arguments &arguments) {
      return emitExtern(emitter, name, {arguments[0], arguments[1]}, Type());
    });
  // Tests that comparisons decide: of a NaN nothing but != is true.
  table.add("libdevice.isnan", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor x = emitter.toTensor(arguments[0]);
    checkFloat(emitter, x, {ScalarKind::FP32, ScalarKind::FP64});
    return emitComparison(emitter, Comparison::NotEqual, x, x);
  });
  for (bool isInf : {true, false})
    for (const char *name : isInf ? std::initializer_list<const char *>{"isinf"}
                                  : std::initializer_list<const char *>{"isfinited", "finitef"})
      table.add(
          ("libdevice." + Twine(name)).str(), "x", [isInf](Emitter &emitter, Arguments &arguments) -> Value {
            Tensor x = emitter.toTensor(arguments[0]);
            checkFloat(emitter, x, {ScalarKind::FP32, ScalarKind::FP64});
            Tensor magnitude{emitter.create<math::AbsFOp>(x.handle), x.type};
            Value infinity = static_cast<double>(INFINITY);
            return emitComparison(emitter, isInf ? Comparison::Equal : Comparison::Less, magnitude, infinity);
          });
  for (auto &[name, emit] : {std::pair<const char *, EmitUnary>{"popc", emitUnary<math::CtPopOp>},
                             {"clz", emitUnary<math::CountLeadingZerosOp>}})
    table.add(("libdevice." + Twine(name)).str(), "x",
              [emit = emit](Emitter &emitter, Arguments &arguments) -> Value {
                Tensor x = emitter.toTensor(arguments[0]);
                if (!x.type.getScalar().isInteger())
                  emitter.fail("Expected dtype ['int32', 'int64'] but got " + x.type.getScalar().str());
                Tensor result{emit(emitter, x.handle), x.type};
                return castTo(emitter, result, ScalarKind::Int32);
              });
  table.add("libdevice.float_as_int", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    return bitcastTo(emitter, emitter.toTensor(arguments[0]), ScalarKind::Int32);
  });
  table.add("libdevice.int_as_float", "x", [](Emitter &emitter, Arguments &arguments) -> Value {
    return bitcastTo(emitter, emitter.toTensor(arguments[0]), ScalarKind::FP32);
  });
}

void addMathBuiltins(BuiltinTable &table) {
  addFloatFunction(table, "tl.exp", emitUnary<math::ExpOp>);
  addFloatFunction(table, "tl.exp2", emitUnary<math::Exp2Op>);
  addFloatFunction(table, "tl.log", emitUnary<math::LogOp>);
  addFloatFunction(table, "tl.log2", emitUnary<math::Log2Op>);
  addFloatFunction(table, "tl.sin", emitUnary<math::SinOp>);
  addFloatFunction(table, "tl.cos", emitUnary<math::CosOp>);
  addFloatFunction(table, "tl.sqrt", emitUnary<math::SqrtOp>);
  addFloatFunction(table, "tl.rsqrt", emitUnary<math::RsqrtOp>);
  addFloatFunction(table, "tl.sqrt_rn", emitUnary<tt::PreciseSqrtOp>, /*onlyFP32=*/true);
  addFloatFunction(table, "tl.erf", emitUnary<math::ErfOp>);
  addFloatFunction(table, "tl.floor", emitUnary<math::FloorOp>);
  addFloatFunction(table, "tl.ceil", emitUnary<math::CeilOp>);
  table.add("tl.abs", "x", absolute);
  table.add("tl.where", "condition, x, y", where);
  for (bool isMax : {false, true})
    table.add(isMax ? "tl.maximum" : "tl.minimum", "x, y, propagate_nan='none'",
              [isMax](Emitter &emitter, Arguments &arguments) -> Value {
                return emitMinMax(emitter, isMax, emitter.toTensor(arguments[0]),
                                  emitter.toTensor(arguments[1]), propagatesNaN(emitter, arguments[2]));
              });
  table.add("tl.clamp", "x, min, max, propagate_nan='none'", clamp);
  table.add("tl.fma", "x, y, z", fusedMultiplyAdd);
  table.add("tl.fdiv", "x, y, ieee_rounding=False", divideFloats);
  table.add("tl.umulhi", "x, y", multiplyHigh);
  table.add("tl.div_rn", "x, y", [](Emitter &emitter, Arguments &arguments) -> Value {
    auto [x, y] = matchOperands(emitter, emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
    checkFloat(emitter, x, {ScalarKind::FP32});
    return Tensor{emitter.create<tt::PreciseDivFOp>(x.handle, y.handle), x.type};
  });
  for (auto [name, op] : {std::pair<const char *, ast::Operator>{"add", ast::Operator::Add},
                          {"sub", ast::Operator::Sub},
                          {"mul", ast::Operator::Mult}})
    table.add(("tl." + Twine(name)).str(), "x, y, sanitize_overflow=True",
              [op = op](Emitter &emitter, Arguments &arguments) {
                return emitter.applyBinary(op, arguments[0], arguments[1]);
              });
  table.addMethods({"exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "sqrt_rn", "erf", "floor",
                    "ceil", "abs", "sigmoid", "softmax", "cdiv", "logical_and", "logical_or"});
  for (bool isAnd : {false, true})
    table.add(isAnd ? "tl.logical_and" : "tl.logical_or", "x, y",
              [isAnd](Emitter &emitter, Arguments &arguments) -> Value {
                return emitLogical(emitter, isAnd ? ast::BoolOperator::And : ast::BoolOperator::Or,
                                   emitter.toTensor(arguments[0]), emitter.toTensor(arguments[1]));
              });
  table.add("tl.inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", inlineAssembly);
  addLibdevice(table);
}

} // namespace nereid::python
